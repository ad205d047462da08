// What the rest of this folder knows a failure by is found in a long log as well: a sign that is added must be known here too.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayMatter } from '../../src/ci/classify-lines.ts';
import { condenseText } from '../../src/ci/condense-log.ts';
import { matchError } from '../../src/ci/error-patterns.ts';
import { findFailedTests } from '../../src/ci/failed-tests.ts';
import { findCause } from '../../src/ci/find-cause.ts';
import { findSteps, readLogLines } from '../../src/ci/log-lines.ts';
import { findPlaces } from '../../src/ci/places.ts';
import { linesFor, ownLogs, SIGN_PATTERNS } from './condense-samples.ts';
import { GO, JEST, MAVEN, MOCHA, PYTEST } from './logs.ts';

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

  it.each(SIGN_PATTERNS)('whatever fits %s', (pattern) => {
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
      const whole = `${noise(1_000)}\n${log}\n${noise(1_000)}`;
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
