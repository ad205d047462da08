// The store's contract: proofs of pull requests that are not ours.
import { describe, expect, it } from 'vitest';
import type { ForeignProgress } from '../../src/core/proof/foreign.ts';
import { at, NOW, SHA } from '../support/store-samples.ts';
import { type Engine, openGithub } from './engine.ts';

const MONA = { id: 7, login: 'mona' };
const ADA = { id: 70, login: 'orla-q' };

const PLAN = {
  ...{ baseBranch: 'main', base: SHA, url: 'https://github.test/octo/shop/pull/5', author: ADA },
  ...{ tests: ['test/a.test.js'], fix: ['src/a.js'], isByBot: false },
  ...{ titled: [{ path: 'test/a.test.js', title: 'adds' }], adds: true },
};
const RED: ForeignProgress = {
  ...{ phase: 'red', plan: PLAN, since: NOW },
  posted: { branch: 'causeway/prove/5', testCommit: SHA, number: 6, url: 'https://github.test/octo/shop/pull/6' },
};
const ENDED: ForeignProgress = {
  ...{ phase: 'ended', plan: PLAN, posted: null, isTidy: true },
  result: { kind: 'refused', because: { code: 'closed' } },
};

const PROVEN: ForeignProgress = {
  ...ENDED,
  result: {
    ...{ kind: 'judged', verdict: { state: 'proven', checks: [], turned: ['adds'] }, tests: ['adds'], quiet: [] },
    ...{ firstError: '', redBase: SHA, greenBase: SHA, diffHash: 'd' },
  },
};

