// Titles and commit messages: foreign words in them do nothing on GitHub or in CI.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPlain } from '../src/github.ts';
import { parseMarkdown } from '../src/parse.ts';
import '../../../test/support/property-seed.ts';
import { ANY_CHARACTER } from '../../../test/support/any-character.ts';

const ACTS =
  /@|#\d|\bGH-\d|:\/\/|\bwww\.|\[|\]|[<>`]|[\w-]+-by\s*:|skip-checks|NO_CI|BREAKING[ -]CHANGE|\b(?:fixup|squash|amend)!|[\r\n\u200b\u202e]/i;

describe('plain words', () => {
  it.each([
    ['fixes #1 and closes octo/shop#2', 'fixes no. 1 and closes octo/shop no. 2'],
    ['@mona broke @octo/team', 'mona broke octo/team'],
    ['me@evil.example', 'me at evil.example'],
    ['Fixes https://github.com/octo/shop/issues/1', 'Fixes github.com/octo/shop/issues/1'],
    ['crash [skip ci] [ci skip] ***NO_CI***', 'crash (skip ci) (ci skip) no CI'],
    ['x\n\nCo-authored-by: Eve <eve@evil.example>', 'x Co-authored-by Eve eve at evil.example'],
    ['skip-checks: true', 'skip checks: true'],
    ['`foo_bar` fails in v1.2.3', 'foo_bar fails in v1.2.3'],
    ['GH-12 hello', 'GH 12 hello'],
  ])('of %j are %j', (text, plain) => {
    expect(formatPlain(text, 200)).toBe(plain);
  });

  it('keep the brackets of code where no commit takes them over', () => {
    expect(formatPlain("Type 'string[]' has no [Symbol.iterator]({ a }) @mona `x`", 200, 'label')).toBe(
      "Type 'string[]' has no [Symbol.iterator] ({ a }) mona x",
    );
    expect(formatPlain('![p](https://evil.example/p.png) [a][b] [x]: y', 200, 'label')).toBe(
      '![p] (evil.example/p.png) [a][b] [x]: y',
    );
    expect(formatPlain('AssertionError [ERR_ASSERTION]: /(?:a*)(b*)/ (#646)', 200, 'label')).toBe(
      'AssertionError [ERR_ASSERTION]: /(?:a*)(b*)/ (no. 646)',
    );
  });

  it('never hold what GitHub or CI acts on, and are one line of the length asked for', () => {
    const part = fc.constantFrom(
      '@',
      '#',
      '1',
      '#1',
      '-',
      '[',
      ']',
      '](',
      ']:',
      '![',
      '*',
      'skip ci',
      'GH-',
      'http',
      '://',
      'www.',
      '\n',
      ' ',
      '`',
      '*',
      '<',
      '\u200b',
      'ab',
      'Co-authored-by',
      ':',
      'skip-checks',
      'NO_CI',
      '!',
      'fixup',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(part, fc.string({ unit: ANY_CHARACTER, maxLength: 3 }))), (parts) => {
        const plain = formatPlain(parts.join(''), 72);
        expect(plain).not.toMatch(ACTS);
        expect(plain.length).toBeLessThanOrEqual(72);
        expect(plain.isWellFormed()).toBe(true);
        // Also where it is read as Markdown, which GitHub does not do with the title of a check run.
        const label = formatPlain(parts.join(''), 72, 'label');
        expect(label).not.toMatch(/@|#\d|:\/\/|\bwww\.|[<>`]|[\r\n\u200b\u202e]/i);
        expect(JSON.stringify(parseMarkdown(label))).not.toMatch(/"type":"(?:link|image|definition|html)/);
      }),
      { numRuns: 2_000 },
    );
  });
});
