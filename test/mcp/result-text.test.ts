// Results: whole or cut in whole lines, with what is missing said.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutLines, toFindingText } from '../../src/mcp/result-text.ts';

const same = (text: string): string => text;

describe('a result of a monitoring server', () => {
  it('is cut in whole lines and says how much', () => {
    const { text, cut } = cutLines('first\nsecond\nthird', 14);
    expect(text).toBe('first\nsecond');
    expect(cut).toBe(
      'cut: the first 2 of 3 lines (12 of 18 bytes); ask for less, such as a shorter range or fewer series',
    );
  });

  it('is cut behind a whole value where it is one long line', () => {
    const { text, cut } = cutLines('["alpha","beta","gamma"]', 14);
    expect(text).toBe('["alpha",');
    expect(cut).toContain('one long line');
  });

  it('never shows half of a word that fills it', () => {
    expect(cutLines('k'.repeat(100), 50).text).toBe('');
  });

  it('is a beginning of the original within the bytes allowed, whole where it fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 1, max: 400 }), (full, max) => {
        const { text, cut } = cutLines(full, max);
        expect(full.startsWith(text)).toBe(true);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(max);
        expect(cut === '').toBe(text === full);
      }),
    );
  });

  it('is cleaned before it is cut, so that no half of a secret is left', () => {
    const content = [{ type: 'text' as const, text: 'key: first second third' }];
    const clean = (text: string): string => text.replace('first second third', '[redacted]');
    expect(toFindingText({ content }, 15, clean)).toMatchObject({ text: 'key: [redacted]' });
  });

  it('shows structured content once, even if the server sends it as text too', () => {
    const structuredContent = { rate: 0.5 };
    const both = { content: [{ type: 'text' as const, text: '{ "rate": 0.5 }' }], structuredContent };
    expect(toFindingText(both, 1_000, same)).toEqual({ status: 'found', text: '{ "rate": 0.5 }', cut: '' });
    expect(toFindingText({ content: [], structuredContent }, 1_000, same)).toMatchObject({
      text: '{\n "rate": 0.5\n}',
    });
  });
});
