// A file as rows without their line ends, which are put back byte for byte where nothing changed.
import { toLines } from '../core/diff/text-lines.ts';

export interface Rows {
  /** The lines, each without LF and CR. */
  readonly bare: readonly string[];
  /** True per line that ends with a CR before its LF. */
  readonly crs: readonly boolean[];
  readonly endsWithNewline: boolean;
}

export function splitRows(text: string): Rows {
  const { lines, endsWithNewline } = toLines(text);
  const crs = lines.map((line, index) => line.endsWith('\r') && (endsWithNewline || index < lines.length - 1));
  const bare = lines.map((line, index) => (crs[index] === true ? line.slice(0, -1) : line));
  return { bare, crs, endsWithNewline };
}

/**
 * The text with the rows `from` up to `to` (exclusive) replaced. Equal rows at both edges keep their own line end; of the others
 * each takes that of the row in whose place it comes, and those beyond them the last one's.
 */
export function joinRows(rows: Rows, from: number, to: number, fresh: readonly string[]): string {
  const old = rows.bare.slice(from, to);
  const head = sharedEdge(old, fresh);
  const tail = sharedEdge(old.slice(head).reverse(), fresh.slice(head).reverse());
  const ends = fresh.map((_, index) => {
    const kept =
      index < fresh.length - tail ? Math.min(index, old.length - tail - 1) : old.length - (fresh.length - index);
    return kept < 0 ? usesCrlf(rows) : endsWithCr(rows, from + kept);
  });
  const before = rows.bare.slice(0, from).map((row, index) => ({ row, cr: endsWithCr(rows, index) }));
  const within = fresh.map((row, index) => ({ row, cr: ends[index] === true }));
  const after = rows.bare.slice(to).map((row, index) => ({ row, cr: endsWithCr(rows, to + index) }));
  const all = [...before, ...within, ...after];
  return all
    .map(({ row, cr }, index) => {
      if (index === all.length - 1 && !rows.endsWithNewline) return row;
      return cr ? `${row}\r\n` : `${row}\n`;
    })
    .join('');
}

/** A last line without a newline has no line end of its own; should lines follow it, it gets what most have. */
function endsWithCr(rows: Rows, index: number): boolean {
  const unended = !rows.endsWithNewline && index === rows.bare.length - 1;
  return unended ? usesCrlf(rows) : rows.crs[index] === true;
}

function usesCrlf({ crs, endsWithNewline }: Rows): boolean {
  const ended = endsWithNewline ? crs.length : crs.length - 1;
  return crs.filter(Boolean).length * 2 > ended;
}

function sharedEdge(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count += 1;
  return count;
}
