// The store's contract: the Issues of what was begun for a head link to its check run.
import { describe, expect, it } from 'vitest';
import { finding, found, recorded, seenAs, sighting, withCheckRun } from '../support/check-store-samples.ts';
import { comment, githubGround, record } from '../support/github-store-samples.ts';
import { acceptance, accepted, at, conclusion, NOW, started } from '../support/store-samples.ts';
import type { Engine, Opened } from './engine.ts';

const { url } = withCheckRun().checkRun!;

/** A head that has begun an investigation, which another head only names. */
async function begun(opened: Opened) {
  const { store } = opened;
  const base = await githubGround(store);
  await recorded(store, base.project.id, [sighting('k')]);
  const { investigationId, runId } = await accepted(store, acceptance(base, { thread: found('fal_1') }));
  const link = finding('fal_1', { investigationId, threadId: 'thr_1', isOwnThread: true });
  for (const id of ['hed_naming', 'hed_own']) {
    await store.ensureHead({ id, projectId: base.project.id, sha: id, branch: '' }, { runAt: NOW, now: NOW });
    const isOwnThread = id === 'hed_own';
    await store.saveHead(id, seenAs('red', { findings: [{ ...link, isOwnThread }] }), NOW);
  }
  const links = async (issueId: string) => (await store.findIssue(issueId))?.analysis.links;
  return { store, base, investigationId, runId, links };
}

export function checkLinksContract(engine: Engine): void {
  describe('the check run of a head', () => {
    it('that stands before the Issue is its link from the beginning', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store, base, runId, links } = await begun(opened);
      await store.saveHeadRecord('hed_naming', withCheckRun('https://github.test/other'), NOW);
      await store.saveHeadRecord('hed_own', withCheckRun(), NOW);
      expect(await accepted(store, acceptance(base))).toMatchObject({ runId, joined: true });
      const ids = await store.conclude(await started(store, runId), conclusion(), NOW);
      const none = { comment: null, checkRun: null, pullRequest: null };
      expect(await Promise.all(ids.map(links))).toEqual([{ ...none, checkRun: url }, none]);
    });

    it('that comes after the Issue becomes its link, and stays it when a comment is recorded', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store, runId, links, investigationId } = await begun(opened);
      const [issueId = ''] = await store.conclude(await started(store, runId), conclusion(), NOW);
      await store.saveHeadRecord('hed_naming', withCheckRun('https://github.test/other'), NOW);
      await store.saveHeadRecord('hed_own', { checkRun: null, held: 'words' }, NOW);
      expect((await links(issueId))?.checkRun).toBeNull();
      await store.saveHeadRecord('hed_own', withCheckRun(), NOW);
      expect((await links(issueId))?.checkRun).toBe(url);
      const posted = record({ comment: comment(investigationId) });
      await store.saveThreadRecord('thr_1', posted, at(1));
      await store.saveHeadRecord('hed_own', withCheckRun(), at(2));
      expect(await links(issueId)).toEqual({ comment: posted.comment?.url, checkRun: url, pullRequest: null });
      await store.saveThreadRecord('thr_1', record(), at(3));
      expect(await links(issueId)).toEqual({ comment: null, checkRun: url, pullRequest: null });
    });
  });

  describe('an erased Issue of red checks', () => {
    it('is named neither by its failure nor by any head, and can be begun anew', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store, base, runId, investigationId } = await begun(opened);
      const [issueId = ''] = await store.conclude(await started(store, runId), conclusion(), NOW);
      expect((await store.findHead('hed_own'))?.findings[0]?.investigationId).toBe(investigationId);
      await store.eraseIssue(issueId, NOW);
      expect(await store.findFailure('fal_1')).toMatchObject({
        investigationId: null,
        threadId: 'thr_1',
        state: 'open',
      });
      for (const id of ['hed_own', 'hed_naming']) {
        const kept = { failureId: 'fal_1', investigationId: null, threadId: 'thr_1' };
        expect((await store.findHead(id))?.findings).toMatchObject([kept]);
      }
      const again = await accepted(store, acceptance(base, { thread: found('fal_1') }));
      expect((await store.findFailure('fal_1'))?.investigationId).toBe(again.investigationId);
    });
  });
}
