// A log of any length as a shorter one: what it keeps, what it says of the rest, and its bounds.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { condenseLog, condenseText, mayMatter } from '../src/condense-log.ts';
import { matchError } from '../src/error-patterns.ts';
import { findFailedTests } from '../src/failed-tests.ts';
import { findCause } from '../src/find-cause.ts';
import { findSteps, readLogLines } from '../src/log-lines.ts';
import { findPlaces } from '../src/places.ts';
import { readCheck } from '../src/read-check.ts';
import { linesFor, ownLogs, SIGN_PATTERNS } from './condense-samples.ts';
import { actionsLog, GO, JEST, MAVEN, MOCHA, PYTEST, TSC } from './logs.ts';

const ROOM = 64 * 1_024;

const SIGNAL = new AbortController().signal;

const noise = (lines: number, word = 'compiled module') =>
  Array.from({ length: lines }, (_, at) => `${word} ${at} of the shop in ${at % 97} ms`);

function read(log: string) {
  return readCheck({ name: 'test', output: '', log, annotations: [] });
}

function chunked(log: Buffer, sizes: readonly number[]): readonly Buffer[] {
  const chunks: Buffer[] = [];
  for (let from = 0, at = 0; from < log.length; at += 1) {
    const size = sizes[at % sizes.length] ?? log.length;
    chunks.push(log.subarray(from, from + size));
    from += size;
  }
  return chunks;
}

/** The lines that are kept, each with the number that it must have by what is said of the cuts. */
function numbered(text: string): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  let number = 1;
  for (const line of text.split(/\r\n|\n|\r/).slice(1)) {
    const cut = /^… (\d+) lines? cut \((\d+)(?:–(\d+))?\)$/.exec(line);
    if (!cut) found.set(number++, line);
    else {
      expect(Number(cut[2])).toBe(number);
      number += Number(cut[1]);
      expect(Number(cut[3] ?? cut[2])).toBe(number - 1);
    }
  }
  return found;
}

describe('a long log', () => {
  it.each([
    ['Jest', JEST],
    ['pytest', PYTEST],
    ['tsc', TSC],
    ['Go', GO],
    ['Maven', MAVEN],
    ['Mocha', MOCHA],
  ])('tells the same cause when it is cut: %s', (_, output) => {
    const whole = actionsLog('npm test', [...noise(1_600), ...output, ...noise(1_600, 'stopped worker')]);
    const cut = condenseText(whole, ROOM);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(ROOM);
    const { cut: _cut, ...shown } = read(cut).excerpt;
    expect(read(whole).excerpt).toMatchObject(shown);
    expect(read(cut).fingerprint).toBe(read(whole).fingerprint);
  });

  it('keeps the first cause of the step that failed, and the end, before what comes between', () => {
    const later = Array.from(
      { length: 9_000 },
      (_, at) => `Error: worker ${String.fromCharCode(97 + (at % 26))}${at} went away after all`,
    );
    const log = actionsLog('npm test', [
      ...noise(2_000),
      'TypeError: cart is undefined',
      ...later,
      'the very last words',
    ]);
    const kept = condenseText(log, ROOM);
    expect(kept).toContain('TypeError: cart is undefined');
    expect(kept).toContain('the very last words');
    expect(kept).not.toContain('worker e4502 went');
  });

  it('keeps what a failed step says before what steps say that passed', () => {
    const step = (name: string, end: readonly string[]) => [
      '##[group]Run x',
      '##[endgroup]',
      ...Array.from({ length: 900 }, (_, at) => `Error: ${name} ${'xyz'[at % 3]?.repeat(1 + (at % 60))}`),
      ...noise(40),
      ...end,
    ];
    const passed = Array.from({ length: 12 }, (_, at) => step(`expected ${'abcdefghijkl'[at]}`, [])).flat();
    const kept = condenseText(
      [...passed, ...step('unexpected', ['##[error]Process completed with exit code 1.']), ...passed].join('\n'),
      ROOM,
    );
    expect(kept.match(/Error: unexpected/g)?.length).toBeGreaterThan(100);
    expect(kept).toContain('##[error]Process completed with exit code 1.');
  });

  it('says which lines are cut, and each kept line has its number', () => {
    const part = fc.oneof(
      fc.constantFrom(...JEST, ...GO, '##[group]Run x', '##[error]x'),
      fc.string({ maxLength: 60 }).map((text) => text.replace(/[\r\n…]/g, ' ')),
    );
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 200, maxLength: 600 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        (lines, end) => {
          const text = condenseText(`${lines.join(end)}${end}`, 4_000);
          if (!text.startsWith('[Cut from ')) return;
          for (const [number, line] of numbered(text)) expect(line).toBe(lines[number - 1] ?? '');
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is the same in chunks of any size', async () => {
    const log = Buffer.from([...noise(300, 'größer — 測試'), ...JEST, ...noise(300)].join('\r\n'));
    const whole = await condenseLog([log], 8_000, SIGNAL);
    expect(whole).toMatch(/^\[Cut from \d+ bytes in \d+ lines\]\n/);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 9 }), async (sizes) => {
        expect(await condenseLog(chunked(log, sizes), 8_000, SIGNAL)).toBe(whole);
      }),
      { numRuns: 30 },
    );
  });

  it('that was cut before says so once', () => {
    const once = condenseText(noise(9_000).join('\n'), 60_000);
    expect(condenseText(once, 20_000).match(/\[Cut from/g)).toHaveLength(1);
  });
});

