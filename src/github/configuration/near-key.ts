// The known key nearest to a mistyped one.

/** `, did you mean …?` for a key at most two edits (and less than half of it) away; "" where none is near. */
export function didYouMeanKey(word: string, known: readonly string[]): string {
  if (word.length > 40) return '';
  const ranked = known
    .map((name) => ({ name, distance: editDistance(word.toLowerCase().replaceAll('-', '_'), name) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (best === undefined || best.distance > 2 || best.distance * 2 >= Math.max(word.length, 3)) return '';
  return `, did you mean \`${best.name}\`?`;
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
