// The store's contract: what people said of failures of pull requests, what they had run again, and how both are erased.
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/db/store.ts';
import { at, finding, inBranch, inPullRequest, NOW, recorded, SHA, seenAs, WRITER } from '../support/store-samples.ts';
import { type Engine, openGithub } from './engine.ts';

const OTHER = { id: 77, login: 'nora' };

/** A red commit of pull request 5 with that failure. */
async function red(store: Store, projectId: string, id: string, failureId = 'fal_1', sha = SHA): Promise<void> {
  await store.ensureHead({ id, projectId, sha, branch: 'topic' }, { runAt: NOW, now: NOW });
  await store.saveHead(id, seenAs('red', { place: inPullRequest(5), findings: [finding(failureId)] }), NOW);
}

function said(
  commentId: number,
  changes: Partial<{ whose: 'mine' | 'not_mine'; by: typeof OTHER; reason: string }> = {},
) {
  return {
    whose: 'not_mine' as const,
    reason: 'the registry is down',
    by: WRITER,
    at: at(commentId),
    commentId,
    ...changes,
  };
}

export function overridesContract(engine: Engine): void {
  describe('what people said of a failure', () => {
    it('holds at every commit of the pull request, whoever looks, and is stored with no finding', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await recorded(store, project.id, [inBranch('a', 5)]);
      await red(store, project.id, 'hed_1');
      const meant = { id: 'hed_1', projectId: project.id, pullRequest: 5 };
      const failures = [{ failureId: 'fal_1', checkKeys: ['github-actions\ntest'] }];
      await store.overrideFailures({ ...meant, failures }, said(9), at(10));
      await red(store, project.id, 'hed_2', 'fal_1', 'b'.repeat(40));
      const { by, commentId: _, ...words } = said(9);
      for (const head of [
        await store.findHead('hed_1'),
        await store.findHeadOfPullRequest(project.id, 5),
        await store.findNamedHead(project.id, { pullRequest: 5 }),
        await store.findHeadSeen(project.id, 5, NOW),
      ]) {
        expect(head?.findings.map(({ override }) => override)).toEqual([{ ...words, by }]);
      }
      // What was read with it is stored without.
      const { findings = [] } = (await store.findHead('hed_1')) ?? {};
      await store.saveHead('hed_1', seenAs('red', { place: inPullRequest(6), findings }), at(11));
      expect((await store.findHead('hed_1'))?.findings[0]?.override).toBeUndefined();
      expect(await opened.tablesHolding('the registry is down')).toEqual(['overrides']);
      expect((await opened.jobs()).filter(({ urgency }) => urgency === 'person').map(({ kind }) => kind)).toContain(
        'head',
      );
    });

    it('is what the latest comment says, in whatever order they arrive, and each is in the audit once', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await recorded(store, project.id, [inBranch('a', 5)]);
      await red(store, project.id, 'hed_1');
      const head = { id: 'hed_1', projectId: project.id, pullRequest: 5 };
      const meant = { ...head, failures: [{ failureId: 'fal_1', checkKeys: [] }] };
      await store.overrideFailures(meant, said(9), at(10));
      const last = said(12, { whose: 'mine', by: OTHER, reason: '' });
      for (const one of [last, said(9), last]) await store.overrideFailures(meant, one, at(13));
      expect((await store.findHead('hed_1'))?.findings[0]?.override).toEqual({
        ...{ whose: 'mine', reason: '', by: OTHER, at: at(12) },
      });
      expect(await store.listOverridesOf('fal_1')).toMatchObject([{ whose: 'mine', by: OTHER, pullRequest: 5 }]);
      expect((await opened.audit()).filter(({ subject }) => subject === 'fal_1')).toEqual([
        { verb: 'failure.called_not_mine', subject: 'fal_1' },
        { verb: 'failure.called_mine', subject: 'fal_1' },
      ]);
    });

    it('is told of a failure that took its place in the same check, until that has its own', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await recorded(store, project.id, [inBranch('a', 5)]);
      await red(store, project.id, 'hed_1');
      const [check] = finding('fal_1').checks;
      const failures = [{ failureId: 'fal_1', checkKeys: [`${check?.app ?? ''}\n${check?.name ?? ''}`] }];
      await store.overrideFailures({ id: 'hed_1', projectId: project.id, pullRequest: 5, failures }, said(9), at(10));
      await red(store, project.id, 'hed_2', 'fal_2', 'b'.repeat(40));
      const [found] = (await store.findHead('hed_2'))?.findings ?? [];
      expect([found?.override, found?.lapsed?.reason]).toEqual([undefined, 'the registry is down']);
    });

    it('judges the verdict, and goes with the failure; its person goes with their words, and it stays', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      await recorded(store, project.id, [inBranch('a', 5)]);
      await red(store, project.id, 'hed_1');
      const read = async () => (await store.listOutcomes({ limit: 9 })).map(({ override }) => override);
      expect(await read()).toEqual([null]);
      const failures = [{ failureId: 'fal_1', checkKeys: [] }];
      await store.overrideFailures({ id: 'hed_1', projectId: project.id, pullRequest: 5, failures }, said(9), at(10));
      expect(await read()).toEqual(['not_mine']);
      expect(await store.eraseAccount(String(WRITER.id), at(20))).toMatchObject({ mentions: 2 });
      expect(await opened.tablesHolding('the registry is down')).toEqual([]);
      expect((await store.findHead('hed_1'))?.findings[0]?.override).toEqual({
        ...{ whose: 'not_mine', reason: '', by: null, at: at(9) },
      });
      const runs = (await opened.jobs()).filter(({ kind, subject }) => kind === 'check-run' && subject === 'hed_1');
      expect(runs).toHaveLength(1);
      await store.eraseProject(project.id, at(30));
      expect(await opened.recordCounts()).toMatchObject({ overrides: 0 });
    });
  });

  describe('failed jobs that people want run again', () => {
    const asked = (id: string, projectId: string, commentId: number) => {
      const limit = { count: 2, since: at(0) };
      return { id, projectId, by: OTHER, commentId, jobIds: [1, 2], at: at(commentId), limit };
    };

    it('are claimed once a head, as often as one may in a day, and a refusal leaves nothing', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
      for (const number of [1, 2, 3]) await red(store, project.id, `hed_${number}`, 'fal_1', `${number}`.repeat(40));
      expect(await store.claimRerun(asked('hed_1', project.id, 5))).toBe('claimed');
      expect(await store.claimRerun(asked('hed_1', project.id, 6))).toBe('before');
      expect(await store.findRerun('hed_1')).toEqual({ commentId: 5, jobIds: [1, 2], isStarted: false });
      await store.settleRerun('hed_1', 'refused', at(7));
      expect(await store.findRerun('hed_1')).toBeNull();
      expect(await opened.audit()).not.toContainEqual({ verb: 'checks.rerun', subject: 'hed_1' });
      for (const number of [1, 2]) {
        expect(await store.claimRerun(asked(`hed_${number}`, project.id, 8))).toBe('claimed');
        for (const settled of ['started', 'started', 'refused'] as const) {
          await store.settleRerun(`hed_${number}`, settled, at(9));
        }
      }
      expect(await store.claimRerun(asked('hed_3', project.id, 10))).toBe('day_full');
      const unlimited = { ...asked('hed_3', project.id, 10), limit: null };
      expect(await store.claimRerun(unlimited)).toBe('claimed');
      expect((await opened.audit()).filter(({ verb }) => verb === 'checks.rerun')).toHaveLength(2);
      expect(await store.eraseAccount(String(OTHER.id), at(20))).toMatchObject({ mentions: 3 });
      expect(await store.findRerun('hed_1')).toMatchObject({ isStarted: true });
    });
  });
}