describe('a log that has room', () => {
  it('is itself', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 9 }), async (text, size) => {
        expect(await condenseLog(chunked(Buffer.from(text), [size]), 4_000, SIGNAL)).toBe(text);
      }),
    );
  });
});

describe('a log with any content', () => {
  const fill = (unit: string | Buffer) => Buffer.alloc(768 * 1_024, unit);
  it.each([
    ['one line', fill('a b, ')],
    ['one word', fill('a')],
    ['carriage returns', fill('\r')],
    ['line feeds', fill('\n')],
    ['no UTF-8', fill(Buffer.from([0xff, 0x41, 0xe2, 0x80, 0x0a, 0xc3]))],
    ['errors', fill('Error: no\n')],
    ['failed tests', fill('--- FAIL: TestA (0s)\n')],
    ['steps', fill('##[group]Run x\nerror: y\n##[error]x\n')],
    ['short lines', fill('x\n')],
    ['endings', fill('a\r\r\n')],
  ])('the text keeps to its room: %s', async (_, log) => {
    expect(Buffer.byteLength(await condenseLog([log], ROOM, SIGNAL))).toBeLessThanOrEqual(ROOM);
  });

  it('other work goes on meanwhile', async () => {
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    await condenseLog([fill('Error: no\n')], ROOM, SIGNAL);
    isDone = true;
    expect(turns).toBeGreaterThan(5);
  });

  it('it ends when it is no longer wanted', async () => {
    const stop = new AbortController();
    async function* chunks() {
      for (let at = 0; ; at += 1) {
        if (at === 2) stop.abort(new Error('not wanted'));
        yield fill('x\n');
      }
    }
    await expect(condenseLog(chunks(), ROOM, stop.signal)).rejects.toThrow('not wanted');
  });
});

describe('nothing is shown in half that is a secret whole', () => {
  const key = (at: number) => `MIIEvQ${'IBADANBgkq0aZ'.repeat(4)}${at}aQ+/x`;
  it('a private key whose other half is cut', () => {
    const body = Array.from({ length: 60 }, (_, at) => key(at));
    const log = [
      ...noise(3_000),
      'Error: cannot read',
      ...noise(15),
      '-----BEGIN PRIVATE KEY-----',
      ...body,
      '-----END PRIVATE KEY-----',
      ...noise(3_000),
    ];
    const kept = condenseText(log.join('\n'), 16_000);
    expect(kept).toContain('-----BEGIN PRIVATE KEY-----');
    expect(kept).not.toContain('IBADANBgkq0aZ');
  });

  it('a private key whose beginning is cut, before an error', () => {
    const body = Array.from({ length: 60 }, (_, at) => `2024-05-01T10:00:00.1234567Z ${key(at)}`);
    const log = [...noise(3_000), '-----BEGIN PRIVATE KEY-----', ...body, 'Error: cannot read', ...noise(3_000)];
    const kept = condenseText(log.join('\n'), 16_000);
    expect(kept).toContain('Error: cannot read');
    expect(kept).not.toContain('IBADANBgkq0aZ');
  });

  it('a word at the place where a long line is cut', () => {
    const line = `error: ${'a sentence that goes on '.repeat(400)}`;
    for (let from = 8_100; from < 8_200; from += 7) {
      const log = `${noise(3_000).join('\n')}\n${line.slice(0, from)} token-${'k3y'.repeat(20)} ${line}\n${noise(3_000).join('\n')}`;
      const kept = condenseText(log, 200_000);
      expect(kept).toMatch(/\nerror: a sentence that goes on .{7000,} … \d+ bytes of this line cut\n/);
      expect(kept.replaceAll(`token-${'k3y'.repeat(20)}`, '')).not.toMatch(/k3y|token/);
    }
  });
});

