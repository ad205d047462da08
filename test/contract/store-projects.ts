// The store's contract: projects of local mode and of installations, and upkeep.
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Project } from '../../src/core/project/project.ts';
import type { Store } from '../../src/db/store.ts';
import {
  acceptance,
  accepted,
  at,
  conclusion,
  ground,
  installation,
  NOW,
  repository,
  started,
  token,
} from '../support/store-samples.ts';
import { type Engine, openGithub, openLocal, openNew } from './engine.ts';

function remote(name: string) {
  return { name, source: { kind: 'url', url: `https://example.org/${name}.git` } } as const;
}

function folder(path: string) {
  return { name: `local/${basename(path)}`, source: { kind: 'path', path } } as const;
}

export function projectsContract(engine: Engine): void {
  describe('projects', () => {
    it('are made equal to the wanted set; one that comes back has its old id', async () => {
      await using opened = await openNew(engine);
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
      await using opened = await openNew(engine);
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
      await using opened = await openNew(engine);
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
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const { runId } = await accepted(store, acceptance(base));
      const [other] = await store.syncProjects([{ ...folder('/bb/app'), name: base.project.name }], at(1));
      const run = await started(store, runId);
      expect(run.projectId).toBe(base.project.id);
      expect(await store.findProject(run.projectId)).toBeNull();
      await store.conclude(run, conclusion(), at(2));
      expect(await store.listIssueIds(other!.id)).toEqual([]);
    });

    it('are found by id and by name whatever the case', async () => {
      await using opened = await openNew(engine);
      const { store } = opened;
      const [app, other] = await store.syncProjects([remote('o/App'), remote('o/Other')], NOW);
      expect(await store.findProject(other!.id)).toEqual(other);
      expect(await store.findProject('o/App')).toEqual(app);
      expect(await store.findProject('O/APP')).toEqual(app);
      expect(await store.findProject('o/missing')).toBeNull();
    });

    it('come in pages by name', async () => {
      await using opened = await openNew(engine);
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
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const { runId } = await accepted(store, acceptance(base));
      await accepted(store, acceptance(base));
      const both = await store.conclude(await started(store, runId), conclusion(), NOW);
      const later = await accepted(store, acceptance(base, { fresh: true }));
      const [third] = await store.conclude(await started(store, later.runId), conclusion(), NOW);
      expect(await store.listIssueIds(base.project.id)).toEqual([third, both[1], both[0]]);
    });

    it('list very many of them completely', async () => {
      await using opened = await openLocal(engine);
      const { account, project } = opened;
      const ids = await opened.manyIssues(project.id, account.id, engine.many);
      expect(await opened.store.listIssueIds(project.id)).toEqual(ids.toReversed());
    });
  });
}

const other = installation({ id: 600, owner: { id: 60, login: 'hub', kind: 'user' } });

async function names(store: Store): Promise<readonly string[]> {
  return (await store.listProjects({})).map((project) => project.name);
}

const idsOf = (projects: readonly Project[]) => projects.map((project) => project.id);

