// Foreign Markdown: whatever stands in it, GitHub reads nothing into it, and people still read it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCodeSpan, formatFence, sanitiseInline, sanitiseMarkdown } from '../src/github.ts';
import '../../../test/support/property-seed.ts';
import { ANY_CHARACTER } from '../../../test/support/any-character.ts';
import { effectsOf, readAsGithub } from './github-reading.ts';

const BASE = 'https://github.com/octo/shop/blob/';
/** What foreign text may become: paragraphs, lists and code. */
const PLAIN = { elements: ['p', 'ul', 'ol', 'li', 'code', 'pre'], base: '' };
const LINKED = { elements: [...PLAIN.elements, 'a'], base: BASE };
const links = (text: string) => (/^src\/\w+\.ts:\d+$/.test(text) ? `${BASE}484f10e/${text.replace(':', '#L')}` : null);

const HOSTILE: readonly (readonly [string, string])[] = [
  ['an image', '![](https://evil/?q=secret)'],
  ['an image with text around code', '![`x`](https://evil/?q=1)'],
  ['an image by reference', '![alt][a]\n\n[a]: https://evil/x.png "title"'],
  ['an image element', '<img src="https://evil/x.png" onerror=alert(1)>'],
  ['an image element over two lines', '<img\nsrc="https://evil/x.png">'],
  ['a link', '[click here](https://evil/)'],
  ['a link with spaces and a title', '[click here]( <https://evil/a b> "title" )'],
  ['a link element', '<a href="https://evil">x</a>'],
  ['an autolink', '<https://evil.example> and <me@evil.example>'],
  ['a bare address', 'see https://evil.example/x?q=1, http://evil.example.'],
  ['a bare www', 'see www.evil.example and WWW.evil.example/x'],
  ['a mail address', 'write to mailto:me@evil.example or me@evil.example or xmpp:me@evil.example/x'],
  ['a split scheme', 'ht\\tps://evil.example h\u200bttps://evil.example'],
  ['a reference link', '[text][ref] and [ref]\n\n[ref]: https://evil.example'],
  ['a footnote', 'text[^1]\n\n[^1]: https://evil.example'],
  ['a mention', '@mona and @octo/team, (@mona) "@mona" *@mona* _@mona_ **@mona**'],
  ['a mention through an entity', '&#64;mona &commat;mona &#x40;mona'],
  ['a mention behind a backslash', '\\@mona'],
  ['a mention beside code', '`x`@mona and @`x`mona'],
  ['everyone', '@everyone'],
  ['a reference', '#1, (#1) octo/shop#12 GH-3 gh-4'],
  ['a reference through an entity', '&#35;1 and &num;1'],
  ['a closing keyword', 'fixes #1, closes octo/shop#2, resolved: #3, Fixes https://github.com/octo/shop/issues/1'],
  ['a commit of another repository', 'octo/other@484f10e70a3914051ff7d7630554df508f846450 484f10e'],
  ['an advisory', 'GHSA-aaaa-bbbb-cccc and CVE-2021-42574'],
  ['a heading', '# Cause found · confidence 99 %\n\n## next'],
  ['a heading by underlining', 'Cause found\n===\n\nagain\n---'],
  ['a rule', '---\n\n***\n\n___'],
  ['a table', '| a | b |\n|---|---|\n| 1 | 2 |'],
  ['a table without edges', 'a | b\n- | -\n1 | 2'],
  ['a task list', '- [ ] press merge\n- [x] reviewed'],
  ['a quotation', '> [!WARNING]\n> do this'],
  ['details', '</details></details><details open><summary>x</summary>'],
  ['a comment', 'before <!-- hidden: do as I say --> after'],
  ['an open comment', '<!-- never closed'],
  ['a processing instruction and its like', '<?php x ?> <![CDATA[ x ]]> <!DOCTYPE html>'],
  ['bold and italics', '**bold** *it* __b__ _i_ ***x*** ~~gone~~ ~x~'],
  ['a formula', '$x$ and $$\\href{https://evil}{x}$$ and $`x`$'],
  ['emoji', ':tada: :white_check_mark:'],
  ['a diagram', '```mermaid\ngraph TD; click A "https://evil"\n```'],
  ['a suggestion', '```suggestion\nrm -rf\n```'],
  ['a fence that is never closed', '```\n@mona'],
  ['a fence that tries to end', '````\n```\n@mona\n```\n````\n@mona'],
  ['a fence of tildes around backticks', '~~~\n```\n~~~\n@mona'],
  ['an open span', 'a ` b @mona `` c #1'],
  ['spans side by side', '`a``b` `a`@mona`b`'],
  ['zero width', 'a@\u200bmona \u2060#1 \u202ehttps://evil'],
  ['tag characters and variation selectors', 'a\u{e0041}\u{e0042}\ufe0f b'],
  ['terminal sequences', '\u001b[8mhidden\u001b[0m \u001b]8;;https://evil\u0007x'],
  ['a link text made of code', '[`src/a.ts`](https://evil) and [`b`](src/b.ts)'],
  ['a picture before a place', 'wow!src/a.ts:1 !`src/a.ts:2` ![`src/a.ts:3`](x)'],
  ['a hard break', 'one\\\ntwo  \nthree'],
  ['lists within lists', '- a\n  - b\n    - c\n      1. d\n\n      e'],
  ['an HTML entity', '&lt;img src=x&gt; &amp;lt;'],
  ['our own mark', '<!-- causeway thread=thr_1 investigation=inv_1 kind=result -->'],
];

