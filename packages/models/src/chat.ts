// chat.completions, as most providers offer it: streamed, in the dialect that the endpoint understands.
import { createHash } from 'node:crypto';
import { OpenAI } from 'openai';
import {
  type CallDraft,
  type Draft,
  extendDraft,
  finishAnswer,
  getOrigin,
  type ModelAnswer,
  markOwnMessages,
  normaliseWrittenArguments,
  noteModel,
  type OwnCall,
  type OwnMessage,
  type Question,
  readEvents,
} from './answer.ts';
import { type Dialect, type Feature, isAccessToken, noteFeatures, noteTextAnswer } from './endpoint.ts';
import { AttemptFailed, createMisbehaved, omitFeature } from './failure.ts';
import { fetchGuarded } from './guarded-fetch.ts';
import { isObject, type JsonObject, parseObject } from './json.ts';
import { buildJsonMessages, readJsonAnswer, readWrittenCalls } from './json-mode.ts';
import type { ModelRequest } from './model.ts';
import { readUsage } from './usage.ts';

/** Asks once; throws what the library throws, or `AttemptFailed`. */
export async function askChat(question: Question): Promise<ModelAnswer> {
  const { endpoint, request, draft, sent } = question;
  const params = buildBody(question);
  question.promptCharacters = JSON.stringify(params['messages']).length + JSON.stringify(params['tools'] ?? []).length;
  const client = createClient(question);
  // The body is what endpoints understand, which is more and less than the library's types.
  const body = params as unknown as OpenAI.ChatCompletionCreateParamsStreaming;
  await readEvents(
    question,
    () => client.chat.completions.create(body, { signal: question.signal }),
    (event) => addChunk(draft, event, endpoint.variables.url),
  );
  draft.opaque = listOpaqueParts(draft);
  const answer = finishAnswer(draft, endpoint);
  return request.tools.length === 0 ? answer : readChatAnswer(answer, question, sent.has('tools'));
}

/** Everything that the library would read from the environment is given, so that only the configuration counts. */
export function createClient({ endpoint, key, watch }: Question): OpenAI {
  const isKeyHeader = endpoint.isAzure && !isAccessToken(key);
  return new OpenAI({
    // Local servers need no key, but the library does.
    apiKey: key || 'none',
    baseURL: endpoint.baseUrl,
    defaultQuery: { ...endpoint.query },
    defaultHeaders: { ...(isKeyHeader && { 'api-key': key, authorization: null }), ...endpoint.headers },
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    // Its own deadline ends with the headers; the watch keeps all of them.
    timeout: 2 ** 31 - 1,
    logLevel: 'off',
    fetch: fetchGuarded(watch, { asEvents: true, url: endpoint.variables.url }),
  });
}

/** What all requests of a run share names its place in the provider's cache. */
export function computeCacheKey({ messages, tools }: ModelRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([tools, messages.slice(0, 2)]))
    .digest('hex')
    .slice(0, 32);
}

/** The same bytes for the same messages and tools. */
function buildBody(question: Question): Record<string, unknown> {
  const { request, endpoint, dialect, sent } = question;
  const isJson = request.tools.length > 0 && dialect.tools === 'json';
  const origin = question.isBare || dialect.leftOut.has('opaque') ? null : getOrigin(endpoint);
  const messages = isJson ? [] : markOwnMessages(request.messages, origin);
  // By what was recorded: of some gateways nothing but the ids of calls is opaque.
  const hasOpaque =
    !isJson &&
    origin !== null &&
    request.messages.some((message) => message.role === 'assistant' && message.opaque?.origin === origin);
  noteWanted(question, { isJson, hasOpaque });
  const native = () => messages.map((message) => toNativeMessage(message, dialect));
  return {
    model: endpoint.model,
    messages: isJson ? buildJsonMessages(request) : addCacheMark(sent, native()),
    stream: true,
    ...(sent.has('tools') && { tools: toNativeTools(request) }),
    ...buildParameters(question),
  };
}

