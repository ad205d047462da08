// What rows come to, in whatever order they are read: their number, and the sum of their hashes.
import { createHash } from 'node:crypto';
import type { Row, Table } from './tables.ts';

const MODULUS = 1n << 256n;

export interface Checksum {
  add(rows: readonly Row[]): void;
  readonly rows: number;
  /** Equal for equal rows, and for others as good as never. */
  text(): string;
}

/** Values count as text, so that both engines agree; NUL counts as what PostgreSQL keeps in its place. */
export function createChecksum({ columns }: Pick<Table, 'columns'>): Checksum {
  let rows = 0;
  let sum = 0n;
  const sorted = columns.toSorted();
  return {
    add(some) {
      for (const row of some) {
        const values = sorted.map((column) => canonical(row[column] ?? null));
        sum = (sum + hashOf(JSON.stringify(values))) % MODULUS;
      }
      rows += some.length;
    },
    get rows() {
      return rows;
    },
    text: () => `${rows} ${sum.toString(16).padStart(64, '0')}`,
  };
}

function canonical(value: Row[string]): string | null {
  return value === null ? null : storable(String(value));
}

/** PostgreSQL has no NUL in text. */
export function storable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}

function hashOf(text: string): bigint {
  return BigInt(`0x${createHash('sha256').update(text).digest('hex')}`);
}
