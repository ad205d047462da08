// Follows an investigation live, and streams what happens to a client that may be slow, silent or no longer allowed.
import { type Investigation, isEnded } from '../core/investigation.ts';
import type { RecordedStep, Store } from '../db/store.ts';
import type { Changes } from './changes.ts';

interface FollowDeps {
  readonly store: Store;
  readonly changes: Changes;
}

export type FollowEvent =
  | { readonly type: 'step'; readonly step: RecordedStep }
  | { readonly type: 'state'; readonly investigation: Investigation }
  | { readonly type: 'end'; readonly investigation: Investigation };

/** A word from another process can get lost, and over SQLite there is none: look again at least this often. */
const POLL_MS = 1_000;

/**
 * Steps after number `after` and every change of state, as they happen; ends after `end`, when the investigation is erased
 * (no `end` then), or when the signal aborts.
 */
export async function* follow(
  deps: FollowDeps,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<FollowEvent> {
  const runId = (await deps.store.findInvestigation(id))?.runId;
  let seen = after;
  let state = '';
  while (runId !== undefined && !signal.aborted) {
    // Listening begins before looking, and the state is read before the steps: nothing falls between two looks.
    const changed = deps.changes.next(runId, POLL_MS, signal);
    const investigation = await deps.store.findInvestigation(id);
    if (investigation === null) return;
    // A run that starts again after a crash numbers its steps anew.
    if (investigation.progress.step < seen) seen = 0;
    const steps = await deps.store.listSteps(runId, seen);
    yield* eventsOf(investigation, steps, state);
    if (isEnded(investigation.outcome)) return;
    seen = steps.at(-1)?.number ?? seen;
    state = investigation.outcome.state;
    await changed;
  }
}

/** What one look has found: "running" is told before its steps, an end after all of them. */
function eventsOf(investigation: Investigation, found: readonly RecordedStep[], told: string): readonly FollowEvent[] {
  const steps = found.map((step) => ({ type: 'step', step }) as const);
  const state = investigation.outcome.state === told ? [] : [{ type: 'state', investigation } as const];
  if (!isEnded(investigation.outcome)) return [...state, ...steps];
  return [...steps, ...state, { type: 'end', investigation }];
}

/** The investigation once it has ended, or as it stands after `ms`; null where there is none (any more). */
export async function waitForEnd(
  deps: FollowDeps,
  id: string,
  ms: number,
  signal: AbortSignal,
): Promise<Investigation | null> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  let investigation = await deps.store.findInvestigation(id);
  while (investigation !== null && !isEnded(investigation.outcome) && !until.aborted) {
    const changed = deps.changes.next(investigation.runId, POLL_MS, until);
    investigation = await deps.store.findInvestigation(id);
    if (investigation !== null && !isEnded(investigation.outcome)) await changed;
  }
  return investigation;
}

export const STREAM_HEADERS = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' } as const;

/** A comment: keeps proxies from closing a silent stream. */
export const STILL_FOLLOWING = ': still following\n\n';

const TICK_MS = 15_000;

/** So often it is asked whether the client may still look, however much happens; a frame that waits for its client waits for this as well. */
const CHECK_MS = 45_000;

/**
 * A client that has not taken what was sent for so long is broken off, since nobody asks meanwhile whether it may look, and may come back
 * for the rest. Together with the above no stream outlives its permission by more than a minute.
 */
const STALLED_MS = 15_000;

interface Following {
  /** Asked every 45 seconds. */
  readonly mayStillFollow: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** What happens, and a tick every 15 seconds where nothing does; ends early when the client may no longer look, or the signal aborts. */
export async function* withTicks<T>(
  events: AsyncGenerator<T>,
  { mayStillFollow, signal }: Following,
): AsyncGenerator<T | 'tick'> {
  const all = ticking(events, signal);
  let next = all.next();
  let check = checkIn(CHECK_MS, signal);
  while (!signal.aborted) {
    // The first of those that are ready counts: no flood of events puts the check off.
    const got = await Promise.race([check, next]);
    if (got === 'check') {
      // Counted from before the answer, which may take its time.
      check = checkIn(CHECK_MS, signal);
      if (signal.aborted || !(await mayStillFollow())) return;
    } else if (got.done) {
      return;
    } else {
      yield got.value;
      next = all.next();
    }
  }
}

async function* ticking<T>(events: AsyncGenerator<T>, signal: AbortSignal): AsyncGenerator<T | 'tick'> {
  let event = events.next();
  let tick = pause(TICK_MS, signal);
  while (!signal.aborted) {
    const got = await Promise.race([event, tick]);
    if (got === 'over') {
      if (signal.aborted) return;
      yield 'tick';
      tick = pause(TICK_MS, signal);
    } else if (got.done) {
      return;
    } else {
      yield got.value;
      event = events.next();
    }
  }
}

async function checkIn(ms: number, signal: AbortSignal): Promise<'check'> {
  await pause(ms, signal);
  return 'check';
}

/** Holds one frame until the client takes it, and makes the next only then. `stop` ends what the frames wait for. */
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
export function pause(ms: number, signal: AbortSignal): Promise<'over'> {
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
