// Commits end their checks in another order than they were pushed in: what contains what decides, not which came later.
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/core/check/head.ts';
import type { Outcome } from '../../src/core/outcome/answer-outcome.ts';
import { CODE_LOG, CODE_WORDS, type HeadGround, headGround, pullRequestPlace } from '../support/head-ground.ts';
import { conclusion, ON_MAIN, ofActions, at as time } from '../support/store-samples.ts';

const OLD = '1'.repeat(40);
const MID = '2'.repeat(40);
const NEW = '3'.repeat(40);

/** A default branch with three commits, the newest at its tip. */
async function branch(): Promise<HeadGround> {
  const at = await headGround();
  at.world.history.push(OLD, MID, NEW);
  for (const sha of [OLD, MID]) at.world.places.set(sha, { ...ON_MAIN, isBehind: true } as typeof ON_MAIN);
  at.world.places.set(NEW, ON_MAIN);
  return at;
}

describe('a late green of the default branch', () => {
  it('closes nothing that a newer commit has broken, but at that commit or at one that contains it', async () => {
    await using at = await branch();
    at.run('test', 'red', { sha: MID, log: CODE_LOG });
    const { failureId } = (await at.look(MID)).head.findings[0]!;
    const state = async () => (await at.store.findFailure(failureId))?.state;
    at.seconds = 300;
    at.run('test', 'green', { sha: OLD });
    await at.look(OLD);
    expect(await state()).toBe('open');
    at.world.asked.length = 0;
    at.run('test', 'green', { sha: NEW });
    await at.look(NEW);
    expect(await state()).toBe('closed');
    // The tip contains all that stands on its branch.
    expect(at.world.asked.filter((call) => call.startsWith('leads'))).toEqual([]);
  });

  it('closes nothing where a check passed when it was run again at the same commit: that was chance', async () => {
    await using at = await branch();
    at.run('test', 'red', { sha: NEW, log: CODE_LOG });
    const { failureId } = (await at.look(NEW)).head.findings[0]!;
    at.seconds = 300;
    at.run('test', 'green', { sha: NEW });
    expect((await at.look(NEW)).head).toMatchObject({ state: 'green', findings: [{ verdict: 'flaky' }] });
    expect(await at.store.findFailure(failureId)).toMatchObject({ state: 'open', flakyHits: 1 });
  });

  it('closes what is red before it where others stand on it by now', async () => {
    await using at = await branch();
    at.run('test', 'red', { sha: OLD, log: CODE_LOG });
    const { failureId } = (await at.look(OLD)).head.findings[0]!;
    at.seconds = 300;
    at.run('test', 'green', { sha: MID });
    await at.look(MID);
    expect(await at.store.findFailure(failureId)).toMatchObject({ state: 'closed', closed: { sha: MID } });
  });

  it("of a fork's branch that is called as ours is closes nothing, though it contains the red commit", async () => {
    await using at = await branch();
    const fork = '4'.repeat(40);
    at.world.history.push(fork);
    at.run('test', 'red', { sha: MID, log: CODE_LOG });
    const { failureId } = (await at.look(MID)).head.findings[0]!;
    await at.store.recordPassingCheck(at.project.id, { check: ofActions('test'), sha: fork, at: time(200) });
    at.seconds = 300;
    at.run('lint', 'green', { sha: NEW });
    await at.look(NEW);
    expect(await at.store.findFailure(failureId)).toMatchObject({ state: 'open' });
  });

  it.each([
    ['an older', OLD, 'red'],
    ['a newer', NEW, 'superseded'],
  ])('of %s commit leaves a red one', async (_, green, state) => {
    await using at = await branch();
    at.run('test', 'red', { sha: MID, log: CODE_LOG });
    await at.store.recordPassingCheck(at.project.id, { check: ofActions('test'), sha: green, at: time(-1) });
    expect((await at.look(MID)).head.state).toBe(state);
  });

  it('of a newer commit is not where the range begins', async () => {
    await using at = await branch();
    at.run('test', 'red', { sha: MID, log: CODE_LOG });
    await at.store.recordPassingCheck(at.project.id, { check: ofActions('test'), sha: OLD, at: time(-3_600) });
    await at.store.recordPassingCheck(at.project.id, { check: ofActions('test'), sha: NEW, at: time(-1_800) });
    const { failureId } = (await at.look(MID)).head.findings[0]!;
    expect((await at.store.findFailure(failureId))?.range).toMatchObject({ from: OLD, to: MID, total: 1 });
  });
});

