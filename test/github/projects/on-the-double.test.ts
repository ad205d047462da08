// Clients, projects and roles against the whole GitHub double: tokens whose scope is enforced, people who move repositories, real git.

import { startGithubDouble } from 'causeway-github-double';
import { expect, it } from 'vitest';
import { isGithubProject } from '../../../src/core/project/project.ts';
import { createGithubClients, gitCredentials } from '../../../src/github/clients/create-github-clients.ts';
import { createProjectSync } from '../../../src/github/projects/project-sync.ts';
import { createPermissions } from '../../../src/github/projects/roles.ts';
import { createLog } from '../../../src/log.ts';
import { createChanges } from '../../../src/services/follow.ts';
import { sqlite } from '../../contract/sqlite-place.ts';
import { CAUSEWAY_APP } from '../../support/causeway-app.ts';
import { testSource } from '../../support/project-source.ts';
import { NEVER } from '../clients/ground.ts';

async function openHouse(basePath = '') {
  const stack = new AsyncDisposableStack();
  const double = stack.use(await startGithubDouble({ basePath, app: CAUSEWAY_APP }));
  const place = stack.use(await sqlite.place());
  const { store } = stack.use(await place.open());
  const now = () => double.state.clock.now();
  const lines: string[] = [];
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
    log: createLog({ level: 'warn', destination: { write: (line) => lines.push(line) } }),
    now,
    allowedOwners: ['octo', 'acme'],
  });
  return {
    double,
    people: double.people,
    warnings: () => lines.map((line) => JSON.parse(line) as { readonly msg: string; readonly missing?: string }),
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

it.each([
  ['Fix', {}],
  ['Comment', { contents: 'read', pull_requests: 'read' }],
] as const)('does not warn of a permission that the App never requested: %s', async (_kind, changes) => {
  await using house = await openHouse();
  const { app } = house.double;
  app.permissions = { ...app.permissions, ...changes };
  await house.people.openRepository('octo/shop');
  house.people.install('octo');
  await house.sync.reconcile(NEVER);
  expect(await house.names()).toEqual(['octo/shop']);
  expect(house.warnings()).toEqual([]);
});

it('warns once of a permission that the App requests and the owner has not granted', async () => {
  await using house = await openHouse();
  const { app } = house.double;
  house.people.install('octo', { permissions: { ...app.permissions, checks: 'read' } });
  app.permissions = { ...app.permissions, actions: 'write' };
  for (const _ of [1, 2]) await house.sync.reconcile(NEVER);
  expect(house.warnings()).toEqual([
    expect.objectContaining({ missing: 'actions: write, checks: write', msg: expect.stringContaining('not granted') }),
  ]);
});
