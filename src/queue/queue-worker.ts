// The worker of every engine: looks for work, runs the handlers, keeps their leases, and hands back what it cannot finish.
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobHandler, JobKind, Worker } from '../core/queue.ts';
import type { Log } from '../log.ts';
import { cancelled, stopped, taken } from './abort-reasons.ts';
import type { Claim, ClaimEnd } from './claims.ts';
import { handleClaim } from './handle-claim.ts';
import type { JobSource } from './job-source.ts';
import type { Lane } from './lane.ts';
import { nextSlots } from './next-slots.ts';
import { createNudge } from './nudge.ts';

/** How patient a worker is; see the options of the engines' queues. */
interface WorkerTimes {
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly stopMs: number;
}

interface WorkerOptions extends WorkerTimes {
  readonly source: JobSource;
  /** Of the kinds that are worked on; the jobs of others stay where they are. */
  readonly lanes: ReadonlyMap<JobKind, Lane>;
  readonly log: Log;
  readonly now: () => Date;
}

const IDLE_POLL_MS = 20;

interface Running {
  readonly claim: Claim;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

export class QueueWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #nudge = createNudge();
  readonly #running = new Map<Claim, Running>();
  /** Of these, whose handler has ended: that their job is gone is our own doing. */
  readonly #ending = new Set<Claim>();
  readonly #subscription: Disposable;
  readonly #loop: Promise<void>;
  #begun = false;
  #stopping = false;
  #stopped: Promise<void> | null = null;
  #mayBeLost = false;
  #renewAt = 0;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#subscription = options.source.onChange((removed) => {
      this.#mayBeLost ||= removed;
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
      if (this.#begun && this.#running.size === 0 && (await this.#options.source.isIdle())) return;
      await sleep(IDLE_POLL_MS, undefined, { signal });
    }
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
    const { source, lanes } = this.#options;
    if (!this.#begun) await source.begin();
    this.#begun = true;
    if (performance.now() >= this.#renewAt || this.#mayBeLost) await this.#keepLeases();
    await source.tend(this.#held());
    const open = [...lanes].flatMap(([kind, { limits }]) =>
      limits.concurrency > this.#heldOf(kind).length ? [kind] : [],
    );
    if (open.length === 0) return;
    for (const kind of await source.promising(open)) await this.#fill(kind);
  }

  /** Aborts what was removed or lost; says that the rest is alive. */
  async #keepLeases(): Promise<void> {
    const { source, leaseMs, log } = this.#options;
    this.#mayBeLost = false;
    try {
      for (const { claim: held, removed } of await source.lostAmong(this.#held())) {
        if (this.#ending.has(held) || !this.#running.has(held)) continue;
        log.info({ job: held.id, kind: held.kind, subject: held.subject, removed }, 'a running job was taken away');
        this.#running.get(held)?.abort.abort(removed ? cancelled(held) : taken(held));
      }
    } catch (error) {
      this.#mayBeLost = true;
      throw error;
    }
    if (performance.now() < this.#renewAt) return;
    await source.renew(this.#held());
    this.#renewAt = performance.now() + leaseMs / 3;
  }

  async #fill(kind: JobKind): Promise<void> {
    const lane = this.#options.lanes.get(kind);
    while (lane && !this.#stopping) {
      const next = nextSlots(this.#heldOf(kind), lane.limits);
      if (next.free <= 0) return;
      const claims = await this.#options.source.claim({ kind, perGroup: lane.limits.perGroup, ...next });
      if (claims.length === 0) return;
      // Asked for before: it may be the very job that was handed back just now.
      if (this.#stopping) await Promise.all(claims.map((held) => this.#end(held, { kind: 'handed-back' })));
      else for (const held of claims) this.#start(held, lane.handler);
    }
  }

  #heldOf(kind: JobKind): readonly Claim[] {
    return this.#held().filter((held) => held.kind === kind);
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
      await this.#options.source.end(held, end);
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
    await this.#options.source[Symbol.asyncDispose]();
  }

  #abortAll(): void {
    for (const { claim: held, abort } of this.#running.values()) abort.abort(stopped(held));
  }

  #held(): readonly Claim[] {
    return [...this.#running.keys()];
  }
}
