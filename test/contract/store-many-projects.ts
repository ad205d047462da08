// The store's contract: pages of investigations over many projects, also where those of others came after them.
import { describe, expect, it } from 'vitest';
import { acceptance, accepted, at, ground, NOW } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

/** So many that the newest of all are looked at first, and more of others than are looked at once. */
const WANTED = 12;
const OF_OTHERS = 205;

export function manyProjectsContract(engine: Engine): void {
  describe('investigations of many projects', { timeout: 60_000 }, () => {
    it('are those of the wanted ones alone, newest first and whole pages, however many others came since', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { account } = await ground(store);
      const names = Array.from({ length: WANTED + 1 }, (_, index) => `local/p${index}`);
      const sources = names.map((name) => ({ name, source: { kind: 'path', path: `/srv/${name}` } as const }));
      const [other, ...wanted] = await store.syncProjects(sources, NOW);
      const ids: string[] = [];
      const add = async (project: (typeof wanted)[number], reference: string) => {
        const report = acceptance({ account, project }, { fresh: true, reference });
        ids.unshift((await accepted(store, report)).investigationId);
      };
      for (const project of wanted) await add(project, project === wanted[3] ? 'marked' : '');
      const own = [...ids];
      for (let number = 0; number < OF_OTHERS; number++) await add(other!, 'marked');
      const projectIds = wanted.map(({ id }) => id);
      const list = async (filter: Partial<Parameters<typeof store.listInvestigations>[0]>) =>
        (await store.listInvestigations({ limit: 100, projectIds, ...filter })).map((one) => one.id);
      expect(await list({})).toEqual(own);
      expect(await list({ limit: 5 })).toEqual(own.slice(0, 5));
      expect(await list({ limit: 5, after: own[4]! })).toEqual(own.slice(5, 10));
      expect(await list({ reference: 'marked' })).toEqual([own[WANTED - 1 - 3]]);
      await store.cancel(own[7]!, { code: 'cancelled', detail: 'no more' }, at(1));
      expect(await list({ state: 'cancelled' })).toEqual([own[7]]);
      expect(await list({ projectIds: [other!.id, ...projectIds], limit: 300 })).toEqual(ids);
    });
  });
}
