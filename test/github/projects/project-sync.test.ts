// Projects follow GitHub: installations and repositories come, go, move and are renamed, and what was lost is ended.
import { expect, it } from 'vitest';
import { createProjectSync, type ProjectSync } from '../../../src/github/projects/project-sync.ts';
import { createLog } from '../../../src/log.ts';
import { createChanges } from '../../../src/services/follow.ts';
import { sqlite } from '../../contract/sqlite-place.ts';
import { acceptance, accepted, NOW } from '../../support/store-samples.ts';
import { NEVER } from '../clients/ground.ts';
import { type FakeGithub, openFakeGithub } from './fake-github.ts';

async function openHouse(allowedOwners: readonly string[] = ['octo', 'acme']) {
  const stack = new AsyncDisposableStack();
  const place = stack.use(await sqlite.place());
  const { store } = stack.use(await place.open());
  const github = stack.use(await openFakeGithub(store));
  const forgotten: string[] = [];
  const logged: { msg: string }[] = [];
  const house = {
    forgetFails: false,
    store,
    github,
    forgotten,
    logged,
    sync: createProjectSync({
      clients: github.clients,
      store,
      allowedOwners,
      source: {
        async forget(id) {
          if (house.forgetFails) throw new Error('The mirror is locked.');
          forgotten.push(id);
        },
      },
      changes: createChanges(),
      log: createLog({ level: 'info', destination: { write: (line) => void logged.push(JSON.parse(line)) } }),
      now: () => new Date(),
    }),
    names: async () => (await store.listProjects({})).map(({ name }) => name),
    /** An investigation of the project that has not ended. */
    async investigate(name: string) {
      const project = (await store.findProject(name))!;
      const account = await store.ensureAccount({ login: 'mona', githubId: 1, signingSecret: 'whsec_x', now: NOW });
      return { project, ...(await accepted(store, acceptance({ account, project }))) };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  return house;
}

/** One installation of `octo` with a shop and a docs repository. */
function octo(github: FakeGithub) {
  github.install(7, 'octo');
  github.addRepository(7, 501, 'octo/shop');
  github.addRepository(7, 502, 'octo/docs');
}

it('installed: its repositories are projects, with all that GitHub says of them', async () => {
  await using house = await openHouse();
  octo(house.github);
  house.github.repository(502).private = false;
  house.github.repository(502).archived = true;
  await house.sync.installationChanged(7, NEVER);
  expect(await house.names()).toEqual(['octo/docs', 'octo/shop']);
  expect((await house.store.findProject('octo/docs'))?.source).toEqual({
    kind: 'github',
    repositoryId: 502,
    installationId: 7,
    url: 'https://github.test/octo/docs.git',
    isPrivate: false,
    isArchived: true,
    defaultBranch: 'main',
  });
  expect(await house.store.findInstallation(7)).toMatchObject({
    owner: { id: 907, login: 'octo', kind: 'organization' },
    permissions: { contents: 'write', metadata: 'read' },
    isSuspended: false,
  });
});

it('reconciled: every installation and repository of many pages, and nothing is done a second time', async () => {
  await using house = await openHouse();
  for (let id = 1; id <= 101; id++) house.github.install(id, 'octo');
  house.github.addRepository(101, 1, 'octo/r1');
  for (let id = 1_000; id < 1_210; id++) house.github.addRepository(5, id, `octo/r${id}`);
  await house.sync.reconcile(NEVER);
  const before = await house.store.listProjects({});
  expect(before).toHaveLength(211);
  await house.sync.reconcile(NEVER);
  expect(await house.store.listProjects({})).toEqual(before);
  expect(house.forgotten).toEqual([]);
});

it('renamed: the project keeps its id, whether an event or a look told of it', async () => {
  await using house = await openHouse();
  octo(house.github);
  await house.sync.reconcile(NEVER);
  const { id } = (await house.store.findProject('octo/shop'))!;
  house.github.repository(501).full_name = 'octo/store';
  await house.sync.repositoryChanged(501, 7, NEVER);
  expect(await house.store.findProject('octo/store')).toMatchObject({ id });
  house.github.repository(501).full_name = 'octo/market';
  await house.sync.reconcile(NEVER);
  expect(await house.store.findProject('octo/market')).toMatchObject({ id });
  expect(await house.names()).toEqual(['octo/docs', 'octo/market']);
});

it('transferred: the project keeps its id and what runs for it, in whatever order we hear of it', async () => {
  await using house = await openHouse();
  octo(house.github);
  house.github.install(8, 'acme');
  await house.sync.reconcile(NEVER);
  const { project, investigationId } = await house.investigate('octo/shop');
  house.github.removeRepository(501);
  house.github.addRepository(8, 501, 'acme/shop');
  await house.sync.repositoryChanged(501, 8, NEVER);
  await house.sync.repositoryChanged(501, 7, NEVER);
  expect(await house.store.findProject('acme/shop')).toMatchObject({ id: project.id, source: { installationId: 8 } });
  expect((await house.store.findInvestigation(investigationId))?.outcome).toEqual({ state: 'queued' });
  expect(house.forgotten).toEqual([]);
});

it.each<readonly [string, (sync: ProjectSync) => Promise<void>]>([
  ['the repository', (sync) => sync.repositoryChanged(501, 7, NEVER)],
  ['the installation', (sync) => sync.installationChanged(7, NEVER)],
])('transferred, and the old owner tells first, of %s: what runs goes on', async (_name, tell) => {
  await using house = await openHouse();
  octo(house.github);
  house.github.install(8, 'acme');
  await house.sync.reconcile(NEVER);
  const { project, investigationId } = await house.investigate('octo/shop');
  house.github.removeRepository(501);
  house.github.addRepository(8, 501, 'acme/shop');
  await tell(house.sync);
  expect(await house.store.findProject('acme/shop')).toMatchObject({ id: project.id, source: { installationId: 8 } });
  expect((await house.store.findInvestigation(investigationId))?.outcome).toEqual({ state: 'queued' });
  expect(house.forgotten).toEqual([]);
});

it.each<readonly [string, (house: Awaited<ReturnType<typeof openHouse>>) => Promise<void>]>([
  [
    'removed from the installation',
    async ({ github, sync }) => {
      github.removeRepository(501);
      await sync.repositoryChanged(501, 7, NEVER);
    },
  ],
  [
    'deleted, as a look tells',
    async ({ github, sync }) => {
      github.removeRepository(501);
      await sync.reconcile(NEVER);
    },
  ],
  [
    'suspended',
    async ({ github, sync }) => {
      github.installation(7).suspended_at = NOW;
      await sync.installationChanged(7, NEVER);
    },
  ],
  [
    'uninstalled',
    async ({ github, sync }) => {
      github.uninstall(7);
      await sync.installationRemoved(7, NEVER);
    },
  ],
  [
    'uninstalled, as the question tells',
    async ({ github, sync }) => {
      github.uninstall(7);
      await sync.installationChanged(7, NEVER);
    },
  ],
  [
    'uninstalled unheard',
    async ({ github, sync }) => {
      github.uninstall(7);
      await sync.reconcile(NEVER);
    },
  ],
])(
  '%s: the project is hidden, its investigation ends with the reason, its source is forgotten',
  async (_name, lose) => {
    await using house = await openHouse();
    octo(house.github);
    await house.sync.reconcile(NEVER);
    const { project, investigationId } = await house.investigate('octo/shop');
    await lose(house);
    expect(await house.store.findProject('octo/shop')).toBeNull();
    expect(await house.store.findInvestigation(investigationId)).toMatchObject({
      outcome: {
        state: 'gave_up',
        reason: { code: 'access_lost', detail: expect.stringContaining('Access to the repository was lost') },
      },
    });
    expect(house.forgotten).toContain(project.id);
  },
);

it("an owner who is not allowed is ignored and said once; by default only the App's owner is", async () => {
  await using house = await openHouse([]);
  octo(house.github);
  house.github.install(9, 'stranger');
  house.github.addRepository(9, 900, 'stranger/spam');
  house.github.ownApp(907);
  await house.sync.reconcile(NEVER);
  await house.sync.reconcile(NEVER);
  await house.sync.repositoryChanged(900, 9, NEVER);
  await house.sync.installationChanged(9, NEVER);
  expect(await house.names()).toEqual(['octo/docs', 'octo/shop']);
  expect(house.logged.filter(({ msg }) => msg.includes('ALLOWED_OWNERS'))).toMatchObject([
    { owner: 'stranger', installation: 9 },
  ]);
  expect(house.sync.ignoredOwners()).toEqual(['stranger']);
  house.github.uninstall(9);
  await house.sync.installationRemoved(9, NEVER);
  expect(house.sync.ignoredOwners()).toEqual([]);
});

it('one installation that cannot be read keeps its projects and stops no other; it is said at the end', async () => {
  await using house = await openHouse();
  octo(house.github);
  house.github.install(8, 'acme');
  house.github.addRepository(8, 801, 'acme/one');
  await house.sync.reconcile(NEVER);
  house.github.breakInstallation(7);
  house.github.addRepository(8, 802, 'acme/two');
  await expect(house.sync.reconcile(NEVER)).rejects.toMatchObject({ kind: 'unsure', status: 502 });
  expect(await house.names()).toEqual(['acme/one', 'acme/two', 'octo/docs', 'octo/shop']);
  await expect(house.sync.installationChanged(7, NEVER)).rejects.toMatchObject({ kind: 'unsure' });
});

it('a list of installations that breaks off says so and hides nothing', async () => {
  await using house = await openHouse();
  octo(house.github);
  await house.sync.reconcile(NEVER);
  house.github.listFault = { list: 'installations', page: 1 };
  await expect(house.sync.reconcile(NEVER)).rejects.toMatchObject({ kind: 'unsure' });
  expect(await house.names()).toEqual(['octo/docs', 'octo/shop']);
});

it.each(['a page that cannot be read', 'a page that is missing without a word'])(
  'a list of repositories cut by %s hides nothing',
  async (name) => {
    await using house = await openHouse();
    house.github.install(7, 'octo');
    for (let id = 1; id <= 150; id++) house.github.addRepository(7, id, `octo/r${id}`);
    await house.sync.reconcile(NEVER);
    house.github.listFault = { list: 'repositories', page: 2, isSilent: name.includes('without') };
    house.github.repository(3).full_name = 'octo/renamed';
    await house.sync.reconcile(NEVER).catch(() => undefined);
    expect(await house.store.listProjects({})).toHaveLength(150);
    expect(house.forgotten).toEqual([]);
    house.github.listFault = null;
    await house.sync.reconcile(NEVER);
    expect(await house.store.findProject('octo/renamed')).not.toBeNull();
  },
);

it('an event during a look is not undone by what the look had read before', async () => {
  await using house = await openHouse();
  octo(house.github);
  await house.sync.reconcile(NEVER);
  const held = house.github.holdNextRepositoryList();
  const looking = house.sync.installationChanged(7, NEVER);
  await held.arrived;
  house.github.addRepository(7, 503, 'octo/new');
  const told = house.sync.repositoryChanged(503, 7, NEVER);
  held.release();
  await Promise.all([looking, told]);
  expect(await house.names()).toEqual(['octo/docs', 'octo/new', 'octo/shop']);
});
