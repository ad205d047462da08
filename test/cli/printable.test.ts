import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable, printableJson, printableLine } from '../../src/cli/terminal.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';

/** What terminals obey, and what reorders or hides text. */
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b\u{e0000}-\u{e007f}]/u;
const anyText = fc.string({ unit: ANY_CHARACTER });

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
    expect(printable(text)).toBe(shown);
  });

  it('whatever it is, holds nothing that a terminal obeys', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(printable(text)).not.toMatch(OBEYED);
        expect(printableLine(text)).not.toMatch(/\n/);
      }),
    );
  });

  it('as JSON holds nothing that a terminal obeys, and is the same value', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const json = printableJson({ text });
        expect(json.replaceAll('\n', '')).not.toMatch(OBEYED);
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
    expect(printableJson('\u202e\u{e0041}')).toBe('"\\u202e\\udb40\\udc41"');
  });
});
