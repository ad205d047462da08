// Tools for models that cannot call them: described in the system text, called in an answer that is one JSON object.

import type { CallDraft, ModelAnswer } from './answer.ts';
import { createMisbehaved } from './failure.ts';
import { isObject, type JsonObject, parseObject } from './json.ts';
import type { Message, ModelRequest, ToolCall, ToolDescription } from './model.ts';

const NO_MORE_CALLS = 'Tools may not be called any more: answer with {"tool_calls":[],"content":"…"}.';

export interface PlainMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/**
 * The messages with the tools described in them: only the three plain roles, and no two users in a row, since the
 * templates of small models reject that.
 */
export function buildJsonMessages(request: ModelRequest): PlainMessage[] {
  const description = describeToolsInText(request.tools);
  const [first] = request.messages;
  const opening: Message[] =
    first?.role === 'system'
      ? [{ role: 'system', content: `${first.content}\n\n${description}` }, ...request.messages.slice(1)]
      : [{ role: 'system', content: description }, ...request.messages];
  const closing: Message[] = request.toolChoice === 'none' ? [{ role: 'user', content: NO_MORE_CALLS }] : [];
  const names = callNames(request.messages);
  return [...opening, ...closing].map((message) => toPlainMessage(message, names)).reduce(joinUsers, []);
}

/** The same bytes for the same tools. */
function describeToolsInText(tools: readonly ToolDescription[]): string {
  const list = tools.map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters }));
  return [
    'Answer with one JSON object and nothing else: {"tool_calls":[{"name":"…","arguments":{…}}],"content":"…"}.',
    'tool_calls are the tools to call now, none or several; content is what you have to say. The tools, with the JSON Schema of their arguments:',
    ...list,
  ].join('\n');
}

function toPlainMessage(message: Message, names: ReadonlyMap<string, string>): PlainMessage {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'assistant':
      return { role: 'assistant', content: toJsonAnswer(message.content, message.toolCalls) };
    case 'tool':
      return { role: 'user', content: `Result of ${names.get(message.callId) ?? 'a tool'}:\n${message.content}` };
  }
}

/** An earlier turn of the model, as it would have written it. */
function toJsonAnswer(content: string, calls: readonly ToolCall[]): string {
  const written = calls.map((call) => ({ name: call.name, arguments: parseObject(call.arguments) ?? call.arguments }));
  return JSON.stringify({ tool_calls: written, content });
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

/**
 * The turn that a JSON answer means. Throws `AttemptFailed` where it is JSON but not such an answer, or broken JSON.
 */
export function readJsonAnswer(text: string, request: ModelRequest): ModelAnswer {
  const object = findObject(text);
  const isJson = /^[{[]/.test(removeFence(text));
  if (object === null && isJson) throw createMisbehaved('It answered with invalid JSON: choose another MODEL.');
  if (object === null) return { content: text, calls: [] };
  if ('tool_calls' in object || 'content' in object) return readFullAnswer(object);
  if ('name' in object && 'arguments' in object) return { content: '', calls: [readCall(object)] };
  if (request.toolChoice === 'none' || !isJson) return { content: text, calls: [] };
  throw createMisbehaved('It answered with JSON of another shape than asked for: choose another MODEL.');
}

function readFullAnswer(object: JsonObject): ModelAnswer {
  const calls = object['tool_calls'] ?? [];
  const given = object['content'] ?? '';
  if (!Array.isArray(calls)) throw createMisbehaved('Its tool_calls are not a list: choose another MODEL.');
  const content = typeof given === 'string' ? given : JSON.stringify(given);
  if (content.trim() === '' && calls.length === 0)
    throw createMisbehaved('It answered with nothing: choose another MODEL.');
  return { content, calls: calls.map(readCall) };
}

/** Calls that a model wrote as text although it was offered real ones; null where the text is not just that. */
export function readWrittenCalls(text: string, tools: readonly ToolDescription[]): ModelAnswer | null {
  const tagged = listTaggedTexts(text).map(findObject);
  const bare = removeFence(text);
  const whole = bare.startsWith('{') && bare.endsWith('}') ? findObject(bare) : null;
  const listed: unknown = whole?.['tool_calls'];
  const objects: readonly unknown[] = tagged.length > 0 ? tagged : Array.isArray(listed) ? listed : [whole];
  const offered = new Set<unknown>(tools.map(({ name }) => name));
  const calls = objects.filter((object) => isObject(object) && offered.has(object['name']) && 'arguments' in object);
  if (calls.length === 0 || calls.length < objects.length) return null;
  const content = whole?.['content'];
  return { content: typeof content === 'string' ? content : '', calls: calls.map(readCall) };
}

const OPENING = '<tool_call>';
const CLOSING = '</tool_call>';

/** By index, since a lazy expression takes quadratic time where openings by the thousand are never closed. */
function listTaggedTexts(text: string): readonly string[] {
  const texts: string[] = [];
  for (let from = text.indexOf(OPENING); from >= 0; ) {
    const to = text.indexOf(CLOSING, from);
    if (to < 0) break;
    texts.push(text.slice(from + OPENING.length, to));
    from = text.indexOf(OPENING, to);
  }
  return texts;
}

function removeFence(text: string): string {
  const bare = text.trim().replace(/^```\w*/, '');
  return (bare.endsWith('```') ? bare.slice(0, -3) : bare).trim();
}

function readCall(value: unknown): CallDraft {
  const name = isObject(value) ? value['name'] : null;
  if (!isObject(value) || typeof name !== 'string' || name === '') {
    throw createMisbehaved('It called a tool without a name: choose another MODEL.');
  }
  const given = value['arguments'] ?? {};
  return {
    index: null,
    id: '',
    name,
    arguments: typeof given === 'string' ? given : JSON.stringify(given),
    opaque: null,
  };
}

/** The object in `text`: bare, in a fence, between words, or with commas before closing brackets. */
function findObject(text: string): JsonObject | null {
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}');
  if (from < 0 || to < from) return null;
  const body = text.slice(from, to + 1);
  return parseObject(body) ?? parseObject(removeTrailingCommas(body));
}

/** Token by token: an expression that matches whole strings is quadratic where one is never closed. */
function removeTrailingCommas(json: string): string {
  const kept: string[] = [];
  let isInString = false;
  for (const token of json.split(/(\\.|["{}[\],]|\s+)/s)) {
    if (token === '"') isInString = !isInString;
    else if (!isInString && /^[}\]]$/.test(token)) dropComma(kept);
    kept.push(token);
  }
  return kept.join('');
}

/** The last of the tokens that is not blank, if it is a comma. */
function dropComma(tokens: string[]): void {
  const last = tokens.findLastIndex((token) => token.trim() !== '');
  if (tokens[last] === ',') tokens[last] = '';
}
