// What changed between two lists of lines, as few and as readable hunks as bounded time allows.
import { type Kept, shortestEdit } from './shortest-edit.ts';
import { slideHunks } from './slide-hunks.ts';

/** `removed` lines from index `before` of the old lines become `inserted` lines from index `after` of the new ones. */
export interface Hunk {
  readonly before: number;
  readonly removed: number;
  readonly after: number;
  readonly inserted: number;
}

/**
 * The hunks, ascending, at least one equal line between any two; within a hunk, lines at the same place differ.
 * The fewest changed lines up to some 6,000 of them; beyond that perhaps more than needed, in bounded time.
 */
export function diffLines(before: readonly string[], after: readonly string[]): Hunk[] {
  const symbols = new Map<string, number>();
  const a = toSymbols(before, symbols);
  const b = toSymbols(after, symbols);
  const kept = keepCommon(a, b);
  keepInPlace(a, b, kept);
  return slideHunks(hunksOf(kept), before, after);
}

/** Equal lines become equal numbers, so that a line of 2 MB is compared once. */
function toSymbols(lines: readonly string[], symbols: Map<string, number>): Int32Array {
  const out = new Int32Array(lines.length);
  for (const [index, line] of lines.entries()) {
    const symbol = symbols.get(line) ?? symbols.size;
    if (symbol === symbols.size) symbols.set(line, symbol);
    out[index] = symbol;
  }
  return out;
}

/** A line that the other side lacks cannot stay: leaving it out first makes two files without a common line cost nothing. */
function keepCommon(a: Int32Array, b: Int32Array): Kept {
  const inA = new Set(a);
  const inB = new Set(b);
  const core = shortestEdit(
    a.filter((symbol) => inB.has(symbol)),
    b.filter((symbol) => inA.has(symbol)),
  );
  return { before: spread(a, inB, core.before), after: spread(b, inA, core.after) };
}

/** The flags of the common symbols, put back to the places that these have among all. */
function spread(symbols: Int32Array, common: ReadonlySet<number>, flags: Uint8Array): Uint8Array {
  let next = 0;
  return Uint8Array.from(symbols, (symbol) => (common.has(symbol) ? (flags[next++] ?? 0) : 0));
}

/** A coarse answer may replace a line by itself: such lines stay. */
function keepInPlace(a: Int32Array, b: Int32Array, kept: Kept): void {
  for (const hunk of hunksOf(kept)) {
    for (let i = 0; i < Math.min(hunk.removed, hunk.inserted); i++) {
      if (a[hunk.before + i] !== b[hunk.after + i]) continue;
      kept.before[hunk.before + i] = 1;
      kept.after[hunk.after + i] = 1;
    }
  }
}

function hunksOf(kept: Kept): Hunk[] {
  const hunks: Hunk[] = [];
  let before = 0;
  let after = 0;
  while (before < kept.before.length || after < kept.after.length) {
    const removed = runOfGone(kept.before, before);
    const inserted = runOfGone(kept.after, after);
    if (removed + inserted > 0) hunks.push({ before, removed, after, inserted });
    before += removed + 1;
    after += inserted + 1;
  }
  return hunks;
}

function runOfGone(flags: Uint8Array, from: number): number {
  let to = from;
  while (flags[to] === 0) to++;
  return to - from;
}
