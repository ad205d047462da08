// Waiting no longer than so long, without leaving a timer behind.
import { setTimeout as delay } from 'node:timers/promises';

/** What the promise gives, or `late` after `ms`. Throws what the promise throws, and at once where `signal` is aborted. */
export async function atMost<T>(promise: Promise<T>, ms: number, late: T, signal?: AbortSignal): Promise<T> {
  const enough = new AbortController();
  const stop = signal ? AbortSignal.any([signal, enough.signal]) : enough.signal;
  const waited = delay(ms, late, { signal: stop });
  waited.catch(() => {});
  try {
    return await Promise.race([promise, waited]);
  } finally {
    enough.abort();
    signal?.throwIfAborted();
  }
}
