// A model behind an endpoint: which interface is used, how often and how long it is tried, and what the failure says.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDraft, getOrigin, type ModelAnswer, type Question, toTurn } from './answer.ts';
import {
  chooseEndpoint,
  createDialect,
  type Dialect,
  type Endpoint,
  type Feature,
  type ModelSettings,
  toWire,
  type Wire,
} from './endpoint.ts';
import { type AskedEndpoint, AttemptFailed, type EndpointFault, readFailure } from './failure.ts';
import { Watch } from './guarded-fetch.ts';
import { createKeys, createLastingKey, type Keys } from './key-command.ts';
import {
  type Model,
  ModelFailure,
  type ModelRequest,
  type ModelTurn,
  ModelUnavailable,
  type Prices,
  type TurnUsage,
} from './model.ts';
import { estimateUsage, sumUsage } from './usage.ts';

export interface EndpointModelOptions {
  readonly settings: ModelSettings;
  readonly prices: Prices | null;
  /** For one turn with all attempts and waits between them. */
  readonly timeoutMs: number;
  /** Longest silence, before the first byte as well. */
  readonly idleMs: number;
  readonly now: () => Date;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** What the key command is run with. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Called with every key that the key command prints. */
  readonly onKey?: (key: string) => void;
  /** What other runs and processes have learned. Absent: each learns by itself. */
  readonly holds?: ModelHolds;
  /** Waits between attempts; another one in tests. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * What is known of endpoints until a time, by a name without credentials: rate limits (`model NAME at HOST`), and
 * interfaces that they turned out to want (`interface of NAME at HOST …`). Whoever shares one learns from the others.
 */
export interface ModelHolds {
  /** Null: nothing is held under this name, or no longer. */
  until(name: string): Date | null;
  /** At most a day ahead. */
  hold(name: string, until: Date): void;
}

export interface EndpointModel extends Model {
  /** How it is called now: over which interface, where, and without what the endpoint does not accept. */
  asked(): { readonly wire: Wire; readonly place: string; readonly leftOut: readonly Feature[] };
}

const INTERFACES: Readonly<Record<Wire, string>> = {
  responses: 'Responses',
  chat: 'chat completions',
  messages: 'Messages',
  bedrock: 'Messages on Bedrock',
  vertex: 'Messages on Vertex',
};

const RETRIES_OF_OUTAGES = 3;
/** What an endpoint can be found to want otherwise, one refusal after the other. */
const MOST_LESSONS = 8;
const FIRST_WAIT_MS = 1_000;
/** A longer wait is left to the caller. */
const LONGEST_WAIT_MS = 30_000;
/** When to ask again after an outage, if the endpoint names no time; up to twice that. */
const COME_BACK_MS = 60_000;
/** How long an interface that an endpoint wants is taken without asking. */
const INTERFACE_LASTS_MS = 24 * 60 * 60_000;

/**
 * A model behind the endpoint that the settings mean; nothing is sent before the first question, which also loads the
 * client library. What it learns about the dialect is kept for the life of the object; which interface is wanted, for a
 * day and all who share `holds`. `ask` throws as `Model.ask` says.
 */
export function createEndpointModel(options: EndpointModelOptions): EndpointModel {
  const { settings } = options;
  const chosen = chooseEndpoint(settings);
  const command = settings.keyCommand;
  const asker: Asker = {
    options,
    chosen,
    keys:
      command === null
        ? createLastingKey(chosen.apiKey)
        : createKeys({
            command,
            environment: options.environment ?? {},
            now: options.now,
            onKey: options.onKey ?? (() => {}),
          }),
    dialects: new Map(),
    hold: getHold(chosen, options),
    taken: null,
  };
  return {
    name: settings.name,
    prices: options.prices,
    ask: (request, signal) => ask(request, asker, signal),
    calledThrough: () => INTERFACES[resolveEndpoint(asker).wire],
    asked: () => {
      const { wire, place } = resolveEndpoint(asker);
      const { leftOut, tools } = getDialect(asker, wire);
      return { wire, place, leftOut: [...leftOut, ...(tools === 'json' ? (['tools'] as const) : [])] };
    },
  };
}

interface Asker {
  readonly options: EndpointModelOptions;
  readonly chosen: Endpoint;
  readonly keys: Keys;
  readonly dialects: Map<Wire, Dialect>;
  readonly hold: EndpointHold;
  /** The interface that the endpoint turned out to want, and until when that is believed. */
  taken: { readonly wire: Wire; readonly until: Date } | null;
}

function getDialect({ dialects }: Asker, wire: Wire): Dialect {
  const known = dialects.get(wire) ?? createDialect();
  dialects.set(wire, known);
  return known;
}

/** Over the interface that it wants, as far as that is known. */
function resolveEndpoint(asker: Asker): Endpoint {
  const { chosen, options } = asker;
  if (!chosen.isAuto) return chosen;
  const wanted = (['responses', 'chat'] as const).find(
    (wire) => wire !== chosen.wire && options.holds?.until(formatInterface(chosen, wire)),
  );
  const taken = asker.taken !== null && asker.taken.until > options.now() ? asker.taken.wire : wanted;
  return taken === undefined ? chosen : toWire(chosen, taken);
}

/** Kept among the holds of everybody, which end after a day by themselves. The address may hold credentials. */
function formatInterface({ baseUrl, model, wire, place }: Endpoint, wanted: Wire): string {
  const { origin, pathname } = new URL(baseUrl);
  const address = createHash('sha256').update(`${origin}${pathname}`).digest('hex').slice(0, 12);
  return `interface of ${model} at ${place} (${address}): ${wanted} instead of ${wire}`;
}

/** The usage of the turn, or of the failure, holds that of answers that were thrown away: they are on the bill. */
async function ask(request: ModelRequest, asker: Asker, signal: AbortSignal): Promise<ModelTurn> {
  const { options } = asker;
  signal.throwIfAborted();
  requireSendable(asker.chosen);
  const deadline = options.now().getTime() + options.timeoutMs;
  const course: Course = { lessons: 0, isBare: false, isNewKey: false };
  let spent: TurnUsage | null = null;
  for (let failures = 0; ; ) {
    const endpoint = resolveEndpoint(asker);
    await waitUntilFree({ asker, endpoint, deadline, spent }, signal);
    const key = await asker.keys.current(signal);
    // Before any clock runs.
    const askOver = await loadWire(endpoint.wire);
    const leftMs = Math.max(1, deadline - options.now().getTime());
    const asked = { request, endpoint, key, dialect: getDialect(asker, endpoint.wire), isBare: course.isBare };
    try {
      const turn = await runAttempt(asked, { askOver, options, leftMs, signal });
      return { ...turn, usage: sumUsage(turn.usage, spent) ?? turn.usage };
    } catch (error) {
      if (!(error instanceof AttemptFailed)) throw error;
      spent = sumUsage(spent, error.spent);
      if (learnFrom(error.fault, course, { ...asked, asker })) continue;
      failures += 1;
      await pauseBeforeRetry(computeWait(error.fault, failures, { asker, endpoint, deadline, spent }), options, signal);
    }
  }
}

/** What one question has tried besides asking again. */
interface Course {
  lessons: number;
  isBare: boolean;
  isNewKey: boolean;
}

/** Whether the fault says what to do differently; the next request does that. */
function learnFrom(
  fault: EndpointFault,
  course: Course,
  { asker, endpoint, key, dialect }: Pick<Question, 'endpoint' | 'key' | 'dialect'> & { readonly asker: Asker },
): boolean {
  course.lessons += 1;
  if (course.lessons > MOST_LESSONS) return false;
  switch (fault.kind) {
    case 'dialect':
      fault.learn(dialect);
      return true;
    case 'opaque': {
      const isNews = !course.isBare;
      course.isBare = true;
      return isNews;
    }
    case 'interface':
      return takeInterface(asker, endpoint, fault.wire);
    case 'key': {
      const isNews = !course.isNewKey && asker.keys.refused(key);
      course.isNewKey = true;
      return isNews;
    }
    default:
      return false;
  }
}

/** For a day, in other processes too. False where it was changed once already. */
function takeInterface(asker: Asker, endpoint: Endpoint, wire: Wire): boolean {
  const { chosen, options } = asker;
  if (endpoint.wire !== chosen.wire) return false;
  const until = new Date(options.now().getTime() + INTERFACE_LASTS_MS);
  asker.taken = { wire, until };
  options.holds?.hold(formatInterface(chosen, wire), until);
  return true;
}

interface EndpointAttempt {
  readonly askOver: AskOver;
  readonly options: EndpointModelOptions;
  readonly leftMs: number;
  readonly signal: AbortSignal;
}

/**
 * One request under guard: a whole turn. Rejects with the reason of `signal` when that aborts, else with
 * `AttemptFailed`; with another error only for a mistake in this program.
 */
async function runAttempt(
  about: Pick<Question, 'request' | 'endpoint' | 'key' | 'dialect' | 'isBare'>,
  { askOver, options, leftMs, signal }: EndpointAttempt,
): Promise<ModelTurn> {
  using watch = new Watch({ idleMs: options.idleMs, leftMs });
  const { endpoint, dialect, key } = about;
  const sent = new Set<Feature>();
  const draft = createDraft();
  const question: Question = {
    ...about,
    watch,
    sent,
    draft,
    promptCharacters: 0,
    signal: AbortSignal.any([signal, watch.signal]),
  };
  const secrets = [key, ...Object.values(endpoint.headers)];
  const asked: AskedEndpoint = { endpoint, secrets, sent, dialect, now: options.now() };
  const usage = () => draft.usage ?? estimateUsage(question.promptCharacters, draft.characters);
  try {
    const answer = await askOver(question, asked);
    signal.throwIfAborted();
    return { ...toTurn(answer, question, getOrigin(endpoint)), usage: usage() };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ModelFailure) throw error;
    const failed = watch.fault ?? readFailure(error, asked);
    if (watch.hasBegun && draft.events > 0) failed.spent = usage();
    throw failed;
  }
}

