// The known name nearest to a mistyped one.

/** Words longer than this are no slip of a key. */
const LONGEST = 40;

/** Whatever the case, at most two edits and less than half of the word (dashes before it aside) away; null where none is near. */
export function nearestName(word: string, known: readonly string[]): string | null {
  const length = word.replace(/^-+/, '').length;
  if (length > LONGEST) return null;
  const [best] = known
    .map((name) => ({ name, distance: editDistance(word.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  if (best === undefined || best.distance > 2 || best.distance * 2 >= Math.max(length, 3)) return null;
  return best.name;
}

/** Insertions, deletions and replacements between the two (Levenshtein). */
function editDistance(from: string, to: string): number {
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [i, character] of [...from].entries()) {
    const row = [i + 1];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (character === to[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    last = row;
  }
  return last[to.length] ?? 0;
}
