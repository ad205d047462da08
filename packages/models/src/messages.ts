// Anthropic's Messages, at Anthropic, Bedrock and Vertex: streamed, with thinking blocks given back as they came and
// cache marks.
import { createRequire } from 'node:module';
import { Anthropic } from '@anthropic-ai/sdk';
import {
  type Draft,
  extendDraft,
  finishAnswer,
  getOrigin,
  type ModelAnswer,
  markOwnMessages,
  noteModel,
  type OwnMessage,
  type Question,
  readEvents,
} from './answer.ts';
import { type Dialect, isAccessToken, noteFeatures } from './endpoint.ts';
import { AttemptFailed, createMisbehaved } from './failure.ts';
import { fetchGuarded } from './guarded-fetch.ts';
import { isObject, type JsonObject, parseObject, readString } from './json.ts';
import { ModelFailure, type ModelRequest } from './model.ts';
import { addMessagesUsage, type MessagesUsage, toTurnUsage } from './usage.ts';

/** A content block as it is given back: thinking whole, the others by what the conversation holds of them. */
type KeptBlock =
  | { readonly kind: 'thinking'; readonly block: JsonObject }
  /** `length`: of this one of several texts, in characters. */
  | { readonly kind: 'text'; readonly length: number }
  | { readonly kind: 'call'; readonly at: number };

/** Asks once; throws what the library throws, or `AttemptFailed`. */
export async function askMessages(question: Question): Promise<ModelAnswer> {
  const body = buildRequestBody(question);
  question.promptCharacters = JSON.stringify([body['system'], body['messages'], body['tools']]).length;
  const client = await createMessagesClient(question);
  const reading: MessageReading = {
    draft: question.draft,
    blocks: [],
    usage: { input: 0, read: 0, written: 0, output: 0 },
  };
  await readEvents(
    question,
    // Not `messages.create`, which writes to the console where a model is about to be retired.
    () => client.post<AsyncIterable<unknown>>('/v1/messages', { body, stream: true, signal: question.signal }),
    (event) => addEvent(event, reading),
  );
  return finishAnswer(question.draft, question.endpoint);
}

type MessagesClient = Pick<Anthropic, 'post'>;

/** Everything that the library would read from the environment is given, so that only the configuration counts. */
async function createMessagesClient({ endpoint, key, watch }: Question): Promise<MessagesClient> {
  const common = {
    defaultHeaders: { ...endpoint.headers },
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
    logLevel: 'off' as const,
    openTelemetry: false as const,
  };
  const { url } = endpoint.variables;
  // The clouds' own streams are binary; their clients turn them into events.
  const cloud = { ...common, fetch: fetchGuarded(watch, { asEvents: false, url }) };
  switch (endpoint.wire) {
    case 'bedrock':
      return new (await loadCloudClient('@anthropic-ai/bedrock-sdk', 'AnthropicBedrock'))(cloud);
    case 'vertex':
      return new (await loadCloudClient('@anthropic-ai/vertex-sdk', 'AnthropicVertex'))(cloud);
    default: {
      const keyHeaders = isAccessToken(key) ? {} : { 'x-api-key': key || 'none', authorization: null };
      return new Anthropic({
        ...common,
        apiKey: key || 'none',
        webhookKey: null,
        baseURL: endpoint.baseUrl,
        defaultQuery: { ...endpoint.query },
        defaultHeaders: { ...keyHeaders, ...endpoint.headers },
        fetch: fetchGuarded(watch, { asEvents: true, url }),
      });
    }
  }
}

type ClientClass = new (options: object) => MessagesClient;

/** They bring the SDKs of their clouds (63 MB and 14 MB), which few need: installed where they are configured. */
const SISTERS: Readonly<Record<string, string>> = {
  '@anthropic-ai/bedrock-sdk': '1.1.3',
  '@anthropic-ai/vertex-sdk': '1.1.3',
};

async function loadCloudClient(name: string, member: string): Promise<ClientClass> {
  if (!isInstalled(name)) {
    const command = `npm install --no-save --ignore-scripts ${name}@${SISTERS[name]}`;
    const message = `MODEL_API asks for ${name}, which is not installed: run "${command}" in the folder of the program.`;
    throw new ModelFailure('model_rejected', message);
  }
  return (await import(name))[member];
}

function isInstalled(name: string): boolean {
  try {
    return createRequire(import.meta.url).resolve(name) !== '';
  } catch {
    return false;
  }
}

