// The store's contract: issues that people tied failures to, what they cover, how they end, and how people are forgotten.
import { describe, expect, it } from 'vitest';
import type { KnownHit, KnownSign } from '../../src/core/check/known-issue.ts';
import { at, finding, NOW, recorded, SHA, seenAs, sighting, WRITER } from '../support/store-samples.ts';
import { type Engine, openGithub } from './engine.ts';

const PATTERN = { kind: 'pattern', pattern: 'connection reset by peer' } as const;
const OTHER = { id: 70, login: 'grace' };

function hit(key: string, changes: Partial<KnownHit> = {}): KnownHit {
  return {
    ...{ key, failureId: 'fal_1', sha: SHA, pullRequest: 5, checkName: 'test', isAfterEnd: false, at: NOW },
    ...changes,
  };
}

async function house(opened: Awaited<ReturnType<typeof openGithub>>) {
  const { store, project } = opened;
  const issue = { projectId: project.id, number: 12, title: 'Resets' };
  const { failure } = await recorded(store, project.id, [sighting('run 1')]);
  const direct: KnownSign = { kind: 'failure', failureId: failure.id };
  const tie = (sign: KnownSign, changes: object = {}) =>
    store.tieKnownIssue({ ...issue, sign, by: WRITER, now: at(1), ...changes });
  const jobs = async (kind: string) => (await opened.jobs()).filter((job) => job.kind === kind);
  return { store, issue, failure, direct, tie, jobs };
}

