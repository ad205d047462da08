// What a proof comes to, from what the checks say of the tests alone and of the fix.
import { describe, expect, it } from 'vitest';
import {
  type BaseCheck,
  type GreenFacts,
  type HalfCheck,
  judgeGreenHalf,
  judgeRedHalf,
  listThrown,
  type RedFacts,
} from '../../src/core/proof/judge-halves.ts';
import type { OwnTest } from '../../src/core/proof/named-tests.ts';
import { noteChecks, notePassed, type ProofVerdict, refuteByChecks } from '../../src/core/proof/proof.ts';
import { describeProofVerdict, lowerConfidence, toProof, toUnrunProof } from '../../src/core/proof/proof-view.ts';

const ADDS: OwnTest = {
  ...{ file: 'test/cart.test.js', title: 'adds up', parts: ['adds up'], groups: ['cart'] },
  ...{ isTouched: true, isAdded: true },
};
const OWN = { files: ['test/cart.test.js'], tests: [ADDS], groups: ['cart'], asserts: 'result' as const };
const ASSERTION = 'AssertionError [ERR_ASSERTION]: 1 !== 2';
const THROWN = "TypeError: Cannot read properties of undefined (reading '0')";
const AT = '2026-11-23T12:00:00Z';

function check(name: string, state: HalfCheck['state'], more: Partial<HalfCheck> = {}): HalfCheck {
  const blank = {
    app: 'github-actions',
    tests: [],
    firstError: '',
    namesOwn: false,
    showsReported: true,
    isCutShort: false,
    isFlaky: false,
  };
  return { ...blank, name, state, url: `https://github.test/${name}`, at: AT, ...more };
}

function redBy(name: string, tests: readonly string[], firstError = ASSERTION): HalfCheck {
  return check(name, 'red', { tests, firstError, namesOwn: true });
}

function onBase(name: string, state: BaseCheck['state']): BaseCheck {
  return { name, app: 'github-actions', state };
}

function judgeRed(checks: readonly HalfCheck[], more: Partial<RedFacts> = {}) {
  return judgeRedHalf({ base: [], checks, own: OWN, report: '', isLate: false, mayRepeat: false, ...more });
}

const ours = redBy('test', ['adds up']);
const end = (verdict: ProofVerdict) => ({ kind: 'ended', verdict });
const otherwise = (because: object) => end({ state: 'fails_otherwise', because } as ProofVerdict);

describe('the red half', () => {
  const cases: readonly [string, readonly HalfCheck[], Partial<RedFacts>, object][] = [
    ['no check yet', [], {}, { kind: 'wait' }],
    ['one still runs', [ours, check('lint', 'waiting')], {}, { kind: 'wait' }],
    ['no check ever', [], { isLate: true }, end({ state: 'not_run', because: 'no_checks' })],
    ['never ends', [check('test', 'waiting')], { isLate: true }, end({ state: 'not_run', because: 'too_long' })],
    [
      'green, and the test ran',
      [check('test', 'green', { namesOwn: true }), check('lint', 'green')],
      {},
      end({ state: 'not_reproduced', checks: ['test'] }),
    ],
    ['green, and nothing ran the test', [check('lint', 'green')], {}, end({ state: 'not_covered' })],
    [
      'red before it passed',
      [check('test', 'green', { isFlaky: true })],
      {},
      otherwise({ code: 'flaky', checks: ['test'] }),
    ],
    ['passed before it was red', [{ ...ours, isFlaky: true }], {}, otherwise({ code: 'flaky', checks: ['test'] })],
    [
      'another test fails too',
      [redBy('test', ['adds up', 'takes away'])],
      {},
      otherwise({ code: 'other_tests', tests: ['takes away'] }),
    ],
    [
      'another test fails too, the first time',
      [redBy('test', ['adds up', 'takes away'])],
      { mayRepeat: true },
      { kind: 'repeat' },
    ],
    [
      'only another test fails',
      [redBy('test', ['takes away'])],
      { mayRepeat: true },
      otherwise({ code: 'other_tests', tests: ['takes away'] }),
    ],
    [
      'another check fails too',
      [ours, check('lint', 'red', { firstError: 'unused variable' })],
      {},
      otherwise({ code: 'other_checks', checks: ['lint'] }),
    ],
    ['red without names', [check('test', 'red')], {}, otherwise({ code: 'unnamed', checks: ['test'] })],
    [
      'it cannot be imported',
      [redBy('test', ['adds up'], "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/src/nope.js'")],
      {},
      otherwise({ code: 'other_error', line: "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/src/nope.js'" }),
    ],
    [
      'it asserts only that there is no error',
      [ours],
      { own: { ...OWN, asserts: 'no_error' } },
      otherwise({ code: 'hides_error' }),
    ],
    [
      'it asserts nothing, and fails by the reported error itself',
      [redBy('test', ['adds up'], THROWN)],
      { own: { ...OWN, asserts: 'unknown' }, report: `Boom\n${THROWN}\n    at add (cart.js:3:4)` },
      otherwise({ code: 'hides_error' }),
    ],
    [
      'what differs is a snapshot that comes with it',
      [redBy('test', ['adds up'], 'Error: Snapshot `adds up 1` mismatched')],
      { own: { ...OWN, files: [...OWN.files, 'test/__snapshots__/cart.test.js.snap'] } },
      otherwise({ code: 'snapshot' }),
    ],
    [
      'it fails, but not with the reported error',
      [{ ...ours, showsReported: false }],
      { report: `Boom\n${THROWN}\n    at add (cart.js:3:4)` },
      otherwise({ code: 'other_reason', error: 'Cannot read properties of undefined (reading' }),
    ],
    [
      'the same check is red on the base',
      [ours],
      { base: [onBase('test', 'red')] },
      end({ state: 'base_red', checks: ['test'] }),
    ],
    [
      'only what is red on the base is red, and nothing ran the test',
      [redBy('test', ['takes away'])],
      { base: [onBase('test', 'red')] },
      end({ state: 'base_red', checks: ['test'] }),
    ],
    [
      'green, and something else is red on the base as well',
      [check('test', 'green', { namesOwn: true }), check('deploy', 'red')],
      { base: [onBase('deploy', 'red')] },
      end({ state: 'not_reproduced', checks: ['test'] }),
    ],
  ];
  it.each(cases)('%s', (_, checks, more, expected) => expect(judgeRed(checks, more)).toEqual(expected));

  it('is red by our tests alone, in each job of a matrix where they fail', () => {
    const red = { url: 'https://github.test/test (20)', at: AT };
    const judged = judgeRed([redBy('test (20)', ['adds up', 'cart']), check('test (22)', 'green', { namesOwn: true })]);
    const app = 'github-actions';
    expect(judged).toEqual({ kind: 'red', half: { checks: [{ name: 'test (20)', app, red }], turned: ['adds up'] } });
  });

  it("does not wait for ever for another App's check", () => {
    const hanging = check('security/scan', 'waiting', { app: 'scanner' });
    expect(judgeRed([ours, hanging])).toEqual({ kind: 'wait' });
    expect(judgeRed([ours, hanging], { isLate: true })).toMatchObject({ kind: 'red', half: { turned: ['adds up'] } });
  });

  it('accepts what is red on the base elsewhere, and an error that was reported whatever it is', () => {
    const failing = redBy('test', ['adds up'], 'TypeError: cart.items.map is not a function');
    const deploy = check('deploy', 'red');
    const base = [onBase('deploy', 'red'), onBase('test', 'green')];
    expect(judgeRed([failing, deploy], { base }).kind).toBe('ended');
    const report = 'It says\n  TypeError: cart.items.map  is not a function\n    at cart.js:3';
    expect(judgeRed([failing, deploy], { base, report }).kind).toBe('red');
  });
});

