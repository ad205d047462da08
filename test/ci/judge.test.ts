// The verdict on a red check, and its reasons.

import { type ReadCheck, readCheck } from 'causeway-ci-log';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionsLog, JEST, TSC } from '../../packages/ci-log/test/logs.ts';
import { type CheckEvidence, type FailureHistory, type Judgement, judgeCheck } from '../../src/ci/judge.ts';
import { describeReason } from '../../src/core/check/check.ts';

function read(output: readonly string[], end?: string): ReadCheck {
  return readCheck({ name: 'test (20)', output: '', log: actionsLog('npm test', output, end), annotations: [] });
}

const HISTORY: FailureHistory = { isOpenOnDefault: false, hits: 7, flakyHits: 0, pullRequests: 4, branches: 0 };

const GREEN = { name: 'test (20)', state: 'green', sameCause: null } as const;

const UNKNOWN = { ...GREEN, state: 'unknown' } as const;

function evidence(part: Partial<CheckEvidence> = {}): CheckEvidence {
  return {
    name: 'test (20)',
    conclusion: 'failure',
    read: read(JEST),
    passedHere: false,
    base: GREEN,
    history: null,
    changed: null,
    isOnDefault: false,
    ...part,
  };
}

const red = (sameCause: boolean | null) => ({ name: 'test (20)', state: 'red', sameCause }) as const;

const DISK = read(['cc: No space left on device']);

function wordsOf({ reasons }: Judgement): readonly string[] {
  return reasons.map(describeReason);
}