type AskOver = (question: Question, asked: AskedEndpoint) => Promise<ModelAnswer>;

/** The client libraries take a quarter of a second to load, and 30 MB: a service without a model needs none of it. */
async function loadWire(wire: Wire): Promise<AskOver> {
  switch (wire) {
    case 'chat':
      return (await import('./chat.ts')).askChat;
    case 'responses':
      return (await import('./responses.ts')).askResponses;
    case 'messages':
    case 'bedrock':
    case 'vertex':
      return (await import('./messages.ts')).askMessages;
  }
}

/** A question on its way. */
interface Troubled {
  readonly asker: Asker;
  readonly endpoint: Endpoint;
  readonly deadline: number;
  /** By all attempts so far; null where none was answered. */
  readonly spent: TurnUsage | null;
}

/** Waits until an endpoint that refused another question may be called again; throws where that is far off. */
async function waitUntilFree({ asker, endpoint, deadline, spent }: Troubled, signal: AbortSignal): Promise<void> {
  const { hold, options } = asker;
  for (let held = hold.waitMs(); held > 0; held = hold.waitMs()) {
    // A question that was held back does not come back in the same moment as all the others.
    const wait = held + options.random() * FIRST_WAIT_MS;
    const now = options.now().getTime();
    if (held > LONGEST_WAIT_MS || now + wait >= deadline) {
      const message = `${getPlaceName(endpoint)} limits the rate of requests, as it told another question.`;
      throw new ModelUnavailable(message, new Date(now + wait), spent);
    }
    await pauseBeforeRetry(wait, options, signal);
  }
}

