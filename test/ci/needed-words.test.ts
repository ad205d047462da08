// Words that an expression cannot do without, and expressions that are asked by them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AskedPatterns, PatternIndex } from '../../src/ci/asked-patterns.ts';
import { ERROR_SIGNS, TELLING } from '../../src/ci/error-sign-table.ts';
import { neededWords } from '../../src/ci/needed-words.ts';
import { linesFor, ownLogs, SIGN_PATTERNS } from './condense-samples.ts';

/** Of all tables that are asked. */
const PATTERNS = [...new Set([...SIGN_PATTERNS, ...TELLING, ...ERROR_SIGNS.flatMap(({ patterns }) => patterns)])];
const ASKED = new AskedPatterns(PATTERNS);

it.each([
  [/^panic: /, ['panic: ']],
  [/a?bcd+e/, ['bcd']],
  [/abcx{2,}/, ['abcxx']],
  [/abcx*def/, ['abc']],
  [/(?:fail|error)s? at|line \d+ of/, ['fail', 'error', 'line ']],
  [/(?:fail|)ing: \S/, ['ing: ']],
  [/one(?= more)(?! word)two\b/, ['one']],
  [/[abc]{3}\d\w\.js:/, ['.js:']],
  [/^\[ {2}FAILED {2}\]/, [' FAILED  ']],
  [/\u2717 done\/now/, ['✗ done/now']],
  [/^x+$|abc/, []],
  [/\w{3}|a/, []],
])('%s needs one of %j', (pattern, words) => {
  expect(neededWords(pattern)).toEqual(words);
});

function expectAlike(line: string): void {
  expect(ASKED.first(line)).toBe(PATTERNS.findIndex((pattern) => pattern.test(line)));
}

describe('patterns that are asked by their words', () => {
  it('fit what they fit by themselves', () => {
    for (const text of ownLogs()) for (const line of text.split('\n')) expectAlike(line);
  });

  it('also lines that are made for each, in whatever case, wherever their words stand', () => {
    for (const pattern of PATTERNS) {
      const asked = new AskedPatterns([pattern]);
      const lines = fc.tuple(linesFor(pattern), fc.constantFrom('', '  ', 'größer ', '● '));
      fc.assert(
        fc.property(lines, ([line, before]) => {
          for (const text of [line, line.toUpperCase(), line.toLowerCase(), `${before}${line}${before}`]) {
            expect(asked.first(text)).toBe(pattern.test(text) ? 0 : -1);
          }
        }),
        { numRuns: 20 },
      );
    }
  });

  it('are passed over where no word of theirs stands', () => {
    const asked = new AskedPatterns([/^fatal: /, /error/i, /\d/]);
    expect([asked.next('no 1', 0), asked.next('an ERROR', 0), asked.next('fatal: x', 0), asked.next('', 3)]).toEqual([
      2, 1, 0, -1,
    ]);
  });

  it('are found by words of signs outside the basic plane', () => {
    const asked = new AskedPatterns([/😀x/, /✗ 😀😀/i, /ab😀/]);
    expect(['(😀x', '✗ 😀😀', 'ab😀', '😀 x'].map((text) => asked.first(text))).toEqual([0, 1, 2, -1]);
  });

  it('of several tables of one index are asked in turn as those of each alone', () => {
    const index = new PatternIndex();
    const signs = new AskedPatterns([/fatal: /, /error/i], index);
    expect(signs.first('an ERROR of a test')).toBe(1);
    const names = new AskedPatterns([/test/, /^FAIL/], index);
    const texts = ['an ERROR of a test', 'FAIL fatal: x', 'nothing'];
    expect(texts.map((text) => [signs.first(text), names.first(text)])).toEqual([
      [1, 0],
      [0, 1],
      [-1, -1],
    ]);
    // What other tables are asked by is not theirs.
    expect(new AskedPatterns([/never/]).next('an ERROR of a test', 0)).toBe(-1);
  });

  it('are all asked of a text longer than any line', () => {
    expect(new AskedPatterns([/never/, /fatal: /]).first(`${'x'.repeat(5_000)}fatal: y`)).toBe(1);
  });

  it('more than fit into one number keep their order', () => {
    const words = Array.from({ length: 70 }, (_, at) => `word${at}:`);
    const asked = new AskedPatterns(words.map((word) => new RegExp(word)));
    for (const [at, word] of words.entries()) expect(asked.first(`a ${word} of ${words[at + 1] ?? ''}`)).toBe(at);
  });
});