describe('the verdict', () => {
  it.each<[string, Partial<CheckEvidence>, string, string]>([
    ['passed at the same commit', { passedHere: true, base: red(true) }, 'flaky', 'it also passed on this commit'],
    [
      'the machine failed',
      { read: DISK, base: red(true) },
      'infrastructure',
      'the disk of the machine was full: “cc: No space left on device”',
    ],
    [
      'the base is red for the same cause',
      { base: red(true) },
      'base_broken',
      '`test (20)` fails on the base too, for the same reason',
    ],
    [
      'the base is red, its cause not known',
      { base: red(null) },
      'base_broken',
      '`test (20)` fails on the base too; unclear whether for the same reason',
    ],
    [
      'the failure is open on the default branch',
      { history: { ...HISTORY, isOpenOnDefault: true } },
      'base_broken',
      'the default branch has the same failure',
    ],
    [
      'the base is red for another cause',
      { base: red(false) },
      'code',
      '“coupons › takes the discount off once” failed',
    ],
    [
      'it mostly passes when run again',
      { history: { ...HISTORY, flakyHits: 5 } },
      'flaky',
      'seen 7 times before on 4 other pull requests, 5 of them passed on a re-run',
    ],
    [
      'it seldom passes when run again',
      { history: { ...HISTORY, flakyHits: 2 } },
      'code',
      '“coupons › takes the discount off once” failed',
    ],
    [
      'it was flaky once only',
      { history: { ...HISTORY, hits: 1, flakyHits: 1 } },
      'code',
      '“coupons › takes the discount off once” failed',
    ],
    [
      'nothing tells',
      { read: read(['ok']) },
      'inconclusive',
      "it failed, but its log, annotations and summary don't say why",
    ],
    [
      'time ran out',
      { read: read(['waiting'], "The action 'Test' has timed out after 360 minutes.") },
      'inconclusive',
      'it timed out or was stopped without saying what was slow',
    ],
    [
      'time ran out, and nothing else is said',
      { read: read([]), conclusion: 'timed_out' },
      'inconclusive',
      'it timed out or was stopped without saying what was slow',
    ],
    [
      'time ran out after a test failed',
      { conclusion: 'timed_out' },
      'code',
      '“coupons › takes the discount off once” failed',
    ],
    [
      'a line does not compile',
      { read: read(['a.ts(1,2): error TS1005: ; expected']) },
      'code',
      'it says: “a.ts(1,2): error TS1005: ; expected”',
    ],
  ])('where %s', (_, part, verdict, reason) => {
    const judged = judgeCheck(evidence(part));
    expect(judged.verdict).toBe(verdict);
    expect(wordsOf(judged)[0]).toBe(reason);
  });

  it('is the code’s the more where the change touches the place of the failure', () => {
    const judged = judgeCheck(evidence({ changed: { paths: ['docs/a.md', 'src/coupons.js'], isCut: false } }));
    expect(judged).toMatchObject({ verdict: 'code' });
    expect(wordsOf(judged)[0]).toBe('the change touches src/coupons.js, where the check fails');
  });

  it('says that no change touches it, unless the list of changes is cut', () => {
    const reason = 'the failure names no file that the change touches';
    expect(wordsOf(judgeCheck(evidence({ changed: { paths: ['docs/a.md'], isCut: false } })))).toContain(reason);
    expect(wordsOf(judgeCheck(evidence({ changed: { paths: ['docs/a.md'], isCut: true } })))).not.toContain(reason);
  });

  it('says that the change touches dependencies where the failure names no file of it', () => {
    const paths = ['web/pnpm-lock.yaml', 'docs/a.md', 'package.json'];
    expect(wordsOf(judgeCheck(evidence({ changed: { paths, isCut: false } })))).toContain(
      'the change touches dependencies (package.json and web/pnpm-lock.yaml), but no file that the failure names',
    );
  });

  it('tells tests that are red on the base from those that only fail here', () => {
    const log = ['  2 failing', '', '  1) Cart', '       adds:', '     Error: 1 != 2', '', '  2) Cart', '       pays:'];
    const found = read([...log, '     Error: Timeout of 2000ms exceeded.']);
    expect(found.excerpt.tests).toEqual(['Cart adds', 'Cart pays']);
    const words = wordsOf(judgeCheck(evidence({ read: found, base: { ...red(false), tests: ['Cart pays'] } })));
    expect(words).toContain('“Cart adds” failed');
    expect(words).toContain('`test (20)` fails on the base too, for another reason; “Cart pays” failed there already');
  });

  it('is broken on the base where every test that fails here fails there', () => {
    const found = read(['--- FAIL: TestAdds (0.00s)', '    cart_test.go:3: no', 'FAIL']);
    const there = { ...red(false), tests: ['TestAdds', 'TestPays'] };
    const judged = judgeCheck(evidence({ read: found, base: there }));
    expect(judged.verdict).toBe('base_broken');
    expect(wordsOf(judged)[0]).toBe(
      '`test (20)` fails on the base too, for the same reason; “TestAdds” failed there already',
    );
    expect(judgeCheck(evidence({ read: found, base: there, isOnDefault: true })).verdict).toBe('code');
    const other = { ...found, before: { tests: ['TestAdds'], isAll: false } };
    expect(judgeCheck(evidence({ read: other, base: there })).verdict).toBe('code');
  });

  it('is open, and not the change’s, where that is documentation which nothing that failed reads', () => {
    const changed = { paths: ['README.md'], isCut: false };
    const judged = judgeCheck(evidence({ changed, isUnreadDocumentation: true }));
    expect(judged.verdict).toBe('inconclusive');
    expect(wordsOf(judged)[0]).toBe(
      'the change touches documentation alone (README.md), which no test that failed reads',
    );
    expect(judgeCheck(evidence({ changed, isUnreadDocumentation: true, base: red(true) })).verdict).toBe('base_broken');
    expect(judgeCheck(evidence({ changed })).verdict).toBe('code');
  });

  it('knows a class by its file', () => {
    const found = read(['[ERROR] com.acme.shop.CartTest.adds  Time elapsed: 0.006 s  <<< FAILURE!']);
    const judged = judgeCheck(
      evidence({ read: found, changed: { paths: ['src/test/java/com/acme/shop/CartTest.java'], isCut: false } }),
    );
    expect(wordsOf(judged)[0]).toContain('CartTest.java, where the check fails');
  });

  it('is open where the base is not known and nothing ties the failure to the change', () => {
    const judged = judgeCheck(evidence({ base: UNKNOWN, changed: { paths: ['docs/a.md'], isCut: false } }));
    expect(judged.verdict).toBe('inconclusive');
    expect(wordsOf(judged).at(-1)).toBe(
      'no CI result for `test (20)` on the base branch, and no direct link to the changed files',
    );
    const touched = { paths: ['src/coupons.js'], isCut: false };
    expect(judgeCheck(evidence({ base: UNKNOWN, changed: touched })).verdict).toBe('code');
    expect(judgeCheck(evidence({ base: UNKNOWN, isOnDefault: true })).verdict).toBe('code');
  });

  const WAY = { to: 'code', path: ['test/shop.test.js', 'src/shop.js', 'src/coupons.js'] } as const;

  it('is open where the failing test only uses what the change touches, and leans to the change where that says something', () => {
    const changed = { paths: ['src/a.js', 'src/b.js'], isCut: false };
    const given = {
      base: UNKNOWN,
      changed,
      ties: [{ path: 'src/a.js', kind: 'used', test: 'test/shop.test.js' }],
    } as const;
    const used = judgeCheck(evidence(given));
    expect(used).toMatchObject({ verdict: 'inconclusive' });
    expect(used.leaning).toBeUndefined();
    expect(wordsOf(used)[0]).toBe('the change touches src/a.js, which test/shop.test.js uses');
    expect(wordsOf(used).at(-1)).toBe('no CI result for `test (20)` on the base branch');
    const leaning = judgeCheck(evidence({ ...given, leaning: WAY }));
    expect(leaning).toMatchObject({ verdict: 'inconclusive', leaning: WAY });
    expect(wordsOf(leaning)[0]).toBe(
      'the change touches src/coupons.js, which test/shop.test.js uses through src/shop.js',
    );
    expect(wordsOf(leaning).at(-1)).toBe('no CI result for `test (20)` on the base branch');
  });

  it.each<[string, Partial<CheckEvidence>]>([
    ['another pull request has the failure too', { history: HISTORY }],
    ['the files of the change are not all known', { changed: { paths: ['docs/a.md'], isCut: true } }],
    ['they are not known at all', { changed: null }],
    ['something certain is found', { changed: { paths: ['src/coupons.js'], isCut: false } }],
    ['the base is known', { base: GREEN }],
    ['there is no base', { isOnDefault: true }],
  ])('leans to nothing where %s', (_, part) => {
    const changed = { paths: ['docs/a.md'], isCut: false };
    const judged = judgeCheck(evidence({ base: UNKNOWN, changed, leaning: WAY, ...part }));
    expect(judged.leaning).toBeUndefined();
  });

  it('does not say of the only source that a change touches that nothing links it', () => {
    const isLinkDenied = (paths: readonly string[]) =>
      wordsOf(judgeCheck(evidence({ base: UNKNOWN, changed: { paths, isCut: false } })))
        .at(-1)
        ?.endsWith('no direct link to the changed files');
    expect(isLinkDenied(['src/tax.js', 'README.md', 'test/tax.test.js'])).toBe(false);
    expect(isLinkDenied(['src/tax.js', 'src/till.js'])).toBe(true);
    expect(isLinkDenied(['README.md'])).toBe(true);
  });

  it('tells that the base is green', () => {
    const base = { name: 'test (20)', state: 'green', sameCause: null } as const;
    expect(wordsOf(judgeCheck(evidence({ base })))).toContain('`test (20)` passes on the base');
  });
});