async function pauseBeforeRetry(
  milliseconds: number,
  options: EndpointModelOptions,
  signal: AbortSignal,
): Promise<void> {
  try {
    await (options.wait ?? waitFor)(milliseconds, signal);
  } finally {
    signal.throwIfAborted();
  }
}

async function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal });
}

/** Milliseconds until the next attempt; throws the final error where there is to be none. */
function computeWait(fault: EndpointFault, failures: number, troubled: Troubled): number {
  const { options } = troubled.asker;
  const backoff = FIRST_WAIT_MS * 2 ** (failures - 1) * (0.5 + options.random() / 2);
  const now = options.now().getTime();
  if (fault.kind === 'misbehaved') {
    if (failures > fault.retries || now + backoff >= troubled.deadline) throw createEndpointFailure(fault, troubled);
    return backoff;
  }
  if (fault.kind !== 'unavailable') throw createEndpointFailure(fault, troubled);
  return computeOutageWait(fault, failures, { ...troubled, backoff });
}

/** Tells questions of others of a limit. */
function computeOutageWait(
  fault: Extract<EndpointFault, { kind: 'unavailable' }>,
  failures: number,
  { asker, endpoint, deadline, spent, backoff }: Troubled & { readonly backoff: number },
): number {
  const { options } = asker;
  const now = options.now().getTime();
  const wait = Math.max(backoff, fault.waitMs ?? 0);
  const mayRetry = failures <= RETRIES_OF_OUTAGES && wait <= LONGEST_WAIT_MS && now + wait < deadline;
  const later = Math.max(
    fault.waitMs ?? 0,
    fault.waitMs !== null && wait > LONGEST_WAIT_MS ? 0 : COME_BACK_MS * (1 + options.random()),
  );
  if (fault.isLimit) asker.hold.limitedFor(mayRetry ? wait : later);
  if (mayRetry) return wait;
  throw new ModelUnavailable(
    `${getPlaceName(endpoint)} cannot answer now. ${fault.detail}`,
    new Date(now + later),
    spent,
  );
}

