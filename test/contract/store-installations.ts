// The store's contract: installations, and their repositories as projects, whatever they are called and wherever they go.
import { describe, expect, it } from 'vitest';
import type { Project } from '../../src/core/project.ts';
import type { Store } from '../../src/db/store.ts';
import { githubGround, installation, repository } from '../support/github-store-samples.ts';
import { acceptance, accepted, at, conclusion, ground, NOW, started } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

const other = installation({ id: 600, owner: { id: 60, login: 'hub', kind: 'user' } });

async function names(store: Store): Promise<readonly string[]> {
  return (await store.listProjects({})).map((project) => project.name);
}

const idsOf = (projects: readonly Project[]) => projects.map((project) => project.id);

export function installationsContract(engine: Engine): void {
  describe('an installation', () => {
    it('makes its repositories projects, which hold what GitHub says of them', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const bare = repository(2, 'octo/empty', { defaultBranch: '', isArchived: true, isPrivate: false });
      expect(await store.syncInstallation(installation(), [repository(1, 'octo/Shop'), bare], NOW)).toEqual([]);
      const shop = await store.findProject('OCTO/shop');
      expect(shop).toEqual({
        id: shop?.id,
        name: 'octo/Shop',
        source: {
          ...{ kind: 'github', repositoryId: 1, installationId: 500, url: 'https://github.test/octo/Shop.git' },
          ...{ isPrivate: true, isArchived: false, defaultBranch: 'main' },
        },
        createdAt: NOW,
      });
      expect(shop?.id).toMatch(/^prj_/);
      expect(await store.findProjectOfRepository(1)).toEqual(shop);
      expect((await store.findProjectOfRepository(2))?.source).toMatchObject({ isArchived: true, isPrivate: false });
      expect(await store.findProjectOfRepository(3)).toBeNull();
      expect(await store.listInstallations()).toEqual([installation()]);
      expect(await store.findInstallation(500)).toEqual(installation());
      expect(await store.findInstallation(501)).toBeNull();
    });

    it('hides what it does not list any more, and shows it again with the same id', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const [one, two] = [repository(1, 'octo/one'), repository(2, 'octo/two')];
      await store.syncInstallation(installation(), [one, two], NOW);
      const before = await store.findProject('octo/two');
      expect(await store.syncInstallation(installation(), [one], at(1))).toEqual([before]);
      expect(await names(store)).toEqual(['octo/one']);
      expect([await store.findProject('octo/two'), await store.findProject(before!.id)]).toEqual([null, null]);
      expect(await store.findProjectOfRepository(2)).toBeNull();
      expect(await store.listHiddenProjects()).toEqual([before!.id]);
      expect(await store.syncInstallation(installation(), [one], at(2))).toEqual([]);
      await store.syncInstallation(installation(), [one, two], at(3));
      expect(await store.findProject('octo/two')).toEqual(before);
      expect(await store.listHiddenProjects()).toEqual([]);
    });

    it('is kept up to date, hides nothing of another, and leaves an entry in the audit log where it comes and goes', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      await store.syncInstallation(installation(), [repository(1, 'octo/one')], NOW);
      await store.syncInstallation(other, [repository(2, 'hub/two')], NOW);
      const suspended = installation({ isSuspended: true, permissions: { issues: 'write' } });
      expect(await store.syncInstallation(suspended, [repository(1, 'octo/one')], at(1))).toEqual([]);
      expect(await store.listInstallations()).toEqual([suspended, other]);
      expect(await names(store)).toEqual(['hub/two', 'octo/one']);
      expect((await store.removeInstallation(500, at(2))).map((project) => project.name)).toEqual(['octo/one']);
      expect(await store.removeInstallation(500, at(3))).toEqual([]);
      expect(await store.listInstallations()).toEqual([other]);
      expect(await store.findInstallation(500)).toBeNull();
      expect(await names(store)).toEqual(['hub/two']);
      expect(await opened.audit()).toEqual([
        { verb: 'installation.made', subject: '500' },
        { verb: 'installation.made', subject: '600' },
        { verb: 'installation.removed', subject: '500' },
      ]);
    });
  });

  describe('a repository', () => {
    it('is put only into an installation that is known', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      expect(await store.putRepository(500, repository(1, 'octo/one'), NOW)).toBeNull();
      expect(await names(store)).toEqual([]);
      await store.syncInstallation(installation(), [], NOW);
      expect(await store.putRepository(500, repository(1, 'octo/one'), NOW)).toEqual(
        await store.findProject('octo/one'),
      );
      await store.removeInstallation(500, at(1));
      expect(await store.putRepository(500, repository(1, 'octo/one'), at(2))).toBeNull();
      expect(await names(store)).toEqual([]);
    });

    it('that is renamed or transferred keeps id and Issues, and is found by its new name alone', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      const { runId } = await accepted(store, acceptance(base));
      const [issueId] = await store.conclude(await started(store, runId), conclusion(), NOW);
      await store.putRepository(500, repository(1, 'octo/store'), at(1));
      expect(await store.findProject('octo/shop')).toBeNull();
      expect((await store.findProject('octo/store'))?.id).toBe(base.project.id);
      await store.syncInstallation(other, [repository(1, 'hub/store')], at(2));
      expect(await store.syncInstallation(installation(), [], at(3))).toEqual([]);
      const moved = await store.findProject('hub/store');
      expect(moved?.id).toBe(base.project.id);
      expect(moved?.source).toMatchObject({ installationId: 600, url: 'https://github.test/hub/store.git' });
      expect(await store.listIssueIds(base.project.id)).toEqual([issueId]);
    });

    it('has the name that GitHub gives it, also where two change names in one list', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      await store.syncInstallation(installation(), [repository(1, 'octo/a'), repository(2, 'octo/b')], NOW);
      const before = idsOf([(await store.findProjectOfRepository(1))!, (await store.findProjectOfRepository(2))!]);
      await store.syncInstallation(installation(), [repository(1, 'octo/b'), repository(2, 'octo/A')], at(1));
      expect([(await store.findProject('octo/b'))?.id, (await store.findProject('octo/a'))?.id]).toEqual(before);
      expect(await names(store)).toEqual(['octo/A', 'octo/b']);
    });

    it('takes its name from one whose own renaming is not known yet, which then reaches nothing by the old one', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      const successor = await store.putRepository(500, repository(2, 'Octo/Shop'), at(1));
      expect(await store.findProject('octo/shop')).toEqual(successor);
      const between = await store.findProject(project.id);
      expect(between?.name).toBe('octo/shop~1');
      expect(between?.source).toMatchObject({ url: 'https://github.test/octo/shop~1.git' });
      const renamed = await store.putRepository(500, repository(1, 'octo/old-shop'), at(2));
      expect(renamed).toEqual({ ...project, name: 'octo/old-shop', source: renamed?.source });
      expect(renamed?.source.url).toBe('https://github.test/octo/old-shop.git');
    });

    it('deleted and made again under its name is another project, as is the one after that', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      expect(await store.hideRepository({ id: 1, installationId: 501 }, at(1))).toBeNull();
      expect(await store.hideRepository({ id: 1, installationId: 500 }, at(1))).toEqual(project);
      expect(await store.hideRepository({ id: 1, installationId: 500 }, at(2))).toBeNull();
      const second = await store.putRepository(500, repository(2, 'octo/shop'), at(3));
      await store.hideRepository({ id: 2, installationId: 500 }, at(4));
      const third = await store.putRepository(500, repository(3, 'octo/shop'), at(5));
      expect(await store.findProject('octo/shop')).toEqual(third);
      expect(new Set(idsOf([project, second!, third!])).size).toBe(3);
      expect((await store.listHiddenProjects()).toSorted()).toEqual(idsOf([project, second!]).toSorted());
    });

    it('of which investigations are open says so, also when it is hidden, and cancels none of them', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await githubGround(store);
      const ended = await accepted(store, acceptance(base, { fingerprint: 'a' }));
      const running = await accepted(store, acceptance(base, { fingerprint: 'b' }));
      const queued = await accepted(store, acceptance(base, { fingerprint: 'c' }));
      await store.conclude(await started(store, ended.runId), conclusion(), NOW);
      await started(store, running.runId);
      await store.hideRepository({ id: 1, installationId: 500 }, at(1));
      expect(await store.listOpenInvestigations(base.project.id)).toEqual([
        running.investigationId,
        queued.investigationId,
      ]);
      expect((await opened.jobs()).map((job) => job.subject)).toContain(queued.runId);
      expect(await store.listOpenInvestigations('prj_unknown')).toEqual([]);
    });

    it('and a folder of local mode do not touch each other', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const { project } = await githubGround(store);
      const local = (await ground(store)).project;
      expect(await store.syncProjects([], at(1))).toEqual([]);
      expect(await names(store)).toEqual(['octo/shop']);
      const clash = { name: 'octo/shop', source: { kind: 'url', url: 'https://e.org/octo/shop' } } as const;
      expect((await store.syncProjects([clash], at(2))).map((one) => one.name)).toEqual(['octo/shop-2']);
      expect(await store.findProject('octo/shop')).toEqual(project);
      await store.syncInstallation(installation(), [], at(3));
      expect(await names(store)).toEqual(['octo/shop-2']);
      expect(await store.listHiddenProjects()).toEqual([project.id]);
      expect(await store.findProject(local.id)).toBeNull();
    });
  });
}
