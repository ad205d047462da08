// One whole answer from the pieces of a stream, over any interface; and earlier answers as the same model wants them
// back.

import type { Dialect, Endpoint, Feature } from './endpoint.ts';
import { AttemptFailed, createMisbehaved, createRefused, createUnavailable } from './failure.ts';
import type { Watch } from './guarded-fetch.ts';
import { isObject } from './json.ts';
import type { Message, ModelRequest, ModelTurn, ToolCall, TurnUsage } from './model.ts';

/** One question over one interface. */
export interface Question {
  readonly request: ModelRequest;
  readonly endpoint: Endpoint;
  /** Empty for servers that want none. */
  readonly key: string;
  readonly dialect: Dialect;
  readonly watch: Watch;
  readonly signal: AbortSignal;
  /** Without opaque parts: the endpoint has just refused those of this conversation. */
  readonly isBare: boolean;
  /** Filled by the interface: parts of the request that could be left out, and its size. */
  readonly sent: Set<Feature>;
  promptCharacters: number;
  /** Filled by the interface with what has come. */
  readonly draft: Draft;
}

/** What has come so far. */
export interface Draft {
  content: string;
  refusal: string;
  readonly calls: CallDraft[];
  /** What the provider wants back with the answer; null: nothing. */
  opaque: unknown;
  /** Empty until the endpoint has said why it ended. */
  finish: '' | 'stop' | 'length' | 'filter' | 'error';
  usage: TurnUsage | null;
  /** Events that have come, and how many of them carried an answer. */
  events: number;
  choices: number;
  /** Characters of text, arguments and reasoning. */
  characters: number;
  /** As the endpoint names what answers; empty: not, or not as a name is written. */
  model: string;
}

export interface CallDraft {
  /** As the endpoint numbers it; null: it does not. */
  readonly index: number | null;
  readonly id: string;
  name: string;
  arguments: string;
  /** What the provider wants back with this call; null: nothing. */
  opaque: Readonly<Record<string, unknown>> | null;
}

export interface ModelAnswer {
  readonly content: string;
  /** Ids as they came, empty where there was none. */
  readonly calls: readonly CallDraft[];
}

/** Of text, arguments and reasoning; the longest of honest answers has a tenth of it. */
const MAX_CHARACTERS = 2_000_000;

export function createDraft(): Draft {
  const counts = { events: 0, choices: 0, characters: 0 };
  return { content: '', refusal: '', calls: [], opaque: null, finish: '', usage: null, ...counts, model: '' };
}

/** Counts what has come; throws where it is more than any real answer has. */
export function extendDraft(draft: Draft, characters: number): void {
  draft.characters += characters;
  if (draft.characters > MAX_CHARACTERS) {
    throw createMisbehaved('Its answer was larger than any real one: choose another MODEL.', 1);
  }
}

/** It is shown to operators: nothing but a name gets through. */
export function noteModel(draft: Draft, value: unknown): void {
  if (typeof value === 'string' && /^[\w./:@+-]{1,100}$/.test(value)) draft.model = value;
}

/**
 * Hands every event to `add`. The libraries end an aborted stream without an error, and a cut one too: `draft.finish`
 * says whether the answer is whole. What breaks after its end costs the figures of usage at most.
 */
export async function readEvents(
  { draft, watch }: Question,
  open: () => PromiseLike<AsyncIterable<unknown>>,
  add: (event: unknown) => void,
): Promise<void> {
  try {
    for await (const event of await open()) {
      draft.events += 1;
      add(event);
    }
    if (watch.fault !== null && draft.finish === '') throw watch.fault;
  } catch (error) {
    if (draft.finish === '' || error instanceof AttemptFailed) throw error;
  }
}

/** The answer, if it is whole; throws `AttemptFailed` if it was cut, refused or says nothing. */
export function finishAnswer(draft: Draft, { variables }: Endpoint): ModelAnswer {
  switch (draft.finish) {
    case '':
      throw draft.events > 0 && draft.choices === 0
        ? createMisbehaved(`It answered without a choice: check ${variables.url} and MODEL.`)
        : createUnavailable('Its answer was cut before its end.');
    case 'length':
      throw createMisbehaved(
        'Its answer was cut at the limit of tokens: raise the limit at the endpoint or choose another MODEL.',
        1,
      );
    case 'filter':
      throw createRefused('Its content filter stopped the answer: choose another MODEL.');
    case 'error':
      throw createUnavailable('It broke off its answer with an error.');
    case 'stop':
      break;
  }
  if (draft.refusal !== '') throw createRefused('The model refused to answer: choose another MODEL.');
  const content = stripThoughts(draft.content);
  if (content.trim() === '' && draft.calls.length === 0) {
    throw createMisbehaved('It answered with nothing: choose another MODEL.');
  }
  if (draft.calls.some((call) => call.name === '')) {
    throw createMisbehaved('It called a tool without a name: choose another MODEL.');
  }
  return { content, calls: draft.calls };
}

