// Runs claimed jobs in this process: tries and backoff, dead jobs, poison jobs, cancelling and stopping; the same on
// every engine.
import { setTimeout as sleep } from 'node:timers/promises';
import { CausewayError, isStoreAway } from '../core/errors.ts';
import { createPauses } from '../core/pauses.ts';
import {
  type ClaimedJob,
  JOB_KINDS,
  type JobHandler,
  type JobKind,
  type LaneLimits,
  type Queue,
} from '../core/queue.ts';
import type { Database } from '../db/index.ts';
import type { Log } from '../log.ts';
import {
  type Claim,
  type ClaimEnd,
  endClaim,
  endDone,
  findClaimed,
  hasWork,
  type JobTable,
  SUSPECT_LOST,
} from './job-table.ts';

/** Milliseconds; defaults in brackets. */
export interface WorkTimes {
  /** Pause between two looks for work (500); a commit with jobs cuts it short. */
  readonly pollMs?: number;
  /** How long stopping waits for aborted handlers (5,000). */
  readonly stopMs?: number;
  /** How old a process must be before it takes a job that lost three workers (10,000). */
  readonly suspectMs?: number;
  /** Pauses after the first and the second failed try (1,000 and 5,000). */
  readonly backoffMs?: readonly [number, number];
}

export const WORK_TIMES = { pollMs: 500, stopMs: 5_000, suspectMs: 10_000, backoffMs: [1_000, 5_000] } as const;

/** One kind of work, who does it, and how much of it at a time. */
export interface Lane {
  readonly handler: JobHandler;
  readonly limits: LaneLimits;
}

/** The kinds that have both a handler and limits. */
export function createLanes(...[handlers, limits]: Parameters<Queue['work']>): ReadonlyMap<JobKind, Lane> {
  const lanes = new Map<JobKind, Lane>();
  for (const kind of JOB_KINDS) {
    const handler = handlers[kind];
    const limit = limits[kind];
    if (handler && limit) lanes.set(kind, { handler, limits: limit });
  }
  return lanes;
}

const TRIES = 3;
/**
 * Workers that a job may lose. More than its tries: usually the service was restarted, which an accepted report must
 * survive, and only rarely did the job end the process.
 */
const MOST_LOST = 12;
const ANY_LOST = 1_000_000;
/** `dead` is called again if it throws or ends the process; a few times, since it may be what ends it. */
const RECORDINGS = 5;
const RECORDING_PAUSE_MS = 10_000;
const END_RETRY_MS = 1_000;
/** The longest pause of a job that meets a database which is away again and again; its end is stored only afterwards. */
const LONGEST_AWAY_MS = 60_000;
const IDLE_POLL_MS = 20;

interface RunnerOptions extends Required<WorkTimes> {
  readonly database: Database;
  readonly jobs: JobTable;
  readonly log: Log;
  readonly now: () => Date;
}

interface RunningJob {
  readonly abort: AbortController;
  readonly ended: Promise<void>;
  readonly isSuspect: boolean;
}