/** The same bytes for the same messages and tools. */
function buildRequestBody({ request, endpoint, dialect, sent, isBare }: Question): Record<string, unknown> {
  const { effort } = endpoint;
  noteFeatures(sent, dialect, {
    cache_control: true,
    thinking: true,
    effort: effort !== null && effort !== 'none',
    tool_choice: request.tools.length > 0 && request.toolChoice === 'none',
    opaque: !isBare,
  });
  const mark = sent.has('cache_control') ? CACHED : {};
  const opening = Math.max(
    0,
    request.messages.findIndex(({ role }) => role !== 'system'),
  );
  const system = request.messages.slice(0, opening).map(({ content }) => content);
  const messages = markOwnMessages(request.messages.slice(opening), sent.has('opaque') ? getOrigin(endpoint) : null);
  return {
    model: endpoint.model,
    max_tokens: dialect.maxTokens,
    stream: true,
    ...(system.length > 0 && { system: [{ type: 'text', text: system.join('\n\n'), ...mark }] }),
    ...(request.tools.length > 0 && { tools: toTools(request, mark) }),
    ...(sent.has('tool_choice') && { tool_choice: { type: 'none' } }),
    messages: addCacheMarks(messages.reduce(joinTurns, []), mark),
    ...(sent.has('thinking') && { thinking: toThinking(effort, dialect) }),
    ...(sent.has('effort') && { output_config: { effort } }),
  };
}

/** How deep it thinks is the model's to decide, or the operator's. Older models take no such parameter, and say so. */
function toThinking(effort: string | null, { dropsUnfit }: Dialect): JsonObject {
  if (effort === 'none') return { type: 'disabled' };
  return { type: 'adaptive', ...(dropsUnfit && { block_binding: { prefix_mismatch_behavior: 'drop_block' } }) };
}

const CACHED = { cache_control: { type: 'ephemeral' } };

function toTools({ tools }: ModelRequest, mark: object): readonly JsonObject[] {
  return tools.map(({ name, description, parameters }, at) => ({
    name,
    description,
    input_schema: { ...parameters },
    ...(at === tools.length - 1 && mark),
  }));
}

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: readonly JsonObject[];
}

/** All results of a turn go back in one message, before what else is said to the model. */
function joinTurns(turns: readonly Turn[], message: OwnMessage): readonly Turn[] {
  const next = toMessageTurn(message);
  if (next.content.length === 0) return turns;
  const last = turns.at(-1);
  if (last?.role !== next.role) return [...turns, next];
  return [...turns.slice(0, -1), { role: next.role, content: [...last.content, ...next.content] }];
}

function toMessageTurn(message: OwnMessage): Turn {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: 'user', content: toTextBlocks(message.content) };
    case 'tool': {
      const result = { type: 'tool_result', tool_use_id: toCallId(message.callId), content: message.content };
      return { role: 'user', content: [result] };
    }
    case 'assistant':
      return { role: 'assistant', content: toAssistantBlocks(message) };
  }
}

function toAssistantBlocks({
  content,
  calls,
  opaque,
}: Extract<OwnMessage, { role: 'assistant' }>): readonly JsonObject[] {
  const uses = calls.map(({ id, name, arguments: written }) => {
    const input = parseObject(written) ?? (written.trim() === '' ? {} : { malformed: written });
    return { type: 'tool_use', id: toCallId(id), name, input };
  });
  const kept: readonly KeptBlock[] = isObject(opaque) && Array.isArray(opaque['blocks']) ? opaque['blocks'] : [];
  if (kept.length === 0) return [...toTextBlocks(content), ...uses];
  const texts = splitPieces(content, kept);
  return kept.flatMap((each): readonly JsonObject[] => {
    if (each.kind === 'thinking') return [each.block];
    return each.kind === 'text' ? toTextBlocks(texts.shift() ?? '') : uses.slice(each.at, each.at + 1);
  });
}

/**
 * Newer models check whether anything before their thoughts has changed: texts are sent back as they came, unless a
 * secret was removed.
 */
function splitPieces(content: string, kept: readonly KeptBlock[]): string[] {
  const lengths = kept.flatMap((each) => (each.kind === 'text' ? [each.length] : []));
  const isWhole = lengths.reduce((sum, length) => sum + length, 0) === content.length;
  if (!isWhole) return [content];
  const starts = lengths.map((_, at) => lengths.slice(0, at).reduce((sum, length) => sum + length, 0));
  return starts.map((start, at) => content.slice(start, start + (lengths[at] ?? 0)));
}

