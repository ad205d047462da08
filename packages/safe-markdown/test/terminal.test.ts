// Foreign text on a terminal: nothing that it obeys, and nothing hidden.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPrintable, toPrintableJson, toPrintableLine } from '../src/terminal.ts';
import '../../../test/support/property-seed.ts';
import { ANY_CHARACTER } from '../../../test/support/any-character.ts';

/** What terminals obey, and what reorders or hides text. */
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b\u{e0000}-\u{e007f}]/u;

describe('text from outside', () => {
  it.each([
    ['\u001b]0;owned\u0007title', '␛]0;owned␇title'],
    ['\u001b[2Jgone', '␛[2Jgone'],
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u009b2J', '<U+009B>2J'],
    ['safe\u202etxt.exe', 'safe<U+202E>txt.exe'],
    ['a\u200bb\u{e0041}', 'a<U+200B>b<U+E0041>'],
    ['half \ud800 pair', 'half <U+D800> pair'],
    ['50 %\rdone', '50 %␍done'],
    ['a\r\nb\tc', 'a\nb  c'],
    ['naïve 👩‍💻 日本', 'naïve 👩‍💻 日本'],
  ])('%j is printed as %j', (text, shown) => {
    expect(toPrintable(text)).toBe(shown);
  });

  it('contains nothing that a terminal obeys', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
        expect(toPrintable(text)).not.toMatch(OBEYED);
        expect(toPrintableLine(text)).not.toMatch(/\n/);
      }),
    );
  });

  it('as JSON contains nothing that a terminal obeys, and has the same value', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
        const json = toPrintableJson({ text });
        expect(json.replaceAll('\n', '')).not.toMatch(OBEYED);
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
    expect(toPrintableJson('\u202e\u{e0041}')).toBe('"\\u202e\\udb40\\udc41"');
  });
});
