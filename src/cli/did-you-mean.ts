// A hint for who mistyped a word of the command line.
import { nearestName } from '../core/nearest-name.ts';

/** ` Did you mean "x"?` for a word that is nearly one of those known; empty where none is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const name = nearestName(word, known);
  return name === null ? '' : ` Did you mean "${name}"?`;
}
