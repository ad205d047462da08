// What is said of a flaky failure: its rate, its owners, and a proposal to skip its test that expires.
import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/core/check/failure.ts';
import { describeFlake } from '../../src/core/check/flake.ts';
import { EMPTY_EXCERPT } from '../../src/core/check/head.ts';

const SEEN = '2026-11-24T10:00:00.000Z';
const ADDRESS = 'https://causeway.test/projects/prj_1/failures/fal_1';

function failure(hits: number, flakyHits: number): Failure {
  const sighting = {
    ...{ key: '1', sha: 'a', branch: '', pullRequest: 1, isOnDefault: false, isTrusted: true, app: '' },
    ...({ checkName: 'test', verdict: 'flaky', at: SEEN } as const),
  };
  return {
    ...{ id: 'fal_1', projectId: 'prj_1', fingerprint: 'f', headline: 'x', state: 'open', opening: 1 },
    ...{ isOnDefault: false, hits, flakyHits, checkNames: [], branches: [], pullRequests: [] },
    ...{ firstSeen: { ...sighting, at: '2026-11-01T10:00:00.000Z' }, lastSeen: sighting, investigationId: null },
    ...{ threadId: null, closed: null, range: null },
  };
}

const PYTEST = { path: 'tests/test_pay.py', test: 'tests/test_pay.py::test_pay' };

function describeAt(now: string, how: { hits?: number; flaky?: number; path?: string; test?: string } = {}) {
  const { hits = 4, flaky = 3, path, test } = { ...PYTEST, ...how };
  const last = { excerpt: { ...EMPTY_EXCERPT, tests: [test] }, testFile: { path, owners: ['@octo/pay'] } };
  return describeFlake(failure(hits, flaky), last, { address: ADDRESS, now: new Date(now) });
}

describe('a flaky failure', () => {
  it('has a rate, a first day, owners, and a proposal to skip its test for 30 days', () => {
    expect(describeAt(SEEN)).toEqual({
      ...{ hits: 3, of: 4, since: '2026-11-01T10:00:00.000Z', test: 'tests/test_pay.py::test_pay' },
      ...{ file: 'tests/test_pay.py', owners: ['@octo/pay'] },
      quarantine: {
        ...{ state: 'proposed', until: '2026-12-24', where: 'above the test' },
        code: `@pytest.mark.skip(reason="flaky until 2026-12-24: ${ADDRESS}")`,
      },
    });
  });

  it('is proposed no more once the time is over', () => {
    const quarantine = { state: 'expired', until: '2026-12-24', code: '', where: '' };
    expect(describeAt('2026-12-24T10:00:00.000Z')?.quarantine).toEqual(quarantine);
    expect(describeAt('2026-12-24T09:59:59.000Z')?.quarantine?.state).toBe('proposed');
  });

  it.each([
    ['once', { hits: 1, flaky: 1 }],
    ['in half of its sightings', { hits: 4, flaky: 2 }],
    ['in a language whose tests cannot be skipped in one way', { path: 'test/pay_test.zig' }],
    ['without the name of a test', { test: '' }],
  ])('is not proposed where it passed only %s', (_, how) => {
    expect(describeAt(SEEN, how)?.quarantine).toBeNull();
  });

  it.each([
    ['tests/test_pay.py', 'test_pay (tests.test_pay.PayTest)', '@unittest.skip("flaky until'],
    ['src/pay.test.ts', 'pays once', 'it.skip('],
    ['pay_test.go', 'TestPay', 't.Skip("flaky until'],
    ['tests/pay.rs', 'pays_once', '#[ignore = "flaky until'],
    ['src/test/java/PayTest.java', 'PayTest.paysOnce', '@Disabled("flaky until'],
    ['spec/pay_spec.rb', 'pays once', 'skip "flaky until'],
    ['tests/PayTest.php', 'PayTest::testPay', "$this->markTestSkipped('flaky until"],
  ])('in %s is skipped as its framework has it', (path, test, code) => {
    expect(describeAt(SEEN, { path, test })?.quarantine?.code).toContain(code);
  });

  it('is none where it never passed on the same commit', () => {
    expect(describeAt(SEEN, { flaky: 0 })).toBeNull();
  });
});