/** Empty and blank texts are rejected. */
function toTextBlocks(text: string): readonly JsonObject[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

/** Ids of other providers have characters that are rejected here. */
function toCallId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_');
}

/**
 * Marks the end of the last message, and that of the one that was last in the request before: the cache is looked up
 * at a mark and at most 20 blocks before it, and a turn with many calls has more.
 */
function addCacheMarks(turns: readonly Turn[], mark: object): readonly Turn[] {
  const ends = turns.flatMap(({ role }, at) => (role === 'user' ? [at] : [])).slice(-2);
  return turns.map((turn, at) =>
    ends.includes(at)
      ? {
          ...turn,
          content: turn.content.map((block, of) => (of === turn.content.length - 1 ? { ...block, ...mark } : block)),
        }
      : turn,
  );
}

interface MessageReading {
  readonly draft: Draft;
  /** As they are put together, by their number. */
  readonly blocks: Record<string, unknown>[];
  usage: MessagesUsage;
}

function addEvent(event: unknown, reading: MessageReading): void {
  const { draft, blocks } = reading;
  if (!isObject(event)) throw createMisbehaved('It answered with an event of a wrong type: choose another MODEL.');
  const index = typeof event['index'] === 'number' ? event['index'] : 0;
  switch (event['type']) {
    case 'message_start': {
      const { message } = event;
      if (!isObject(message)) return;
      draft.choices = 1;
      noteModel(draft, message['model']);
      noteUsage(reading, message['usage']);
      break;
    }
    case 'content_block_start':
      if (!isObject(event['content_block'])) return;
      extendDraft(draft, JSON.stringify(event['content_block']).length);
      blocks[index] = { ...event['content_block'] };
      return;
    case 'content_block_delta':
      if (isObject(event['delta']) && blocks[index] !== undefined) addPiece(draft, blocks[index], event['delta']);
      return;
    case 'message_delta':
      noteUsage(reading, event['usage']);
      if (isObject(event['delta'])) endMessage(event['delta'], reading);
  }
}

function noteUsage(reading: MessageReading, usage: unknown): void {
  reading.usage = addMessagesUsage(reading.usage, usage);
  reading.draft.usage = toTurnUsage(reading.usage);
}

/** What each kind of piece adds to: a block's text, its thoughts, their signature, its input as JSON. */
const PIECES: ReadonlyMap<string, readonly [from: string, to: string]> = new Map([
  ['text_delta', ['text', 'text']],
  ['thinking_delta', ['thinking', 'thinking']],
  ['signature_delta', ['signature', 'signature']],
  ['input_json_delta', ['partial_json', 'json']],
]);

function addPiece(draft: Draft, block: Record<string, unknown>, delta: JsonObject): void {
  const [from, to] = PIECES.get(readString(delta['type'])) ?? [];
  if (from === undefined || to === undefined) return;
  const piece = readString(delta[from]);
  extendDraft(draft, piece.length);
  block[to] = readString(block[to]) + piece;
}

function endMessage(delta: JsonObject, { draft, blocks }: MessageReading): void {
  const reason = readString(delta['stop_reason']);
  if (reason === '') return;
  if (reason === 'model_context_window_exceeded') {
    const detail = "The messages and the answer do not fit into the model's context.";
    throw new AttemptFailed({ kind: 'overflow', detail });
  }
  if (reason === 'refusal') draft.refusal = reason;
  addBlocks(draft, blocks);
  draft.finish = reason === 'max_tokens' ? 'length' : 'stop';
}

function addBlocks(draft: Draft, blocks: readonly Record<string, unknown>[]): void {
  const kept: KeptBlock[] = [];
  for (const block of blocks) {
    switch (block?.['type']) {
      case 'thinking':
      case 'redacted_thinking':
        kept.push({ kind: 'thinking', block });
        break;
      case 'text':
        draft.content += readString(block['text']);
        kept.push({ kind: 'text', length: readString(block['text']).length });
        break;
      case 'tool_use': {
        const at = draft.calls.length;
        kept.push({ kind: 'call', at });
        const input = isObject(block['input']) ? block['input'] : {};
        const written = readString(block['json']) || JSON.stringify(input);
        const id = readString(block['id']);
        draft.calls.push({ index: at, id, name: readString(block['name']), arguments: written, opaque: null });
      }
    }
  }
  draft.opaque = kept.some(({ kind }) => kind === 'thinking') ? { blocks: kept } : null;
}
