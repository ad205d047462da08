// A long result: whole lines, never more than asked for, and in words what was cut.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import '../support/property-seed.ts';
import { cutText } from '../../src/web/components.ts';

describe('what a step has found', () => {
  it('is shown whole where it fits', () => {
    expect(cutText('one\ntwo\n', { lines: 2, characters: 7 })).toEqual({ text: 'one\ntwo', lines: 2, cut: '' });
    expect(cutText(' \n', { lines: 2, characters: 7 })).toEqual({ text: '', lines: 0, cut: '' });
  });

  it('says how much is not shown', () => {
    const text = Array.from({ length: 1_500 }, (_, at) => `line ${at}`).join('\n');
    expect(cutText(text, { lines: 2, characters: 1_000 })).toEqual({
      ...{ text: 'line 0\nline 1', lines: 1_500, cut: 'Not shown here: 1,498 more lines.' },
    });
    expect(cutText(text, { lines: 9, characters: 14 }).text).toBe('line 0\nline 1');
    expect(cutText(`${'x'.repeat(50)}\ny`, { lines: 9, characters: 20 })).toEqual({
      ...{ text: 'x'.repeat(20), lines: 2, cut: 'Not shown here: 30 characters of this line and 1 more line.' },
    });
  });

  it('is never longer than asked for, and begins as the whole does', () => {
    const limits = fc.record({ lines: fc.integer({ min: 1, max: 8 }), characters: fc.integer({ min: 1, max: 60 }) });
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 30 })), limits, (lines, most) => {
        const whole = lines.join('\n');
        const { text, cut } = cutText(whole, most);
        const isAll = cutText(whole, { lines: 1e9, characters: 1e9 }).text;
        expect(text.length).toBeLessThanOrEqual(most.characters);
        expect(text.split('\n').length).toBeLessThanOrEqual(most.lines);
        expect(isAll.startsWith(text)).toBe(true);
        expect(cut === '').toBe(text === isAll);
      }),
    );
  });
});