function testsOf(log: string): readonly string[] {
  const lines = readLogLines(log);
  return findFailedTests(lines, 0, lines.length).map(({ name }) => name);
}

function placesOf(log: string): readonly string[] {
  const lines = readLogLines(log);
  return findPlaces(lines, findCause(lines, findSteps(lines))).map(({ path, line }) => `${path}:${line}`);
}

/** By itself; a mere word of trouble counts at the end of a step, which is kept anyway. */
function isInformative(raw: string): boolean {
  const [line] = readLogLines(raw);
  if (!line) return false;
  const sign = matchError(line.text, line.mark === 'error');
  return (sign !== null && sign.kind !== 'weak') || testsOf(raw).length > 0 || placesOf(raw).length > 0;
}

describe('the first look at a line lets through', () => {
  const lines = [...new Set(ownLogs().flatMap((log) => log.split(/\r\n|\n|\r/)))];

  it.each(['', '2024-05-01T10:00:00.1234567Z ', '10:00:00 '])('every sample that tells, after %j', (before) => {
    const telling = lines.map((line) => `${before}${line}`).filter(isInformative);
    expect(telling.length).toBeGreaterThan(250);
    expect(telling.filter((line) => !mayMatter(line))).toEqual([]);
  });

  it.each(SIGN_PATTERNS)('everything that fits %s', (pattern) => {
    fc.assert(
      fc.property(linesFor(pattern), (line) => {
        // Where minitest names the place, it is a file with an extension.
        const named = line.replace(/ \[[^\s\]]+:(\d+\]:?)$/, ' [a.rb:$1');
        expect(mayMatter(named) || !isInformative(named)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a long log', () => {
  const noise = (count: number) =>
    Array.from({ length: count }, (_, at) => `compiled module ${at} of the shop in ${at % 97} ms`).join('\n');
  const logs = [...ownLogs(), ...[GO, JEST, MAVEN, MOCHA, PYTEST].map((lines) => lines.join('\n'))];

  it('names the same failed tests when it is cut', () => {
    const telling = logs.filter((log) => testsOf(log).length > 0);
    expect(telling.length).toBeGreaterThan(80);
    for (const log of telling) {
      const whole = `${noise(300)}\n${log}\n${noise(300)}`;
      expect({ log, tests: testsOf(condenseText(whole, 16_000)) }).toEqual({ log, tests: testsOf(whole) });
    }
  });

  it.each([
    ['ESLint', ['src/a.js', '  3:10  warning  x is not used  no-unused-vars', '  7:1  warning  y  quotes']],
    ['a linter', ['src/a.js:3:1: line is too long', 'src/a.js:7:1: unused variable x']],
  ])('keeps the places of what %s lists at its end', (_, list) => {
    const after = Array.from({ length: 22 }, () => 'x'.repeat(800)).join('\n');
    const whole = `${noise(1_000)}\n${list.join('\n')}\n${after}`;
    expect(placesOf(whole)).toEqual(['src/a.js:3', 'src/a.js:7']);
    expect(placesOf(condenseText(whole, 16_000))).toEqual(placesOf(whole));
  });

  it('says from where on nothing was looked for', () => {
    const lines = [
      ...noise(500).split('\n'),
      'Error: early',
      ...noise(900).split('\n'),
      'Error: late',
      ...noise(900).split('\n'),
    ];
    const text = condenseText(lines.join('\n'), 4_000, 40_000);
    const [, last] =
      /^\[Cut from \d+ bytes in 2302 lines; nothing was looked for after line (\d+), only the end is kept\]\n/.exec(
        text,
      ) ?? [];
    const bytes = (count: number) => Buffer.byteLength(`${lines.slice(0, count).join('\n')}\n`);
    expect(bytes(Number(last))).toBeLessThanOrEqual(40_000);
    expect(bytes(Number(last) + 1)).toBeGreaterThan(40_000);
    expect(text).toContain('Error: early');
    expect(text).not.toContain('Error: late');
  });
});
