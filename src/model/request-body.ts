// A question as the endpoint gets it: the same bytes for the same messages and tools, in the dialect that it understands.
import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { Message, ModelRequest, ToolCall } from '../ports/model.ts';
import type { Dialect, Feature } from './dialect.ts';
import { asJsonAnswer, describeTools, NO_MORE_CALLS } from './json-mode.ts';
import { parseObject } from './json-value.ts';

export interface RequestBody {
  readonly params: ChatCompletionCreateParamsStreaming;
  /** Parts that could be left out. */
  readonly sent: ReadonlySet<Feature>;
}

export function requestBody(model: string, request: ModelRequest, dialect: Dialect): RequestBody {
  const hasTools = request.tools.length > 0;
  const isJson = hasTools && dialect.tools === 'json';
  const wanted: Readonly<Record<Feature, boolean>> = {
    stream_options: true,
    tools: hasTools && !isJson,
    tool_choice: hasTools && !isJson && request.toolChoice === 'none',
    response_format: isJson,
  };
  const sent = new Set(features.filter((feature) => wanted[feature] && !dialect.leftOut.has(feature)));
  const params: ChatCompletionCreateParamsStreaming = {
    model,
    messages: isJson ? jsonMessages(request) : request.messages.map(nativeMessage),
    stream: true,
    ...(sent.has('stream_options') ? { stream_options: { include_usage: true } } : {}),
    ...(sent.has('tools') ? { tools: nativeTools(request) } : {}),
    ...(sent.has('tool_choice') ? { tool_choice: 'none' as const } : {}),
    ...(sent.has('response_format') ? { response_format: { type: 'json_object' as const } } : {}),
  };
  return { params, sent };
}

const features: readonly Feature[] = ['stream_options', 'tools', 'tool_choice', 'response_format'];

function nativeTools(request: ModelRequest): NonNullable<ChatCompletionCreateParamsStreaming['tools']> {
  return request.tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters: { ...parameters } },
  }));
}

function nativeMessage(message: Message): ChatCompletionMessageParam {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
    case 'assistant':
      if (message.toolCalls.length === 0) return { role: 'assistant', content: message.content };
      // Null, not '': endpoints in front of Anthropic's models reject empty texts.
      return { role: 'assistant', content: message.content || null, tool_calls: message.toolCalls.map(nativeCall) };
  }
}

/** vLLM and Ollama parse the arguments of earlier calls and fail with the whole request where they are no JSON object. */
function nativeCall({ id, name, arguments: written }: ToolCall) {
  const isSound = parseObject(written) !== null;
  const args = isSound ? written : JSON.stringify(written.trim() === '' ? {} : { malformed: written });
  return { id, type: 'function' as const, function: { name, arguments: args } };
}

/** Only the three plain roles, and no two users in a row, since the templates of small models reject that. */
function jsonMessages(request: ModelRequest): ChatCompletionMessageParam[] {
  const description = describeTools(request.tools);
  const [first] = request.messages;
  const opening: Message[] =
    first?.role === 'system'
      ? [{ role: 'system', content: `${first.content}\n\n${description}` }, ...request.messages.slice(1)]
      : [{ role: 'system', content: description }, ...request.messages];
  const closing: Message[] = request.toolChoice === 'none' ? [{ role: 'user', content: NO_MORE_CALLS }] : [];
  const names = callNames(request.messages);
  return [...opening, ...closing].map((message) => plainMessage(message, names)).reduce(joinUsers, []);
}

interface PlainMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

function plainMessage(message: Message, names: ReadonlyMap<string, string>): PlainMessage {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'assistant':
      return { role: 'assistant', content: asJsonAnswer(message.content, message.toolCalls) };
    case 'tool':
      return { role: 'user', content: `Result of ${names.get(message.callId) ?? 'a tool'}:\n${message.content}` };
  }
}

function callNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  return new Map(
    messages.flatMap((message) =>
      message.role === 'assistant' ? message.toolCalls.map(({ id, name }) => [id, name] as const) : [],
    ),
  );
}

function joinUsers(messages: PlainMessage[], next: PlainMessage): PlainMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'user' || next.role !== 'user') return [...messages, next];
  return [...messages.slice(0, -1), { role: 'user', content: `${last.content}\n\n${next.content}` }];
}
