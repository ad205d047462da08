// What is read from a red check keeps its bounds, whatever its log holds.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLogLines } from '../../src/ci/log-lines.ts';
import { type ReadCheck, readCheck } from '../../src/ci/read-check.ts';

import { actionsLog, GO, JEST, MAVEN, MOCHA, PYTEST } from './logs.ts';

function read(log: string): ReadCheck {
  return readCheck({ name: 'test (20)', output: '', log, annotations: [] });
}

describe('whatever a log holds', () => {
  const part = fc.oneof(
    fc.string({ maxLength: 80 }),
    fc.constantFrom(
      ...JEST,
      ...PYTEST,
      ...MAVEN,
      ...MOCHA,
      ...GO,
      '##[group]Run x',
      '##[endgroup]',
      '##[error]x',
      '\u001b[31m',
    ),
  );

  it('the excerpt keeps its bounds, and its lines stand in the log in their order', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 300 }), (lines) => {
        const { excerpt } = read(lines.join('\n'));
        expect(excerpt.lines.length).toBeLessThanOrEqual(60);
        expect(Buffer.byteLength(excerpt.lines.join('\n'))).toBeLessThanOrEqual(8 * 1024);
        expect(excerpt.headline.length).toBeLessThanOrEqual(300);
        expect(excerpt.headline).not.toMatch(/\n|\r/);
        expect(excerpt.tests.length).toBeLessThanOrEqual(50);
      }),
      { numRuns: 60 },
    );
  });

  it('many long lines are cut to their bytes', () => {
    const word = (index: number) => String.fromCharCode(97 + (index % 26)).repeat(230 + index);
    const output = Array.from({ length: 60 }, (_, index) => `src/a.ts(1,1): error TS2304: ${word(index)}`);
    const { lines } = read(actionsLog('npx tsc', output)).excerpt;
    expect(Buffer.byteLength(lines.join('\n'))).toBeLessThanOrEqual(8 * 1024);
    expect(lines.length).toBeGreaterThan(12);
  });

  it('a huge log is read to its end', () => {
    const noise = 'GET /health 200 error=none\n'.repeat(40_000);
    expect(read(`${noise}${actionsLog('npm test', JEST)}`).excerpt.tests).toEqual([
      'coupons › takes the discount off once',
    ]);
  });

  it.each(['Failures: \n', '  1 failing\n', 'a > '.repeat(200), '_ a ', 'Error: a-b.a-b.', '/a/b'])(
    'many times %j is read as well',
    (unit) => {
      expect(read(unit.repeat(200_000 / unit.length)).excerpt.lines.length).toBeLessThanOrEqual(60);
    },
  );

  it('says how much was left out, and shows the first error', () => {
    const noise = Array.from({ length: 500 }, (_, index) => `line ${index}`);
    const { excerpt } = read(actionsLog('npm test', [...noise, ...JEST, ...noise]));
    expect(excerpt.cut).toMatch(/^\d+ of \d+ lines of the step are left out$/);
    expect(excerpt.lines).toContain('    Expected: 90');
  });
});

describe('what is looked at of a log', () => {
  const SIZE = 32 * 1024;
  const fill = (unit: string, size: number) => unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
  const HOSTILE = [
    ['one line', 'error: a.b[(at '],
    ['short lines', 'error: a\n'],
    ['names of tests', '--- FAIL: TestA (0s)\n    a_test.go:1: x\n'],
    ['one test again and again', '✖ takes a coupon (1.24ms)\n'],
    ['headings', '  1 failing\n  1) a\nFailures: \n'],
    ['linted files', 'src/a.js\n  1:1  error  x  y\n'],
    ['lines under one file', '  1:1  error  x  y\n'],
    ['steps', '##[group]Run x\nerror: y\n##[error]x\n'],
    ['frames', 'Traceback (most recent call last):\n  File "/a/b.py", line 3\nValueError: bad\n'],
    ['places', 'a/b.py:1:2 error x '],
    ['folders', `error ${'a/'.repeat(460)}\n`],
    ['warnings', 'a.lua:1:2: long line\n'],
    ['headed lists', 'There was 1 failure:\nfailures:\nFailures:\n'],
    ['rules', '=== FAILURES ===\n_____ a _____\n'],
    ['blocks', 'error: a\n    at x\nok\nok\nok\n'],
    ['brackets', `error ${'[('.repeat(400)}\n`],
    ['spaces', `error${' '.repeat(900)}x\n`],
  ] as const;

  it.each(HOSTILE)('grows no faster than the log: %s', (_, unit) => {
    const once = charactersMatched(() => read(fill(unit, SIZE)));
    const twice = charactersMatched(() => read(fill(unit, 2 * SIZE)));
    // What is looked at whatever the size, such as an excerpt, keeps it below; nothing may take it above.
    expect(twice).toBeLessThanOrEqual(2.1 * once);
  });

  it('is the last 100,000 lines, the first 1,000 characters of each', () => {
    const lines = readLogLines(`first\n${'x'.repeat(5_000)}\n${'a\n'.repeat(400_000)}`);
    expect(lines).toHaveLength(100_000);
    expect(readLogLines('x'.repeat(4 * 1024 * 1024)).map(({ text }) => text.length)).toEqual([1_000]);
  });
});

/** How many characters patterns were given while it ran: the same on every machine. */
function charactersMatched(run: () => void): number {
  const exec = RegExp.prototype.exec;
  let characters = 0;
  RegExp.prototype.exec = function counted(this: RegExp, text: string) {
    // Text is split by asking at each character whether it ends a line there.
    characters += this.sticky ? 1 : text.length;
    return exec.call(this, text);
  };
  try {
    run();
  } finally {
    RegExp.prototype.exec = exec;
  }
  return characters;
}
