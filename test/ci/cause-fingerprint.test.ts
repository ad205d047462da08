// The fingerprint of a cause: the same wherever it is seen, another for another cause.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCheck } from '../../src/ci/read-check.ts';
import { actionsLog, GO, JEST, MAVEN, MOCHA, PYTEST, TSC } from './logs.ts';

function print(output: readonly string[], { name = 'test (20)', command = 'npm test' } = {}): string {
  return readCheck({ name, output: '', log: actionsLog(command, output), annotations: [] }).fingerprint;
}

const CAUSES = [
  JEST,
  PYTEST,
  TSC,
  GO,
  MAVEN,
  MOCHA,
  ['error: no such zone eu-9'],
  ['panic: assignment to entry in nil map'],
];

describe('the same cause', () => {
  it('is the same on every machine, in every job of a matrix', () => {
    for (const output of CAUSES) {
      const windows = output.map((line) => line.replaceAll('/home/runner/work/shop/shop/', 'D:\\a\\shop\\shop\\'));
      expect(print(windows, { name: 'test (22, windows)', command: 'npm test -- --ci' })).toBe(print(output));
    }
  });

  it('is the same whatever the numbers are: lines, times, ports, hashes, runs', () => {
    const line = (n: number) =>
      `error: build ${n} of ${n.toString(16).padStart(40, 'a1b2')} at 10:0${n % 10}:00 on 127.0.0.1:${4000 + n} in /tmp/x${n}/a.ts:${n}:2 took ${n}ms`;
    fc.assert(
      fc.property(fc.nat({ max: 5_000 }), fc.nat({ max: 5_000 }), (a, b) => {
        expect(print([line(a)])).toBe(print([line(b)]));
      }),
    );
  });

  it('is the same in whatever folder a file lies, but not of another file', () => {
    expect(print(['error: cannot parse /opt/a/shop.toml'])).toBe(print(['error: cannot parse /tmp/b/c/shop.toml']));
    expect(print(['error: cannot parse /opt/a/shop.toml'])).not.toBe(print(['error: cannot parse /opt/a/cart.toml']));
  });

  it('is the same in any order of tests and of errors', () => {
    const tests = ['--- FAIL: TestA (0.1s)', '--- FAIL: TestB (0.2s)', '--- FAIL: TestC (0.3s)'];
    const errors = ['src/a.ts(1,2): error TS2304: no name', 'src/b.ts(3,4): error TS2345: no type'];
    fc.assert(
      fc.property(
        fc.shuffledSubarray(tests, { minLength: 3 }),
        fc.shuffledSubarray(errors, { minLength: 2 }),
        (shuffledTests, shuffledErrors) => {
          expect(print(shuffledTests)).toBe(print(tests));
          expect(print(shuffledErrors)).toBe(print(errors));
        },
      ),
    );
  });
});

describe('another cause', () => {
  it('is another by its tests, its codes, its words', () => {
    const prints = CAUSES.map((output) => print(output));
    expect(new Set(prints).size).toBe(CAUSES.length);
    expect(print(['a.ts(1,1): error TS2304: x y'])).not.toBe(print(['a.ts(1,1): error TS2345: x y']));
    expect(print(['--- FAIL: TestA1 (0s)'])).not.toBe(print(['--- FAIL: TestA2 (0s)']));
    expect(print(['src/cart.go:1:2: undefined: x'])).not.toBe(print(['src/coupon.go:1:2: undefined: x']));
  });

  it('is told apart by what stands under a heading that all share', () => {
    const suite = (error: string) => ['FAIL test/a.test.ts', '  ● Test suite failed to run', '', `    ${error}`];
    expect(print(suite('ReferenceError: cart is not defined'))).not.toBe(print(suite('SyntaxError: Unexpected token')));
  });
});

describe('a machine that failed', () => {
  it('is one cause, whatever it was doing', () => {
    expect(print(['cc: No space left on device'])).toBe(print(['error: odd', 'tar: write x: No space left on device']));
    expect(print(['cc: No space left on device'])).not.toBe(
      print(['npm ERR! 503 Service Unavailable'], { command: 'npm ci' }),
    );
  });
});

describe('a check that says nothing', () => {
  it('is known by its name, all jobs of a matrix as one', () => {
    expect(print([], { name: 'test (20, linux)' })).toBe(print([], { name: 'test (22, windows)' }));
    expect(print([], { name: 'test (20)' })).not.toBe(print([], { name: 'lint (20)' }));
    const late = readCheck({ name: 'test', output: '', log: '##[error]The operation was canceled.', annotations: [] });
    expect(late).toMatchObject({ isInformative: false, excerpt: { headline: 'The operation was canceled.' } });
  });
});
