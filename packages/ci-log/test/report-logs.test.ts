// The logs in a report: found wherever people put them, and read as the log of a check is.
import { describe, expect, it } from 'vitest';
import { readCheck } from '../src/read-check.ts';
import { readReport } from '../src/report-logs.ts';
import { actionsLog, GO, JEST, MAVEN, MOCHA, NODE_TAP, NODE_TAP_ASSERT, PYTEST, stamped, TSC } from './logs.ts';

const asCheck = (log: string) => readCheck({ name: 'test', output: '', log, annotations: [] }).excerpt;

const LOGS: readonly (readonly [string, string])[] = [
  ['of Actions, with Jest', actionsLog('npm test', JEST)],
  ['of Actions, with pytest', actionsLog('pytest', PYTEST)],
  ['of Actions, with tsc', actionsLog('npx tsc', TSC)],
  ['of Actions, with Go', actionsLog('go test ./...', GO)],
  ['of Actions, with mocha', actionsLog('npx mocha', MOCHA)],
  ['of Maven at a terminal', MAVEN.join('\n')],
  ['of Go at a terminal', GO.join('\n')],
  ['of Jest at a terminal', JEST.join('\n')],
  ['of Node that writes TAP', NODE_TAP.join('\n')],
  ['with the line ends of Windows', actionsLog('npm test', JEST).replaceAll('\n', '\r\n')],
  ['with the line ends of old terminals', actionsLog('npm test', JEST).replaceAll('\n', '\r')],
];

describe('a log is read as that of a check is', () => {
  it.each(LOGS)('%s: under a heading', (_, log) => {
    const { words, logs } = readReport(`Red since Monday\n\n--- Log: build.log ---\n\n${log}`);
    expect(words).toBe('Red since Monday');
    expect(logs).toEqual([{ name: 'build.log', lines: expect.any(Number), excerpt: asCheck(log) }]);
  });

  it.each(LOGS)('%s: where the report is nothing else', (_, log) => {
    const { words, logs } = readReport(log);
    expect([words, logs.map(({ excerpt }) => excerpt)]).toEqual(['', [asCheck(log)]]);
  });

  it.each(LOGS.slice(0, 9))('%s: in a code block of an issue', (_, log) => {
    const report = `The build is red\n\nIt began when we took the coupons.\n\n\`\`\`\n${log}\n\`\`\`\n\nWhat can I do about this?`;
    const { words, logs } = readReport(report);
    expect(words).toBe('The build is red\n\nIt began when we took the coupons.\n\nWhat can I do about this?');
    expect(logs.map(({ excerpt }) => excerpt.headline)).toEqual([asCheck(log).headline]);
    expect(logs[0]?.excerpt.tests).toEqual(asCheck(log).tests);
  });

  it.each(LOGS.slice(0, 9))('%s: below what people wrote', (_, log) => {
    const { words, logs } = readReport(`The build of the shop is red since we took the coupons.\n\n${log}`);
    expect(words).toBe('The build of the shop is red since we took the coupons.');
    expect(logs.map(({ excerpt }) => excerpt)).toEqual([asCheck(log)]);
  });

  it('and counted as editors do: what ends the last line begins no other', () => {
    const log = JEST.join('\n');
    for (const report of [log, `${log}\n`, `--- Log: job ---\n\n${log}\n`]) {
      expect(readReport(report).logs).toEqual([expect.objectContaining({ lines: JEST.length })]);
    }
  });

  it('each of several, the most informative first', () => {
    const logs = [actionsLog('./deploy.sh', ['all is well', 'bye']), actionsLog('npm test', JEST)];
    const report = `Two jobs failed\n\n${logs.map((log, at) => `--- Log: job ${at} ---\n\n${log}`).join('\n')}`;
    const read = readReport(report).logs.map(({ name, excerpt }) => [name, excerpt.headline]);
    expect(read).toEqual([
      ['job 1', asCheck(logs[1] ?? '').headline],
      ['job 0', asCheck(logs[0] ?? '').headline],
    ]);
  });

  it('without what somebody added below it as guidance', () => {
    const log = actionsLog('npm test', JEST);
    const { words, logs } = readReport(`--- Log: job ---\n\n${log}\n\n## Guidance from ada\n\nLook at the coupons`);
    expect(words).toBe('## Guidance from ada\n\nLook at the coupons');
    expect(logs.map(({ excerpt }) => excerpt.headline)).toEqual([asCheck(log).headline]);
  });
});

const CLOCK = (at: number) => `16:47:${10 + (at % 50)}`;

