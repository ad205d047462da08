import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { removeExactValues } from '../../src/redact/find-secrets.ts';
import { createRedactor } from '../../src/redact/redactor.ts';
import { DISGUISES, noise } from './planted.ts';

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
    expect(removeExactValues(text, [value])).toBe(`${before}[redacted]${after}`);
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

it.each(['toLowerCase', 'toUpperCase'] as const)('a value in hex is cut out: %s', (spelling) => {
  const hex = Buffer.from('correct horse').toString('hex')[spelling]();
  expect(removeExactValues(`x ${hex} y`, ['correct horse'])).toBe('x [redacted] y');
});

it('a phrase wrapped at one of its spaces is cut out', () => {
  expect(removeExactValues('say correct horse\n  battery now', ['correct horse battery'])).toBe('say [redacted] now');
});

it('values under eight characters are left alone', async () => {
  await using short = createRedactor({ exactValues: () => ['1234567', '', '   '] });
  expect(await short.redact('1234567 and 12345678')).toBe('1234567 and 12345678');
});

it('values are asked for anew for each text', async () => {
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

it('whatever the value, no text that holds it shows it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme' }),
      fc.constantFrom(...DISGUISES),
      async (value, disguise) => {
        // What nobody can see at its edges may stay: it tells nothing.
        const seen = value.replace(/^[\s\p{DI}]+|[\s\p{DI}]+$/gu, '');
        fc.pre(seen.replace(/[\s\p{DI}]/gu, '').length >= 8 && !/[\n^\u241B]/.test(value));
        const text = `<${disguise.secret(seen)}>`;
        expect(removeExactValues(text, [value])).toBe('<[redacted]>');
      },
    ),
    { numRuns: 300 },
  );
});

it('without values a text is left as it is, whatever else it holds', () => {
  expect(removeExactValues(`password=${noise(20, 1)}`, [])).toBe(`password=${noise(20, 1)}`);
});