describe('a failure of several pull requests', () => {
  const place = (number: number, sha: string, changes: Parameters<typeof pullRequestPlace>[0] = {}) =>
    pullRequestPlace({ number, sha, branch: `topic-${number}`, ...changes });

  /** `file`: what the pull request changes. */
  async function red(at: HeadGround, number: number, sha: string, { file = 'src/cart.py', isDraft = false } = {}) {
    at.world.places.set(sha, place(number, sha, { isDraft }));
    at.world.changed.set(sha, { paths: [file], isCut: false });
    at.run('test', 'red', { sha, log: CODE_LOG, words: CODE_WORDS });
    return (await at.look(sha)).head.findings[0]!;
  }

  it('is linked to what was begun elsewhere only as long as it is open there', async () => {
    await using at = await headGround();
    const first = await red(at, 5, OLD);
    expect(await red(at, 6, MID)).toMatchObject({ investigationId: first.investigationId, isOwnThread: false });
    await at.store.closeFailuresOfPullRequest(at.project.id, 5, time(1));
    at.seconds = 2;
    // What a head was told stays: it is not investigated next to that.
    expect((await at.look(MID)).head.findings[0]).toMatchObject({ investigationId: first.investigationId });
    const draft = await red(at, 7, '7'.repeat(40), { isDraft: true });
    expect(draft).toMatchObject({ investigationId: null, threadId: null });
    const own = await red(at, 6, NEW);
    expect(own).toMatchObject({ investigationId: expect.any(String), isOwnThread: true });
    expect(own.investigationId).not.toBe(first.investigationId);
    expect((await at.look(NEW)).head.findings[0]).toEqual(own);
  });

  it('is linked to what was begun in one that is over while it is open on the default branch', async () => {
    await using at = await headGround();
    const first = await red(at, 5, OLD);
    at.world.places.set(NEW, ON_MAIN);
    at.run('test', 'red', { sha: NEW, log: CODE_LOG, words: CODE_WORDS });
    await at.look(NEW);
    await at.store.closeFailuresOfPullRequest(at.project.id, 5, time(1));
    at.seconds = 2;
    expect((await red(at, 6, MID)).investigationId).toBe(first.investigationId);
  });

  async function conclude(at: HeadGround, { investigationId }: Finding, outcome: Outcome): Promise<void> {
    const { runId } = (await at.store.findInvestigation(investigationId ?? ''))!;
    const run = (await at.store.startRun(runId, time(at.seconds)))!;
    const { analysis, ...rest } = conclusion();
    await at.store.conclude(run, { ...rest, analysis: { ...analysis, outcome } }, time(at.seconds));
  }

  it('has one investigation for each change that may be its cause, and each pull request keeps its own', async () => {
    await using at = await headGround();
    const first = await red(at, 5, OLD, { file: 'src/money.py' });
    await conclude(at, first, 'code_fix');
    const second = await red(at, 6, MID);
    expect(second).toMatchObject({ isOwnThread: true, sharedFrom: null, notBegun: null });
    expect(second.investigationId).not.toBe(first.investigationId);
    const third = await red(at, 7, NEW);
    expect(third).toMatchObject({ investigationId: second.investigationId, isOwnThread: false, sharedFrom: 6 });
    const later = await red(at, 5, '7'.repeat(40), { file: 'src/money.py' });
    expect(later).toMatchObject({ investigationId: first.investigationId, isOwnThread: true, sharedFrom: null });
    expect((await at.look(MID)).head.findings).toEqual([second]);
    expect(await at.store.listInvestigations({ projectIds: [at.project.id], limit: 9 })).toHaveLength(2);
    // The first one's change reaches the default branch.
    const last = '7'.repeat(40);
    at.world.places.set(last, place(5, last, { isClosed: true }));
    await at.look(last);
    at.world.places.set('8'.repeat(40), ON_MAIN);
    at.run('test', 'red', { sha: '8'.repeat(40), log: CODE_LOG, words: CODE_WORDS });
    const [onDefault] = (await at.look('8'.repeat(40))).head.findings;
    expect(onDefault).toMatchObject({ investigationId: first.investigationId, isOwnThread: false });
  });

  it.each(['inconclusive', 'needs_information', 'facts_only', 'gave_up'] as const)(
    'is investigated itself where that of the same change ends %s, before or after it is seen',
    async (outcome) => {
      await using at = await headGround();
      const end = async (finding: Finding) => {
        if (outcome !== 'gave_up') return await conclude(at, finding, outcome);
        const { runId } = (await at.store.findInvestigation(finding.investigationId ?? ''))!;
        await at.store.giveUp(runId, { code: 'internal', detail: 'x' }, time(at.seconds));
      };
      const first = await red(at, 5, OLD);
      const waiting = await red(at, 6, MID);
      expect(waiting).toMatchObject({ investigationId: first.investigationId, sharedFrom: 5 });
      await end(first);
      const [own] = (await at.look(MID)).head.findings;
      expect(own).toMatchObject({ isOwnThread: true, sharedFrom: null, notBegun: null });
      expect(own!.investigationId).not.toBe(first.investigationId);
      await end(own!);
      expect(await red(at, 7, NEW)).toMatchObject({ isOwnThread: true, sharedFrom: null });
    },
  );

  it('that is green in between and red again soon is not paid for twice', async () => {
    await using at = await headGround();
    const first = await red(at, 5, OLD);
    at.seconds = 600;
    at.world.places.set(MID, place(5, MID));
    at.run('test', 'green', { sha: MID });
    await at.look(MID);
    expect(await at.store.findFailure(first.failureId)).toMatchObject({ state: 'closed' });
    at.seconds = 3_600;
    const again = await red(at, 5, NEW);
    expect(again).toMatchObject({ investigationId: first.investigationId, isOwnThread: true, notBegun: null });
    expect(await at.store.findFailure(first.failureId)).toMatchObject({ state: 'open', opening: 2 });
    expect(await at.store.listInvestigations({ projectIds: [at.project.id], limit: 9 })).toHaveLength(1);
  });
});
