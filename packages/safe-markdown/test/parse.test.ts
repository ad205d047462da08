// The tree that all surfaces print: what has a meaning in it, and that no text keeps the parser busy.
import type { Node, Parent } from 'mdast';
import { describe, expect, it } from 'vitest';
import { cpuTime } from '../../../test/support/cpu-time.ts';
import { parseInline, parseMarkdown } from '../src/parse.ts';

function outline(node: Node): unknown {
  if ('value' in node) return `${node.type} ${JSON.stringify(node.value)}`;
  return { [node.type]: (node as Parent).children.map(outline) };
}

describe('the tree of a Markdown text', () => {
  it('has paragraphs, headings, lists, code and bold; all else is text, and a link is its words', () => {
    const text = [
      '# Why',
      'The **map `COUPONS`** of [the code](src/a.ts), [away](https://evil) <b>x</b> __init__ 2*3*4 ![y](http://e)',
      '- one',
      '  1. two',
      '> quoted',
      '```js',
      'x',
      '```',
    ].join('\n');
    expect(outline(parseMarkdown(text))).toMatchInlineSnapshot(`
      {
        "root": [
          {
            "heading": [
              "text "Why"",
            ],
          },
          {
            "paragraph": [
              "text "The "",
              {
                "strong": [
                  "text "map "",
                  "inlineCode "COUPONS"",
                ],
              },
              "text " of the code, away (https://evil) <b>x</b> __init__ 2*3*4 y (http://e)"",
            ],
          },
          {
            "list": [
              {
                "listItem": [
                  {
                    "paragraph": [
                      "text "one"",
                    ],
                  },
                  {
                    "list": [
                      {
                        "listItem": [
                          {
                            "paragraph": [
                              "text "two\\n> quoted"",
                            ],
                          },
                        ],
                      },
                    ],
                  },
                ],
              },
            ],
          },
          "code "x"",
        ],
      }
    `);
    expect(parseInline('# no - [`a.ts`](a.ts) heading').map(outline)).toEqual([
      'text "# no - "',
      'inlineCode "a.ts"',
      'text " heading"',
    ]);
  });

  it.each(['[', '[a](', '[](x)', '*a', '*_', '**a ', '`a', '- a\n', '- ', '> ', '```\n', 'a\n', '\\', '<b>'])(
    'takes 20,000 characters of “%s” in bounded time',
    async (mark) => {
      const text = mark.repeat(20_000 / mark.length);
      const work = () => {
        parseMarkdown(text);
        parseInline(text);
      };
      // Up to 1 s on a quiet machine; the parser's own labels took minutes.
      expect(await cpuTime(work)).toBeLessThan(15_000);
    },
  );
});
