// Any OpenAI-compatible endpoint as a model: what is asked, how often, how long, and what is said when it does not work.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Holds } from '../ports/holds.ts';
import {
  type Model,
  ModelFailure,
  type ModelRequest,
  type ModelTurn,
  ModelUnavailable,
  type Prices,
  type TurnUsage,
} from '../ports/model.ts';
import type { Endpoint } from './attempt.ts';
import { leaveOut, newDialect } from './dialect.ts';
import { AttemptFailed, type Fault } from './fault.ts';
import { type EndpointHold, holdOf } from './hold.ts';
import { sumUsage } from './usage.ts';

export interface OpenAiOptions {
  readonly name: string;
  /** Empty for servers that want none. */
  readonly apiKey: string;
  /** Null: OpenAI's own. */
  readonly baseUrl: string | null;
  readonly prices: Prices | null;
  /** For one turn with all attempts and waits between them. */
  readonly timeoutMs: number;
  /** Longest silence, before the first byte as well. */
  readonly idleMs: number;
  readonly now: () => Date;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** What questions of other runs and processes were told. Absent: each learns by itself. */
  readonly holds?: Holds;
  /** Waits between attempts; another one in tests. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

const OPENAI_URL = 'https://api.openai.com/v1';
const RETRIES_OF_OUTAGES = 3;
const FIRST_WAIT_MS = 1_000;
/** A longer wait belongs to the queue: nobody sleeps on a job for minutes. */
const LONGEST_WAIT_MS = 30_000;
/** When the job is to come back after an outage, if the endpoint names no time; up to twice that. */
const COME_BACK_MS = 60_000;

/** A model behind an OpenAI-compatible endpoint. What it finds out about the endpoint's dialect holds for the life of the object. */
export function createOpenAiModel(options: OpenAiOptions): Model {
  const endpoint: Endpoint = {
    model: options.name,
    apiKey: options.apiKey,
    baseUrl: options.baseUrl ?? OPENAI_URL,
    idleMs: options.idleMs,
    now: options.now,
    dialect: newDialect(),
  };
  const hold = holdOf(endpoint, options);
  return {
    name: options.name,
    prices: options.prices,
    ask: (request, signal) => ask(request, { endpoint, options, hold }, signal),
  };
}

interface Asker {
  readonly endpoint: Endpoint;
  readonly options: OpenAiOptions;
  readonly hold: EndpointHold;
}

/** The usage of the turn, or of the failure, holds that of answers that were thrown away: they are on the bill. */
async function ask(request: ModelRequest, asker: Asker, signal: AbortSignal): Promise<ModelTurn> {
  const { endpoint, options } = asker;
  signal.throwIfAborted();
  requireSendableKey(options.apiKey);
  const deadline = options.now().getTime() + options.timeoutMs;
  // The client library takes a quarter of a second to load, and 30 MB: a service that asks nobody needs none of it.
  const { attempt } = await import('./attempt.ts');
  let spent: TurnUsage | null = null;
  for (let failures = 0; ; ) {
    await untilFree({ ...asker, deadline, spent }, signal);
    const leftMs = Math.max(1, deadline - options.now().getTime());
    try {
      const turn = await attempt(request, endpoint, { leftMs, signal });
      return { ...turn, usage: sumUsage(turn.usage, spent) ?? turn.usage };
    } catch (error) {
      if (!(error instanceof AttemptFailed)) throw error;
      spent = sumUsage(spent, error.spent);
      if (error.fault.kind === 'unsupported') {
        leaveOut(endpoint.dialect, error.fault.feature);
      } else {
        failures += 1;
        await pause(waitAfter(error.fault, failures, { ...asker, deadline, spent }), options, signal);
      }
    }
  }
}

/** Waits until the endpoint may be asked again that has refused another question; throws where that is far off. */
async function untilFree(asker: Troubled, signal: AbortSignal): Promise<void> {
  const { hold, options, deadline } = asker;
  for (let held = hold.waitMs(); held > 0; held = hold.waitMs()) {
    // Whoever was held back does not come back in the same moment as all the others.
    const wait = held + options.random() * FIRST_WAIT_MS;
    const now = options.now().getTime();
    if (held > LONGEST_WAIT_MS || now + wait >= deadline) {
      const message = `${nameOf(asker.endpoint)} limits the rate of requests, as it told another question.`;
      throw new ModelUnavailable(message, new Date(now + wait), asker.spent);
    }
    await pause(wait, options, signal);
  }
}

async function pause(milliseconds: number, options: OpenAiOptions, signal: AbortSignal): Promise<void> {
  try {
    await (options.wait ?? waitFor)(milliseconds, signal);
  } finally {
    signal.throwIfAborted();
  }
}

/** A question on its way. */
interface Troubled extends Asker {
  readonly deadline: number;
  /** By all attempts so far; null where none was answered. */
  readonly spent: TurnUsage | null;
}

/** Milliseconds until the next attempt; throws the final error where there is to be none. */
function waitAfter(fault: Fault, failures: number, asker: Troubled): number {
  const { options, deadline } = asker;
  const backoff = FIRST_WAIT_MS * 2 ** (failures - 1) * (0.5 + options.random() / 2);
  const now = options.now().getTime();
  if (fault.kind === 'misbehaved') {
    if (failures > fault.retries || now + backoff >= deadline) throw failure(fault, asker);
    return backoff;
  }
  if (fault.kind !== 'unavailable') throw failure(fault, asker);
  return waitAfterOutage(fault, failures, { ...asker, backoff });
}

/** Tells questions of others of a limit. */
function waitAfterOutage(
  fault: Extract<Fault, { kind: 'unavailable' }>,
  failures: number,
  asker: Troubled & { readonly backoff: number },
): number {
  const { options, deadline, backoff } = asker;
  const now = options.now().getTime();
  const wait = Math.max(backoff, fault.waitMs ?? 0);
  const mayRetry = failures <= RETRIES_OF_OUTAGES && wait <= LONGEST_WAIT_MS && now + wait < deadline;
  const later = Math.max(
    fault.waitMs ?? 0,
    fault.waitMs !== null && wait > LONGEST_WAIT_MS ? 0 : COME_BACK_MS * (1 + options.random()),
  );
  if (fault.isLimit) asker.hold.limitedFor(mayRetry ? wait : later);
  if (mayRetry) return wait;
  const message = `${nameOf(asker.endpoint)} cannot answer now. ${fault.detail}`;
  throw new ModelUnavailable(message, new Date(now + later), asker.spent);
}

function failure(fault: Exclude<Fault, { kind: 'unavailable' }>, { endpoint, spent }: Troubled): ModelFailure {
  const message = `${nameOf(endpoint)} gave no usable answer. ${fault.detail}`;
  switch (fault.kind) {
    case 'misbehaved':
      return new ModelFailure('model_misbehaved', message, spent);
    case 'overflow':
      return new ModelFailure('model_overflow', message, spent);
    case 'refused':
      return new ModelFailure('model_refused', message, spent);
    case 'rejected':
    case 'unsupported':
      return new ModelFailure('model_rejected', message, spent);
  }
}

/** The host alone: the address may hold credentials. */
function nameOf(endpoint: Endpoint): string {
  return `The model endpoint at ${URL.parse(endpoint.baseUrl)?.host ?? 'OPENAI_BASE_URL'}`;
}

/** Said here, since the error of node's own check repeats the header with the key. */
function requireSendableKey(apiKey: string): void {
  if (/^[\x21-\x7e]*$/.test(apiKey)) return;
  const repair = 'copy it again, without spaces or line breaks';
  throw new ModelFailure('model_rejected', `OPENAI_API_KEY holds characters that cannot be sent: ${repair}.`);
}

async function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal });
}