function createEndpointFailure(
  fault: Exclude<EndpointFault, { kind: 'unavailable' }>,
  { endpoint, spent }: Troubled,
): ModelFailure {
  const message = `${getPlaceName(endpoint)} gave no usable answer. ${fault.detail}`;
  switch (fault.kind) {
    case 'misbehaved':
    case 'overflow':
    case 'refused':
      return new ModelFailure(`model_${fault.kind}`, message, spent);
    case 'rejected':
    case 'key':
    case 'dialect':
    case 'opaque':
    case 'interface':
      return new ModelFailure('model_rejected', message, spent);
  }
}

/** Only the host: the address may hold credentials. */
function getPlaceName({ place }: Endpoint): string {
  return `The model endpoint at ${place}`;
}

/** Said here, since the error of node's own check repeats the header with the key. */
function requireSendable({ apiKey, headers, variables }: Endpoint): void {
  const repair = 'copy it again, without spaces or line breaks';
  if (!/^[\x21-\x7e]*$/.test(apiKey)) {
    throw new ModelFailure('model_rejected', `${variables.key} holds characters that cannot be sent: ${repair}.`);
  }
  if (Object.values(headers).some((value) => !/^[\x20-\x7e]*$/.test(value))) {
    throw new ModelFailure('model_rejected', `MODEL_HEADERS holds characters that cannot be sent: ${repair}.`);
  }
}

interface EndpointHold {
  /** Milliseconds until it may be called; 0: now. */
  waitMs(): number;
  /** It limits the rate of requests, and wants to hear nothing for so long. */
  limitedFor(milliseconds: number): void;
}

/**
 * A later question finds out by one refusal whether the cooldown still holds: an operator may have raised the quota.
 */
const LONGEST_ENDPOINT_HOLD_MS = 10 * 60_000;

/** A rate limit met by one question holds for all processes and that endpoint, for as long as it says. */
function getHold(
  { model, place }: Endpoint,
  { holds, now }: Pick<EndpointModelOptions, 'holds' | 'now'>,
): EndpointHold {
  const name = `model ${model} at ${place}`;
  return {
    waitMs: () => Math.max(0, (holds?.until(name)?.getTime() ?? 0) - now().getTime()),
    limitedFor: (milliseconds) =>
      holds?.hold(name, new Date(now().getTime() + Math.min(milliseconds, LONGEST_ENDPOINT_HOLD_MS))),
  };
}
