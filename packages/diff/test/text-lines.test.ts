// Windows of a text: put together again, they are the text.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutWindow, toLines } from '../src/diff.ts';

const texts = fc
  .array(fc.constantFrom('a', 'b\r', '', 'long line'), { maxLength: 8 })
  .chain((lines) => fc.constantFrom(lines.join('\n'), `${lines.join('\n')}\n`));

describe('a window of a text', () => {
  it('and the rest behind it are the whole text, wherever it is cut', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 10 }), (text, cut) => {
        const end = toLines(text).lines.length;
        const [head, tail] = [cutWindow(text, { from: 1, to: cut }), cutWindow(text, { from: cut + 1, to: end })];
        expect(head.text + tail.text).toBe(text);
        expect([head.firstLine, tail.firstLine, tail.totalLines]).toEqual([1, cut + 1, end]);
      }),
    );
  });

  it('beyond the end, or that ends before it starts, is empty', () => {
    expect(cutWindow('a\nb\n', { from: 3, to: 9 })).toEqual({ text: '', firstLine: 3, totalLines: 2 });
    expect(cutWindow('a\nb\n', { from: 2, to: 1 }).text).toBe('');
    expect(cutWindow('a\nb', { from: 2, to: 99 }).text).toBe('b');
  });
});
