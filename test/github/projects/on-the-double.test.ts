// Clients, projects and roles against the whole GitHub double: tokens whose scope is enforced, people who move repositories, real git.
import { expect, it } from 'vitest';
import { isGithubProject } from '../../../src/core/project.ts';
import { createGithubClients, gitCredentials } from '../../../src/github/clients/create-github-clients.ts';
import { createProjectSync } from '../../../src/github/projects/project-sync.ts';
import { createPermissions } from '../../../src/github/projects/roles.ts';
import { createLog } from '../../../src/log.ts';
import { createChanges } from '../../../src/services/follow.ts';
import { sqlite } from '../../contract/sqlite-place.ts';
import { testSource } from '../../git/open-project.ts';
import { startGithubDouble } from '../../github-double/start.ts';
import { NEVER } from '../clients/ground.ts';

async function openHouse(basePath = '') {
  const stack = new AsyncDisposableStack();
  const double = stack.use(await startGithubDouble({ basePath }));
  const place = stack.use(await sqlite.place());
  const { store } = stack.use(await place.open());
  const now = () => double.state.clock.now();
  const clients = stack.use(
    createGithubClients({
      appId: double.app.id,
      privateKey: double.app.privateKey,
      apiUrl: double.apiUrl,
      webUrl: double.webUrl,
      userAgent: 'Causeway/test',
      installations: store,
      now,
    }),
  );
  const kept = stack.use(testSource({ credentials: (project, signal) => gitCredentials(clients, project, signal) }));
  const sync = createProjectSync({
    clients,
    store,
    source: kept.source,
    changes: createChanges(),
    log: createLog({ level: 'silent' }),
    now,
    allowedOwners: ['octo', 'acme'],
  });
  return {
    double,
    people: double.people,
    clients,
    sync,
    source: kept.source,
    permissions: createPermissions({ clients, now }),
    project: async (name: string) => {
      const project = await store.findProject(name);
      if (project === null || !isGithubProject(project)) throw new Error(`There is no project ${name}.`);
      return project;
    },
    names: async () => (await store.listProjects({})).map(({ name }) => name),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

it.each(['', '/api/v3'])('the App knows itself behind "%s"', async (basePath) => {
  await using house = await openHouse(basePath);
  const { app } = house.double;
  const expected = { appId: app.id, slug: 'causeway', botLogin: 'causeway[bot]', botId: app.botId };
  expect(await house.clients.identity(NEVER)).toMatchObject(expected);
});

it('a private repository that was installed is read by git with a token of it alone', async () => {
  await using house = await openHouse();
  await house.people.openRepository('octo/shop', { isPrivate: true, files: { 'a.txt': 'a\n' } });
  house.people.install('octo');
  await house.sync.reconcile(NEVER);
  const project = await house.project('octo/shop');
  const repository = await house.source.open(project, NEVER);
  expect(await repository.resolve('', NEVER)).toMatch(/^[0-9a-f]{40}$/);
  await expect(
    house.source.open({ ...project, source: { ...project.source, repositoryId: 1 } }, NEVER),
  ).rejects.toMatchObject({
    code: 'access_lost',
  });
});

it('a repository that is renamed and transferred stays the same project, and is read under its new name', async () => {
  await using house = await openHouse();
  const { id: repository } = await house.people.openRepository('octo/shop', { isPrivate: true });
  house.people.organization('acme', { owners: ['mona'] });
  const installed = house.people.install('octo');
  const other = house.people.install('acme');
  await house.sync.reconcile(NEVER);
  const { id } = await house.project('octo/shop');
  house.people.renameRepository('octo/shop', 'store', 'mona');
  await house.sync.repositoryChanged(repository, installed.id, NEVER);
  expect(await house.project('octo/store')).toMatchObject({ id });
  house.people.transferRepository('octo/store', 'acme', 'mona');
  await house.sync.repositoryChanged(repository, other.id, NEVER);
  await house.sync.repositoryChanged(repository, installed.id, NEVER);
  const moved = await house.project('acme/store');
  expect(moved).toMatchObject({ id, source: { installationId: other.id } });
  expect((await house.source.open(moved, NEVER)).defaultBranch).toBe('main');
});

it('suspended, back, reduced to some repositories, uninstalled: projects follow', async () => {
  await using house = await openHouse();
  house.people.user('mona');
  await house.people.openRepository('octo/shop');
  await house.people.openRepository('octo/docs');
  const installed = house.people.install('octo', { repositories: ['octo/shop', 'octo/docs'] });
  await house.sync.installationChanged(installed.id, NEVER);
  expect(await house.names()).toEqual(['octo/docs', 'octo/shop']);
  house.people.suspend(installed, 'mona');
  await house.sync.reconcile(NEVER);
  expect(await house.names()).toEqual([]);
  house.people.unsuspend(installed, 'mona');
  house.people.changeRepositories(installed, { remove: ['octo/docs'], by: 'mona' });
  await house.sync.reconcile(NEVER);
  expect(await house.names()).toEqual(['octo/shop']);
  house.people.uninstall(installed, 'mona');
  await house.sync.reconcile(NEVER);
  expect(await house.names()).toEqual([]);
});

it('people have the role that they were given, by their number and not by their name', async () => {
  await using house = await openHouse();
  await house.people.openRepository('octo/shop', { isPrivate: true });
  await house.people.openRepository('octo/open');
  house.people.install('octo');
  await house.sync.reconcile(NEVER);
  const shop = await house.project('octo/shop');
  const open = await house.project('octo/open');
  for (const role of ['read', 'triage', 'write', 'maintain', 'admin'] as const) {
    house.people.grant('octo/shop', `a-${role}`, role);
    expect(await house.permissions.roleOfPerson(house.people.user(`a-${role}`), shop, NEVER)).toBe(role);
  }
  house.people.grant('octo/shop', 'support', 'triage', 'Support');
  expect(await house.permissions.roleOfPerson(house.people.user('support'), shop, NEVER)).toBe('triage');
  const stranger = house.people.user('stranger');
  expect(await house.permissions.roleOfPerson(stranger, shop, NEVER)).toBe('none');
  expect(await house.permissions.roleOfPerson(stranger, open, NEVER)).toBe('read');
  const { id } = house.people.user('a-admin');
  house.people.renameAccount('a-admin', 'boss');
  const taken = house.people.user('a-admin');
  house.people.grant('octo/shop', 'a-admin', 'write');
  house.double.state.clock.advance(61_000);
  expect(await house.permissions.roleOfPerson({ id, login: 'a-admin' }, shop, NEVER)).toBe('none');
  expect(await house.permissions.roleOfPerson({ id, login: 'boss' }, shop, NEVER)).toBe('admin');
  expect(await house.permissions.roleOfPerson(taken, shop, NEVER)).toBe('write');
});

it('what the App was not granted is refused with its name', async () => {
  await using house = await openHouse();
  const { id: repository } = await house.people.openRepository('octo/shop');
  house.people.user('mona');
  const issue = house.people.openIssue('octo/shop', { title: 'Broken', by: 'mona' });
  const installed = house.people.install('octo', {
    permissions: { metadata: 'read', contents: 'read', issues: 'read' },
  });
  await house.sync.reconcile(NEVER);
  const talk = house.clients.repository({ installationId: installed.id, repositoryId: repository }, 'talk').call(
    (octokit, request) =>
      octokit.rest.issues.createComment({
        owner: 'octo',
        repo: 'shop',
        issue_number: issue.number,
        body: 'Hello',
        request,
      }),
    NEVER,
  );
  await expect(talk).rejects.toMatchObject({
    kind: 'refused',
    status: 403,
    message: expect.stringContaining('needs the permission issues: write'),
  });
});