function buildParameters({ request, endpoint, sent }: Question): JsonObject {
  const all: Partial<Record<Feature, JsonObject>> = {
    stream_options: { stream_options: { include_usage: true } },
    tool_choice: { tool_choice: 'none' },
    parallel_tool_calls: { parallel_tool_calls: true },
    prompt_cache_key: { prompt_cache_key: computeCacheKey(request) },
    effort: { reasoning_effort: endpoint.effort },
    response_format: { response_format: { type: 'json_object' } },
  };
  return Object.assign({}, ...[...sent].map((feature) => all[feature]));
}

function noteWanted(
  { request, endpoint, dialect, sent }: Question,
  { isJson, hasOpaque }: { readonly isJson: boolean; readonly hasOpaque: boolean },
): void {
  const isNative = request.tools.length > 0 && !isJson;
  noteFeatures(sent, dialect, {
    stream_options: true,
    tools: isNative,
    tool_choice: isNative && request.toolChoice === 'none',
    parallel_tool_calls: isNative && acceptsFeature(endpoint.place, 'parallel_tool_calls'),
    prompt_cache_key: acceptsFeature(endpoint.place, 'prompt_cache_key'),
    cache_control: acceptsCacheMarks(endpoint),
    response_format: isJson,
    effort: endpoint.effort !== null,
    opaque: hasOpaque,
  });
}

/** Hosts that document a parameter which strict servers reject; once it is rejected, it is omitted from then on. */
const TAKES: Readonly<Record<'parallel_tool_calls' | 'prompt_cache_key', RegExp>> = {
  parallel_tool_calls: /(?:^|\.)(?:openai\.com|azure\.com|openrouter\.ai)$/,
  prompt_cache_key: /(?:^|\.)(?:openai\.com|azure\.com|moonshot\.(?:ai|cn))$/,
};

function acceptsFeature(place: string, parameter: keyof typeof TAKES): boolean {
  return TAKES[parameter].test(place);
}

/** OpenRouter passes Anthropic's cache marks on; without them Claude caches nothing. */
function acceptsCacheMarks({ place, model }: Question['endpoint']): boolean {
  return place === 'openrouter.ai' && model.startsWith('anthropic/');
}

const CACHED = { type: 'ephemeral' };

/** The system text and the last message are marked, where marks are taken: all before a mark is cached. */
function addCacheMark(sent: ReadonlySet<Feature>, messages: readonly JsonObject[]): readonly JsonObject[] {
  if (!sent.has('cache_control')) return messages;
  const last = messages.length - 1;
  return messages.map((message, at) => {
    const { role, content } = message;
    const isMarked = role === 'system' || at === last;
    if (!isMarked || typeof content !== 'string' || content === '') return message;
    return { ...message, content: [{ type: 'text', text: content, cache_control: CACHED }] };
  });
}

function toNativeTools(request: ModelRequest): readonly unknown[] {
  return request.tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters: { ...parameters } },
  }));
}

function toNativeMessage(message: OwnMessage, dialect: Dialect): JsonObject {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
    case 'assistant': {
      const parts = isObject(message.opaque) ? message.opaque : {};
      if (message.calls.length === 0) return { role: 'assistant', content: message.content, ...parts };
      const fill = dialect.fills.has('reasoning_content') ? { reasoning_content: '' } : {};
      return {
        role: 'assistant',
        // Null, not '': endpoints in front of Anthropic's models reject empty texts.
        content: message.content || null,
        ...fill,
        ...parts,
        tool_calls: message.calls.map((call, at) => toNativeCall(call, at, dialect)),
      };
    }
  }
}

/** What Google documents for calls that no Gemini made; only the first of a turn is looked at. */
const UNSIGNED = { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } };

function toNativeCall(call: OwnCall, at: number, dialect: Dialect): JsonObject {
  const { id, name, arguments: written, opaque } = call;
  const sound = normaliseWrittenArguments(written, parseObject(written));
  const fill = at === 0 && dialect.fills.has('thought_signature') ? UNSIGNED : {};
  return { id, type: 'function', function: { name, arguments: sound }, ...fill, ...opaque };
}