function readOutput(output: readonly string[]): ReadCheck {
  return readCheck({ name: 'test (20)', output: '', log: actionsLog('npm test', output), annotations: [] });
}

const FULL_DISK = readOutput(['cc: No space left on device']);

describe('for any evidence', () => {
  const history = fc.option(
    fc.record({
      isOpenOnDefault: fc.boolean(),
      hits: fc.nat({ max: 9 }),
      flakyHits: fc.nat({ max: 9 }),
      pullRequests: fc.nat({ max: 3 }),
      branches: fc.nat({ max: 3 }),
    }),
  );
  const any: fc.Arbitrary<CheckEvidence> = fc.record({
    name: fc.constantFrom('test (20)', ''),
    conclusion: fc.constantFrom('failure', 'timed_out', 'error'),
    read: fc.constantFrom(readOutput(JEST), readOutput(TSC), FULL_DISK, readOutput([])),
    passedHere: fc.boolean(),
    base: fc.record({
      name: fc.constantFrom('test (20)', ''),
      state: fc.constantFrom('green', 'red', 'unknown'),
      sameCause: fc.constantFrom(true, false, null),
    }),
    history,
    changed: fc.option(
      fc.record({ paths: fc.subarray(['src/coupons.js', 'src/cart.ts', 'a.md']), isCut: fc.boolean() }),
    ),
    isOnDefault: fc.boolean(),
  });

  it('there are reasons, and none is empty', () => {
    fc.assert(
      fc.property(any, (given) => {
        const { reasons } = judgeCheck(given);
        expect(reasons.length).toBeGreaterThan(0);
        expect(reasons.every((reason) => describeReason(reason).trim() !== '')).toBe(true);
      }),
    );
  });

  it('the default branch is never excused by itself', () => {
    fc.assert(
      fc.property(any, (given) => {
        expect(judgeCheck({ ...given, isOnDefault: true }).verdict).not.toBe('base_broken');
      }),
    );
  });

  it('its order changes nothing', () => {
    fc.assert(
      fc.property(any, (given) => {
        const { changed, read: found } = given;
        const turned: CheckEvidence = {
          ...given,
          read: { ...found, places: found.places.toReversed() },
          changed: changed && { ...changed, paths: changed.paths.toReversed() },
        };
        expect(judgeCheck(turned)).toEqual(judgeCheck(given));
      }),
    );
  });
});

