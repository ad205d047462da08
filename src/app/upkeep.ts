// What a service does from time to time: retention, mirrors of projects that are gone, installations and missed
// deliveries.
import { setTimeout as sleep } from 'node:timers/promises';
import { listMirrors } from 'causeway-git-objects';
import { CausewayError } from '../core/errors.ts';
import type { Source } from '../core/source/index.ts';
import type { Store } from '../db/index.ts';
import type { Log } from '../log.ts';
import { type Clock, type ClockState, describeApart } from './clock.ts';
import { removeOldEvaluations } from './evaluation-state.ts';
import type { Services } from './services.ts';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
const FIRST_RETRY_MS = 15_000;
/** How soon this process takes over when another one ends. */
const NOT_OURS_MS = 1_000;

export interface RecurringOptions {
  /** In words, for the log, such as `reading the installations`. */
  readonly what: string;
  readonly everyMs: number;
  readonly work: (signal: AbortSignal) => Promise<unknown>;
  readonly log: Log;
  /** False while another process does it. */
  readonly isOurs?: () => boolean;
}

export interface Recurring extends AsyncDisposable {
  /** Null before the first round has ended; "" after a good one; else what went wrong with the last. */
  readonly fault: () => string | null;
}

/**
 * At once, then every so often, sooner again after a failure. Rounds never overlap; disposing ends the one under way.
 */
export function startRecurring({ what, everyMs, work, log, isOurs = () => true }: RecurringOptions): Recurring {
  const stop = new AbortController();
  let fault: string | null = null;
  let failures = 0;
  const runOnce = async (): Promise<number> => {
    if (!isOurs()) return NOT_OURS_MS;
    try {
      await work(stop.signal);
      if (failures > 0) log.info(`${what} works again`);
      fault = '';
      failures = 0;
      return everyMs;
    } catch (error) {
      if (stop.signal.aborted) return everyMs;
      fault = error instanceof Error ? error.message : 'unknown';
      log.warn(describeUpkeepFailure(error), `${what} failed; trying again`);
      failures += 1;
      return Math.min(everyMs, FIRST_RETRY_MS * 2 ** (failures - 1));
    }
  };
  const runRounds = async () => {
    while (!stop.signal.aborted) {
      const waitMs = await runOnce();
      await sleep(waitMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  };
  const ended = runRounds();
  return {
    fault: () => fault,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ended;
    },
  };
}

/** A message that contains the repair is logged without the stack, which would hide it. */
function describeUpkeepFailure(error: unknown): object {
  return error instanceof CausewayError ? { reason: error.message } : { err: error };
}

export interface RetentionOptions extends Pick<Services, 'store' | 'log' | 'now' | 'leads'> {
  readonly clock: Clock;
  readonly retentionDays: number;
}

/** Erases what is older than its retention, at the start and every hour, in one process over a database. */
export function startRetention(options: RetentionOptions): Recurring {
  const { store, log, leads, clock } = options;
  const mayErase = createClockGuard(options);
  const work = async (signal: AbortSignal) => {
    await clock.known(signal);
    const limits = readLimits(options);
    const state = mayErase();
    if (state === null) return;
    const slowly = state.kind === 'unknown' ? await store.eraseSlowly({ ...limits, ...readDoubt(clock, state) }) : null;
    if (slowly !== null) {
      const why = 'nothing new was stored for 30 days, or the clock jumped; it may be wrong';
      log.warn({ erased: slowly, why }, 'records past their retention are erased slowly: at most a tenth an hour');
      return;
    }
    const erased = await store.sweep(limits);
    if (erased > 0) log.info({ erased }, 'erased investigations past their retention');
  };
  return startRecurring({
    what: 'erasing records past their retention',
    everyMs: HOUR_MS,
    work,
    log,
    isOurs: leads,
  });
}

/** Evaluations past their retention, at the start and every hour, in every process: each has a folder of its own. */
export function startForgettingEvaluations(options: RetentionOptions & { readonly dataDir: string }): Recurring {
  const { store, log, clock, dataDir } = options;
  const work = async (signal: AbortSignal) => {
    await clock.known(signal);
    const limits = readLimits(options);
    const state = clock.judge();
    if (state.kind === 'wrong') return;
    if (state.kind === 'unknown' && (await store.isHeldBack({ ...limits, ...readDoubt(clock, state) }))) return;
    const removed = await removeOldEvaluations(dataDir, new Date(limits.endedBefore), signal);
    if (removed > 0) log.info({ removed }, 'removed evaluations past their retention');
  };
  return startRecurring({ what: 'removing old evaluations', everyMs: HOUR_MS, work, log });
}

function readLimits({ now, retentionDays }: Pick<RetentionOptions, 'now' | 'retentionDays'>) {
  const at = now().getTime();
  const toMoment = (ageMs: number) => new Date(at - ageMs).toISOString();
  return { endedBefore: toMoment(retentionDays * DAY_MS), keysBefore: toMoment(DAY_MS), now: toMoment(0) };
}

function readDoubt({ began }: Clock, { hasJumped }: Extract<ClockState, { kind: 'unknown' }>) {
  return { began: began.toISOString(), hasJumped };
}

/** Null, logged once, while the clock is wrong: nothing may be erased by it. */
function createClockGuard({ clock, log }: Pick<RetentionOptions, 'clock' | 'log'>) {
  let wasWrong = false;
  return (): Exclude<ClockState, { kind: 'wrong' }> | null => {
    const state = clock.judge();
    const isWrong = state.kind === 'wrong';
    if (isWrong && !wasWrong) {
      const apart = describeApart(state.aheadMs);
      log.error(`this clock is ${apart}: nothing is erased by age until it is set right (timedatectl set-ntp true)`);
    }
    if (!isWrong && wasWrong) log.info('the clock is right again: records past their retention are erased');
    wasWrong = isWrong;
    return state.kind === 'wrong' ? null : state;
  };
}

/** Mirrors of `causeway analyse` are named after their source, and belong to no project. */
const OF_PROJECT = /^prj_/;

/**
 * At the start and every hour, in every process: each has mirrors of its own. In local mode after the projects were
 * stored.
 */
export function startForgettingMirrors(
  services: Pick<Services, 'store' | 'source' | 'log'>,
  mirrors: string,
): Recurring {
  const work = (signal: AbortSignal) => forgetMirrors(services, mirrors, signal);
  const what = 'removing mirrors of projects that are gone';
  return startRecurring({ what, everyMs: HOUR_MS, work, log: services.log });
}

/** Once. Returns how many mirrors of hidden or unknown projects there were. */
export async function forgetMirrors(
  { store, source }: { readonly store: Pick<Store, 'findProject'>; readonly source: Pick<Source, 'forget'> },
  mirrors: string,
  signal: AbortSignal,
): Promise<number> {
  let forgotten = 0;
  for (const projectId of await listMirrors(mirrors)) {
    signal.throwIfAborted();
    if (!OF_PROJECT.test(projectId)) continue;
    // Null for a hidden one too.
    if ((await store.findProject(projectId)) !== null) continue;
    await source.forget(projectId, signal);
    forgotten += 1;
  }
  return forgotten;
}
