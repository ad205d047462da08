// Handlers, limits and a clock for tests of the queue.
import type { ClaimedJob, JobHandler, JobResult, LaneLimits, NewJob } from '../../src/core/queue.ts';
import { NOW } from './store-samples.ts';

/** A clock that moves only when it is told to. */
export function clock(start = NOW) {
  let time = Date.parse(start);
  return {
    now: () => new Date(time),
    /** Seconds. */
    forward: (seconds: number) => {
      time += seconds * 1000;
    },
  };
}

export function job(subject: string, changes: Partial<NewJob> = {}): NewJob {
  return { kind: 'run', subject, group: 'g', runAt: NOW, urgency: 'person', ...changes };
}

export const plenty: LaneLimits = { concurrency: 10, perGroup: 10 };

/** Limits for `run`; webhooks have plenty. */
export function runLimits(concurrency: number, perGroup: number) {
  return { run: { concurrency, perGroup }, webhook: plenty };
}

type Handle = (job: ClaimedJob, signal: AbortSignal) => Promise<unknown>;

/** One handler for both kinds, that remembers what it was given. What returns nothing is done. */
export function recorder(handle: Handle = async () => {}, dead: (job: ClaimedJob) => Promise<void> = async () => {}) {
  const handled: ClaimedJob[] = [];
  const deaths: { job: ClaimedJob; error: unknown }[] = [];
  const handler: JobHandler = {
    async handle(one, signal) {
      handled.push(one);
      return ((await handle(one, signal)) as JobResult | undefined) ?? { kind: 'done' };
    },
    async dead(one, error) {
      deaths.push({ job: one, error });
      await dead(one);
    },
  };
  return { handled, deaths, handlers: { run: handler, webhook: handler } };
}

/** Ends with the signal's reason when it aborts. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });
}

/** A handler that waits for its signal and remembers why it was aborted. */
export function waiting() {
  const reasons: unknown[] = [];
  const record = recorder(async (_, signal) => {
    try {
      await aborted(signal);
    } catch (reason) {
      reasons.push(reason);
      throw reason;
    }
  });
  return { ...record, reasons };
}
