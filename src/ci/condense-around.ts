// How many lines are kept with one of a long log, by what it tells.
import type { LineKind } from './condense-judge.ts';

/** Lines that are kept with one, and what it counts for: 0 a step, 1 an error, 2 a verdict. */
export interface Around {
  readonly before: number;
  readonly after: number;
  readonly rank: 0 | 1 | 2;
}

/**
 * Errors that stand more than 25 lines apart do not belong together, see `find-cause.ts`: what is kept around each keeps them apart. Of a
 * step that failed the last 20 lines are read for mere words of trouble.
 */
export const AROUND: Readonly<Record<Exclude<LineKind, 'nothing'>, Around>> = {
  opening: { before: 0, after: 6, rank: 0 },
  part: { before: 0, after: 0, rank: 0 },
  marked: { before: 24, after: 2, rank: 2 },
  // Kept by itself, with the name of the file that may stand over it.
  finding: { before: 1, after: 0, rank: 0 },
  end: { before: 24, after: 2, rank: 1 },
  error: { before: 10, after: 20, rank: 1 },
  verdict: { before: 10, after: 20, rank: 2 },
  heading: { before: 10, after: 60, rank: 2 },
  listed: { before: 0, after: 12, rank: 2 },
};
