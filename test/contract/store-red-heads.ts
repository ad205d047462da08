// The store's contract: that something was red is remembered until it is green, so that green is of interest.
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/db/store.ts';
import { inPullRequest, ON_MAIN, seenAs } from '../support/check-store-samples.ts';
import { githubGround } from '../support/github-store-samples.ts';
import { at, NOW } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

/** Notes a head of that commit. */
function noted(store: Store, projectId: string, name: string, branch = 'topic') {
  return store.ensureHead({ id: `hed_${name}`, projectId, sha: name, branch }, { runAt: NOW, now: NOW });
}

export function redHeadsContract(engine: Engine): void {
  describe('a red head', () => {
    const branch = (name: string) => ({ branch: name, pullRequests: [] });
    const number = (...pullRequests: readonly number[]) => ({ branch: '', pullRequests });

    it('is remembered by its branch and by its pull request, within its project', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      await noted(store, project.id, 'aaa', '');
      const has = (of: Parameters<Store['hasRedHead']>[1], id = project.id) => store.hasRedHead(id, of);
      expect(await has(number(5))).toBe(false);
      await store.saveHead('hed_aaa', seenAs('red'), at(1));
      expect([await has(number(4, 5)), await has(number(4)), await has(branch(''))]).toEqual([true, false, false]);
      await noted(store, project.id, 'bbb', 'topic');
      await store.saveHead('hed_bbb', seenAs('red', { place: ON_MAIN }), at(1));
      expect([await has(branch('topic')), await has(branch('main')), await has(number(5))]).toEqual([
        true,
        false,
        true,
      ]);
      expect(await has({ branch: 'topic', pullRequests: [5] }, 'prj_other')).toBe(false);
    });

    it('is remembered while it waits again or another has taken its place, until it or a later one is green', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      const has = () => store.hasRedHead(project.id, number(5));
      for (const name of ['old', 'aaa', 'bbb', 'ccc']) await noted(store, project.id, name);
      await store.saveHead('hed_aaa', seenAs('red'), at(1));
      await store.saveHead('hed_aaa', seenAs('waiting'), at(2));
      expect(await has()).toBe(true);
      await store.saveHead('hed_aaa', seenAs('superseded', { place: null }), at(3));
      expect(await has()).toBe(true);
      await store.saveHead('hed_old', seenAs('green'), at(4));
      await store.saveHead('hed_bbb', seenAs('green', { place: inPullRequest(6) }), at(5));
      expect(await has()).toBe(true);
      await store.saveHead('hed_ccc', seenAs('green'), at(6));
      expect(await has()).toBe(false);
      await store.saveHead('hed_aaa', seenAs('superseded', { place: null }), at(7));
      expect(await has()).toBe(false);
      await store.saveHead('hed_ccc', seenAs('red'), at(8));
      expect(await has()).toBe(true);
      await store.saveHead('hed_ccc', seenAs('ignored'), at(9));
      expect(await has()).toBe(false);
    });

    it('without a pull request is forgotten once its branch is green', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      for (const name of ['aaa', 'bbb', 'ccc']) await noted(store, project.id, name, name === 'bbb' ? 'b' : 'main');
      for (const id of ['hed_aaa', 'hed_bbb']) await store.saveHead(id, seenAs('red', { place: ON_MAIN }), at(1));
      await store.saveHead('hed_ccc', seenAs('green', { place: ON_MAIN }), at(2));
      expect([
        await store.hasRedHead(project.id, branch('main')),
        await store.hasRedHead(project.id, branch('b')),
      ]).toEqual([...[false, true]]);
    });
  });
}
