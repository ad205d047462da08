// Server-sent events to a client that may be slow, silent or no longer allowed: what the streams of the API and of the pages share.

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
