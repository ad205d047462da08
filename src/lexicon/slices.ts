// Long loops in slices, between which others get their turn.
import { setImmediate as breathe } from 'node:timers/promises';

/** Calls `each` with every item and its index, `size` of them without a pause. Throws the signal's reason when aborted. */
export async function eachInSlices<T>(
  items: readonly T[],
  { size, signal }: { readonly size: number; readonly signal: AbortSignal },
  each: (item: T, index: number) => void,
): Promise<void> {
  for (let from = 0; from < items.length; from += size) {
    if (from > 0) await breathe();
    signal.throwIfAborted();
    const to = Math.min(items.length, from + size);
    for (const [index, item] of items.slice(from, to).entries()) each(item, from + index);
  }
}