/** Calls that were written as text are taken as calls; a model that never calls is asked in JSON mode from then on. */
function readChatAnswer(answer: ModelAnswer, { request, dialect }: Question, wasOffered: boolean): ModelAnswer {
  if (!wasOffered) return answer.calls.length > 0 ? answer : readJsonAnswer(answer.content, request);
  if (answer.calls.length > 0) {
    dialect.hasCalled = true;
    return answer;
  }
  const written = readWrittenCalls(answer.content, request.tools);
  if (written !== null) {
    dialect.tools = 'json';
    return written;
  }
  if (request.toolChoice === 'auto' && noteTextAnswer(dialect)) {
    const detail = 'It answers with text where it should call tools.';
    throw new AttemptFailed({ kind: 'dialect', learn: (known) => omitFeature(known, 'tools'), detail });
  }
  return answer;
}

/** Adds one chunk as it was parsed; throws `AttemptFailed` where it is of a wrong type. */
function addChunk(draft: Draft, chunk: unknown, url: string): void {
  if (!isObject(chunk)) throw createTypeFault('chunk', url);
  // Some endpoints send running totals: the last one counts.
  draft.usage = readUsage(chunk['usage']) ?? draft.usage;
  noteModel(draft, chunk['model']);
  const choices = chunk['choices'] ?? [];
  if (!Array.isArray(choices)) throw createTypeFault('choices', url);
  for (const choice of choices) addChoice(draft, choice, url);
}

function addChoice(draft: Draft, choice: unknown, url: string): void {
  if (!isObject(choice)) throw createTypeFault('choice', url);
  if ((choice['index'] ?? 0) !== 0) return;
  draft.choices += 1;
  // `message` where the endpoint did not stream.
  const delta = choice['delta'] ?? choice['message'] ?? {};
  if (!isObject(delta)) throw createTypeFault('delta', url);
  addDelta(draft, delta, url);
  const finish = choice['finish_reason'] ?? '';
  if (typeof finish !== 'string') throw createTypeFault('finish_reason', url);
  if (finish !== '') draft.finish = FINISHES.get(finish) ?? 'stop';
}

const FINISHES: ReadonlyMap<string, Draft['finish']> = new Map([
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['content_filter', 'filter'],
  ['error', 'error'],
]);

function addDelta(draft: Draft, delta: JsonObject, url: string): void {
  const content = readChatText(delta['content'], 'content', url);
  draft.content += content;
  draft.refusal += readChatText(delta['refusal'], 'refusal', url);
  extendDraft(draft, content.length);
  addMessageParts(draft, delta);
  const calls = delta['tool_calls'] ?? [];
  if (!Array.isArray(calls)) throw createTypeFault('tool_calls', url);
  for (const call of calls) addCallPiece(draft, call);
}

/** Text, or a list of parts of which the texts count. */
function readChatText(value: unknown, field: string, url: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) throw createTypeFault(field, url);
  return value.map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('');
}

function createTypeFault(field: string, url: string): AttemptFailed {
  return createMisbehaved(`It answered with a ${field} of a wrong type: check ${url} and MODEL.`);
}

/** Texts of thoughts: DeepSeek, Kimi and their like; OpenRouter, Ollama and vLLM. */
const THOUGHTS = ['reasoning_content', 'reasoning'];
/** Lists of thoughts in pieces: OpenRouter; LiteLLM in front of Claude. */
const LISTS = ['reasoning_details', 'thinking_blocks'];

/** Puts together what the provider adds to the answer. */
function addMessageParts(draft: Draft, delta: JsonObject): void {
  const parts: Record<string, unknown> = isObject(draft.opaque) ? { ...draft.opaque } : {};
  for (const name of THOUGHTS) {
    const piece = delta[name];
    if (typeof piece === 'string') parts[name] = `${parts[name] ?? ''}${piece}`;
  }
  for (const name of LISTS) {
    const pieces: unknown = delta[name];
    if (Array.isArray(pieces) && pieces.length > 0) parts[name] = addDetails(parts[name], pieces);
  }
  const extra = delta['extra_content'];
  if (isObject(extra)) parts['extra_content'] = mergeObjects(parts['extra_content'], extra);
  extendDraft(
    draft,
    MESSAGE_PARTS.reduce((sum, name) => sum + measureLength(delta[name]), 0),
  );
  if (Object.keys(parts).length > 0) draft.opaque = parts;
}

const MESSAGE_PARTS = [...THOUGHTS, ...LISTS, 'extra_content'];