it('takes from a report the errors that have a stack trace, without what differs from machine to machine', () => {
  const node = "TypeError: Cannot destructure property 'a' of 'b' as it is undefined.\n    at f (file:///srv/a.js:1:2)";
  const python =
    '  File "/srv/a.py", line 3, in f\n    total = add(basket)\nValueError: no such coupon in /tmp/coupons';
  const prose = 'Error: it just says that something went wrong';
  expect([node, python, prose].map(listThrown)).toEqual([
    ["Cannot destructure property 'a' of 'b' as it is undefined."],
    ['no such coupon in'],
    [],
  ]);
});

const RED = { url: 'https://github.test/red', at: AT };
const HALF = { checks: [{ name: 'test', app: 'github-actions', red: RED }], turned: ['adds up'] };

function judgeGreen(checks: readonly HalfCheck[], more: Partial<GreenFacts> = {}) {
  return judgeGreenHalf({ half: HALF, base: [], checks, isLate: false, ...more });
}

describe('the green half', () => {
  const green = { url: 'https://github.test/test', at: AT };
  const proven = end({ state: 'proven', checks: [{ name: 'test', red: RED, green }], turned: ['adds up'] });
  const cases: readonly [string, readonly HalfCheck[], Partial<GreenFacts>, object][] = [
    ['all pass', [check('test', 'green'), check('lint', 'green')], {}, proven],
    ['no check yet', [], {}, { kind: 'wait' }],
    ['another one still runs', [check('test', 'green'), check('lint', 'waiting')], {}, { kind: 'wait' }],
    ['another one never ends', [check('test', 'green'), check('lint', 'waiting')], { isLate: true }, proven],
    ['red on the base too', [check('test', 'green'), check('lint', 'red')], { base: [onBase('lint', 'red')] }, proven],
    ['still red', [ours, check('lint', 'green')], {}, { kind: 'red', checks: ['test'] }],
    ['another one is red now', [check('test', 'green'), check('lint', 'red')], {}, { kind: 'red', checks: ['lint'] }],
    ['the check is gone', [check('lint', 'green')], {}, end({ state: 'not_covered' })],
    ['never ends', [check('test', 'waiting')], { isLate: true }, end({ state: 'not_run', because: 'too_long' })],
    ['no check ever', [], { isLate: true }, end({ state: 'not_run', because: 'too_long' })],
    ["another App's check of that name", [check('test', 'green', { app: 'other' })], {}, end({ state: 'not_covered' })],
    [
      'it failed before it passed',
      [check('test', 'green', { isFlaky: true })],
      {},
      otherwise({ code: 'flaky', checks: ['test'] }),
    ],
  ];
  it.each(cases)('%s', (_, checks, more, expected) => expect(judgeGreen(checks, more)).toEqual(expected));
});

