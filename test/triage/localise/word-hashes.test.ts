// Digests read code units; reports are compared as strings: both must find the same terms, or nothing is found.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestText } from '../../../src/triage/localise/blob-digest.ts';
import { definedNames } from '../../../src/triage/localise/defined-names.ts';
import { hashTerm, termsOf, wholeName } from '../../../src/triage/localise/terms.ts';
import { eachTermHash, unitsOf } from '../../../src/triage/localise/word-hashes.ts';

function hashesIn(text: string): readonly number[] {
  const hashes: number[] = [];
  const units = unitsOf(text);
  eachTermHash(units, 0, units.length, (hash) => hashes.push(hash));
  return hashes;
}

function termsIn(text: string): readonly string[] {
  const terms: string[] = [];
  termsOf(text, (term) => terms.push(term));
  return terms;
}

/** As names are made: of parts in all cases, numbers, joints, endings that a stem takes off, letters beyond ASCII. */
const NAME = fc
  .array(
    fc.constantFrom(
      ...[
        'a',
        'B',
        'cd',
        'EF',
        'HTTP',
        'Get',
        'er',
        'ing',
        'tion',
        'ies',
        'es',
        'ss',
        '1',
        '12',
        '404',
        '_',
        '$',
        'é',
        'ß',
      ],
    ),
    { minLength: 1, maxLength: 9 },
  )
  .map((parts) => parts.join(''));
const LINE = fc
  .array(
    fc.oneof(
      NAME,
      fc.constantFrom(
        ...[
          'export',
          'function',
          'function*',
          'const',
          'let',
          'class',
          'static',
          'def',
          'async',
          'if',
          'return',
          '//',
          '#',
        ],
        ...['=', '=>', '(', ')', '{', '}', ':', ',', '  ', '\t', ' ', '\u00a0', '$', 'LIMIT', 'string'],
      ),
    ),
    { maxLength: 14 },
  )
  .chain((parts) => fc.constantFrom('', ' ').map((gap) => parts.join(gap)));
const TEXT = fc.array(LINE, { maxLength: 12 }).map((lines) => lines.join('\n'));

describe('the terms of code units', () => {
  it.each(['readLine', 'ReadHTTPLines', 'sha256 of x, 12 or 404', 'größte_Zahl', '__ $$ a', `${'A'.repeat(65)} cart`])(
    'are those of the text: %s',
    (text) => {
      expect(hashesIn(text)).toEqual(termsIn(text).map(hashTerm));
    },
  );

  it('are those of the text, whatever its words are made of', () => {
    fc.assert(
      fc.property(
        fc.array(NAME).map((names) => names.join(' ')),
        (text) => {
          expect(hashesIn(text)).toEqual(termsIn(text).map(hashTerm));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('a digest of a text', () => {
  it('has its terms in ascending order, and the names of every line that defines one', () => {
    fc.assert(
      fc.property(TEXT, (text) => {
        const { terms, counts, length, defines } = digestText('a.ts', text);
        const counted = Map.groupBy(termsIn(text).map(hashTerm), (hash) => hash);
        expect([...terms]).toEqual([...counted.keys()].sort((a, b) => a - b));
        expect([...counts]).toEqual([...terms].map((hash) => counted.get(hash)?.length));
        expect(length).toBe(termsIn(text).length);
        const names = new Set(definedNames(text).map((name) => hashTerm(wholeName(name))));
        expect([...defines]).toEqual([...names].sort((a, b) => a - b));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is the same after one with a hundred thousand different words', () => {
    const before = digestText('a.ts', 'cart of carts');
    const many = digestText('b.ts', Array.from({ length: 70_000 }, (_, index) => `w${index}x`).join(' '));
    expect(new Set(many.terms).size).toBe(many.terms.length);
    expect(many.length).toBe(70_000);
    expect(digestText('a.ts', 'cart of carts')).toEqual(before);
  });
});