describe('of a check without a log', () => {
  const said = (output: string, log = '') => readCheck({ name: 'ci/other', output, log, annotations: [] });

  it('quotes what it says that names no cause, and stays open', () => {
    expect(judgeCheck(evidence({ read: said('71.42% of diff hit (target 88.00%)') }))).toMatchObject({
      verdict: 'inconclusive',
      reasons: [
        { code: 'says', headline: '71.42% of diff hit (target 88.00%)', isAll: true },
        { code: 'green_on_base' },
      ],
    });
  });

  it('says so where nothing tells', () => {
    const silent = said('', actionsLog('make check', ['working', 'done']));
    expect(judgeCheck(evidence({ read: silent })).reasons[0]).toEqual({ code: 'says_nothing' });
  });
});

describe('tests that failed together', () => {
  const once: FailureHistory = { ...HISTORY, hits: 1, flakyHits: 1, pullRequests: 0, branches: 1 };
  const twice = { ...once, hits: 2, flakyHits: 2 };

  it('are chance where each has passed on a re-run whenever it failed, and together they did so three times', () => {
    const judged = judgeCheck(evidence({ ofTests: [twice, once] }));
    expect(judged.verdict).toBe('flaky');
    expect(wordsOf(judged)[0]).toBe('seen once before on 1 other branch, where it passed on a re-run');
  });

  it.each<[string, readonly FailureHistory[]]>([
    ['one failed for good before', [twice, { ...twice, hits: 3 }, once]],
    ['one never failed before', [twice, twice, { ...once, hits: 0, flakyHits: 0 }]],
    ['they say so too seldom', [once, once]],
    ['there is only one, once', [once]],
  ])('are not where %s', (_, ofTests) => {
    expect(judgeCheck(evidence({ ofTests })).verdict).toBe('code');
  });
});