/** Reasoning models behind plain servers write their thoughts before the answer. */
function stripThoughts(content: string): string {
  return content.replace(/^\s*<think>[\s\S]*?<\/think>\s*/, '');
}

/** What an API takes as a name; an answer of ours that repeats another one would be rejected with the whole request. */
const NOT_IN_NAMES = /[^a-zA-Z0-9_-]/g;
const LONGEST_NAME = 64;
/**
 * OpenAI takes no longer ones back; the longer ones of others hold a thought signature, and are kept with the opaque
 * parts.
 */
const LONGEST_ID = 40;

/** The turn as the conversation keeps it: unique ids that fit every endpoint, names that every endpoint accepts. */
export function toTurn(
  { content, calls }: ModelAnswer,
  { request, draft }: Question,
  origin: string,
): Omit<ModelTurn, 'usage'> {
  const offered = new Set(request.tools.map((tool) => tool.name));
  const taken = new Set(
    request.messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [])),
  );
  const kept = calls.map((call, position) => {
    const isFresh = call.id !== '' && call.id.length <= LONGEST_ID && !taken.has(call.id);
    const id = isFresh ? call.id : createCallId(`call_${request.messages.length}_${position}`, taken);
    taken.add(id);
    const long = call.id.length > LONGEST_ID ? { id: call.id } : null;
    const opaque = call.opaque === null ? long : { ...call.opaque, ...long };
    return { call: { id, name: toValidToolName(call.name, offered), arguments: call.arguments }, opaque };
  });
  const hasOpaque = draft.opaque !== null || kept.some(({ opaque }) => opaque !== null);
  return {
    content,
    toolCalls: kept.map(({ call }) => call),
    ...(hasOpaque && { opaque: { origin, message: draft.opaque, calls: kept.map(({ opaque }) => opaque) } }),
    ...(draft.model !== '' && { model: draft.model }),
  };
}

function createCallId(wanted: string, taken: ReadonlySet<string>): string {
  return taken.has(wanted) ? createCallId(`${wanted}_`, taken) : wanted;
}

function toValidToolName(name: string, offered: ReadonlySet<string>): string {
  if (offered.has(name)) return name;
  // Models of the gpt-oss family put a namespace before and a channel behind it.
  const bare = name
    .replace(/^functions\./, '')
    .replace(/<\|.*$/s, '')
    .trim();
  return bare.replaceAll(NOT_IN_NAMES, '_').slice(0, LONGEST_NAME) || 'unnamed';
}

/**
 * A message as an interface writes it: opaque parts are those of this endpoint and model, and call ids are the
 * provider's own.
 */
export type OwnMessage =
  | Exclude<Message, { role: 'assistant' }>
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly calls: readonly OwnCall[];
      readonly opaque: unknown;
    };

export interface OwnCall extends ToolCall {
  readonly opaque: Readonly<Record<string, unknown>>;
}

/** `origin`: whose opaque parts are sent back; null: none. */
export function markOwnMessages(messages: readonly Message[], origin: string | null): readonly OwnMessage[] {
  const ids = new Map<string, string>();
  return messages.map((message): OwnMessage => {
    if (message.role === 'tool') return { ...message, callId: ids.get(message.callId) ?? message.callId };
    if (message.role !== 'assistant') return message;
    const opaque = message.opaque?.origin === origin ? message.opaque : null;
    const calls = message.toolCalls.map((call, at): OwnCall => {
      const given = opaque?.calls[at];
      const { id, ...rest } = isObject(given) ? given : { id: null };
      if (typeof id === 'string') ids.set(call.id, id);
      return { ...call, ...(typeof id === 'string' && { id }), opaque: rest };
    });
    return { role: 'assistant', content: message.content, calls, opaque: opaque?.message ?? null };
  });
}

/** Endpoints parse the arguments of earlier calls, and fail with the whole request where they are no JSON object. */
export function normaliseWrittenArguments(written: string, parsed: unknown): string {
  if (isObject(parsed)) return written;
  return JSON.stringify(written.trim() === '' ? {} : { malformed: written });
}

/** Provider, interface and model, to which opaque parts belong. */
export function getOrigin({ place, wire, model }: Endpoint): string {
  return `${place} ${wire} ${model}`;
}
