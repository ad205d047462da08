// Whose word counts: outsiders, other Apps and other heads at work make nothing of the default branch look better than it is.
import { describe, expect, it } from 'vitest';
import { CODE_LOG, HEAD, type HeadGround, headGround, logOf, pullRequestPlace } from '../support/head-ground.ts';
import { ON_MAIN, at as time } from '../support/store-samples.ts';

type Changes = Parameters<typeof pullRequestPlace>[0];

const FORK: Changes = { isFork: true, isTrusted: false };

/** Commits of one pull request each at which the same check was red and then passed, as often as they are. */
async function flakyIn(at: HeadGround, count: number, changes: Changes) {
  for (let number = 1; number <= count; number += 1) {
    const sha = String(number).repeat(40);
    at.world.places.set(sha, pullRequestPlace({ number, sha, branch: `fork-${number}`, ...changes }));
    // However many jobs a matrix has, it is one commit.
    for (const name of ['test (1)', 'test (2)', 'test (3)']) {
      at.run(name, 'red', { sha, log: CODE_LOG });
      at.run(name, 'green', { sha });
    }
    await at.look(sha);
  }
}

async function redHere(at: HeadGround, place: Parameters<HeadGround['world']['places']['set']>[1]) {
  at.world.places.set(HEAD, place);
  at.run('test', 'red', { log: CODE_LOG });
  return (await at.look()).head.findings[0]!;
}

describe('what passes and fails at one commit of forks', () => {
  it.each([
    ['the default branch', ON_MAIN],
    ['a pull request of somebody with write', pullRequestPlace({ number: 9 })],
  ])('is not chance on %s', async (_, place) => {
    await using at = await headGround();
    await flakyIn(at, 3, FORK);
    const finding = await redHere(at, place);
    expect(finding).toMatchObject({ verdict: 'code', investigationId: expect.any(String) });
    expect(finding.reasons.map(({ code }) => code)).not.toContain('seen_before');
  });

  it('is chance on a pull request of theirs', async () => {
    await using at = await headGround();
    await flakyIn(at, 3, FORK);
    const finding = await redHere(at, pullRequestPlace({ number: 9, ...FORK }));
    expect(finding.verdict).toBe('flaky');
    expect(finding.reasons).toContainEqual(
      expect.objectContaining({ code: 'seen_before', hits: 3, flakyHits: 3, pullRequests: 3 }),
    );
  });
});

describe('what passes and fails at one commit of trusted pull requests', () => {
  it('is chance on another, by commits and not by jobs', async () => {
    await using one = await headGround();
    await flakyIn(one, 1, {});
    expect((await redHere(one, pullRequestPlace({ number: 9 }))).verdict).toBe('code');
    await using two = await headGround();
    await flakyIn(two, 2, {});
    expect((await redHere(two, pullRequestPlace({ number: 9 }))).verdict).toBe('flaky');
  });

  it('is chance on the default branch only where it was seen there as well', async () => {
    await using at = await headGround();
    await flakyIn(at, 3, {});
    expect((await redHere(at, ON_MAIN)).verdict).toBe('code');
    at.run('test', 'green');
    await at.look();
    const next = 'e'.repeat(40);
    at.world.places.set(next, ON_MAIN);
    at.run('test', 'red', { sha: next, log: CODE_LOG });
    expect((await at.look(next)).head.findings[0]?.verdict).toBe('flaky');
  });
});

it('a fork that fails as the default branch did has no other pull request excused', async () => {
  await using at = await headGround();
  const main = 'e'.repeat(40);
  at.world.places.set(main, ON_MAIN);
  at.run('other', 'red', { sha: main, log: CODE_LOG });
  await at.look(main);
  at.seconds = 600;
  at.run('test', 'green', { sha: 'b'.repeat(40) });
  at.seconds = 1_200;
  const fork = '1'.repeat(40);
  at.world.places.set(fork, pullRequestPlace({ number: 1, sha: fork, ...FORK }));
  at.run('test', 'red', { sha: fork, log: CODE_LOG });
  await at.look(fork);
  expect((await redHere(at, pullRequestPlace({ number: 9 }))).verdict).toBe('code');
});

describe('a check of one name', () => {
  it.each(['another-ci', ''])('of %j closes nothing of another that does not run any more', async (app) => {
    await using at = await headGround();
    const next = 'e'.repeat(40);
    at.world.history.push(HEAD, next);
    const { failureId } = await redHere(at, { ...ON_MAIN, isBehind: true } as typeof ON_MAIN);
    at.seconds = 60;
    at.world.places.set(next, ON_MAIN);
    at.run('test', 'green', { sha: next, app });
    expect((await at.look(next)).head.state).toBe('green');
    expect(await at.store.findFailure(failureId)).toMatchObject({ state: 'open' });
    at.run('test', 'green', { sha: next });
    await at.look(next);
    expect(await at.store.findFailure(failureId)).toMatchObject({ state: 'closed' });
  });

  it.each(['another-ci', ''])('of %j that is green closes nothing of another that is red beside it', async (app) => {
    await using at = await headGround();
    at.run('test', 'green', { app });
    const { failureId } = await redHere(at, ON_MAIN);
    expect(await at.store.findFailure(failureId)).toMatchObject({ state: 'open' });
    expect((await at.look()).head.state).toBe('red');
    expect(await at.store.findFailure(failureId)).toMatchObject({ state: 'open' });
  });
});

