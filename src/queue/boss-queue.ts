// The queue on PostgreSQL: pg-boss hands out jobs to any number of processes, and our table of jobs says what they are.
import type { Job, PgBoss } from 'pg-boss';
import type { JobKind, Queue, Worker } from '../core/queue.ts';
import type { Database } from '../db/index.ts';
import type { Log } from '../log.ts';
import { createLanes, JobRunner, type Lane, WORK_TIMES, type WorkTimes } from './job-runner.ts';
import { claimJob, createTableVerbs, SUSPECT_LOST } from './job-table.ts';
import type { Boss } from './open-boss.ts';

interface BossQueueOptions extends WorkTimes {
  readonly boss: Boss;
  /** Of the store that was built with the enqueuer of `boss`. */
  readonly database: Database;
  readonly log: Log;
  readonly now?: () => Date;
}

/** pg-boss's shortest. */
const SHORTEST_POLL_S = 0.5;
/** Looks for jobs that have become due; those that are due at once are heard of by NOTIFY. */
const POLL_MS = 2_000;
/** How soon a process notices that its job was cancelled, or taken over, elsewhere. */
const HEARTBEAT_REFRESH_S = 3;

/** `work` may be called once per queue. The jobs of a process that was killed are taken over within about 20 s. */
export function createBossQueue(options: BossQueueOptions): Queue {
  const whole = { ...WORK_TIMES, now: () => new Date(), pollMs: POLL_MS, ...options };
  let hasWorker = false;
  return {
    ...createTableVerbs(whole.database, whole.boss.jobs, whole.now),
    work(handlers, limits) {
      if (hasWorker) throw new Error('this queue has a worker already');
      hasWorker = true;
      return new BossWorker(whole, createLanes(handlers, limits));
    },
  };
}

/** Thrown to pg-boss if a job cannot start yet: it hands it out again a second later. */
class NotYet extends Error {}

class BossWorker implements Worker {
  readonly #options: Required<BossQueueOptions>;
  readonly #boss: PgBoss;
  readonly #lanes: ReadonlyMap<JobKind, Lane>;
  readonly #runner: JobRunner;
  #lastSuspect: Promise<unknown> = Promise.resolve();
  readonly #subscription: Disposable;
  readonly #started: Promise<void>;
  #stopped: Promise<void> | null = null;

  constructor(options: Required<BossQueueOptions>, lanes: ReadonlyMap<JobKind, Lane>) {
    this.#options = options;
    this.#boss = options.boss.boss;
    this.#lanes = lanes;
    this.#runner = new JobRunner({ ...options, jobs: options.boss.jobs });
    this.#subscription = options.boss.jobs.onCommit(({ removed }) => {
      if (removed) void this.#runner.abortRemoved();
    });
    this.#started = this.#start().catch((error: unknown) => {
      options.log.error({ err: error }, 'failed to start the queue; restart this process');
    });
  }

  async waitUntilIdle(signal: AbortSignal): Promise<void> {
    await this.#started;
    await this.#runner.idle([...this.#lanes.keys()], signal);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #start(): Promise<void> {
    for (const [kind, lane] of this.#lanes) {
      for (let slot = 0; slot < lane.limits.concurrency; slot++) await this.#startSlot(kind, lane);
    }
  }

  /** A worker of pg-boss for each slot: only by its own id can one be woken, so that it goes on at once after a job. */
  async #startSlot(kind: JobKind, lane: Lane): Promise<void> {
    const pollS = Math.max(SHORTEST_POLL_S, this.#options.pollMs / 1_000);
    const options = {
      groupConcurrency: lane.limits.perGroup,
      pollingIntervalSeconds: pollS,
      notifyPollingIntervalSeconds: pollS,
      heartbeatRefreshSeconds: HEARTBEAT_REFRESH_S,
    };
    let id = '';
    id = await this.#boss.work<object>(kind, options, async ([job]) => {
      if (job === undefined) return;
      await this.#take(job, kind, lane);
      this.#boss.notifyWorker(id);
    });
  }

  async #take(job: Job, kind: JobKind, lane: Lane): Promise<void> {
    if (this.#runner.isStopping) throw new NotYet('the worker stops');
    const wanted = { id: job.id, group: job.groupId ?? '' };
    const start = async (maxLost: number): Promise<{ readonly ended: Promise<void> } | null> => {
      const request = { kind, perGroup: lane.limits.perGroup, maxLost };
      const claim = await this.#options.database.read((reader) => claimJob(reader, wanted, request));
      if (claim === 'gone') return { ended: Promise.resolve() };
      return claim === 'not-yet' ? null : { ended: this.#runner.run(claim, lane.handler, job.signal) };
    };
    const begun = (await start(SUSPECT_LOST)) ?? (await this.#startSuspect(start));
    // pg-boss's own limit lets more of a group begin where several workers fetch at the same moment.
    if (begun === null) throw new NotYet('its group is at its limit, or it lost too many workers');
    await begun.ended;
  }

  /** One at a time: two suspects claimed at the same moment would run together. */
  #startSuspect<T>(start: (maxLost: number) => Promise<T | null>): Promise<T | null> {
    const begun = this.#lastSuspect.then(() => {
      const { maxLost } = this.#runner;
      return maxLost > SUSPECT_LOST ? start(maxLost) : null;
    });
    this.#lastSuspect = begun.catch(() => null);
    return begun;
  }

  async #stop(): Promise<void> {
    this.#subscription[Symbol.dispose]();
    await this.#started;
    for (const kind of this.#lanes.keys()) await this.#boss.offWork(kind, { wait: false });
    await this.#runner.stop();
  }
}
