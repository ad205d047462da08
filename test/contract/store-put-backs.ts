// The store's contract: requested reverts, one at a time for a commit, and the jobs that they lead to.
import { describe, expect, it } from 'vitest';
import type { CommitRange } from '../../src/core/check/failure.ts';
import type { PostedRevert } from '../../src/core/put-back/put-back.ts';
import { at, NOW, ofActions, recorded, SHA, sighting, WRITER } from '../support/store-samples.ts';
import { type Engine, type Opened, openGithub } from './engine.ts';

const BEFORE = 'e'.repeat(40);
const AFTER = 'f'.repeat(40);
const ONE: CommitRange = { from: BEFORE, to: SHA, total: 1, commits: [{ sha: SHA, author: 'mona', subject: 'Worse' }] };
const PULL: PostedRevert = {
  ...{
    number: 31,
    url: 'https://github.test/octo/shop/pull/31',
    branch: 'revert-12-worse',
    headSha: AFTER,
    reverts: 12,
  },
  ...{ state: 'open', isDraft: true, isTaken: false, proof: { kind: 'waiting' }, closedFor: null },
};

async function openBroken(engine: Engine, range: CommitRange | null = ONE) {
  const opened = await openGithub(engine);
  const { store, project } = opened;
  await recorded(store, project.id, [sighting('one')]);
  await store.saveRange('fal_1', range);
  const { id } = await store.ensureHead(
    { id: 'hed_1', projectId: project.id, sha: SHA, branch: 'main' },
    { runAt: NOW, now: NOW },
  );
  const ask = (by = WRITER, sha: string | null = null, failureId = 'fal_1') =>
    store.requestPutBack({ failureId, sha, request: { ...by, at: NOW, number: null } }, at(1));
  return { ...opened, headId: id, ask };
}

async function listPutBackJobs(opened: Opened) {
  return (await opened.jobs()).filter(({ kind }) => kind === 'put-back' || kind === 'check-run');
}

async function requested({ ask }: { ask: Awaited<ReturnType<typeof openBroken>>['ask'] }) {
  const made = await ask();
  if (made.kind !== 'requested') throw new Error(`not requested: ${made.kind}`);
  return made.putBack;
}

