import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createRedactor } from '../src/redactor.ts';
import { DISGUISES } from './planted.ts';

const VALUES = [
  ['of letters', 'correct horse battery'],
  ['with every odd character', 'pa/ss+w"o\\rd%=&é€😀'],
  ['with what reads as an escape', 'a%41\\u0042-and-then\\nz-end'],
  ['of several lines', 'first line of it\nsecond line of it'],
  ['of eight characters', 'abcdefgh'],
] as const;

const redactor = createRedactor({ exactValues: () => VALUES.map(([, value]) => value) });
afterAll(() => redactor[Symbol.asyncDispose]());

describe.each(VALUES)('a secret of our own, %s', (_name, value) => {
  it.each(DISGUISES)('is cut out when disguised by: $name', async (disguise) => {
    const [before, after] = [disguise.around('before <'), disguise.around('> after')];
    const text = before + disguise.secret(value) + after;
    expect(await redactor.redact(text)).toBe(`${before}[redacted]${after}`);
  });

  it.each([0, 1, 2, 3, 4])('is cut out of base64 with %i bytes before it', async (count) => {
    const encoded = Buffer.from(`${'\xff'.repeat(count)}${value}\x00\x01`, 'utf8').toString('base64');
    for (const text of [encoded, encoded.replaceAll('+', '-').replaceAll('/', '_'), encoded.replace(/.{10}/, '$&\n')]) {
      const shown = await redactor.redact(`x ${text} y`);
      expect(shown).toContain('[redacted]');
      const left = shown.replace('[redacted]', '').replace(/[^A-Za-z0-9+/_-]/g, '').length;
      expect(left).toBeLessThan(16);
    }
  });
});

it.each(['toLowerCase', 'toUpperCase'] as const)('a value in hex is cut out: %s', async (spelling) => {
  const hex = Buffer.from('correct horse battery').toString('hex')[spelling]();
  expect(await redactor.redact(`x ${hex} y`)).toBe('x [redacted] y');
});

it('a phrase wrapped at one of its spaces is cut out', async () => {
  expect(await redactor.redact('say correct horse\n  battery now')).toBe('say [redacted] now');
});

it('values under eight characters stay', async () => {
  await using short = createRedactor({ exactValues: () => ['1234567', '', '   '] });
  expect(await short.redact('1234567 and 12345678')).toBe('1234567 and 12345678');
});

it('a value that is added later is cut out of the next text', async () => {
  const values: string[] = [];
  await using growing = createRedactor({ exactValues: () => values });
  expect(await growing.redact('later-secret')).toBe('later-secret');
  values.push('later-secret');
  expect(await growing.redact('later-secret')).toBe('[redacted]');
});

it('a value that is part of the marker does not tear markers', async () => {
  await using odd = createRedactor({ exactValues: () => ['redacted'] });
  expect(await odd.redact('x redacted y')).toBe('x [redacted] y');
  expect(await odd.redact('x [redacted] y')).toBe('x [redacted] y');
});

it('no text that holds a value shows it, for any value and disguise', async () => {
  let value = '';
  await using any = createRedactor({ exactValues: () => [value] });
  await fc.assert(
    fc.asyncProperty(
      fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme' }),
      fc.constantFrom(...DISGUISES),
      async (drawn, disguise) => {
        // Invisible characters at its edges may stay.
        const seen = drawn.replace(/^[\s\p{DI}]+|[\s\p{DI}]+$/gu, '');
        fc.pre(seen.replace(/[\s\p{DI}]/gu, '').length >= 8 && !/[\n^\u241B]/.test(drawn));
        value = drawn;
        expect(await any.redact(`<${disguise.secret(seen)}>`)).toBe('<[redacted]>');
      },
    ),
    { numRuns: 120 },
  );
});
