// OpenAI's Responses: streamed, nothing stored there, encrypted reasoning requested and sent back.
import type { OpenAI } from 'openai';
import {
  type Draft,
  extendDraft,
  finishAnswer,
  getOrigin,
  type ModelAnswer,
  markOwnMessages,
  normaliseWrittenArguments,
  noteModel,
  type OwnMessage,
  type Question,
  readEvents,
} from './answer.ts';
import { computeCacheKey, createClient } from './chat.ts';
import { noteFeatures } from './endpoint.ts';
import { type AskedEndpoint, createMisbehaved, readRefusal } from './failure.ts';
import { isObject, type JsonObject, parseObject, readString } from './json.ts';
import type { ModelRequest } from './model.ts';
import { readUsage } from './usage.ts';

/** An output item as it is given back: reasoning whole, the others by what the conversation holds of them. */
type KeptItem =
  | { readonly kind: 'reasoning'; readonly item: JsonObject }
  | { readonly kind: 'text'; readonly phase: string | null }
  | { readonly kind: 'call'; readonly at: number };

/** Asks once; throws what the library throws, or `AttemptFailed`. */
export async function askResponses(question: Question, asked: AskedEndpoint): Promise<ModelAnswer> {
  const params = buildRequestBody(question);
  question.promptCharacters = JSON.stringify(params['input']).length + JSON.stringify(params['tools'] ?? []).length;
  const client = createClient(question);
  // What is given back has passed through the store, and is not of the library's types any more.
  const body = params as unknown as OpenAI.Responses.ResponseCreateParamsStreaming;
  const items: JsonObject[] = [];
  await readEvents(
    question,
    () => client.responses.create(body, { signal: question.signal }),
    (event) => addEvent(event, { ...question, items, asked }),
  );
  return finishAnswer(question.draft, question.endpoint);
}

/** The same bytes for the same messages and tools. */
function buildRequestBody({ request, endpoint, dialect, sent, isBare }: Question): Record<string, unknown> {
  const hasTools = request.tools.length > 0;
  noteFeatures(sent, dialect, {
    tool_choice: hasTools && request.toolChoice === 'none',
    parallel_tool_calls: hasTools,
    prompt_cache_key: true,
    encrypted_reasoning: true,
    effort: endpoint.effort !== null,
    opaque: !isBare,
  });
  return {
    model: endpoint.model,
    input: markOwnMessages(request.messages, sent.has('opaque') ? getOrigin(endpoint) : null).flatMap(toInputItems),
    stream: true,
    store: false,
    ...(sent.has('encrypted_reasoning') && { include: ['reasoning.encrypted_content'] }),
    ...(hasTools && { tools: request.tools.map(toTool) }),
    ...(sent.has('tool_choice') && { tool_choice: 'none' }),
    ...(sent.has('parallel_tool_calls') && { parallel_tool_calls: true }),
    ...(sent.has('prompt_cache_key') && { prompt_cache_key: computeCacheKey(request) }),
    ...(sent.has('effort') && { reasoning: { effort: endpoint.effort } }),
  };
}

/** Not strict, which is the default here and would reject schemas with optional fields. */
function toTool({ name, description, parameters }: ModelRequest['tools'][number]): JsonObject {
  return { type: 'function', name, description, parameters: { ...parameters }, strict: false };
}

function toInputItems(message: OwnMessage): readonly JsonObject[] {
  switch (message.role) {
    case 'system':
    case 'user':
      return [{ role: message.role, content: message.content }];
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.callId, output: message.content }];
    case 'assistant': {
      const calls = message.calls.map(({ id, name, arguments: written }) => ({
        type: 'function_call',
        call_id: id,
        name,
        arguments: normaliseWrittenArguments(written, parseObject(written)),
      }));
      const text = (phase: string | null) =>
        message.content === '' ? [] : [{ role: 'assistant', content: message.content, ...(phase && { phase }) }];
      const kept = readKeptItems(message.opaque);
      if (kept === null) return [...text(null), ...calls];
      return kept.flatMap((each): readonly JsonObject[] => {
        if (each.kind === 'reasoning') return [each.item];
        return each.kind === 'text' ? text(each.phase) : calls.slice(each.at, each.at + 1);
      });
    }
  }
}

