// The line differ: right, as small as can be, and readable.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines, type Hunk } from '../src/line-diff.ts';
import { applied, noise } from './line-diff-samples.ts';

/** Length of the longest common subsequence, by the textbook table. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const x of a) {
    const next = [0];
    for (const [j, y] of b.entries()) next.push(x === y ? row[j]! + 1 : Math.max(row[j + 1]!, next[j]!));
    row = next;
  }
  return row[b.length]!;
}

function changedLines(hunks: readonly Hunk[]): number {
  return hunks.reduce((sum, hunk) => sum + hunk.removed + hunk.inserted, 0);
}

const few = fc.array(fc.constantFrom('a', 'b', 'c', '', '  d'), { maxLength: 24 });

describe('the line differ', () => {
  it('changes as few lines as possible, in hunks that do not touch', () => {
    fc.assert(
      fc.property(few, few, (before, after) => {
        const hunks = diffLines(before, after);
        expect(applied(before, after, hunks)).toEqual(after);
        expect(changedLines(hunks)).toBe(before.length + after.length - 2 * commonLength(before, after));
        for (const [index, hunk] of hunks.entries()) {
          const previous = hunks[index - 1];
          if (previous === undefined) continue;
          expect(hunk.before).toBeGreaterThan(previous.before + previous.removed);
          expect(hunk.before - previous.before - previous.removed).toBe(
            hunk.after - previous.after - previous.inserted,
          );
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ['thousands of edits', 3_000, 50],
    ['few kinds of lines', 2_000, 3],
  ])('changes as few lines as possible in a large file with %s', (_, count, kinds) => {
    const before = noise(1, count, kinds);
    const after = noise(2, count, kinds);
    const hunks = diffLines(before, after);
    expect(applied(before, after, hunks)).toEqual(after);
    expect(changedLines(hunks)).toBe(2 * count - 2 * commonLength(before, after));
  });

  it('shows a new function as a whole, not from the middle of its neighbours', () => {
    const before = ['/**', ' * one', ' */', 'function one() {', '  x();', '}'];
    const fresh = ['/**', ' * zero', ' */', 'function zero() {', '  x();', '}', ''];
    expect(diffLines(before, [...fresh, ...before])).toEqual([{ before: 0, removed: 0, after: 0, inserted: 7 }]);
    const below = ['', '/**', ' * two', ' */', 'function two() {', '  x();', '}'];
    expect(diffLines(before, [...before, ...below])).toEqual([{ before: 6, removed: 0, after: 6, inserted: 7 }]);
  });

  it('lets an insertion begin after a blank line, and at the outer indentation', () => {
    const section = (name: string) => ['# ---', `# ${name}`, '# ---', name, ''];
    expect(diffLines([...section('a'), ...section('c')], [...section('a'), ...section('b'), ...section('c')])).toEqual([
      { before: 5, removed: 0, after: 5, inserted: 5 },
    ]);
    expect(diffLines(['{', '  a', '}'], ['{', '  a', '    b', '  a', '}'])).toEqual([
      { before: 1, removed: 0, after: 1, inserted: 2 },
    ]);
  });

  it('takes the last of several equal places', () => {
    expect(diffLines(['', '', ''], ['', ''])).toEqual([{ before: 2, removed: 1, after: 2, inserted: 0 }]);
  });
});
