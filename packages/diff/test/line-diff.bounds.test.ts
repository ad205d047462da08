// The line differ on texts as large as a file may be.
import { expect, it } from 'vitest';
import { diffLines } from '../src/line-diff.ts';
import { applied, noise } from './line-diff-samples.ts';

it.each([
  ['nothing in common', noise(1, 200_000, 1e9), noise(2, 200_000, 1e9).map((line) => `${line}!`)],
  ['noise of two kinds', noise(1, 200_000, 2), noise(2, 200_000, 2)],
  ['noise of a thousand kinds', noise(1, 200_000, 1_000), noise(2, 200_000, 1_000)],
  ['everything in reverse', noise(1, 200_000, 1e9), noise(1, 200_000, 1e9).reverse()],
  ['lines of 2 MB', [`${'x'.repeat(2e6)}y`, 'a', 'x'.repeat(2e6)], ['x'.repeat(2e6), `${'x'.repeat(2e6)}z`]],
])('the line differ is right and comes to an end with %s', (_, before, after) => {
  const hunks = diffLines(before, after);
  expect(applied(before, after, hunks).join('\n') === after.join('\n')).toBe(true);
  const inPlace = hunks.some((hunk) => {
    const count = Math.min(hunk.removed, hunk.inserted);
    return Array.from({ length: count }, (_, i) => before[hunk.before + i] === after[hunk.after + i]).includes(true);
  });
  expect(inPlace).toBe(false);
});
