// The queue on SQLite: a worker that polls the table of jobs, in the one process that owns the file.
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobKind, Queue, Worker } from '../core/queue.ts';
import type { Database } from '../db/index.ts';
import type { Log } from '../log.ts';
import { createLanes, JobRunner, type Lane, WORK_TIMES, type WorkTimes } from './job-runner.ts';
import { claimNextJob, createTableVerbs, hasNextJob, type JobTable, releaseRunning } from './job-table.ts';

interface EmbeddedQueueOptions extends WorkTimes {
  readonly database: Database;
  /** The enqueuer that the store of this database was built with. */
  readonly jobs: JobTable;
  readonly log: Log;
  readonly now: () => Date;
}

/** `work` may be called once per queue. Jobs that were running when the previous process ended are due again. */
export function createEmbeddedQueue(options: EmbeddedQueueOptions): Queue {
  const { database, jobs, now } = options;
  let hasWorker = false;
  return {
    ...createTableVerbs(database, jobs, now),
    work(handlers, limits) {
      if (hasWorker) throw new Error('this queue has a worker already');
      hasWorker = true;
      return new EmbeddedWorker({ ...WORK_TIMES, ...options }, createLanes(handlers, limits));
    },
  };
}

class EmbeddedWorker implements Worker {
  readonly #options: Required<EmbeddedQueueOptions>;
  readonly #lanes: ReadonlyMap<JobKind, Lane>;
  readonly #runner: JobRunner;
  readonly #subscription: Disposable;
  readonly #loop: Promise<void>;
  /** Kinds that may have a job to claim. */
  #kinds: Set<JobKind>;
  #wake = new AbortController();
  #hasReleased = false;
  #stopped: Promise<void> | null = null;

  constructor(options: Required<EmbeddedQueueOptions>, lanes: ReadonlyMap<JobKind, Lane>) {
    this.#options = options;
    this.#lanes = lanes;
    this.#kinds = new Set(lanes.keys());
    this.#runner = new JobRunner(options);
    this.#subscription = options.jobs.onCommit(({ kinds, removed }) => {
      if (removed) void this.#runner.abortRemoved();
      this.#look(kinds);
    });
    this.#loop = this.#work();
  }

  async waitUntilIdle(signal: AbortSignal): Promise<void> {
    while (!this.#hasReleased) await sleep(1, undefined, { signal });
    await this.#runner.idle([...this.#lanes.keys()], signal);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#subscription[Symbol.dispose]();
    const stopping = this.#runner.stop();
    this.#wake.abort();
    await this.#loop;
    await stopping;
  }

  async #work(): Promise<void> {
    const { database, log, pollMs } = this.#options;
    while (!this.#runner.isStopping) {
      const kinds = this.#kinds;
      this.#kinds = new Set();
      try {
        if (!this.#hasReleased) await database.write(releaseRunning);
        this.#hasReleased = true;
        for (const kind of kinds) await this.#fill(kind);
      } catch (error) {
        // A full disk or a locked file ends; the worker must be there when it does.
        if (!this.#runner.noteAway(error)) log.error({ err: error }, 'failed to look for due jobs; trying again');
      }
      if (this.#kinds.size === 0) await this.#wait(pollMs);
    }
  }

  /** Until a commit holds jobs, a handler ends, or it is time to look for what has become due. */
  async #wait(pollMs: number): Promise<void> {
    try {
      await sleep(pollMs, undefined, { signal: this.#wake.signal });
      this.#kinds = new Set(this.#lanes.keys());
    } catch {
      this.#wake = new AbortController();
    }
  }

  #look(kinds: Iterable<JobKind>): void {
    for (const kind of kinds) if (this.#lanes.has(kind)) this.#kinds.add(kind);
    this.#wake.abort();
  }

  async #fill(kind: JobKind): Promise<void> {
    const lane = this.#lanes.get(kind);
    const { database, now } = this.#options;
    while (lane && !this.#runner.isStopping && this.#runner.count(kind) < lane.limits.concurrency) {
      const request = { kind, perGroup: lane.limits.perGroup, maxLost: this.#runner.maxLost };
      const at = now().toISOString();
      if (!(await database.read((reader) => hasNextJob(reader, at, request)))) return;
      const claim = await database.write((trx) => claimNextJob(trx, at, request));
      this.#runner.noteStored();
      if (claim === null) return;
      const ended = this.#runner.run(claim, lane.handler).then(() => this.#look([kind]));
      if (this.#runner.isStopping) await ended;
    }
  }
}
