// The embedded queue's worker: looks for work, runs the handlers, keeps their leases, and hands back what it cannot finish.
import { setTimeout as sleep } from 'node:timers/promises';
import { randomBase62 } from '../domain/ids.ts';
import type { JobHandler, JobKind, Worker } from '../ports/queue.ts';
import { cancelled, stopped, taken } from './abort-reasons.ts';
import { anyDue } from './any-due.ts';
import { type Claim, type ClaimEnd, claim, endClaim } from './claims.ts';
import type { EmbeddedQueueOptions } from './embedded-queue.ts';
import { handleClaim } from './handle-claim.ts';
import type { Lane } from './lane.ts';
import { freeAll, freeExpired, lostAmong, renew } from './leases.ts';
import { createNudge } from './nudge.ts';
import { putOffSuspects, type Suspects } from './suspects.ts';

export interface WorkerOptions extends Required<EmbeddedQueueOptions> {
  /** Of the kinds that are worked on; the jobs of others stay where they are. */
  readonly lanes: ReadonlyMap<JobKind, Lane>;
}

const IDLE_POLL_MS = 20;

interface Running {
  readonly claim: Claim;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

export class EmbeddedWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #owner = `${process.pid} ${randomBase62(8)}`;
  readonly #nudge = createNudge();
  readonly #running = new Map<Claim, Running>();
  /** Of these, whose handler has ended: that their job is gone is our own doing. */
  readonly #ending = new Set<Claim>();
  readonly #subscription: Disposable;
  readonly #loop: Promise<void>;
  #recovered: boolean;
  #suspects: Suspects | null = null;
  #stopping = false;
  #stopped: Promise<void> | null = null;
  #jobsChanged = false;
  #renewAt = 0;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#recovered = options.recovery === 'lease';
    this.#subscription = options.jobs.onChange(() => {
      this.#jobsChanged = true;
      this.wake();
    });
    this.#loop = this.#work();
  }

  wake(): void {
    this.#nudge.wake();
  }

  /** Aborts the handler if it runs here; the job's row is the caller's to remove. */
  cancel(kind: JobKind, subject: string): void {
    for (const { claim: held, abort } of this.#running.values()) {
      if (held.kind === kind && held.subject === subject) abort.abort(cancelled(held));
    }
  }

  async idle(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      if (await this.#isIdle()) return;
      await sleep(IDLE_POLL_MS, undefined, { signal });
    }
  }

  async #isIdle(): Promise<boolean> {
    if (!this.#recovered || this.#running.size + (this.#suspects?.left ?? 0) > 0) return false;
    return !(await anyDue(this.#options.database, this.#kinds(), this.#time(0)));
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #work(): Promise<void> {
    while (!this.#stopping) {
      try {
        await this.#round();
      } catch (error) {
        // A full disk or a locked file ends; the worker must be there when it does.
        this.#options.log.error({ err: error }, 'the queue could not look for work; it will try again');
        await sleep(this.#options.pollMs);
      }
      if (!this.#stopping) await this.#nudge.wait(this.#options.pollMs);
    }
  }

  async #round(): Promise<void> {
    const { database, now, suspectMs } = this.#options;
    if (!this.#recovered) {
      await freeAll(database);
      this.#suspects = await putOffSuspects(database, { kinds: this.#kinds(), now, pauseMs: suspectMs });
      this.#recovered = true;
    }
    await this.#keepLeases();
    await freeExpired(database, this.#time(0), this.#held());
    await this.#suspects?.step();
    for (const [kind, lane] of this.#options.lanes) await this.#fill(kind, lane);
  }

  /** Aborts what was removed or lost; says that the rest is alive. */
  async #keepLeases(): Promise<void> {
    const { database, leaseMs, log } = this.#options;
    const due = performance.now() >= this.#renewAt;
    if (!due && !this.#jobsChanged) return;
    this.#jobsChanged = false;
    for (const { claim: held, removed } of await lostAmong(database, this.#held())) {
      if (this.#ending.has(held) || !this.#running.has(held)) continue;
      log.info({ job: held.id, kind: held.kind, subject: held.subject, removed }, 'a running job was taken away');
      this.#running.get(held)?.abort.abort(removed ? cancelled(held) : taken(held));
    }
    if (!due) return;
    await renew(database, this.#held(), { owner: this.#owner, leaseUntil: this.#time(leaseMs) });
    this.#renewAt = performance.now() + leaseMs / 3;
  }

  async #fill(kind: JobKind, { handler, limits }: Lane): Promise<void> {
    const { database, leaseMs } = this.#options;
    const { concurrency, perGroup } = limits;
    while (!this.#stopping && this.#held().filter((held) => held.kind === kind).length < concurrency) {
      const request = { kind, owner: this.#owner, perGroup, now: this.#time(0), leaseUntil: this.#time(leaseMs) };
      const next = await claim(database, request);
      if (!next) return;
      this.#start(next, handler);
    }
  }

  #start(held: Claim, handler: JobHandler): void {
    const abort = new AbortController();
    const ended = this.#run(held, handler, abort.signal).finally(() => {
      this.#running.delete(held);
      this.#ending.delete(held);
      this.wake();
    });
    this.#running.set(held, { claim: held, abort, ended });
  }

  async #run(held: Claim, handler: JobHandler, signal: AbortSignal): Promise<void> {
    const end = await handleClaim(held, { ...this.#options, handler }, signal);
    this.#ending.add(held);
    await this.#end(held, end);
  }

  async #end(held: Claim, end: ClaimEnd): Promise<void> {
    try {
      await endClaim(this.#options.database, held, end);
    } catch (error) {
      // Its lease runs out, and it is tried again: at least once is what handlers are made for.
      const { id: job, kind, subject } = held;
      this.#options.log.error({ job, kind, subject, err: error }, 'the end of a job could not be stored');
    }
  }

  async #stop(): Promise<void> {
    this.#stopping = true;
    this.#subscription[Symbol.dispose]();
    this.#abortAll();
    this.wake();
    await this.#loop;
    this.#abortAll();
    const left = [...this.#running.values()];
    const deadline = new AbortController();
    const patience = sleep(this.#options.stopMs, undefined, { signal: deadline.signal }).catch(() => {});
    await Promise.race([Promise.allSettled(left.map(({ ended }) => ended)), patience]);
    deadline.abort();
    // A handler that does not listen: its job goes back without it, and its late end is refused.
    await Promise.all(this.#held().map((held) => this.#end(held, { kind: 'handed-back' })));
  }

  #abortAll(): void {
    for (const { claim: held, abort } of this.#running.values()) abort.abort(stopped(held));
  }

  #kinds(): readonly JobKind[] {
    return [...this.#options.lanes.keys()];
  }

  #held(): readonly Claim[] {
    return [...this.#running.keys()];
  }

  #time(offsetMs: number): string {
    return new Date(this.#options.now().getTime() + offsetMs).toISOString();
  }
}
