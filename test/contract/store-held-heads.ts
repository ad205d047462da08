// The store's contract: heads whose check run is held back, each with what was found at it.
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/db/store.ts';
import { finding, seenAs, withCheckRun } from '../support/check-store-samples.ts';
import { githubGround, repository } from '../support/github-store-samples.ts';
import { acceptance, accepted, at, conclusion, NOW, started } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

const HELD = { checkRun: null, held: 'what would stand there' } as const;

function noted(store: Store, projectId: string, name: string) {
  return store.ensureHead({ id: `hed_${name}`, projectId, sha: name, branch: 'topic' }, { runAt: NOW, now: NOW });
}

export function heldHeadsContract(engine: Engine): void {
  describe('heads with a check run that is held back', () => {
    it('are those of the project, the newest first, as many as were asked for', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      const other = (await store.putRepository(500, repository(2, 'octo/two'), NOW))!;
      for (const name of ['aaa', 'bbb', 'ccc', 'ddd']) await noted(store, project.id, name);
      await noted(store, other.id, 'eee');
      const found = [finding('fal_1'), finding('fal_2', { verdict: 'flaky' })];
      await store.saveHead('hed_aaa', seenAs('red', { findings: found }), at(1));
      await store.saveHeadRecord('hed_ccc', HELD, at(2));
      await store.saveHeadRecord('hed_aaa', HELD, at(3));
      await store.saveHeadRecord('hed_ddd', withCheckRun(), at(4));
      await store.saveHeadRecord('hed_eee', HELD, at(5));
      const held = await store.listHeldHeads(project.id, 10);
      expect(held).toEqual([await store.findHead('hed_ccc'), await store.findHead('hed_aaa')]);
      expect(held[1]?.findings).toEqual(found);
      expect((await store.listHeldHeads(project.id, 1)).map(({ id }) => id)).toEqual(['hed_ccc']);
      expect(await store.listHeldHeads('prj_unknown', 10)).toEqual([]);
    });

    it('are held back until they are shown, whatever is found meanwhile', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      await noted(store, project.id, 'aaa');
      await store.saveHeadRecord('hed_aaa', HELD, at(1));
      await store.saveHead('hed_aaa', seenAs('green'), at(2));
      await noted(store, project.id, 'aaa');
      expect(await store.listHeldHeads(project.id, 10)).toHaveLength(1);
      await store.saveHeadRecord('hed_aaa', withCheckRun(), at(3));
      expect(await store.listHeldHeads(project.id, 10)).toEqual([]);
    });

    it('forget what they would show of an investigation that is erased', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { account, project } = await githubGround(store);
      const ground = { account, project };
      for (const name of ['aaa', 'bbb']) await noted(store, project.id, name);
      const own = await accepted(store, acceptance(ground));
      const run = await started(store, own.runId);
      const [issueId = ''] = await store.conclude(run, conclusion(), at(1));
      const found = finding('fal_1', { investigationId: own.investigationId });
      await store.saveHead('hed_aaa', seenAs('red', { findings: [found] }), at(2));
      for (const id of ['hed_aaa', 'hed_bbb']) await store.saveHeadRecord(id, HELD, at(3));
      expect(await store.eraseIssue(issueId, at(4))).toBe(true);
      expect((await store.listHeldHeads(project.id, 10)).map(({ id }) => id)).toEqual(['hed_bbb']);
      expect((await store.findHead('hed_aaa'))?.record.held).toBeNull();
    });
  });
}
