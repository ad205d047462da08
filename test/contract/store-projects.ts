// The store's contract: projects and the ids of their Issues.
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acceptance, accepted, at, conclusion, ground, NOW, started } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

function remote(name: string) {
  return { name, source: { kind: 'url', url: `https://example.org/${name}.git` } } as const;
}

function folder(path: string) {
  return { name: `local/${basename(path)}`, source: { kind: 'path', path } } as const;
}

export function projectsContract(engine: Engine): void {
  describe('projects', () => {
    it('are made equal to the wanted set; one that comes back has its old id', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const [a, b] = await store.syncProjects([remote('o/b'), remote('o/a')], NOW);
      expect([a?.name, b?.name]).toEqual(['o/a', 'o/b']);
      const second = await store.syncProjects([remote('o/a'), remote('o/c')], at(1));
      expect(second.map((project) => project.name)).toEqual(['o/a', 'o/c']);
      expect(second[0]).toEqual(a);
      expect(await store.findProject('o/b')).toBeNull();
      expect(await store.findProject(b!.id)).toBeNull();
      expect(await store.syncProjects([remote('o/b'), remote('o/b')], at(2))).toEqual([b]);
    });

    it('are their source: another folder of the same name is another project, also while the first is hidden', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const one = folder('/aa/shop');
      const two = folder('/bb/Shop');
      const [first] = await store.syncProjects([one], NOW);
      const [second] = await store.syncProjects([two], at(1));
      expect(second).toMatchObject({ name: 'local/Shop-2', source: two.source });
      expect(second?.id).not.toBe(first?.id);
      expect(await store.findProject('local/shop')).toBeNull();
      expect(await store.findProject(first!.id)).toBeNull();
      expect(await store.syncProjects([one], at(2))).toEqual([first]);
      const [third] = await store.syncProjects([folder('/cc/shop')], at(3));
      expect(third?.name).toBe('local/shop-3');
    });

    it('keep id and name in whatever order they are wanted', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const one = folder('/aa/shop');
      const two = folder('/bb/shop');
      const both = await store.syncProjects([one, two], NOW);
      expect(both.map(({ name, source }) => ({ name, source }))).toEqual([
        { name: 'local/shop', source: one.source },
        { name: 'local/shop-2', source: two.source },
      ]);
      expect(await store.syncProjects([two, one], at(1))).toEqual(both);
    });

    it('leave a queued run with the source that it was asked about', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const { runId } = await accepted(store, acceptance(base));
      const [other] = await store.syncProjects([{ ...folder('/bb/app'), name: base.project.name }], at(1));
      const run = await started(store, runId);
      expect(run.projectId).toBe(base.project.id);
      expect(await store.findProject(run.projectId)).toBeNull();
      await store.conclude(run, conclusion(), at(2));
      expect(await store.listIssueIds(other!.id)).toEqual([]);
    });

    it('are found by id and by name whatever the case', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const [app, other] = await store.syncProjects([remote('o/App'), remote('o/Other')], NOW);
      expect(await store.findProject(other!.id)).toEqual(other);
      expect(await store.findProject('o/App')).toEqual(app);
      expect(await store.findProject('O/APP')).toEqual(app);
      expect(await store.findProject('o/missing')).toBeNull();
    });

    it('come in pages by name', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      await store.syncProjects(['d', 'b', 'a', 'c'].map(remote), NOW);
      const names = async (page: Parameters<typeof store.listProjects>[0]) =>
        (await store.listProjects(page)).map((project) => project.name);
      expect(await names({})).toEqual(['a', 'b', 'c', 'd']);
      expect(await names({ limit: 2 })).toEqual(['a', 'b']);
      expect(await names({ after: 'b', limit: 1 })).toEqual(['c']);
      expect(await names({ after: 'd', limit: 2 })).toEqual([]);
    });

    it('list the ids of their Issues newest first, also those of one moment', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const { runId } = await accepted(store, acceptance(base));
      await accepted(store, acceptance(base));
      const both = await store.conclude(await started(store, runId), conclusion(), NOW);
      const later = await accepted(store, acceptance(base, { fresh: true }));
      const [third] = await store.conclude(await started(store, later.runId), conclusion(), NOW);
      expect(await store.listIssueIds(base.project.id)).toEqual([third, both[1], both[0]]);
    });

    it('list very many of them completely and well under a second', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { account, project } = await ground(opened.store);
      const ids = await opened.manyIssues(project.id, account.id, engine.many);
      const before = performance.now();
      const listed = await opened.store.listIssueIds(project.id);
      expect(performance.now() - before).toBeLessThan(5_000);
      expect(listed).toEqual(ids.toReversed());
    });
  });
}
