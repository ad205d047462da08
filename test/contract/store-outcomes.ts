// The store's contract: what became of answers, votes on them, and how both are erased.
import { describe, expect, it } from 'vitest';
import type { Fate, Vote } from '../../src/core/outcome/outcome.ts';
import {
  acceptance,
  accepted,
  at,
  conclusion,
  finding,
  type Ground,
  inBranch,
  inPullRequest,
  NOW,
  opening,
  pullRequest,
  record,
  recorded,
  SHA,
  seenAs,
  started,
  WRITER,
} from '../support/store-samples.ts';
import { type Engine, type Opened, openGithub, openLocal } from './engine.ts';

const DAY = 24 * 60 * 60;
const MERGED: Fate = { kind: 'merged', url: 'https://github.test/octo/shop/pull/31', at: at(60), commit: SHA };

function vote(changes: Partial<Vote> = {}): Vote {
  return { personId: 8, source: 'command', vote: 'wrong', why: 'the cache is to blame', at: at(10), ...changes };
}

async function conclude({ store }: Opened, base: Ground, threadId: string | null = 'thr_1'): Promise<string> {
  const thread = threadId === null ? null : opening(threadId);
  const { runId } = await accepted(store, acceptance(base, { thread, fresh: true }));
  const found = conclusion();
  const analysis = { ...found.analysis, outcome: 'code_fix', confidence: 0.8 } as const;
  const [issueId] = await store.conclude(await started(store, runId), { ...found, analysis }, NOW);
  return issueId ?? '';
}

async function listLooks(opened: Opened) {
  return (await opened.jobs()).filter(({ kind }) => kind === 'outcome');
}

