// Long loops in slices, between which other work has its turn.

/** Paths that are processed without a pause, about 10 ms. */
export const SLICE_PATHS = 4_000;

/**
 * Calls `each` with 0, 1, … up to `count` - 1; after each `size` calls other work has its turn. Throws the signal's
 * reason when aborted.
 */
export async function runInSlices(
  count: number,
  { size, signal }: { readonly size: number; readonly signal: AbortSignal },
  each: (index: number) => void,
): Promise<void> {
  for (let from = 0; from < count; from += size) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    const to = Math.min(count, from + size);
    for (let index = from; index < to; index++) each(index);
  }
}

/** Work that goes on without a pause. */
const TURN_MS = 10;

/**
 * For loops whose parts differ in length: gives other work its turn where 10 ms have passed since the last one. Throws
 * the signal's reason when aborted.
 */
export function createTurns(signal: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < TURN_MS) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    since = performance.now();
  };
}