describe('the commit of a pull request that becomes the default branch as it is', () => {
  it('is judged as the default branch, and investigated', async () => {
    await using at = await headGround();
    at.run('test', 'red', { sha: 'b'.repeat(40), log: CODE_LOG });
    const before = await redHere(at, pullRequestPlace(FORK));
    expect(before).toMatchObject({ verdict: 'base_broken', investigationId: null });
    at.seconds = 60;
    await at.store.closeFailuresOfPullRequest(at.project.id, 5, time(60));
    at.world.places.set(HEAD, ON_MAIN);
    const [finding] = (await at.look()).head.findings;
    expect(finding).toMatchObject({
      failureId: before.failureId,
      verdict: 'code',
      investigationId: expect.any(String),
    });
    expect(await at.store.findFailure(before.failureId)).toMatchObject({ state: 'open', isOnDefault: true, hits: 1 });
    expect((await at.look()).head.findings).toEqual([finding]);
  });

  it('keeps what it was told where it is set aside', async () => {
    await using at = await headGround();
    const before = await redHere(at, pullRequestPlace());
    at.world.places.set(HEAD, { kind: 'branch', branch: 'causeway/fix' });
    expect((await at.look()).head).toMatchObject({ state: 'ignored', findings: [before] });
  });
});

it('what became red in a pull request before its earlier green was looked at stays open', async () => {
  await using at = await headGround();
  const { failureId } = await redHere(at, pullRequestPlace());
  const mended = '6'.repeat(40);
  at.world.places.set(mended, pullRequestPlace({ sha: mended }));
  at.seconds = 60;
  at.run('test', 'green', { sha: mended });
  at.seconds = 120;
  at.world.before = (verb) => {
    // Another head of the pull request is red by now, and not yet looked at.
    if (verb === 'of') at.seconds = 180;
  };
  expect((await at.look(mended)).head.state).toBe('green');
  expect(await at.store.findFailure(failureId)).toMatchObject({ state: 'closed', closed: { at: time(60) } });
  const next = '7'.repeat(40);
  at.world.places.set(next, pullRequestPlace({ sha: next }));
  at.run('test', 'red', { sha: next, log: CODE_LOG, endedAt: time(90) });
  await at.look(next);
  expect(await at.store.findFailure(failureId)).toMatchObject({ state: 'open', opening: 2 });
});

it('heads that are looked at at once begin no more than a day has room for, but one for each of the others', async () => {
  await using at = await headGround();
  const shas = ['1', '2', '3', '4', '5', '6'].map((digit) => digit.repeat(40));
  for (const [number, sha] of shas.entries()) {
    at.world.places.set(sha, pullRequestPlace({ number: number + 1, sha, branch: `topic-${number}` }));
    for (let cause = 0; cause < 5; cause += 1) at.run(`check ${cause}`, 'red', { sha, log: logOf(number * 5 + cause) });
  }
  for (const sha of shas.slice(0, 3)) await at.look(sha);
  await Promise.all(shas.slice(3).map((sha) => at.look(sha)));
  const begun = await at.store.listInvestigations({ projectIds: [at.project.id], limit: 99 });
  expect(begun.length).toBeGreaterThanOrEqual(20);
  expect(begun.length).toBeLessThanOrEqual(20 + 2);
});

describe('a failed test of which other sets of failed tests are known', () => {
  const logOfTests = (tests: readonly string[]) =>
    [
      '##[group]Run pytest',
      ...tests.map((test) => `FAILED tests/test_time.py::${test} - assert 14 == 12`),
      `${tests.length} failed in 0.12s`,
      '##[error]Process completed with exit code 1.',
    ].join('\n');

  /** Of each pull request the tests that failed, and whether its check passed when it was run again. */
  async function verdictAfter(past: readonly (readonly [string, boolean])[], tests: string, changes: Changes = {}) {
    await using at = await headGround();
    for (const [index, [failed, passes]] of past.entries()) {
      const [number, sha] = [index + 1, String(index + 1).repeat(40)];
      at.world.places.set(sha, pullRequestPlace({ number, sha, branch: `topic-${number}`, ...changes }));
      at.run('test', 'red', { sha, log: logOfTests(failed.split(' ')) });
      if (passes) at.run('test', 'green', { sha });
      await at.look(sha);
    }
    at.world.places.set(HEAD, pullRequestPlace({ number: 9 }));
    at.run('test', 'red', { log: logOfTests(tests.split(' ')) });
    return (await at.look()).head.findings[0]!;
  }

  const TWICE = [
    ['test_slow', true],
    ['test_slow test_slower', true],
  ] as const;

  it('is chance where each of its tests has been so at two commits, and mostly', async () => {
    expect(await verdictAfter(TWICE, 'test_slow')).toMatchObject({
      verdict: 'flaky',
      reasons: [{ code: 'seen_before', hits: 2, flakyHits: 2, pullRequests: 2 }],
    });
    expect((await verdictAfter([...TWICE, ['test_slower', true]], 'test_slow test_slower')).verdict).toBe('flaky');
  });

  it.each<[string, Parameters<typeof verdictAfter>]>([
    ['another test fails with it', [TWICE, 'test_slow test_sum']],
    ['one of its tests was chance only once', [TWICE, 'test_slower']],
    ['it mostly fails for good', [[...TWICE, ['test_slow test_a', false], ['test_slow test_b', false]], 'test_slow']],
    [
      'a test of a longer name was',
      [
        [
          ['test_slower', true],
          ['test_slower test_a', true],
        ],
        'test_slow',
      ],
    ],
    ['it was so in forks', [TWICE, 'test_slow', FORK]],
  ])('is not where %s', async (_, given) => {
    expect((await verdictAfter(...given)).verdict).toBe('code');
  });
});
