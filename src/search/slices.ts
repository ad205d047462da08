// Long lists worked through in slices, before each of which others get their turn.
import { inSlices, type Slices } from '../triage/localise/in-slices.ts';

/** Calls `each` with every item and its index. Throws the signal's reason when aborted. */
export async function eachInSlices<T>(
  items: readonly T[],
  slices: Slices,
  each: (item: T, index: number) => void,
): Promise<void> {
  await inSlices(items.length, slices, (index) => each(items[index] as T, index));
}
