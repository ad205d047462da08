// Foreign words that are harmless apart: nothing that is taken out between them joins them to what GitHub or CI acts on.
import { renderMarkdown } from 'causeway-github-double';
import { formatCodeSpan, formatFence, sanitiseInline, sanitiseMarkdown } from 'causeway-safe-markdown';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderMarkdownPage } from '../../../src/github/render/page.ts';
import '../../support/property-seed.ts';
import { effectsOf } from '../../../packages/safe-markdown/test/github-reading.ts';

const PLAIN = { elements: ['p', 'ul', 'ol', 'li', 'code', 'pre'], base: '' };
const GROUND = { repository: 'octo/shop', webUrl: 'https://github.com' };

/** What GitHub does because of the text, as the double renders it and as micromark and our own search see it. */
function acts(markdown: string): readonly string[] {
  const { mentions, issues, commits, links, images } = renderMarkdown(markdown, GROUND);
  return [...mentions, ...issues, ...commits, ...links, ...images, ...effectsOf(markdown, PLAIN)];
}

const DANGEROUS = [
  ...['fixes #12', 'octo/other#7', 'GH-31', '@mona', '@octo/team', 'me@evil.example', 'https://evil.example/x'],
  ...['www.evil.example', 'mailto:me@evil.example', 'CVE-2021-42574', 'GHSA-aaaa-bbbb-cccc', '484f10e70a3914051ff7'],
  ...[':tada:', '$x$', '![a](https://evil.example/x.png)', '[a](https://evil.example)', '<img src=x>', '<!-- x -->'],
  ...['# heading', '- [ ] task', '> [!NOTE]', '~~gone~~', '***x***', '| a |\n|---|', '[^1]: x', 'http://e.example'],
];
const SEPARATORS = [
  ...['` `', '`  `', '`\t`', '`` ``', '```\u200b```', '`\u200b`', '`\u00a0`', '\u200b', '\u2060', '\ufeff', '\u00ad'],
  ...[
    '**',
    '*',
    '__',
    '_',
    '~~',
    '~',
    '\\',
    '<!---->',
    '<!-- -->',
    '<b>',
    '</b>',
    '<br>',
    '<!-->',
    '``',
    '`',
    '&#8203;',
  ],
  ...[
    '&zwj;',
    '&shy;',
    '&',
    '[](x)',
    '[` `](x)',
    '![](x)',
    '[',
    '](x)',
    '**` `**',
    '` `` `',
    '\u001b[0m',
    '\n',
    '\r',
    ' ',
  ],
  ...['\n- ', '\n1. ', '\n# ', '\n    ', '\n```\n', '\n```\n```\n', '\\\n', '\u2028', '\u202e', '\u{e0041}', '\ufe0f'],
];