export class JobRunner {
  readonly #options: RunnerOptions;
  readonly #begun = performance.now();
  readonly #running = new Map<Claim, RunningJob>();
  /** Claims with an ended handler; we remove their rows ourselves. */
  readonly #ending = new Set<Claim>();
  readonly #lost = new Set<Claim>();
  #isStopping = false;
  readonly #pauses = createPauses(LONGEST_AWAY_MS);
  #isStoreAway = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** A job that lost so many workers, or more, is not to be claimed now. */
  get maxLost(): number {
    const isYoung = performance.now() - this.#begun < this.#options.suspectMs;
    const hasSuspect = [...this.#running.values()].some(({ isSuspect }) => isSuspect);
    return isYoung || hasSuspect ? SUSPECT_LOST : ANY_LOST;
  }

  /** Whether the error says that the database is away. Logged once, however many jobs meet it, until it is back. */
  noteAway(error: unknown): boolean {
    if (!isStoreAway(error)) return false;
    if (!this.#isStoreAway) this.#options.log.warn({ err: error }, 'the database is away: jobs wait until it is back');
    this.#isStoreAway = true;
    return true;
  }

  /** The database took a write. */
  noteStored(): void {
    if (this.#isStoreAway) this.#options.log.info('the database answers again: jobs go on');
    this.#isStoreAway = false;
  }

  /** How many jobs of the kind run here. */
  count(kind: JobKind): number {
    return [...this.#running.keys()].filter((claim) => claim.kind === kind).length;
  }

  /**
   * Runs one try of a job and stores how it ended. Never rejects. `lost` aborts, once, where an engine knows that the
   * claim is lost, or that it gives the job to another worker.
   */
  run(claim: Claim, handler: JobHandler, lost?: AbortSignal): Promise<void> {
    const abort = new AbortController();
    const onLost = () => void this.#abortLost(claim, abort);
    lost?.addEventListener('abort', onLost, { once: true });
    const ended = this.#run(claim, handler, abort.signal).finally(() => {
      lost?.removeEventListener('abort', onLost);
      this.#running.delete(claim);
      this.#ending.delete(claim);
      this.#lost.delete(claim);
    });
    const isSuspect = claim.attempt - 1 - claim.failures >= SUSPECT_LOST;
    this.#running.set(claim, { abort, ended, isSuspect });
    // Its event came while the claim was on its way here, and does not come again.
    if (lost?.aborted) onLost();
    return ended;
  }

  /** Aborts handlers of removed jobs. Never rejects. */
  async abortRemoved(): Promise<void> {
    const abortIfLost = async (claim: Claim, { abort }: RunningJob) => {
      if (this.#isOpen(claim, abort) && !(await this.#holds(claim))) await this.#abortLost(claim, abort);
    };
    await Promise.all([...this.#running].map(([claim, running]) => abortIfLost(claim, running)));
  }

  /** Aborts all handlers, waits a moment for them, and hands back the jobs of those that do not end. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const [claim, { abort }] of this.#running) abort.abort(describeStop(claim));
    const all = Promise.allSettled([...this.#running.values()].map(({ ended }) => ended));
    const patience = new AbortController();
    await Promise.race([all, sleep(this.#options.stopMs, undefined, { signal: patience.signal }).catch(() => {})]);
    patience.abort();
    const { database, jobs, log } = this.#options;
    for (const claim of this.#running.keys()) {
      try {
        await database.write((trx) => endClaim(trx, claim, { kind: 'handed-back' }, jobs.transport));
      } catch (error) {
        log.error({ ...describeJob(claim), err: error }, 'failed to return a job; it is recovered later');
      }
    }
  }

  async idle(kinds: readonly JobKind[], signal: AbortSignal): Promise<void> {
    const { database, now } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      const at = now().toISOString();
      if (this.#running.size === 0 && !(await database.read((reader) => hasWork(reader, kinds, at)))) return;
      await sleep(IDLE_POLL_MS, undefined, { signal });
    }
  }

  async #run(claim: Claim, handler: JobHandler, signal: AbortSignal): Promise<void> {
    const end: ClaimEnd = this.#isStopping ? { kind: 'handed-back' } : await this.#handle(claim, handler, signal);
    this.#ending.add(claim);
    for (;;) {
      try {
        await this.#store(claim, end);
        this.noteStored();
        return;
      } catch (error) {
        // A full disk or an outage ends; until then the job is kept, since a second run would repeat what was done.
        const about = { ...describeJob(claim), err: error };
        if (!this.noteAway(error)) this.#options.log.error(about, 'failed to store the end of a job; trying again');
        if (this.#isStopping) return;
        await sleep(END_RETRY_MS);
      }
    }
  }

  async #store(claim: Claim, end: ClaimEnd): Promise<void> {
    const { database, jobs } = this.#options;
    const { transport } = jobs;
    // In a transaction of its own only where several processes work, which would meet otherwise.
    if (transport !== null && end.kind === 'done' && (await database.read((reader) => endDone(reader, claim)))) return;
    await database.write((trx) => endClaim(trx, claim, end, transport));
  }

  async #handle(claim: Claim, handler: JobHandler, signal: AbortSignal): Promise<ClaimEnd> {
    const { log, backoffMs } = this.#options;
    const { id, kind, subject, attempt, failures } = claim;
    const job: ClaimedJob = { id, kind, subject, attempt };
    if (failures >= TRIES || attempt - failures > MOST_LOST) {
      return await this.#giveUp(claim, handler, describeLosses(claim));
    }
    try {
      const result = await handler.handle(job, signal);
      this.#pauses.end(`${kind} ${subject}`);
      return result;
    } catch (error) {
      if (signal.aborted) return this.#describeAborted(claim);
      // Not bounded: the database comes back, or its operator acts.
      if (this.noteAway(error)) return { kind: 'handed-back', runAt: this.#afterAway(claim) };
      if (!(await this.#holds(claim))) return { kind: 'handed-back' };
      log.warn({ ...describeJob(claim), attempt, err: error }, 'a try of a job failed');
      const pause = backoffMs[failures];
      if (pause === undefined) return await this.#giveUp(claim, handler, error);
      return { kind: 'failed', runAt: this.#after(pause) };
    }
  }

  #describeAborted(claim: Claim): ClaimEnd {
    return { kind: this.#lost.has(claim) ? 'lost' : 'handed-back' };
  }

  async #giveUp(claim: Claim, handler: JobHandler, error: unknown): Promise<ClaimEnd> {
    const { log } = this.#options;
    const { id, kind, subject, attempt, failures } = claim;
    if (failures >= TRIES + RECORDINGS || attempt - failures > MOST_LOST + RECORDINGS) {
      log.error({ ...describeJob(claim), err: error }, 'a job is dead and its failure could not be recorded');
      return { kind: 'dead' };
    }
    try {
      await handler.dead({ id, kind, subject, attempt }, error);
      log.error({ ...describeJob(claim), err: error }, 'a job is dead');
      return { kind: 'dead' };
    } catch (inner) {
      if (this.noteAway(inner)) {
        const runAt = this.#afterAway(claim);
        // The last try counts, or the handler would be called again; the tries to record its failure do not.
        return failures >= TRIES || attempt - failures > MOST_LOST
          ? { kind: 'handed-back', runAt }
          : { kind: 'failed', runAt };
      }
      log.error({ ...describeJob(claim), err: inner }, 'failed to record the failure of a dead job; trying again');
      return { kind: 'failed', runAt: this.#after(RECORDING_PAUSE_MS) };
    }
  }

  /**
   * A job fails at its next write after its run was cancelled, erased or taken over; that does not count as a failed
   * try.
   */
  async #holds(claim: Claim): Promise<boolean> {
    const { database, log } = this.#options;
    try {
      return (await database.read((reader) => findClaimed(reader, claim))) !== null;
    } catch (error) {
      if (!this.noteAway(error)) log.error({ ...describeJob(claim), err: error }, 'a job could not be looked up');
      return true;
    }
  }

  /** Whether the handler of a claim may still be aborted. */
  #isOpen(claim: Claim, abort: AbortController): boolean {
    return this.#running.has(claim) && !this.#ending.has(claim) && !abort.signal.aborted;
  }

  async #abortLost(claim: Claim, abort: AbortController): Promise<void> {
    const isRemoved = await this.#isRemoved(claim);
    if (!this.#isOpen(claim, abort)) return;
    this.#options.log.info({ ...describeJob(claim), removed: isRemoved }, 'a running job was taken away');
    this.#lost.add(claim);
    abort.abort(isRemoved ? describeCancel(claim) : describeLoss(claim));
  }

  async #isRemoved(claim: Claim): Promise<boolean> {
    const { database, log } = this.#options;
    const { kind, subject } = claim;
    try {
      const row = await database.read((reader) =>
        reader
          .selectFrom('jobs')
          .select('id')
          .where('kind', '=', kind)
          .where('subject', '=', subject)
          .executeTakeFirst(),
      );
      return row === undefined;
    } catch (error) {
      log.error({ ...describeJob(claim), err: error }, 'a job could not be looked up');
      return false;
    }
  }

  #afterAway({ kind, subject }: Claim): string {
    return this.#after(this.#pauses.next(`${kind} ${subject}`));
  }

  #after(ms: number): string {
    return new Date(this.#options.now().getTime() + ms).toISOString();
  }
}

function describeJob({ id, kind, subject }: Claim) {
  return { job: id, kind, subject };
}

function describeLosses({ kind, subject, attempt, failures }: Claim): CausewayError {
  const ended = `it failed ${failures} times and ended its process ${attempt - 1 - failures} times`;
  return new CausewayError(
    'internal',
    `The ${kind} job of ${subject} is not tried again: ${ended}. The log shows what happened before each end.`,
  );
}

function describeCancel({ kind, subject }: Claim): CausewayError {
  return new CausewayError('cancelled', `The ${kind} job of ${subject} was cancelled; stop working on it.`);
}

function describeLoss({ kind, subject }: Claim): CausewayError {
  return new CausewayError('lease_lost', `The ${kind} job of ${subject} went to another worker; stop working on it.`);
}

function describeStop({ kind, subject }: Claim): CausewayError {
  return new CausewayError('lease_lost', `The worker stops; the ${kind} job of ${subject} is handed back.`);
}
