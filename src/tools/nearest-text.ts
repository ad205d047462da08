// The stretch of a file that is most like a text that does not stand in it, so that its writer can put it right.
import { numberedLines } from './show-lines.ts';

const CONTEXT = 2;
const MAX_ROWS = 40;
const WORD = /[\p{L}\p{N}_$]+/gu;

/** The rows most like `wanted` with their numbers, as `read_files` shows them; "" where nothing is alike. */
export function nearestText(rows: readonly string[], wanted: readonly string[]): string {
  const scores = rowScores(rows, wanted);
  const length = Math.min(wanted.length, rows.length);
  let sum = 0;
  let best = { score: 0, from: 0 };
  for (const [index, score] of scores.entries()) {
    sum += score - (scores[index - length] ?? 0);
    // The sums drift by floating point; only a real gain counts.
    if (sum > best.score + 1e-6) best = { score: sum, from: Math.max(0, index - length + 1) };
  }
  if (best.score < 0.5) return '';
  const from = Math.max(0, best.from - CONTEXT);
  const to = Math.min(from + MAX_ROWS, best.from + length + CONTEXT);
  return numberedLines(rows.slice(from, to), from + 1).join('\n');
}

/** Per row how much it has of the wanted words; words that are rare in the file weigh more, an equal line most. */
function rowScores(rows: readonly string[], wanted: readonly string[]): readonly number[] {
  const sought = new Set(wordsOf(wanted.join('\n')));
  const lines = new Set(wanted.map((row) => row.trim()).filter((row) => row.length > 3));
  const found = rows.map((row) => new Set(wordsOf(row).filter((word) => sought.has(word))));
  const counts = new Map<string, number>();
  for (const words of found) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return rows.map((row, index) => {
    const words = [...(found[index] ?? [])];
    const weight = words.reduce((total, word) => total + 1 / Math.sqrt(counts.get(word) ?? 1), 0);
    return lines.has(row.trim()) ? weight + 2 : weight;
  });
}

function wordsOf(text: string): readonly string[] {
  return text.slice(0, 20_000).match(WORD) ?? [];
}