export function foreignProofsContract(engine: Engine): void {
  describe('a foreign proof', () => {
    async function asked() {
      const opened = await openGithub(engine);
      const ask = (
        id: string,
        more: Partial<Parameters<typeof opened.store.askProof>[0]> = {},
        limit = 6,
        baseBranch = 'main',
      ) =>
        opened.store.askProof(
          {
            ...{
              id,
              projectId: opened.project.id,
              pullRequest: 5,
              head: SHA,
              commentId: 1,
              askedBy: MONA,
              askedAt: NOW,
            },
            ...more,
          },
          { now: NOW, limit, baseBranch },
        );
      const proveJobs = async () =>
        (await opened.jobs()).filter(({ kind }) => kind === 'prove').map(({ subject }) => subject);
      return { ...opened, ask, proveJobs };
    }

    it('is asked for once: by the same comment, and for a head while it is under way or is proven', async () => {
      await using opened = await asked();
      const { ask, proveJobs, store } = opened;
      expect((await ask('prf_1')).kind).toBe('asked');
      expect((await opened.audit()).filter(({ verb }) => verb === 'proof.asked')).toEqual([
        { verb: 'proof.asked', subject: 'prf_1' },
      ]);
      expect(await ask('prf_2')).toMatchObject({ kind: 'running', proof: { id: 'prf_1', askedBy: MONA } });
      expect(await ask('prf_3', { commentId: 2 })).toMatchObject({ kind: 'running', proof: { id: 'prf_1' } });
      expect((await ask('prf_4', { commentId: 3, head: 'b'.repeat(40) })).kind).toBe('asked');
      expect(await proveJobs()).toEqual(['prf_1', 'prf_4']);
      await store.saveForeignProof('prf_1', { progress: ENDED, checkRun: null }, at(1));
      expect(await ask('prf_5')).toMatchObject({ kind: 'running', proof: { id: 'prf_1' } });
      expect((await ask('prf_6', { commentId: 6 })).kind).toBe('asked');
      expect((await store.findProofOfPull(opened.project.id, 5))?.id).toBe('prf_6');
      await store.saveForeignProof('prf_6', { progress: PROVEN, checkRun: null }, at(2));
      expect(await ask('prf_7', { commentId: 7 })).toMatchObject({ kind: 'running', proof: { id: 'prf_6' } });
      expect((await ask('prf_8', { commentId: 8 }, 6, 'release')).kind).toBe('asked');
    });

    it('is open until it is tidy, and counts for the day once it was pushed', async () => {
      await using opened = await asked();
      const { ask, store, project } = opened;
      await ask('prf_1');
      await ask('prf_2', { pullRequest: 9, commentId: 2 });
      const checkRun = { id: 3, url: 'https://github.test/3', digest: 'd' };
      await store.saveForeignProof('prf_1', { progress: RED, checkRun, pushedAt: at(2) }, at(2));
      expect(await store.findForeignProof('prf_1')).toMatchObject({ progress: RED, checkRun });
      expect((await store.listOpenProofs(project.id)).map(({ id }) => id)).toEqual(['prf_1', 'prf_2']);
      expect([await store.listCausedRuns(project.id, at(2)), await store.listCausedRuns(project.id, at(3))]).toEqual([
        [at(2)],
        [],
      ]);
      await store.saveForeignProof('prf_1', { progress: ENDED, checkRun }, at(3));
      expect((await store.listOpenProofs()).map(({ id }) => id)).toEqual(['prf_2']);
      expect(await store.listCausedRuns(project.id, at(2))).toEqual([at(2)]);
      expect(await store.listProvedProjects()).toEqual([project.id]);
      expect(await store.findLastPushedProof(project.id, at(2))).toBeNull();
      await store.saveForeignProof('prf_2', { progress: RED, checkRun, pushedAt: at(4) }, at(4));
      await ask('prf_3', { pullRequest: 10, commentId: 4 });
      expect((await store.findLastPushedProof(project.id, at(2)))?.id).toBe('prf_2');
      expect(await store.findLastPushedProof(project.id, at(5))).toBeNull();
    });

    it('is told which run of the day it is and what goes first, and is refused beyond the limit, but for what was asked before', async () => {
      await using opened = await asked();
      const { ask, store, proveJobs } = opened;
      expect(await ask('prf_0', {}, 0)).toEqual({ kind: 'full', limit: 0, freeAt: null });
      expect(await ask('prf_1', {}, 2)).toMatchObject({
        proof: { progress: { phase: 'asked', run: { number: 1, limit: 2 } } },
        ahead: null,
      });
      await store.saveForeignProof('prf_1', { progress: RED, checkRun: null, pushedAt: NOW }, at(1));
      const second = { pullRequest: 9, commentId: 2 };
      expect(await ask('prf_2', second, 2)).toMatchObject({
        kind: 'asked',
        proof: { progress: { phase: 'asked', run: { number: 2, limit: 2 }, behind: 5 } },
        ahead: { id: 'prf_1' },
      });
      expect(await ask('prf_3', { pullRequest: 10, commentId: 3 }, 2)).toMatchObject({ kind: 'full', limit: 2 });
      expect(await ask('prf_3', second, 2)).toMatchObject({ kind: 'running', ahead: { id: 'prf_1' } });
      const tomorrow = new Date(Date.parse(NOW) + 86_400_000).toISOString();
      expect(await ask('prf_3', { pullRequest: 10, commentId: 3 }, 1)).toEqual({
        ...{ kind: 'full', limit: 1, freeAt: tomorrow },
      });
      expect(await proveJobs()).toEqual(['prf_1', 'prf_2']);
    });

    it('is looked at when something happens: the open ones of a project, or the newest of a pull request', async () => {
      await using opened = await asked();
      const { ask, store, project, proveJobs } = opened;
      await ask('prf_1');
      await store.saveForeignProof('prf_1', { progress: ENDED, checkRun: null }, at(1));
      await ask('prf_2', { pullRequest: 9, commentId: 2 });
      expect(await proveJobs()).toEqual(['prf_1', 'prf_2']);
      await store.scheduleProofs(project.id, null, at(2));
      await store.scheduleProofs(project.id, 5, at(2));
      expect(new Set(await proveJobs())).toEqual(new Set(['prf_1', 'prf_2']));
    });

    it('names nobody who was erased, and goes with its project and its time', async () => {
      await using opened = await asked();
      const { ask, store, project, proveJobs } = opened;
      await ask('prf_1');
      await store.saveForeignProof('prf_1', { progress: RED, checkRun: null }, at(1));
      await store.eraseAccount('70', at(2));
      expect(await opened.tablesHolding('orla-q')).toEqual([]);
      expect(await store.findForeignProof('prf_1')).toMatchObject({
        askedBy: MONA,
        progress: { plan: { author: null } },
      });
      await store.eraseAccount('7', at(3));
      expect((await store.findForeignProof('prf_1'))?.askedBy).toBeNull();
      // By a step that had read the name before.
      await store.saveForeignProof('prf_1', { progress: ENDED, checkRun: null }, at(4));
      expect(await store.findForeignProof('prf_1')).toMatchObject({
        progress: { phase: 'ended', plan: { author: null } },
      });
      await ask('prf_2', { pullRequest: 9, commentId: 2 });
      await store.sweep({ endedBefore: at(5), keysBefore: NOW, now: at(6) });
      expect([await store.findForeignProof('prf_1'), await proveJobs()]).toEqual([null, ['prf_2']]);
      await store.eraseProject(project.id, at(7));
      expect([await store.findForeignProof('prf_2'), await proveJobs()]).toEqual([null, []]);
    });
  });
}
