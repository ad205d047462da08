// Text that is shortened before it is cleaned of secrets.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText } from '../src/text.ts';

describe('cut text', () => {
  it('ends with a whole word, and leaves one out that does not fit', () => {
    expect(cutText('fix the registry login', 22)).toBe('fix the registry login');
    expect(cutText('fix the registry login', 16)).toBe('fix the registry');
    expect(cutText('fix the registry login', 15)).toBe('fix the');
    expect(cutText('x'.repeat(50), 10)).toBe('');
  });

  it('never holds a part of a word that the text holds whole', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,12}$/)), fc.nat(80), (words, length) => {
        const cut = cutText(words.join(' '), length);
        expect(cut.length).toBeLessThanOrEqual(Math.max(length, 0));
        expect(words.slice(0, cut === '' ? 0 : cut.split(' ').length).join(' ')).toBe(cut);
      }),
    );
  });
});
