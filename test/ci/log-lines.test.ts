// The lines of a whole log are what they are one by one, and what is known of them before they are read overlooks nothing.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCause } from '../../src/ci/find-cause.ts';
import { logLines } from '../../src/ci/log-lines.ts';
import { MAX_LINES, type PlainLine, plainLines, type Sought, soughtIn } from '../../src/ci/plain-lines.ts';
import { SOUGHT } from '../../src/ci/sought-lines.ts';
import { findSteps } from '../../src/ci/steps.ts';
import { linesFor, ownLogs } from './condense-samples.ts';
import { actionsLog, GO, JEST, MAVEN, MOCHA, PYTEST, TSC } from './logs.ts';

const STAMP = '2024-05-01T10:00:00.1234567Z ';
const COLUMNS = `build\tSuite\t${STAMP}`;
const KINDS = Object.entries(SOUGHT).map(([kind, patterns]) => [kind as Sought, patterns] as const);
/** Under headings that say too little to be signs; errors that only the runner tells of. */
const LISTS = [
  ['There was 1 failure:', '1) CartTest::adds'],
  ['The following tests FAILED:', '  1 - cart (Failed)'],
  ['failures:', '    cart::adds'],
  ['Failing scenarios:', '  a.feature:3  adds'],
  ['Failures:', '  1) cart adds'],
  ['  1 failing', '', '  1) cart adds:'],
  ['    [junit] Testcase: adds(a.B): FAILED'],
  ['Tests in error: ', '  adds(shop.CartTest)'],
  ['##[error]no'],
  ['\u001b[32;1m$ make', 'The command "make" exited with 2.', '\u001b[32;1m$ make all'],
].map((lines) => [...lines, '', ...quiet()]);
const TOOLS = [GO, JEST, MAVEN, MOCHA, PYTEST, TSC, ...LISTS];
/** Of tools and of the samples of the tests beside, some of them more than once. */
const LINES = [
  ...TOOLS.flat(),
  ...actionsLog('make', ['x']).split('\n'),
  ...ownLogs().flatMap((log) => log.split('\n')),
];
const ENDS = fc.constantFrom('\n', '\r\n', '\r');
const BEFORE = fc.constantFrom('', STAMP, COLUMNS, '  ', '\uFEFF', '\u001b[31m', '10:00:00     INFO - ');

/** A few parts of what tools print, one after the other, and single lines between. */
const LOGS = fc
  .tuple(
    fc.array(fc.oneof(fc.constantFrom(...TOOLS), fc.subarray(LINES, { maxLength: 30 }), fc.constant(quiet())), {
      maxLength: 6,
    }),
    ENDS,
    BEFORE,
  )
  .map(([parts, end, before]) =>
    parts
      .flat()
      .map((line) => `${before}${line}`)
      .join(end),
  );

function quiet(): readonly string[] {
  return Array.from({ length: 40 }, (_, at) => `[${at}%] Building cart.o in ${at} ms`);
}

function read(lines: readonly PlainLine[]): readonly PlainLine[] {
  return lines.map(({ text, mark, step }) => ({ text, mark, step }));
}

describe('the lines of a whole log', () => {
  it('are read as each by itself', () => {
    fc.assert(
      fc.property(LOGS, (log) => {
        expect(read(logLines(log))).toEqual(plainLines(log));
      }),
      { numRuns: 60 },
    );
  });

  it.each(['', '\n', '\r\n', 'a\r\r\nb', '\uFEFFa\n\uFEFF', 'a\n\rb\n'])('wherever they end: %j', (log) => {
    expect(read(logLines(log))).toEqual(plainLines(log));
  });

  it('are the last ones of too many, with what is sought on them', () => {
    const log = `${'ok\n'.repeat(MAX_LINES)}panic: no\nok`;
    const lines = logLines(log);
    expect(lines.length).toBe(MAX_LINES);
    expect([...soughtIn(lines, 'sign', 0, lines.length)]).toEqual([MAX_LINES - 2]);
  });

  it('are the last ones of too many wherever these end', () => {
    const ends = fc.string({ unit: fc.constantFrom('a', '\n', '\r'), maxLength: 12 });
    fc.assert(
      fc.property(ends, ends, fc.nat(12), (before, behind, less) => {
        const log = `${before}${'ok\n'.repeat(MAX_LINES - less)}${behind}`;
        const [lines, last] = [logLines(log), log.split(/\r\n|\n|\r/).slice(-MAX_LINES)];
        expect(lines.length).toBe(last.length);
        expect(lines.slice(0, 20).map(({ text }) => text)).toEqual(last.slice(0, 20));
        expect(lines.slice(-20).map(({ text }) => text)).toEqual(last.slice(-20));
      }),
      { numRuns: 30 },
    );
  });

  it('tell the same cause as those that nothing is known of', () => {
    fc.assert(
      fc.property(LOGS, (log) => {
        const [known, plain] = [logLines(log), plainLines(log)];
        expect(findSteps(known)).toEqual(findSteps(plain));
        expect(findCause(known, findSteps(known))).toEqual(findCause(plain, findSteps(plain)));
      }),
      { numRuns: 200 },
    );
  });
});

describe('what is sought on them', () => {
  it('is found wherever an expression for it fits the line', () => {
    for (const [kind, patterns] of KINDS) {
      for (const pattern of patterns) {
        fc.assert(
          fc.property(linesFor(pattern), BEFORE, fc.nat(), (line, before, at) => {
            const place = at % (line.length + 1);
            for (const raw of [line, `${before}${line}`, `${line.slice(0, place)}\u001b[0m${line.slice(place)}`]) {
              const text = plainLines(raw)[0]?.text ?? '';
              const isSought = [...soughtIn(logLines(`x\n${raw}\nx`), kind, 1, 2)].length > 0;
              if (pattern.test(text) || pattern.test(raw)) expect([raw, isSought]).toEqual([raw, true]);
            }
          }),
          { numRuns: 20 },
        );
      }
    }
  });

  it('is not looked for on other lines', () => {
    const lines = logLines(quiet().join('\n'));
    expect(KINDS.flatMap(([kind]) => [...soughtIn(lines, kind, 0, lines.length)])).toEqual([]);
  });

  it('is all that the readers of lists look for', () => {
    for (const list of LISTS) {
      const [known, plain] = [logLines(list.join('\n')), plainLines(list.join('\n'))];
      expect(findSteps(known)).toEqual(findSteps(plain));
      expect(findCause(known, findSteps(known))).toEqual(findCause(plain, findSteps(plain)));
    }
  });

  it('may stand on every line where each says its step', () => {
    const lines = logLines(`${COLUMNS}a\n${COLUMNS}b`);
    expect([...soughtIn(lines, 'sign', 0, 2)]).toEqual([0, 1]);
  });
});

describe('lines that may hold words', () => {
  it('are all that do, whatever colours stand between', () => {
    const log = ['adds', 'a', '\u001b[1mad\u001b[0mds', 'it adds, adds', '\u001b[1mx', 'adds'].join('\n');
    const lines = logLines(log);
    expect([...(lines.overview?.holding('adds', 1) ?? [])]).toEqual([2, 3, 4, 5]);
  });

  it('are none behind the end', () => {
    expect([...(logLines('adds').overview?.holding('adds', 1) ?? [])]).toEqual([]);
  });
});
