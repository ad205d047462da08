// How many rows are read at a time: many of small ones, few of those that hold megabytes.
import type { Row } from './tables.ts';

const FIRST_ROWS = 16;
const MOST_ROWS = 1_000;
const ENOUGH_BYTES = 1024 * 1024;
const MANY_BYTES = 4 * ENOUGH_BYTES;

export interface BatchSize {
  readonly rows: number;
  /** The next one goes by what this one weighed. */
  weighed(batch: readonly Row[]): void;
}

export function createBatchSize(): BatchSize {
  let rows = FIRST_ROWS;
  return {
    get rows() {
      return rows;
    },
    weighed(batch) {
      const bytes = batch.reduce((all, row) => all + weightOf(row), 0);
      if (bytes > MANY_BYTES) rows = Math.max(1, Math.floor(rows / 4));
      else if (bytes < ENOUGH_BYTES) rows = Math.min(MOST_ROWS, rows * 2);
    },
  };
}

function weightOf(row: Row): number {
  return Object.values(row).reduce<number>((all, value) => all + (typeof value === 'string' ? value.length : 8), 0);
}
