// The store's contract: projects and the ids of their Issues.
import { describe, expect, it } from 'vitest';
import type { ProjectSource } from '../../src/domain/project.ts';
import { acceptance, accepted, at, conclusion, ground, NOW, started } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

const source: ProjectSource = { kind: 'url', url: 'https://example.org/a.git' };

export function projectsContract(engine: Engine): void {
  describe('projects', () => {
    it('are made equal to the wanted set; one that comes back has its old id', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const first = await store.syncProjects(
        [
          { name: 'o/b', source },
          { name: 'o/a', source },
        ],
        NOW,
      );
      expect(first.map((project) => project.name)).toEqual(['o/a', 'o/b']);
      const moved: ProjectSource = { kind: 'path', path: '/srv/a' };
      const second = await store.syncProjects(
        [
          { name: 'o/a', source: moved },
          { name: 'o/c', source },
        ],
        at(1),
      );
      expect(second.map((project) => project.name)).toEqual(['o/a', 'o/c']);
      expect(second[0]).toEqual({ ...first[0], source: moved });
      expect(await store.project('o/b')).toBeNull();
      expect(await store.project(first[1]!.id)).toBeNull();
      const third = await store.syncProjects([{ name: 'o/b', source }], at(2));
      expect(third).toEqual([first[1]]);
    });

    it('are found by id and by name whatever the case, the exact name first', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const [upper, lower] = await store.syncProjects(
        [
          { name: 'o/App', source },
          { name: 'o/app', source },
        ],
        NOW,
      );
      expect(await store.project(lower!.id)).toEqual(lower);
      expect(await store.project('o/app')).toEqual(lower);
      expect(await store.project('o/App')).toEqual(upper);
      expect((await store.project('O/APP'))?.name).toBe('o/App');
      expect(await store.project('o/other')).toBeNull();
    });

    it('come in pages by name', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      await store.syncProjects(
        ['d', 'b', 'a', 'c'].map((name) => ({ name, source })),
        NOW,
      );
      const names = async (page: Parameters<typeof store.projects>[0]) =>
        (await store.projects(page)).map((project) => project.name);
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
      expect(await store.issueIds(base.project.id)).toEqual([third, both[1], both[0]]);
    });

    it('list 100,000 of them completely and well under a second', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { account, project } = await ground(opened.store);
      const ids = await opened.manyIssues(project.id, account.id, 100_000);
      const before = performance.now();
      const listed = await opened.store.issueIds(project.id);
      expect(performance.now() - before).toBeLessThan(5_000);
      expect(listed).toEqual(ids.toReversed());
    });
  });
}
