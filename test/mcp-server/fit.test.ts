// A result is shortened to the bytes that it may have, and says so; a patch is never cut.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutToBytes, fitToBytes, measureBytes } from '../../src/mcp-server/fit.ts';

const lines = fc.array(fc.string({ maxLength: 3_000, unit: 'grapheme' }), { maxLength: 200 });
const results = fc.record({
  answer: fc.string({ maxLength: 200 }),
  causes: fc.array(
    fc.record({
      verdict: fc.constant('code'),
      quoted: fc.record({ error: fc.string({ maxLength: 5_000 }), log: lines }),
    }),
    { maxLength: 8 },
  ),
});

it('fits what a head with eight causes and long logs gives, and leaves what fits as it is', () => {
  fc.assert(
    fc.property(results, (result) => {
      const { value, isCut } = fitToBytes(result, 4_096);
      expect(measureBytes(value)).toBeLessThanOrEqual(4_096);
      expect(isCut).toBe(measureBytes(result) > 4_096);
      if (!isCut) expect(value).toEqual(result);
      expect(JSON.parse(JSON.stringify(value))).toEqual(value);
    }),
  );
});

it('keeps what must be whole, and says how much of the rest there was', () => {
  const patch = `--- a/x\n+++ b/x\n${'+line\n'.repeat(300)}`;
  const { value } = fitToBytes(
    { quoted: { patch, log: Array.from({ length: 500 }, (_, at) => `line ${at}`) } },
    4_096,
    new Set(['patch']),
  );
  const { quoted } = value as { readonly quoted: { readonly patch: string; readonly log: readonly string[] } };
  expect(quoted.patch).toBe(patch);
  expect(quoted.log.at(-1)).toMatch(/^… and \d+ more$/);
});

it('cuts a change by its bytes, whatever it is written in, and says that it did', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 3_000, unit: 'grapheme' }),
      fc.integer({ min: 60, max: 2_000 }),
      (text, most) => {
        const cut = cutToBytes(text, most);
        expect(measureBytes(cut)).toBeLessThanOrEqual(most);
        if (measureBytes(text) <= most) expect(cut).toBe(text);
        else expect(cut).toMatch(/… \(\d+ characters\)$/);
      },
    ),
  );
  expect(cutToBytes('漢'.repeat(1_200), 1_280)).toMatch(/^漢{400,}… \(1200 characters\)$/);
});