const hostile = fc.record({
  words: fc.array(
    fc.record({
      word: fc.constantFrom(...DANGEROUS),
      cuts: fc.array(fc.tuple(fc.nat(32), fc.constantFrom(...SEPARATORS)), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  between: fc.constantFrom(' ', ', ', '\n', '\n\n', ...SEPARATORS),
});

function written({ words, between }: { words: { word: string; cuts: [number, string][] }[]; between: string }): string {
  return words
    .map(({ word, cuts }) =>
      cuts.reduce((text, [at, separator]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + separator + text.slice(place);
      }, word),
    )
    .join(between);
}

describe('words that are split', () => {
  it.each([
    ...['fixes #` `1', 'https:` `//evil.example/x', 'www` `.evil.example', 'GH-` `1', 'CVE-` `2021-42574', '@` `mona'],
    ...[
      '484f1` `0e70a39',
      'fixes #`\u200b`1',
      'fixes #**` `**1',
      '` `# heading',
      '-` ` item',
      '` `1. item',
      '`  `    x',
    ],
  ])('at %j do nothing, whole', (text) => {
    expect(acts(sanitiseMarkdown(text, 500))).toEqual([]);
    expect(acts(sanitiseInline(text, 500))).toEqual([]);
  });

  it('at each place, by each separator, do nothing', () => {
    for (const word of DANGEROUS) {
      const shown = SEPARATORS.flatMap((separator) =>
        Array.from({ length: word.length + 1 }, (_, at) =>
          sanitiseMarkdown(`${word.slice(0, at)}${separator}${word.slice(at)}`, 500),
        ),
      );
      // Each text is a whole of its own, so that all of them can be looked at together.
      const distinct = [...new Set(shown)].join('\n\nnext\n\n');
      expect(acts(distinct)).toEqual([]);
    }
  });

  it('at several places, one after the other, cut at any length, do nothing', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 2, max: 200 }), (parts, max) => {
        const text = written(parts);
        expect(acts(sanitiseMarkdown(text, max))).toEqual([]);
        expect(acts(sanitiseInline(text, max))).toEqual([]);
        expect(acts(`- ${sanitiseInline(text, max)}`)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('do nothing on a page that is cut', () => {
    const fold = (text: string) => ({ summary: 'Log', blocks: [{ kind: 'code' as const, info: '', text, left: 0 }] });
    const log = (at: number) =>
      `${'x'.repeat(at)}\n\`\`\`\`\n@mona fixes #1 \`\n`.repeat(Math.ceil(70_000 / (at + 30)));
    for (let at = 0; at < 40; at += 1) {
      const page = renderMarkdownPage({ open: [], folds: [fold(log(at))], footer: '', marker: '' });
      expect(effectsOf(page, { elements: [...PLAIN.elements, 'details', 'summary', 'em'], base: '' })).toEqual([]);
    }
  });
});

describe('what a commit message would obey', () => {
  const ORDERS = [
    /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]/i,
    /skip-checks\s*:/i,
    /\*\*\*NO_CI\*\*\*/i,
    /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b[^\w\n]{0,8}(?:[\w.-]+\/[\w.-]+)?(?<!&)#\d/i,
    /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b[^\w\n]{0,8}GH-\d/i,
    /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b[^\w\n]{0,8}https?:\/\/[^\s/]+\/[^\s/]+\/[^\s/]+\/(?:issues|pull)\/\d/i,
    /^[^\p{L}\p{N}\n]*[a-z-]+ed(?:-off)?-by\s*:/imu,
    /^[^\p{L}\p{N}\n]*on-behalf-of\s*:/imu,
  ];
  const orders = (text: string) => ORDERS.filter((order) => order.test(text)).map(String);
  const TOLD = [
    ...['[skip ci]', '[ci skip]', '[no ci]', '[skip actions]', '[actions skip]', '[Skip CI]', 'skip-checks: true'],
    ...['skip-checks:true', '***NO_CI***', 'fixes #12', 'Closes: octo/shop#7', 'resolved GH-3', 'close   #1', 'fix:#2'],
    ...[
      'Fixes https://github.com/octo/shop/issues/1',
      'Co-authored-by: x <a@b.example>',
      'Signed-off-by: x',
      'Reviewed-by: y',
    ],
    ...['on-behalf-of: @octo', 'fixes ##1', 'fixes (#1)'],
  ];

  it.each(TOLD)('stands nowhere raw, neither in code nor in text: %s', (text) => {
    expect(orders(text)).not.toEqual([]);
    const shown = [
      sanitiseMarkdown(text, 500),
      sanitiseMarkdown(`\`${text}\``, 500),
      sanitiseMarkdown(`\`\`\`\n${text}\n\`\`\``, 500),
      sanitiseMarkdown(`\`\`\`diff\n${text}\n\`\`\``, 500),
      sanitiseMarkdown(`    ${text}`, 500),
      sanitiseMarkdown(`- ${text}`, 500),
      sanitiseInline(text, 500),
      formatCodeSpan(text),
      formatFence(text, ''),
      formatFence(` ${text}`, 'yaml'),
    ];
    expect(shown.map(orders)).toEqual(shown.map(() => []));
    // Every letter is still there to read.
    const letters = (each: string) => each.replace(/&\w+;|[^a-z]|diff|yaml/gi, '').toLowerCase();
    for (const each of shown) expect(letters(each)).toContain(letters(text));
  });

  it('is split between text and code in vain', () => {
    const text = fc.record({
      words: fc.array(
        fc.record({
          word: fc.constantFrom(...TOLD),
          cuts: fc.array(fc.tuple(fc.nat(32), fc.constantFrom(...SEPARATORS)), { maxLength: 2 }),
        }),
        { minLength: 1, maxLength: 2 },
      ),
      between: fc.constantFrom(' ', '\n', '`', '\n```\n'),
    });
    fc.assert(
      fc.property(text, (parts) => {
        const told = written(parts);
        for (const shown of [
          sanitiseMarkdown(told, 500),
          sanitiseInline(told, 500),
          formatCodeSpan(told),
          formatFence(told, 'ts'),
        ]) {
          expect(orders(shown)).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('stays as it is in a diff of ours, which people apply', () => {
    expect(formatFence('+// fixes #12 [skip ci]', 'diff')).toContain('+// fixes #12 [skip ci]');
  });
});