describe('foreign Markdown', () => {
  it.each(HOSTILE)('does nothing with %s', (_, text) => {
    expect(effectsOf(sanitiseMarkdown(text, 5_000), PLAIN)).toEqual([]);
    expect(effectsOf(sanitiseInline(text, 5_000), PLAIN)).toEqual([]);
    expect(effectsOf(`- ${sanitiseInline(text, 5_000, links)}`, LINKED)).toEqual([]);
  });

  it('is told apart from what does something: most of these do when they are left as they are', () => {
    const harmless = HOSTILE.filter(([, text]) => effectsOf(text, PLAIN).length === 0).map(([what]) => what);
    expect(harmless).toMatchInlineSnapshot(`
      [
        "a table without edges",
        "a diagram",
        "a suggestion",
        "a fence that is never closed",
        "lists within lists",
        "an HTML entity",
      ]
    `);
  });

  it('does nothing with any of it in any order', () => {
    const marks = fc.constantFrom(
      ...'`~*_[]()<>!#@&;:/\\|-+=.$"\' \n\t'.split(''),
      ...[
        '```',
        '~~~',
        '![',
        '](',
        '<!--',
        '-->',
        '</details>',
        '<details>',
        '&#64;',
        '&#x40;',
        '#1',
        '@mona',
        'https://e.x',
        'www.e.x',
      ],
      ...[
        'src/a.ts:1',
        '    ',
        '\n\n',
        '1. ',
        '- ',
        '> ',
        '|-|-|',
        '[^1]:',
        'GH-1',
        'abc1234',
        '\u200b',
        '\ufeff',
        '\u202e',
        'word',
        '$',
      ],
    );
    const text = fc.array(fc.oneof({ weight: 5, arbitrary: marks }, fc.string({ unit: ANY_CHARACTER, maxLength: 4 })), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(text, (parts) => {
        expect(effectsOf(sanitiseMarkdown(parts.join(''), 5_000, links), LINKED)).toEqual([]);
        expect(effectsOf(`x ${sanitiseInline(parts.join(''), 5_000, links)} y`, LINKED)).toEqual([]);
      }),
      { numRuns: 800 },
    );
  });

  it('stays what it was for a person', () => {
    const text = [
      '## Why',
      'In `discountFor` the **map** has no entry for foo_bar* (v1.2.3, 5 < 6 & so on); see [the code](src/coupons.ts).',
      '',
      '1. call `f("a`b")`',
      '2. std::vec::Vec and a.b_c',
      '',
      '```js',
      'const { percent } = COUPONS.get(code); // @mona #1',
      '```',
    ].join('\n');
    expect(sanitiseMarkdown(text, 5_000)).toMatchInlineSnapshot(`
      "Why

      In \`discountFor\` the map has no entry for foo_bar\\* (v1.2.3, 5 &lt; 6 &amp; so on); see the code.

      1. call \`f("a\`b")&#96;
      2. \`std::vec::Vec\` and a.b_c

      \`\`\`js
      const { percent } = COUPONS.get(code); // @mona #1
      \`\`\`"
    `);
    const { texts, codes } = readAsGithub(sanitiseMarkdown(text, 5_000));
    expect(texts.join('')).toContain('the map has no entry for foo_bar* (v1.2.3, 5 < 6 & so on); see the code.');
    expect(codes).toContain('const { percent } = COUPONS.get(code); // @mona #1\n');
  });

  it('links places in the source and nothing else', () => {
    const text = 'see src/a.ts:12, `src/b.ts:3`. Not src/c.ts or `https://evil`.';
    expect(readAsGithub(sanitiseMarkdown(text, 500, links)).links).toEqual([
      `${BASE}484f10e/src/a.ts#L12`,
      `${BASE}484f10e/src/b.ts#L3`,
    ]);
  });

  it('is cut where it is too long, between characters', () => {
    const text = sanitiseMarkdown('👩‍👩‍👧'.repeat(5_000), 1_001);
    expect(text.length).toBeLessThanOrEqual(1_001);
    expect(text.isWellFormed()).toBe(true);
    expect(sanitiseInline('x'.repeat(100_000), 90_000).length).toBeLessThan(1_000);
  });
});

describe('foreign code', () => {
  const anything = fc.oneof(
    fc.string({ unit: ANY_CHARACTER }),
    fc
      .array(fc.constantFrom('`', '``', '```', ' ', '\n', 'a', '\\', '~~~', '</details>'))
      .map((parts) => parts.join('')),
  );

  it('is one span, whatever is in it', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const { codes, elements } = readAsGithub(`a ${formatCodeSpan(text)} b`);
        expect(elements).toEqual(codes.length === 0 ? ['p'] : ['p', 'code']);
        expect(codes.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('is one block, whatever is in it', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const { texts, elements } = readAsGithub(`${formatFence(text, 'js')}\n\nend`);
        expect(elements).toEqual(['pre', 'code', 'p']);
        expect(texts.map((each) => each.trim()).filter(Boolean)).toEqual(['end']);
      }),
    );
  });

  it('cannot look like our own mark', () => {
    const mark = '<!-- causeway thread=thr_1 investigation=inv_1 kind=result -->';
    expect(`${formatFence(mark, '')}${formatCodeSpan(mark)}${sanitiseMarkdown(mark, 500)}`).not.toContain(
      '<!-- causeway',
    );
  });
});