export function outcomesContract(engine: Engine): void {
  describe('the answer of an Issue', () => {
    it('is followed from its conclusion, looked at after a day, and when its pull request changes', async () => {
      await using opened = await openGithub(engine);
      const { store, base, project } = opened;
      const issueId = await conclude(opened, base);
      const followed = await store.findOutcomeOfIssue(issueId);
      expect(followed).toEqual({
        ...{ id: expect.stringMatching(/^out_/), projectId: project.id, answeredAt: NOW, votes: [], lookedAt: '' },
        answer: { kind: 'issue', issueId, outcome: 'code_fix', confidence: 0.8 },
        ...{ fate: { kind: 'pending' }, readsReactions: true, override: null },
      });
      const job = { kind: 'outcome', subject: followed?.id, group: project.id, urgency: 'automatic' };
      expect(await listLooks(opened)).toEqual([{ ...job, runAt: at(DAY) }]);
      const open = record({ pullRequest: pullRequest(issueId) });
      for (const moment of [5, 6]) await store.saveThreadRecord('thr_1', open, at(moment));
      expect(await listLooks(opened)).toEqual([{ ...job, runAt: at(5) }]);
    });

    it('is looked at where it has a place on GitHub only, and there is none in local mode', async () => {
      await using opened = await openGithub(engine);
      const issueId = await conclude(opened, opened.base, null);
      expect(await opened.store.findOutcomeOfIssue(issueId)).not.toBeNull();
      expect(await listLooks(opened)).toEqual([]);
      await using local = await openLocal(engine);
      const own = await conclude(local, local.base, null);
      expect(await local.store.findOutcomeOfIssue(own)).toBeNull();
      expect((await local.store.findIssue(own))?.analysis.outcomes).toBeNull();
      expect(await local.store.recordVote(own, vote(), at(10))).toBe(false);
    });

    it('shows what was found, once however often it was, in its Issue and in the list', async () => {
      await using opened = await openGithub(engine);
      const { store, base, project } = opened;
      const issueId = await conclude(opened, base);
      const { id = '' } = (await store.findOutcomeOfIssue(issueId)) ?? {};
      const liked = vote({ personId: 9, source: 'reaction', vote: 'right', why: '' });
      for (const now of [at(1), at(2)]) await store.saveLook(id, { fate: MERGED, reactions: [liked], now });
      expect((await store.findIssue(issueId))?.analysis.outcomes).toMatchObject({
        ...{ state: 'merged', share: 1, votes: { right: 1, wrong: 0 }, judgement: 'right' },
      });
      await store.saveLook(id, { fate: MERGED, reactions: null, now: at(3) });
      expect((await store.findOutcome(id))?.votes).toEqual([liked]);
      await store.saveLook(id, { fate: MERGED, reactions: [], now: at(4) });
      expect(await store.findOutcome(id)).toMatchObject({ votes: [], lookedAt: at(4) });
      expect((await store.listOutcomes({ projectIds: [project.id], limit: 9 })).map((one) => one.id)).toEqual([id]);
      await store.scheduleLooksAtMerged(project.id, at(9));
      expect((await listLooks(opened))[0]?.runAt).toBe(at(9));
      await store.scheduleLooksOfThread('thr_1', at(8));
      expect((await listLooks(opened))[0]?.runAt).toBe(at(8));
    });

    it('counts the latest command of each person, in whatever order they arrive', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const issueId = await conclude(opened, base);
      await store.recordVote(issueId, vote({ vote: 'right', why: '', at: at(20) }), at(10));
      for (const _ of [1, 2]) expect(await store.recordVote(issueId, vote(), at(10))).toBe(true);
      await store.recordVote(issueId, vote({ personId: 9 }), at(10));
      const votes = (await store.findOutcomeOfIssue(issueId))?.votes ?? [];
      expect(votes.map((one) => [one.personId, one.vote])).toEqual([
        [9, 'wrong'],
        [8, 'right'],
      ]);
    });

    it('counts once for a calibration where several Issues share it, and is listed by time and in pages', async () => {
      await using opened = await openGithub(engine);
      const { store, base, project } = opened;
      const first = await conclude(opened, base);
      const { runId } = await accepted(store, acceptance(base, { thread: opening('thr_2'), fingerprint: 'two' }));
      await accepted(store, acceptance(base, { fingerprint: 'two' }));
      const [second = '', shared = ''] = await store.conclude(await started(store, runId), conclusion(), at(50));
      const listed = await store.listOutcomes({ limit: 9 });
      const ids = (all: typeof listed) => all.map(({ answer }) => answer.issueId);
      expect(ids(listed)).toEqual([shared, second, first]);
      expect(ids(await store.listCalibrated([project.id]))).toEqual([second, first]);
      const [newest] = listed;
      const rest = await store.listOutcomes({ projectIds: [project.id], limit: 1, after: newest?.id ?? '' });
      expect(ids(rest)).toEqual([second]);
      expect(ids(await store.listOutcomes({ limit: 9, until: at(50) }))).toEqual([first]);
      expect(ids(await store.listOutcomes({ limit: 9, since: at(1), kind: 'issue' }))).toEqual([shared, second]);
      expect(await store.listOutcomes({ limit: 9, kind: 'verdict' })).toEqual([]);
      expect(await store.listOutcomes({ projectIds: [], limit: 9 })).toEqual([]);
    });

    it('goes with its Issue, and its look as well', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const issueId = await conclude(opened, base);
      await store.recordVote(issueId, vote(), at(10));
      await store.eraseIssue(issueId, at(30));
      expect(await opened.recordCounts()).toMatchObject({ outcomes: 0, votes: 0 });
      expect(await listLooks(opened)).toEqual([]);
    });
  });

  describe('a person who is erased', () => {
    it('takes their votes along, by command and by reaction; the outcome stays', async () => {
      await using opened = await openGithub(engine);
      const { store, base } = opened;
      const issueId = await conclude(opened, base);
      const { id = '' } = (await store.findOutcomeOfIssue(issueId)) ?? {};
      const reactions = [
        vote({ personId: WRITER.id, source: 'reaction', why: '' }),
        vote({ source: 'reaction', why: '' }),
      ];
      await store.recordVote(issueId, vote({ personId: WRITER.id, why: 'my own words' }), at(10));
      await store.saveLook(id, { fate: MERGED, reactions, now: at(20) });
      expect(await opened.tablesHolding('my own words')).toEqual(['votes']);
      await store.eraseAccount(String(WRITER.id), at(30));
      expect(await opened.tablesHolding('my own words')).toEqual([]);
      expect((await store.findOutcome(id))?.votes.map((one) => one.personId)).toEqual([8]);
      // Their reaction is still on GitHub.
      await store.saveLook(id, { fate: MERGED, reactions, now: at(40) });
      expect(await store.findOutcome(id)).toMatchObject({ fate: MERGED, readsReactions: false });
      expect((await store.findOutcome(id))?.votes.map((one) => one.personId)).toEqual([8]);
    });
  });

  describe('a verdict on a red check', () => {
    const save = async (opened: Opened, projectId: string, seen = seenAs('red', { findings: [finding('fal_1')] })) => {
      await opened.store.ensureHead({ id: 'hed_1', projectId, sha: SHA, branch: 'topic' }, { runAt: NOW, now: NOW });
      await opened.store.saveHead('hed_1', seen, NOW);
    };

    it('is followed as it was first given, without an Issue, and goes with its head', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await recorded(store, project.id, [inBranch('a', 5)]);
      await save(opened, project.id);
      await save(opened, project.id, seenAs('red', { findings: [finding('fal_1', { verdict: 'flaky' })] }));
      const [only, ...others] = await store.listOutcomes({ limit: 9, kind: 'verdict' });
      expect(others).toEqual([]);
      expect(only?.answer).toEqual({
        ...{ kind: 'verdict', headId: 'hed_1', failureId: 'fal_1', sha: SHA, verdict: 'code', issueId: null },
      });
      expect((await listLooks(opened)).map(({ runAt }) => runAt)).toEqual([at(DAY)]);
      await store.sweep({ endedBefore: at(1), keysBefore: NOW, now: at(2) });
      expect(await opened.recordCounts()).toMatchObject({ heads: 0, outcomes: 0 });
      expect(await listLooks(opened)).toEqual([]);
    });

    it('is not followed where the check passed already, or nothing is claimed', async () => {
      await using opened = await openGithub(engine);
      const [check] = finding('fal_1').checks;
      const passed = finding('fal_1', { checks: check === undefined ? [] : [{ ...check, isRed: false }] });
      const findings = [passed, finding('fal_2', { verdict: 'inconclusive' })];
      await save(opened, opened.project.id, seenAs('red', { findings }));
      expect(await opened.store.listOutcomes({ limit: 9 })).toEqual([]);
    });

    it('knows a pass at the same commit and at a later one', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await recorded(store, project.id, [inBranch('a', 5)]);
      await save(opened, project.id);
      const [followed] = await store.listOutcomes({ limit: 9 });
      if (followed?.answer.kind !== 'verdict') throw new Error('there is no verdict');
      const { answer } = followed;
      expect(await store.readVerdictFacts(answer)).toEqual({ isFlaky: false, passing: null, suspected: [] });
      const later = { id: 'hed_2', projectId: project.id, sha: 'c'.repeat(40), branch: 'topic' };
      await store.ensureHead(later, { runAt: NOW, now: NOW });
      await store.saveHead('hed_2', seenAs('green', { place: inPullRequest(5) }), at(5));
      expect(await store.readVerdictFacts(answer)).toMatchObject({ passing: later.sha });
      await store.markFlaky('fal_1', ['a']);
      expect(await store.readVerdictFacts(answer)).toMatchObject({ isFlaky: true });
    });
  });
}
