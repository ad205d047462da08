// Command-line words: quoting for a shell, and the closest known name for a typo.

/** Longer words are not typos of a name. */
const LONGEST = 40;

/**
 * The closest name, ignoring case, within two edits and less than half the word's length (without leading dashes); null
 * if none.
 */
export function findNearestName(word: string, known: readonly string[]): string | null {
  const length = word.replace(/^-+/, '').length;
  if (length > LONGEST) return null;
  const [best] = known
    .map((name) => ({ name, distance: computeEditDistance(word.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  if (best === undefined || best.distance > 2 || best.distance * 2 >= Math.max(length, 3)) return null;
  return best.name;
}

/** Insertions, deletions, replacements and swaps of neighbours between the two (optimal string alignment). */
export function computeEditDistance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, at) => at)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= from.length; i++) {
    rows.push([i]);
    for (let j = 1; j <= to.length; j++) {
      const cost = from[i - 1] === to[j - 1] ? 0 : 1;
      const isSwap = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      rows[i]?.push(Math.min(at(i - 1, j - 1) + cost, at(i - 1, j) + 1, at(i, j - 1) + 1, swapped));
    }
  }
  return at(from.length, to.length);
}

/** The word in single quotes, which a shell takes literally. */
export function quoteLiteral(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** As `quoteLiteral`, but leaves plain words unquoted. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoteLiteral(word);
}
