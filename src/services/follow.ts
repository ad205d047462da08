// Follows an investigation live, and streams what happens to a client that may be slow, silent or no longer allowed.
import { type Investigation, isEnded } from '../core/report/index.ts';
import type { RecordedStep, Store } from '../db/index.ts';

/** Wakes those who wait for a run in this process. Another process may work on it, so every wait also ends by time. */
export interface Changes {
  notify(runId: string): void;
  /** Resolves at the next change of the run, after `ms` at the latest, or when the signal aborts; never rejects. */
  next(runId: string, ms: number, signal: AbortSignal): Promise<void>;
}

export function createChanges(): Changes {
  const waiting = new Map<string, Set<() => void>>();
  return {
    notify: (runId) => {
      for (const wake of waiting.get(runId) ?? []) wake();
    },
    next: async (runId, ms, signal) => {
      const woken = new AbortController();
      const wakers = waiting.get(runId) ?? new Set();
      const wake = () => woken.abort();
      waiting.set(runId, wakers.add(wake));
      await pauseFollowing(ms, AbortSignal.any([signal, woken.signal]));
      wakers.delete(wake);
      if (wakers.size === 0 && waiting.get(runId) === wakers) waiting.delete(runId);
    },
  };
}

interface FollowDeps {
  readonly store: Store;
  readonly changes: Changes;
}

export type FollowEvent =
  | { readonly type: 'step'; readonly step: RecordedStep }
  | { readonly type: 'state'; readonly investigation: Investigation }
  | { readonly type: 'end'; readonly investigation: Investigation };

/** How late a change by another process can be seen. */
const POLL_MS = 1_000;

/**
 * Steps after number `after` and every change of state, as they happen; ends after `end`, when the investigation is
 * erased (no `end` then), or when the signal aborts.
 */
export async function* followInvestigation(
  { store, changes }: FollowDeps,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<FollowEvent> {
  const runId = (await store.findInvestigation(id))?.runId;
  let seen = after;
  let state = '';
  while (runId !== undefined && !signal.aborted) {
    // Waiting begins before reading, and the state is read before the steps: nothing falls in between.
    const changed = changes.next(runId, POLL_MS, signal);
    const investigation = await store.findInvestigation(id);
    if (investigation === null) return;
    // A run that starts again after a crash numbers its steps from 1.
    if (investigation.progress.step < seen) seen = 0;
    const recorded = await store.listSteps(runId, seen);
    const steps = recorded.map((step) => ({ type: 'step', step }) as const);
    const isNewState = investigation.outcome.state !== state;
    const states = isNewState ? [{ type: 'state', investigation } as const] : [];
    // "running" comes before its steps, an end after all of them.
    if (isEnded(investigation.outcome)) return yield* [...steps, ...states, { type: 'end', investigation } as const];
    yield* [...states, ...steps];
    seen = recorded.at(-1)?.number ?? seen;
    state = investigation.outcome.state;
    await changed;
  }
}

/** The investigation once it has ended, or as it is after `ms`; null if there is none (any more). */
export async function waitForEnd(
  { store, changes }: FollowDeps,
  id: string,
  ms: number,
  signal: AbortSignal,
): Promise<Investigation | null> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  let investigation = await store.findInvestigation(id);
  while (investigation !== null && !isEnded(investigation.outcome) && !until.aborted) {
    const changed = changes.next(investigation.runId, POLL_MS, until);
    investigation = await store.findInvestigation(id);
    if (investigation !== null && !isEnded(investigation.outcome)) await changed;
  }
  return investigation;
}

export const STREAM_HEADERS = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' } as const;

/** A comment: keeps proxies from closing a silent stream. */
export const STILL_FOLLOWING = ': still following\n\n';

const TICK_MS = 15_000;
/** How often it is checked whether the client may still follow. */
const CHECK_MS = 45_000;
/**
 * A client that does not read for so long is disconnected, so that no stream outlives its permission by more than a
 * minute.
 */
const STALLED_MS = 15_000;

/**
 * The events, and a tick every 15 seconds without one; ends when the client may no longer follow, or the signal aborts.
 */
export async function* withTicks<T>(
  events: AsyncGenerator<T>,
  { mayStillFollow, signal }: { readonly mayStillFollow: () => Promise<boolean>; readonly signal: AbortSignal },
): AsyncGenerator<T | 'tick'> {
  const wait = <W extends 'tick' | 'check'>(ms: number, what: W) => pauseFollowing(ms, signal).then(() => what);
  let next = events.next();
  let tick = wait(TICK_MS, 'tick');
  let check = wait(CHECK_MS, 'check');
  while (!signal.aborted) {
    // The check comes first, so that a flood of events does not delay it.
    const got = await Promise.race([check, next, tick]);
    if (signal.aborted) return;
    if (got === 'check') {
      check = wait(CHECK_MS, 'check');
      if (!(await mayStillFollow())) return;
      continue;
    }
    if (got === 'tick') {
      tick = wait(TICK_MS, 'tick');
      yield 'tick';
      continue;
    }
    if (got.done) return;
    yield got.value;
    next = events.next();
  }
}

/** Makes each frame only when the client has taken the one before. `stop` ends what the frames wait for. */
export function streamOf(frames: AsyncGenerator<string>, stop: AbortController): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stalled: NodeJS.Timeout | undefined;
  return new ReadableStream({
    pull: async (controller) => {
      clearTimeout(stalled);
      const { done, value } = await frames.next();
      if (done) return controller.close();
      stalled = setTimeout(() => {
        stop.abort();
        controller.error(new Error('the client of an event stream does not read'));
      }, STALLED_MS);
      controller.enqueue(encoder.encode(value));
    },
    cancel: () => {
      clearTimeout(stalled);
      stop.abort();
    },
  });
}

/** Resolves after `ms`, or at once when the signal aborts. */
function pauseFollowing(ms: number, signal: AbortSignal): Promise<'over'> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve('over');
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve('over');
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
  });
}