export function installationsContract(engine: Engine): void {
  describe('an installation', () => {
    it('makes its repositories projects, which hold what GitHub says of them', async () => {
      await using opened = await openNew(engine);
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
      await using opened = await openNew(engine);
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
      await using opened = await openNew(engine);
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
      await using opened = await openNew(engine);
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
      await using opened = await openGithub(engine);
      const { store, base } = opened;
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
      await using opened = await openNew(engine);
      const { store } = opened;
      await store.syncInstallation(installation(), [repository(1, 'octo/a'), repository(2, 'octo/b')], NOW);
      const before = idsOf([(await store.findProjectOfRepository(1))!, (await store.findProjectOfRepository(2))!]);
      await store.syncInstallation(installation(), [repository(1, 'octo/b'), repository(2, 'octo/A')], at(1));
      expect([(await store.findProject('octo/b'))?.id, (await store.findProject('octo/a'))?.id]).toEqual(before);
      expect(await names(store)).toEqual(['octo/A', 'octo/b']);
    });

    it('takes its name from one whose own renaming is not known yet, which then reaches nothing by the old one', async () => {
      await using opened = await openGithub(engine);
      const { store, project } = opened;
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
      await using opened = await openGithub(engine);
      const { store, project } = opened;
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
      await using opened = await openGithub(engine);
      const { store, base } = opened;
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
      await using opened = await openGithub(engine);
      const { store, project } = opened;
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

export function upkeepContract(engine: Engine): void {
  describe('upkeep', () => {
    it('finds an open store well, again and again, and a closed one not', async () => {
      await using place = await engine.place();
      const opened = await place.open();
      await opened.store.checkWritable();
      await opened.store.checkWritable();
      await opened[Symbol.asyncDispose]();
      await expect(opened.store.checkWritable()).rejects.toThrow();
    });

    it('remembers everything after it was closed and opened again', async () => {
      await using place = await engine.place();
      let id = '';
      {
        await using opened = await place.open();
        id = (await accepted(opened.store, acceptance(await ground(opened.store)))).investigationId;
      }
      await using again = await place.open();
      expect((await again.store.findInvestigation(id))?.outcome.state).toBe('queued');
      expect(await again.jobs()).toHaveLength(1);
    });

    it('sweeps what ended before, in any number, and nothing that is younger or under way', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      await opened.manyIssues(base.project.id, base.account.id, 450);
      const young = await accepted(store, acceptance(base, { fingerprint: 'young' }));
      await store.conclude(await started(store, young.runId), conclusion(), at(100));
      const open = await accepted(store, acceptance(base, { fingerprint: 'open', callbackUrl: 'https://e.org' }));
      const limits = { endedBefore: at(50), keysBefore: NOW, now: at(200) };
      expect(await store.sweep(limits)).toBe(450);
      expect(await store.sweep(limits)).toBe(0);
      expect(await store.listIssueIds(base.project.id)).toHaveLength(1);
      expect(await store.findInvestigation(open.investigationId)).not.toBeNull();
      expect(await opened.recordCounts()).toMatchObject({ runs: 2, investigations: 2, issues: 1 });
    });

    it('sweeps entries of the audit log with their age, in any number', async () => {
      await using opened = await openLocal(engine);
      const { store, account } = opened;
      for (let number = 0; number < 210; number += 1) {
        await store.addToken(token(account.id, { id: `tok_${number}`, createdAt: at(number) }), `hash ${number}`);
      }
      await store.sweep({ endedBefore: at(205), keysBefore: NOW, now: at(300) });
      const left = await store.listAuditEntries({ accountId: account.id, projectIds: [], limit: 20 });
      expect(left.map((entry) => entry.at)).toEqual([209, 208, 207, 206, 205].map((second) => at(second)));
    });

    it('sweeps webhooks and idempotency keys with their age', async () => {
      await using opened = await openLocal(engine);
      const { store, base } = opened;
      const idempotency = { key: 'k', bodyHash: 'h' };
      const callbackUrl = 'https://hooks.example.org/in';
      const { runId } = await accepted(store, acceptance(base, { idempotency, callbackUrl }));
      const [issueId] = await store.conclude(await started(store, runId), conclusion(), NOW);
      const [webhook] = await store.listWebhooks(base.account.id, 10);
      await store.recordAttempt(webhook!.id, { state: 'delivered', error: '', at: NOW, ms: 5 });
      await store.eraseIssue(issueId!, NOW);
      await store.sweep({ endedBefore: NOW, keysBefore: NOW, now: NOW });
      expect(await store.findWebhook(webhook!.id)).not.toBeNull();
      expect((await store.accept(acceptance(base, { idempotency }))).kind).toBe('repeated');
      await store.sweep({ endedBefore: at(1), keysBefore: at(1), now: at(1) });
      expect(await store.findWebhook(webhook!.id)).toBeNull();
      expect((await store.accept(acceptance(base, { idempotency }))).kind).toBe('accepted');
    });
  });
}