function readKeptItems(opaque: unknown): readonly KeptItem[] | null {
  return isObject(opaque) && Array.isArray(opaque['items']) ? opaque['items'] : null;
}

interface ResponseReading extends Question {
  readonly items: JsonObject[];
  readonly asked: AskedEndpoint;
}

/** Items count when they are done; what comes before is only measured. */
function addEvent(event: unknown, reading: ResponseReading): void {
  const { draft, endpoint } = reading;
  if (!isObject(event))
    throw createMisbehaved(`It answered with an event of a wrong type: check ${endpoint.variables.url}.`);
  const type = readString(event['type']);
  if (type.startsWith('response.')) draft.choices = 1;
  if (type.endsWith('.delta')) extendDraft(draft, readString(event['delta']).length);
  switch (type) {
    case 'response.output_item.done':
      if (isObject(event['item'])) reading.items.push(event['item']);
      break;
    case 'response.completed':
    case 'response.incomplete':
    case 'response.failed':
      endResponse(event['response'], reading);
      break;
    case 'error':
      throw createResponseFailure(isObject(event['error']) ? event['error'] : event, reading);
    case '':
      // An endpoint that does not stream answers with the response itself.
      if (event['object'] === 'response') endResponse(event, reading);
  }
}

function endResponse(response: unknown, reading: ResponseReading): void {
  const { draft } = reading;
  if (!isObject(response)) throw createMisbehaved('It ended without a response: choose another MODEL.');
  draft.usage = readUsage(response['usage']) ?? draft.usage;
  noteModel(draft, response['model']);
  if (isObject(response['error'])) throw createResponseFailure(response['error'], reading);
  const output: unknown = response['output'];
  const items = reading.items.length === 0 && Array.isArray(output) ? output.filter(isObject) : reading.items;
  addItems(draft, items);
  draft.choices = 1;
  draft.finish = readFinish(response);
}

function readFinish(response: JsonObject): Draft['finish'] {
  if (response['status'] !== 'incomplete') return 'stop';
  const details = response['incomplete_details'];
  return isObject(details) && details['reason'] === 'content_filter' ? 'filter' : 'length';
}

function addItems(draft: Draft, items: readonly JsonObject[]): void {
  const kept: KeptItem[] = [];
  for (const item of items) {
    switch (item['type']) {
      case 'reasoning':
        extendDraft(draft, JSON.stringify(item).length);
        // Without its content it would be looked up by its id, and nothing is kept there.
        if (readString(item['encrypted_content']) !== '') kept.push({ kind: 'reasoning', item });
        break;
      case 'message': {
        addText(draft, item['content']);
        // Text is kept in one piece, at the place of its first one.
        const isFirst = !kept.some(({ kind }) => kind === 'text');
        if (isFirst) kept.push({ kind: 'text', phase: readString(item['phase']) || null });
        break;
      }
      case 'function_call':
        kept.push({ kind: 'call', at: draft.calls.length });
        draft.calls.push({
          index: draft.calls.length,
          id: readString(item['call_id']) || readString(item['id']),
          name: readString(item['name']),
          arguments: readString(item['arguments']),
          opaque: null,
        });
    }
  }
  const isPlain = kept.every((each) => each.kind === 'call' || (each.kind === 'text' && each.phase === null));
  draft.opaque = isPlain ? null : { items: kept };
}

function addText(draft: Draft, content: unknown): void {
  for (const part of Array.isArray(content) ? content.filter(isObject) : []) {
    draft.content += readString(part['text']);
    draft.refusal += readString(part['refusal']);
  }
}

/** A response that failed half-way has a code instead of a status. */
function createResponseFailure(error: JsonObject, { asked }: ResponseReading): Error {
  const code = readString(error['code']);
  const status = code === 'rate_limit_exceeded' ? 429 : /^invalid|_not_found$/.test(code) ? 400 : 500;
  return readRefusal({ status, text: JSON.stringify(error), headers: null }, asked);
}