const OTHERS: readonly (readonly [string, (line: string, at: number) => string])[] = [
  ['docker compose', (line) => `api-1  | ${line}`.trimEnd()],
  ['docker compose, with colours', (line) => `\u001b[36mapi-1  | \u001b[0m${line}`],
  ['docker compose, with times', (line, at) => `api-1  | 2026-11-26T${CLOCK(at)}.123456789Z ${line}`],
  ['docker compose, of two containers', (line, at) => `${at % 3 === 0 ? 'worker-1 |' : 'api-1    |'} ${line}`],
  ['docker compose inside of a job', (line, at) => `2026-11-26T${CLOCK(at)}.1234567Z test_1  | ${line}`],
  ['a journal', (line, at) => `Nov  6 ${CLOCK(at)} ci-host runner.sh[1234]: ${line}`],
  ['a journal with ISO times', (line, at) => `2026-11-26T${CLOCK(at)}+0100 ci-host runner.sh[1234]: ${line}`],
  ['kubectl', (line) => `[pod/shop-7d4f9/test] ${line}`],
  ['a time', (line, at) => `2026-11-26 ${CLOCK(at)} ${line}`],
  ['a time with slashes', (line, at) => `2026/11/26 ${CLOCK(at)} ${line}`],
  ['a clock', (line, at) => `[${CLOCK(at)}] ${line}`],
  ['a day and a clock', (line, at) => `Nov 26 ${CLOCK(at)} ${line}`],
];

const OF_TOOLS = { Jest: JEST, pytest: PYTEST, Go: GO, Maven: MAVEN, mocha: MOCHA, TAP: NODE_TAP };

describe.each(OTHERS)('a log is read as if nothing stood before each line: %s', (_, put) => {
  it.each(Object.entries(OF_TOOLS))('%s', (_tool, lines) => {
    const log = [...lines.map(put), 'make: *** [Makefile:12: test] Error 1'].join('\n');
    const want = asCheck([...lines, 'make: *** [Makefile:12: test] Error 1'].join('\n'));
    expect(asCheck(log)).toEqual(want);
    for (const report of [
      log,
      `Red since Monday\n\n--- Log: build.log ---\n\n${log}`,
      `The build is red\n\nIt began when we took the coupons.\n\n\`\`\`\n${log}\n\`\`\``,
      `The build of the shop is red since we took the coupons.\n\n${log}`,
    ]) {
      expect(readReport(report).logs.map(({ excerpt }) => excerpt)).toEqual([want]);
    }
  });
});

it.each([
  ['TAP of Node', NODE_TAP, "TypeError: Cannot destructure property 'percent' of 'find(...)' as it is undefined."],
  ['TAP of Node, of several lines', NODE_TAP_ASSERT, 'AssertionError: Expected values to be strictly equal: 1 !== 2'],
  ['pytest', PYTEST, 'assert 3 == 4'],
  [
    'AVA',
    [
      '  ✔ retry › works on timeout',
      '  ✘ [fail]: retry › respects 413 Retry-After Rejected promise returned by test',
      '  ─',
      '  1 test failed',
    ],
    'retry › respects 413 Retry-After failed',
  ],
  [
    'AVA, with what was thrown',
    [
      '  ✔ retry › works on timeout',
      '  ✘ [fail]: retry › respects 413 Retry-After Rejected promise returned by test',
      '  ─',
      '',
      '  retry › respects 413 Retry-After',
      '',
      '  test/retry.ts:120',
      '',
      '  Rejected promise returned by test. Reason:',
      '',
      '  TypeError {',
      "    message: 'wait is not a function',",
      '  }',
      '',
      '  1 test failed',
    ],
    'TypeError: wait is not a function',
  ],
])('the headline is the error without what the runner writes around it: %s', (_, log, headline) => {
  expect(asCheck(log.join('\n')).headline).toBe(headline);
});

describe('the text that facts are looked up with', () => {
  it('begins with what failed, and has neither times nor colours', () => {
    const { text } = readReport(actionsLog('npm test', JEST));
    expect(text.split('\n', 1)[0]).toBe(asCheck(actionsLog('npm test', JEST)).tests[0]);
    expect(text).not.toMatch(/\d{4}-\d\d-\d\dT|\u001b|##\[/);
  });

  it('is the report itself where people wrote of it, or nothing failed', () => {
    const told = `The build of the shop is red since we took the coupons.\n\n${actionsLog('npm test', JEST)}`;
    for (const report of [told, 'It crashes', stamped(['all is well', 'bye'])]) {
      expect(readReport(report).text).toBe(report);
    }
  });
});

it.each([
  ['a sentence', 'The cart throws an error when I add two coupons to it and then remove one of them.'],
  ['a trace', 'TypeError: x is undefined\n    at f (src/a.js:1:2)\n    at g (src/b.js:3:4)'],
  ['a list', '# Steps\n\n1. npm install\n2. npm test\n3. error: see below\n\n- [ ] fails\n- [x] works\n'],
  ['code', '```js\nconst a = 1;\nthrow new Error("b");\n```\n\nThis fails with an error, and I do not know why.'],
  ['a table', 'status | code\n--- | ---\nfailed | error 1\nbroken | error 2\ndown | error 3\nup | 0\n'],
  ['a chat', '[ada/shop] does it work?\n[grace/shop] it says error: no coupon\n[ada/shop] oh\n'],
  ['nothing', ''],
])('%s is no log', (_, report) => {
  expect(readReport(report)).toEqual({ words: report, logs: [], text: report });
});

it('the state of each test, before its name, is no prefix', () => {
  const log = ['PASS | it starts', 'FAIL | error: it stops', 'PASS | it sleeps', 'FAIL | error: it wakes'];
  expect(asCheck(log.join('\n')).headline).toBe('FAIL | error: it stops');
});
