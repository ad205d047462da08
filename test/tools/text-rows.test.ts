// Files as rows and back: byte for byte.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinRows, splitRows } from '../../src/tools/text-rows.ts';

const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\r\n', '\r', 'é', '\t'), maxLength: 30 });

describe('the rows of a text', () => {
  it('make the same text again, wherever some are replaced by themselves', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(), (whole, one, two) => {
        const rows = splitRows(whole);
        const [from = 0, to = 0] = [one, two].map((n) => n % (rows.bare.length + 1)).sort((a, b) => a - b);
        expect(joinRows(rows, from, to, rows.bare.slice(from, to))).toBe(whole);
      }),
    );
  });

  it('have no line end in them, but for a lone CR', () => {
    expect(splitRows('a\r\nb\rc\nd\r')).toEqual({
      bare: ['a', 'b\rc', 'd\r'],
      crs: [true, false, false],
      endsWithNewline: false,
    });
  });

  it('give a new row the line end of the row in whose place it comes, and more rows the last one’s', () => {
    const rows = splitRows('a\r\nb\nc\r\nd\n');
    expect(joinRows(rows, 1, 3, ['x', 'y', 'z'])).toBe('a\r\nx\ny\r\nz\r\nd\n');
    expect(joinRows(rows, 1, 1, ['x'])).toMatch(/^a\r\nx\r?\nb\n/);
  });
});
