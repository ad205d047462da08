// The matches are those that `matchAll` gives, whatever else the expression is used for.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { iterateMatches } from '../../src/redact/views.ts';

const PATTERNS = [/a+/g, /a*/g, /^b?/gm, /(a)|(?=b)/g, /\s*$/gm];
const TEXTS = fc.string({ unit: fc.constantFrom('a', 'b', '\n', ' ') });

it('is as `matchAll`, also where the same expression is used between', () => {
  fc.assert(
    fc.property(fc.constantFrom(...PATTERNS), TEXTS, fc.nat(20), (pattern, text, elsewhere) => {
      const found: RegExpExecArray[] = [];
      for (const match of iterateMatches(text, pattern)) {
        found.push(match);
        pattern.lastIndex = elsewhere;
        pattern.test(text);
      }
      expect(found).toEqual([...text.matchAll(new RegExp(pattern))]);
    }),
  );
});

it('begins anew after matches that nobody asked for', () => {
  const pattern = /a/g;
  for (const { index } of iterateMatches('aaa', pattern)) if (index === 1) break;
  expect([...iterateMatches('aaa', pattern)].map(({ index }) => index)).toEqual([0, 1, 2]);
});