it('shows a proof only once it has ended, and says why nothing is proven', () => {
  const commits = { base: 'b', testCommit: 't' };
  expect(toProof({ ...commits, phase: 'red', since: AT, hasRepeated: false })).toBeNull();
  const verdict = { state: 'not_reproduced', checks: ['test'] } as const;
  const proof = toProof({ ...commits, phase: 'ended', fixCommit: 'f', verdict, diffHash: '' });
  expect(proof).toEqual({
    ...{ state: 'not_reproduced', ...commits, fixCommit: 'f', checks: [], turned: [], diffHash: '' },
    reason: 'the new test passes without the fix (“test”), so it does not show the reported fault',
  });
  expect([lowerConfidence(0.9, proof), lowerConfidence(0.3, proof), lowerConfidence(0.9, null)]).toEqual([
    0.4, 0.3, 0.9,
  ]);
  expect(describeProofVerdict({ state: 'proven', checks: [], turned: [] })).toBe('');
});

it('is not run where there is no pull request, and says how people can run the test themselves', () => {
  const test = { kind: 'added', path: "test/a'b.test.js", mode: '100644', after: "it('adds', () => {});\n" } as const;
  const fix = { kind: 'added', path: 'src/a.js', mode: '100644', after: 'export const a = 1;\n' } as const;
  const proof = toUnrunProof({ base: 'b', files: [test, fix] }, 'iss_1.patch');
  expect(proof).toMatchObject({ state: 'not_run', base: 'b', checks: [], turned: [] });
  expect(proof?.commands?.[0]).toContain("git apply --include='test/a'\\''b.test.js' iss_1.patch");
  expect(toUnrunProof({ base: 'b', files: [fix] }, 'iss_1.patch')).toBeNull();
});

describe('a proof that has ended', () => {
  const ended = (verdict: ProofVerdict) =>
    ({ base: 'b', testCommit: '', phase: 'ended', fixCommit: 'f', verdict, diffHash: '' }) as const;
  const noCi = ended({ state: 'not_run', because: 'no_ci', tests: ["a'b.test.js"] });
  const red = { base: 'b', head: 'f', checks: ['CI'] };

  it('is no longer “not run” once checks are seen to run with the fix, whatever kept them from running before', () => {
    expect(noteChecks(noCi, [])).toBe(noCi);
    const seen = noteChecks(noCi, [{ name: 'CI' }]);
    expect(toProof(seen, 7)).toMatchObject({
      state: 'not_covered',
      reason: 'no CI was found when this was opened; CI was only seen with the fix (“CI”)',
    });
    const pushed = ended({ state: 'not_run', because: 'pushed' });
    expect(noteChecks(pushed, [{ name: 'CI' }])).toBe(pushed);
  });

  it('names commands for its own pull request, of files that a clone gets by them', () => {
    expect(toProof(noCi, 7)?.commands).toEqual([
      'git fetch origin pull/7/head',
      'git switch --detach b',
      "git checkout FETCH_HEAD -- 'a'\\''b.test.js'   # the tests alone: they should fail",
      'git switch --detach FETCH_HEAD   # and the fix: they should pass',
    ]);
    expect(toProof(noCi)).not.toHaveProperty('commands');
  });

  it.each([
    ['no proof', undefined],
    ['one that was not run', noCi],
  ] as const)('lowers the confidence after the last attempt where checks still fail, with %s', (_, before) => {
    const after = toProof(refuteByChecks(before, red));
    expect(after).toMatchObject({ state: 'fails_otherwise', fixCommit: 'f', failing: ['CI'] });
    expect(lowerConfidence(0.79, after)).toBe(0.4);
  });

  it('takes checks for flaky that passed at the commit that they fail at, before or after', () => {
    const proven = ended({ state: 'proven', checks: [], turned: [] });
    const refuted = refuteByChecks(noCi, red);
    const passed = refuted.phase === 'ended' ? notePassed(refuted) : refuted;
    for (const proof of [refuteByChecks(proven, red), passed]) {
      expect(toProof(proof)?.reason).toBe('“CI” both passed and failed at the same commit');
      expect(toProof(proof)).not.toHaveProperty('failing');
    }
  });

  it('says which kind of CI was seen where that has no log: commit statuses', () => {
    const status = {
      name: 'ci/circleci',
      app: '',
      state: 'green',
      url: '',
      at: '',
      tests: [],
      firstError: '',
    } as const;
    const checks = [{ ...status, namesOwn: false, showsReported: false, isCutShort: false, isFlaky: false }];
    const own = { ...OWN, files: ['a.test.js'] };
    const judged = judgeRedHalf({ base: [], checks, own, report: '', isLate: false, mayRepeat: true });
    expect(judged.kind === 'ended' && describeProofVerdict(judged.verdict)).toMatch(/^only commit statuses were seen/);
  });
});
