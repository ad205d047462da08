// Lines for the differ, and what its hunks make of them.
import type { Hunk } from '../src/line-diff.ts';

export function applied(before: readonly string[], after: readonly string[], hunks: readonly Hunk[]): string[] {
  const out: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    while (at < hunk.before) out.push(before[at++]!);
    at += hunk.removed;
    for (let i = 0; i < hunk.inserted; i++) out.push(after[hunk.after + i]!);
  }
  while (at < before.length) out.push(before[at++]!);
  return out;
}

/** Repeatable noise: `count` lines out of `kinds`. */
export function noise(seed: number, count: number, kinds: number): string[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return `line ${(state >>> 8) % kinds}`;
  });
}
