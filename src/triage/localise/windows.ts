// The stretch of a file where the words of a report stand closest together.
import { eachWord, hashesOfWord } from './terms.ts';

/** Lines of a stretch: about what a person sees at once. */
const WINDOW = 45;
/** Lines beyond these are not looked at: such a file is data. */
const MAX_LINES = 20_000;
const MAX_LINE = 1_000;

/** What each term is worth, by hash. */
export type TermWorths = ReadonlyMap<number, number>;

export interface Window {
  /** Sum of the worth of the distinct terms that stand in it. */
  readonly score: number;
  /** 1-based; the line in it where most worth stands; 0 where no term stands anywhere. */
  readonly line: number;
}

/** The hashes of the wanted terms in each line; a line without any is empty. */
export function wantedLines(text: string, wanted: TermWorths): readonly (readonly number[])[] {
  const lines: number[][] = [];
  for (const line of text.split('\n', MAX_LINES)) {
    const found: number[] = [];
    if (line.length <= MAX_LINE) {
      eachWord(line, (word) => {
        for (const hash of hashesOfWord(word)) if (wanted.has(hash)) found.push(hash);
      });
    }
    lines.push(found);
  }
  return lines;
}

/** A term counts once, however often it stands in the stretch. */
export function bestWindow(lines: readonly (readonly number[])[], worths: TermWorths): Window {
  const stretch = createStretch(worths);
  let [best, end] = [0, 0];
  for (const [index, line] of lines.entries()) {
    stretch.enter(line);
    stretch.leave(lines[index - WINDOW] ?? []);
    const sum = stretch.sum();
    // Sums that differ by rounding alone are equal: the first stretch stays.
    if (sum > best + 1e-9) [best, end] = [sum, index];
  }
  return { score: best, line: best > 0 ? fullestLine(lines, end, worths) : 0 };
}

interface Stretch {
  enter(line: readonly number[]): void;
  leave(line: readonly number[]): void;
  sum(): number;
}

function createStretch(worths: TermWorths): Stretch {
  const standing = new Map<number, number>();
  let sum = 0;
  return {
    enter(line) {
      for (const hash of line) {
        const count = standing.get(hash) ?? 0;
        if (count === 0) sum += worths.get(hash) ?? 0;
        standing.set(hash, count + 1);
      }
    },
    leave(line) {
      for (const hash of line) {
        const count = standing.get(hash) ?? 0;
        if (count === 1) sum -= worths.get(hash) ?? 0;
        standing.set(hash, count - 1);
      }
    },
    sum: () => sum,
  };
}

function fullestLine(lines: readonly (readonly number[])[], end: number, worths: TermWorths): number {
  let [best, at] = [0, end];
  for (let index = Math.max(0, end - WINDOW + 1); index <= end; index++) {
    const sum = [...new Set(lines[index])].reduce((total, hash) => total + (worths.get(hash) ?? 0), 0);
    if (sum > best) [best, at] = [sum, index];
  }
  return at + 1;
}