export function putBacksContract(engine: Engine): void {
  describe('a put-back', () => {
    it('is one for a commit, whoever asks and for whichever failure, with its job and the check runs that show it', async () => {
      await using opened = await openBroken(engine);
      const { store, project, ask, headId } = opened;
      const putBack = await requested(opened);
      expect(putBack).toMatchObject({
        failureId: 'fal_1',
        step: { sha: SHA, why: 'only' },
        state: { kind: 'requested' },
      });
      const person = { runAt: at(1), urgency: 'person' };
      expect(await listPutBackJobs(opened)).toEqual([
        { kind: 'put-back', subject: putBack.id, group: project.id, ...person },
        { kind: 'check-run', subject: headId, group: headId, ...person },
      ]);
      await recorded(store, project.id, [sighting('two', { checkName: 'lint' })], 'fal_2');
      await store.saveRange('fal_2', ONE);
      for (const failureId of ['fal_1', 'fal_2']) {
        expect(await ask({ id: 8, login: 'tria' }, SHA, failureId)).toEqual({ kind: 'known', pull: null });
      }
      await store.savePutBack(putBack.id, { kind: 'opened', pull: PULL }, at(2));
      expect(await ask()).toEqual({ kind: 'known', pull: PULL });
      const found = [
        await store.findPutBackOfBranch(project.id, PULL.branch),
        await store.findPutBackOfPullRequest(project.id, 31),
        await store.findPutBackOfCommit(project.id, SHA),
      ];
      expect(found.map((one) => one?.id)).toEqual(found.map(() => putBack.id));
      expect(await opened.audit()).toContainEqual({ verb: 'revert.requested', subject: 'fal_1' });
    });

    it('is none where the failure has ended, the range has several commits, or another commit was shown', async () => {
      await using opened = await openBroken(engine, { ...ONE, total: 2, steps: 2 });
      const { store, project, ask } = opened;
      expect(await ask()).toEqual({ kind: 'none' });
      await store.saveRange('fal_1', { ...ONE, total: 2, steps: 1 });
      expect(await ask(WRITER, BEFORE)).toEqual({ kind: 'none' });
      const passing = { sha: AFTER, checks: [ofActions('test')], at: at(60) };
      await store.closeFixedFailures(project.id, { ...passing, contained: [{ from: SHA, to: AFTER }] }, at(60));
      expect(await ask()).toEqual({ kind: 'none' });
      expect((await listPutBackJobs(opened)).filter(({ kind }) => kind === 'put-back')).toEqual([]);
    });

    it('can be asked for again once it is closed or refused, and not while it is merged', async () => {
      await using opened = await openBroken(engine);
      const { store, ask } = opened;
      const first = await requested(opened);
      await store.savePutBack(first.id, { kind: 'refused', reason: { code: 'archived' }, isTold: true }, at(2));
      const second = await requested(opened);
      await store.savePutBack(second.id, { kind: 'opened', pull: { ...PULL, state: 'closed' } }, at(3));
      const third = await requested(opened);
      expect(new Set([first.id, second.id, third.id]).size).toBe(3);
      await store.savePutBack(third.id, { kind: 'opened', pull: { ...PULL, state: 'merged' } }, at(4));
      expect(await ask()).toEqual({ kind: 'known', pull: { ...PULL, state: 'merged' } });
    });

    it('counts as a run of CI of the day from when it is being opened', async () => {
      await using opened = await openBroken(engine);
      const { store, project } = opened;
      const { id } = await requested(opened);
      expect(await store.listCausedRuns(project.id, at(0))).toEqual([]);
      await store.savePutBack(id, { kind: 'opening', reverts: 12, tries: 0 }, at(2));
      expect(await store.listCausedRuns(project.id, at(0))).toEqual([at(1)]);
      await store.savePutBack(id, { kind: 'opened', pull: { ...PULL, state: 'closed' } }, at(3));
      expect([await store.listCausedRuns(project.id, at(0)), await store.listCausedRuns(project.id, at(2))]).toEqual([
        [at(1)],
        [],
      ]);
    });

    it('is not asked for anew by the same comment that came again, also once it is refused', async () => {
      await using opened = await openBroken(engine);
      const { store } = opened;
      const wanted = { failureId: 'fal_1', sha: null, request: { ...WRITER, at: NOW, number: 12 } };
      const made = await store.requestPutBack(wanted, at(1));
      if (made.kind !== 'requested') throw new Error(made.kind);
      await store.savePutBack(made.putBack.id, { kind: 'refused', reason: { code: 'archived' }, isTold: true }, at(2));
      expect(await store.requestPutBack(wanted, at(3))).toEqual({ kind: 'known', pull: null });
      const later = { ...wanted, request: { ...wanted.request, at: at(4) } };
      expect(await store.requestPutBack(later, at(4))).toMatchObject({ kind: 'requested' });
    });

    it('is looked at again when failures of its branch end, and goes with its failure; no name of an erased person stays', async () => {
      await using opened = await openBroken(engine);
      const { store, project } = opened;
      const putBack = await requested(opened);
      expect(await store.eraseAccount(String(WRITER.id), at(5))).toMatchObject({ mentions: 1 });
      expect((await store.findPutBack(putBack.id))?.request).toEqual({
        id: 10137,
        login: 'ghost',
        at: NOW,
        number: null,
      });
      await store.savePutBack(putBack.id, { kind: 'opened', pull: PULL }, at(6));
      const passing = { sha: AFTER, checks: [ofActions('test')], at: at(60) };
      await store.closeFixedFailures(project.id, { ...passing, contained: [{ from: SHA, to: AFTER }] }, at(60));
      expect((await listPutBackJobs(opened)).filter(({ kind }) => kind === 'put-back')).toHaveLength(1);
      await store.eraseProject(project.id, at(70));
      expect(await store.findPutBack(putBack.id)).toBeNull();
      expect((await opened.jobs()).filter(({ kind }) => kind === 'put-back')).toEqual([]);
    });
  });
}
