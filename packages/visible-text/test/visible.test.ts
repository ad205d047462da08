// What nobody can see is taken away or made visible, and what is cut says so.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import '../../../test/support/property-seed.ts';
import { ANY_CHARACTER } from '../../../test/support/any-character.ts';
import {
  keepBeginning,
  listInvisible,
  markBlanks,
  removeInvisible,
  removeInvisibleIn,
  restoreBlanks,
  sanitiseLine,
  sanitiseText,
  showInvisible,
  truncate,
} from '../src/index.ts';

const text = fc.string({ unit: ANY_CHARACTER });

describe('what nobody can see', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007x', 'x'],
    ['pass\u200bword\u202e', 'password'],
    ['a\r\nb\rc\td', 'a\nb\nc\td'],
    ['half \ud800 pair', 'half \ufffd pair'],
  ])('%j is %j without it', (given, seen) => {
    expect(removeInvisible(given)).toBe(seen);
  });

  it('is gone from every string of a value, and from no key or number', () => {
    expect(removeInvisibleIn({ 'k\u200b': ['a\u200b', { b: 'c\u202e', n: 1, none: null }] })).toEqual({
      'k\u200b': ['a', { b: 'c', n: 1, none: null }],
    });
  });

  it('is shown by its number, and listed with what is before it', () => {
    expect(showInvisible('x\u202e\u200by')).toBe('x[U+202E][U+200B]y');
    expect(listInvisible('x\u202e\u200by z\u200b')).toEqual(['x\u202e\u200b', 'z\u200b']);
    expect(listInvisible('plain')).toEqual([]);
  });

  it('is not there any more, whatever the text', () => {
    fc.assert(
      fc.property(text, (given) => {
        const seen = removeInvisible(given);
        expect(removeInvisible(seen)).toBe(seen);
        expect([listInvisible(seen), seen.isWellFormed()]).toEqual([[], true]);
      }),
    );
  });
});

it('blanks that only look like a space are marked, and come back', () => {
  expect(markBlanks('a\u00a0b\u2003c d')).toBe('a[U+00A0]b[U+2003]c d');
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('\u00a0', '\u2000', '\u202f', ' ', 'x', '\u3000') }), (given) => {
      expect(restoreBlanks(markBlanks(given))).toBe(given);
    }),
  );
});

describe('a cut', () => {
  it.each([
    ['at the end of what fits', sanitiseText('one two three', 8), 'one two…'],
    ['of nothing', sanitiseText(' one two ', 8), 'one two'],
    ['on one line', sanitiseLine('one\n two\tthree', 9), 'one two…'],
    ['between characters', truncate('ab😀', 3), 'ab'],
    ['of bytes', keepBeginning('aé😀', 4), 'aé\n[4 bytes more were left out]'],
    ['of no byte', keepBeginning('aé', 3), 'aé'],
  ])('%s', (_, cut, expected) => {
    expect(cut).toBe(expected);
  });

  it('is never longer than it may be', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 20 }), (given, most) => {
        for (const cut of [sanitiseText(given, most), sanitiseLine(given, most), truncate(given, most)])
          expect(cut.length).toBeLessThanOrEqual(most);
      }),
    );
  });
});