export function knownIssuesContract(engine: Engine): void {
  describe('an issue of known failures', () => {
    it('is tied once, has its comment written, and its red heads looked at again', async () => {
      await using opened = await openGithub(engine);
      const { store, issue, failure, direct, tie, jobs } = await house(opened);
      await store.ensureHead(
        { id: 'hed_1', projectId: issue.projectId, sha: SHA, branch: '' },
        { runAt: NOW, now: NOW },
      );
      await store.saveHead('hed_1', seenAs('red', { findings: [finding(failure.id)] }), NOW);
      const [before] = await jobs('head');
      const known = await tie(direct);
      expect(await tie(direct)).toEqual(known);
      expect(known).toMatchObject({ number: 12, state: 'open', ended: null, record: { comment: null } });
      expect(known.ties).toEqual([{ ...direct, by: WRITER, at: at(1) }]);
      expect(await jobs('known')).toEqual([
        { kind: 'known', subject: known.id, group: issue.projectId, runAt: at(1), urgency: 'person' },
      ]);
      expect(await jobs('head')).toEqual([{ ...before, urgency: 'person' }]);
      expect((await opened.audit()).filter(({ verb }) => verb === 'known.tied')).toHaveLength(1);
      expect(await store.listKnownOfFailures([failure.id])).toEqual(
        new Map([
          [
            failure.id,
            { number: 12, title: 'Resets', state: 'open', endedAt: null, pattern: null, by: WRITER, at: at(1) },
          ],
        ]),
      );
      // A failure has one issue.
      await tie(direct, { number: 13 });
      expect((await store.listKnownIssues(issue.projectId)).map(({ ties }) => ties.length)).toEqual([0, 1]);
    });

    it('counts a pattern only once it was confirmed, and each red check once', async () => {
      await using opened = await openGithub(engine);
      const { store, issue, tie, jobs } = await house(opened);
      const proposed = { pattern: PATTERN.pattern, by: WRITER, at: NOW };
      await store.proposePattern({ ...issue, proposed, now: NOW });
      expect(await store.findKnownIssueOf(issue.projectId, 12)).toMatchObject({ state: 'idle', proposed, ties: [] });
      expect(await jobs('known')).toEqual([]);
      const { id } = await tie(PATTERN);
      expect(await store.findKnownIssue(id)).toMatchObject({ state: 'open', proposed: null });
      await store.recordKnownHits(id, [hit('a'), hit('b', { pullRequest: null })], at(2));
      await store.recordKnownHits(id, [hit('a'), hit('c', { pullRequest: 7, at: at(9) })], at(9));
      await store.recordKnownHits(id, [hit('d', { pullRequest: 7, at: at(10), isAfterEnd: true })], at(9));
      expect(await store.readKnownHits(id)).toEqual({
        ...{ count: 4, afterEnd: 1, pullRequestCount: 2, last: expect.objectContaining({ key: 'd', at: at(10) }) },
        pulls: [
          { number: 7, sha: SHA },
          { number: 5, sha: SHA },
        ],
      });
      expect((await store.listKnownOfFailures(['fal_1'])).get('fal_1')).toMatchObject({ pattern: PATTERN.pattern });
    });

    it('ends with the issue, keeps what was tied to tell what is back, and is tied anew', async () => {
      await using opened = await openGithub(engine);
      const { store, issue, direct, tie } = await house(opened);
      const end = { projectId: issue.projectId, number: 12, at: at(3), now: at(4) } as const;
      expect(await store.endKnownIssue({ ...end, by: 'closed', person: null })).toBe(false);
      await tie(PATTERN);
      await store.noteLabelledIssue({ ...issue, named: ['fal_1'], now: at(2) });
      expect(await store.endKnownIssue({ ...end, by: 'closed', person: null })).toBe(true);
      expect(await store.endKnownIssue({ ...end, by: 'closed', person: null, at: at(8) })).toBe(false);
      const ended = await store.findKnownIssueOf(issue.projectId, 12);
      expect(ended).toMatchObject({ state: 'ended', ended: { at: at(3), by: 'closed' }, isLabelled: false, named: [] });
      expect(ended?.ties).toHaveLength(1);
      const again = await tie(direct, { now: at(9) });
      expect(again).toMatchObject({ id: ended?.id, state: 'open', ended: null, ties: [direct] });
      expect(await store.endKnownIssue({ ...end, by: 'person', person: OTHER })).toBe(true);
      expect(await store.findKnownIssueOf(issue.projectId, 12)).toMatchObject({ state: 'ended', ties: [] });
    });

    it('names nobody who was erased', async () => {
      await using opened = await openGithub(engine);
      const { store, issue, tie, jobs } = await house(opened);
      await tie(PATTERN, { by: OTHER });
      await tie({ ...PATTERN, pattern: 'another long pattern' });
      await store.proposePattern({ ...issue, proposed: { pattern: 'third', by: OTHER, at: NOW }, now: NOW });
      for (const text of ['grace', '"id":70,', 'github 70']) expect(await opened.tablesHolding(text)).not.toEqual([]);
      expect(await store.eraseAccount('70', at(5))).toMatchObject({ mentions: 2 });
      expect(await jobs('known')).toHaveLength(1);
      for (const text of ['grace', '"id":70,', 'github 70']) expect(await opened.tablesHolding(text)).toEqual([]);
      const known = await store.findKnownIssueOf(issue.projectId, 12);
      expect(known?.ties.map(({ by }) => by)).toEqual([null, WRITER]);
      expect(known?.proposed).toEqual({ pattern: 'third', by: null, at: NOW });
    });

    it('is kept while it is open or labelled, and goes with its project', async () => {
      await using opened = await openGithub(engine);
      const { store, issue, tie, jobs } = await house(opened);
      const { id } = await tie(PATTERN);
      await store.recordKnownHits(id, [hit('a')], at(2));
      await store.noteLabelledIssue({ ...issue, number: 13, named: [], now: NOW });
      const proposed = { pattern: 'third', by: WRITER, at: NOW };
      await store.proposePattern({ ...issue, number: 14, proposed, now: NOW });
      await store.sweep({ endedBefore: at(100), keysBefore: at(0), now: at(101) });
      expect((await store.listKnownIssues(issue.projectId)).map(({ number }) => number)).toEqual([12, 13]);
      await store.forgetLabelledIssue(issue.projectId, 13, at(50));
      await store.sweep({ endedBefore: at(100), keysBefore: at(0), now: at(101) });
      expect((await store.listKnownIssues(issue.projectId)).map(({ number }) => number)).toEqual([12]);
      await store.eraseProject(issue.projectId, at(102));
      expect(await opened.recordCounts()).toMatchObject({ known_issues: 0, known_ties: 0, known_hits: 0 });
      expect(await jobs('known')).toEqual([]);
    });
  });
}