function measureLength(value: unknown): number {
  if (value === undefined || value === null) return 0;
  return typeof value === 'string' ? value.length : JSON.stringify(value).length;
}

function addDetails(known: unknown, pieces: readonly unknown[]): readonly JsonObject[] {
  const list: JsonObject[] = Array.isArray(known) ? known : [];
  for (const piece of pieces.filter(isObject)) addDetail(list, piece);
  return list;
}

/** Of OpenRouter's `reasoning` and `reasoning_details` the second says all of the first. */
function listOpaqueParts({ opaque }: Draft): unknown {
  if (!isObject(opaque) || !('reasoning_details' in opaque)) return opaque;
  const { reasoning: _, ...parts } = opaque;
  return parts;
}

const PIECEWISE = ['text', 'summary', 'thinking'];

/** Adds an entry, or the next piece of the last one: same type, same index, and not signed yet. */
function addDetail(list: JsonObject[], piece: JsonObject): void {
  const last = list.at(-1);
  const isNext =
    last !== undefined &&
    last['type'] === piece['type'] &&
    last['index'] === piece['index'] &&
    !last['signature'] &&
    !('data' in piece);
  if (!isNext) return void list.push(piece);
  const known: Record<string, unknown> = { ...last };
  for (const [name, value] of Object.entries(piece)) {
    const before = known[name];
    const isPiece = PIECEWISE.includes(name) && typeof value === 'string' && typeof before === 'string';
    if (isPiece) known[name] = before + value;
    else if (value !== null && value !== undefined) known[name] = value;
  }
  list[list.length - 1] = known;
}

function mergeObjects(known: unknown, more: JsonObject): JsonObject {
  const all = new Map<string, unknown>(isObject(known) ? Object.entries(known) : []);
  for (const [name, value] of Object.entries(more))
    all.set(name, isObject(value) ? mergeObjects(all.get(name), value) : value);
  return Object.fromEntries(all);
}

/** What providers add to a call: Google; LiteLLM. */
const CALL_PARTS = ['extra_content', 'provider_specific_fields'];

/** Adds one element of `delta.tool_calls`; throws where it is of a wrong type. */
function addCallPiece(draft: Draft, piece: unknown): void {
  if (!isObject(piece)) throw createCallFault();
  const body = piece['function'] ?? {};
  if (!isObject(body)) throw createCallFault();
  const name = readCallText(body['name']);
  const index = typeof piece['index'] === 'number' ? piece['index'] : null;
  const call = findOrAddCall(draft.calls, { index, id: readCallText(piece['id']), isNamed: name !== '' });
  // Some endpoints say the name once, some in pieces, some whole with every piece.
  if (name !== call.name) call.name += name;
  const args = isObject(body['arguments']) ? JSON.stringify(body['arguments']) : readCallText(body['arguments']);
  call.arguments += args;
  extendDraft(draft, name.length + args.length);
  for (const part of CALL_PARTS) {
    const value = piece[part];
    if (!isObject(value)) continue;
    call.opaque = { ...call.opaque, [part]: mergeObjects(call.opaque?.[part], value) };
    extendDraft(draft, measureLength(value));
  }
}

/** How a piece says which call it belongs to, which every endpoint does in its own way. */
interface CallPosition {
  readonly index: number | null;
  readonly id: string;
  readonly isNamed: boolean;
}

function findOrAddCall(calls: CallDraft[], place: CallPosition): CallDraft {
  const { index, id } = place;
  const open = calls.findLast((call) => isSameCall(call, place));
  if (open !== undefined) return open;
  const call: CallDraft = { index, id, name: '', arguments: '', opaque: null };
  calls.push(call);
  return call;
}

/**
 * Same number and no other id (some number every call 0); without numbers the same id; without both it is the last
 * call, unless a name begins a new one.
 */
function isSameCall(call: CallDraft, { index, id, isNamed }: CallPosition): boolean {
  if (index !== null) return index === call.index && (id === '' || call.id === '' || id === call.id);
  return id === '' ? !isNamed : id === call.id && call.index === null;
}

function readCallText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw createCallFault();
  return value;
}

function createCallFault(): Error {
  return createMisbehaved('It answered with a tool call of a wrong shape: choose another MODEL.');
}
