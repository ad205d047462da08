// Long loops in slices, before each of which others get their turn: a hundred thousand files take seconds, and the service answers meanwhile.

export interface Slices {
  /** Items that are worked through without a pause. */
  readonly size: number;
  readonly signal: AbortSignal;
}

/** Calls `each` with 0, 1, … up to `count` - 1. Throws the signal's reason when aborted. */
export async function inSlices(count: number, { size, signal }: Slices, each: (index: number) => void): Promise<void> {
  for (let from = 0; from < count; from += size) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    const to = Math.min(count, from + size);
    for (let index = from; index < to; index++) each(index);
  }
}
