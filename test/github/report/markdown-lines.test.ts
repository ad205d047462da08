// What a person sees of a Markdown text: without the comments that issue templates are full of, and with all of its code.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatShown, markLines } from '../../../src/github/report/markdown-lines.ts';

const withoutHiddenText = (markdown: string) => formatShown(markLines(markdown));

describe('hidden text', () => {
  it.each([
    ['before <!-- hint --> after', 'before  after'],
    ['<!-- one\ntwo\nthree -->\nshown', 'shown'],
    ['shown\n<!-- never closed\nmore', 'shown'],
    ['a <!--> b --> c', 'a  c'],
    ['```html\n<!-- this is code -->\n```', '```html\n<!-- this is code -->\n```'],
    ['~~~\n<!--\n~~~\nshown', '~~~\n<!--\n~~~\nshown'],
    ['<!-- ``` -->\nshown <!-- x -->', 'shown'],
    ['first\n\n<!-- a -->\n\n<!-- b -->\n\nlast', 'first\n\nlast'],
  ])('of %j is left out', (markdown, shown) => {
    expect(withoutHiddenText(markdown)).toBe(shown);
  });

  it('is all that is left out', () => {
    const line = fc.string({ unit: 'grapheme-ascii' }).filter((text) => !text.includes('<!--') && !/[\r\n]/.test(text));
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = lines.join('\n');
        expect(withoutHiddenText(text)).toBe(text.replace(/\n{3,}/g, '\n\n').trim());
      }),
    );
  });
});
