// What the settings come to: the mode of the service, its local projects, and what a repository's own file may change.
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { createGithubConfiguration, createSettingsReader } from '../../src/app/github.ts';
import { createLocalConfiguration, findLocalProjects } from '../../src/app/local.ts';
import { chooseMode, keepApp, readKeptApp } from '../../src/app/mode.ts';
import { runCommand } from '../../src/app/run-command.ts';
import { readConfig } from '../../src/config.ts';
import type { Project } from '../../src/core/project/project.ts';
import { createConfigurationReader } from '../../src/github/configuration/read-configuration.ts';
import { DEFAULT_CONFIG, type Mode } from '../../src/github/configuration/repository-config.ts';
import { createLog } from '../../src/log.ts';
import { eventHouse } from '../github/events/event-house.ts';
import { APP_ENVIRONMENT, APP_KEY, WEBHOOK_SECRET } from '../support/new-key.ts';
import { scriptedTerminal } from '../support/scripted-terminal.ts';
import { temporaryFolder } from '../support/service.ts';

const OPEN = { HOST: '0.0.0.0', PUBLIC_URL: 'https://causeway.example' };

describe('the mode of the service', () => {
  it.each([
    ['nothing', {}, 'local'],
    ['a loopback PUBLIC_URL', { PUBLIC_URL: 'http://localhost:3000' }, 'local'],
    ['a HOST that others reach, as in the image', { HOST: '0.0.0.0' }, 'setup'],
    ['a PUBLIC_URL that others reach', { PUBLIC_URL: OPEN.PUBLIC_URL }, 'setup'],
    ['credentials', APP_ENVIRONMENT, 'github'],
    ['credentials and an address', { ...APP_ENVIRONMENT, ...OPEN }, 'github'],
    ['credentials, but LOCAL_MODE=1', { ...APP_ENVIRONMENT, LOCAL_MODE: '1' }, 'local'],
    ['half a set of them, but LOCAL_MODE=1', { APP_ID: '1', LOCAL_MODE: '1' }, 'local'],
    ['only sign-in credentials', { GITHUB_CLIENT_ID: 'Iv1.x', GITHUB_CLIENT_SECRET: 'y' }, 'local'],
  ])('with %s', async (_, environment, kind) => {
    await using folder = await temporaryFolder();
    expect(chooseMode(readConfig({ DATA_DIR: folder.path, ...environment })).kind).toBe(kind);
  });

  it.each([
    ['APP_ID', { APP_ID: 'abc' }, 'APP_ID is "abc": give the number'],
    ['APP_ID', { APP_ID: '' }, 'APP_ID is missing'],
    ['PRIVATE_KEY', { PRIVATE_KEY: '' }, 'PRIVATE_KEY is missing'],
    ['PRIVATE_KEY', { PRIVATE_KEY: 'x' }, 'PRIVATE_KEY contains no RSA private key'],
    ['WEBHOOK_SECRET', { WEBHOOK_SECRET: '' }, 'WEBHOOK_SECRET is missing'],
    ['WEBHOOK_SECRET', { WEBHOOK_SECRET: 'development' }, 'WEBHOOK_SECRET is the word "development"'],
    ['WEBHOOK_SECRET', { WEBHOOK_SECRET: 'x'.repeat(31) }, 'WEBHOOK_SECRET has 31 characters'],
    ['WEBHOOK_SECRET_OLD', { WEBHOOK_SECRET_OLD: 'short' }, 'WEBHOOK_SECRET_OLD has 5 characters'],
  ])('is none with a %s like %j', (_, changes, words) => {
    const choose = () => chooseMode(readConfig({ ...APP_ENVIRONMENT, ...changes }));
    expect(choose).toThrow(words);
    expect(choose).toThrow('LOCAL_MODE=1');
  });

  it('names all that is missing of half a set at once', () => {
    expect(() => chooseMode(readConfig({ APP_ID: '1' }))).toThrow(
      /^PRIVATE_KEY is missing.*\nWEBHOOK_SECRET is missing/,
    );
  });

  it('is GitHub mode with the App that set-up has kept, unless the environment has another', async () => {
    await using folder = await temporaryFolder();
    const place = { DATA_DIR: folder.path };
    const credentials = {
      ...{ appId: 7, privateKey: APP_KEY, webhookSecrets: [WEBHOOK_SECRET] },
      ...{ clientId: '', clientSecret: '' },
    };
    keepApp(readConfig(place), { credentials, publicUrl: 'https://kept.example' });
    expect(statSync(path.join(folder.path, 'github-app')).mode & 0o777).toBe(0o600);
    expect(chooseMode(readConfig({ ...place, HOST: '0.0.0.0' }))).toEqual({
      ...{ kind: 'github', publicUrl: 'https://kept.example', credentials },
    });
    expect(chooseMode(readConfig({ ...place, PUBLIC_URL: OPEN.PUBLIC_URL }))).toMatchObject({
      publicUrl: OPEN.PUBLIC_URL,
    });
    const both = chooseMode(readConfig({ ...place, ...APP_ENVIRONMENT }));
    expect(both).toMatchObject({ credentials: { appId: 4711 } });
    expect(chooseMode(readConfig({ ...place, LOCAL_MODE: '1' })).kind).toBe('local');
    const otherKey = readConfig({ ...place, ENCRYPTION_KEY: '0'.repeat(64) });
    expect(() => readKeptApp(otherKey)).toThrow(/encrypted with another key/);
  });
});

describe('the projects of local mode', () => {
  it('are the repository around the caller, wherever in it the caller stands', async () => {
    await using repository = await gitRepository({ folder: 'shop' });
    mkdirSync(path.join(repository.path, 'deep', 'down'), { recursive: true });
    const [project, ...others] = findLocalProjects([], path.join(repository.path, 'deep', 'down'));
    expect(project?.name).toBe('local/shop');
    expect(others).toEqual([]);
  });

  it('are none where the caller stands in no repository', async () => {
    await using folder = await temporaryFolder();
    expect(findLocalProjects([], folder.path)).toEqual([]);
  });

  it('are named once where two paths lead to one, and by their folder even where two have one name', async () => {
    await using one = await gitRepository({ folder: 'shop' });
    await using two = await gitRepository({ folder: 'shop' });
    mkdirSync(path.join(one.path, 'src'));
    const found = findLocalProjects([one.path, two.path, path.join(one.path, 'src')], '/');
    expect(found).toEqual([
      { name: 'local/shop', source: { kind: 'path', path: one.path } },
      { name: 'local/shop', source: { kind: 'path', path: two.path } },
    ]);
  });

  it('that are no repositories are all named at once', async () => {
    await using folder = await temporaryFolder();
    const wrong = [folder.path, path.join(folder.path, 'absent')];
    const words = wrong.map((each) => `PROJECTS names ${each}, which is not in a git repository`);
    expect(() => findLocalProjects(wrong, '/')).toThrow(expect.objectContaining({ code: 'usage' }));
    expect(() => findLocalProjects(wrong, '/')).toThrow(new RegExp(`^${words.join('.*\\n')}`));
  });

  it('that are no repositories are refused by name, with the repair', async () => {
    await using folder = await temporaryFolder();
    for (const wrong of [folder.path, path.join(folder.path, 'absent')]) {
      expect(() => findLocalProjects([wrong], '/')).toThrow(
        `PROJECTS names ${wrong}, which is not in a git repository`,
      );
    }
  });
});

const SIGNAL = new AbortController().signal;
const CONFIG = { maxMode: 'comment', budget: { run: 2, repository: 30, all: 200 } } as const;
const LOCAL: Project = {
  ...{ id: 'prj_1', name: 'local/shop', createdAt: '2026-11-20T10:00:00.000Z' },
  source: { kind: 'path', path: '/shop' },
};
const OPERATORS = [
  { name: 'budget.run', value: '$2', from: { kind: 'operator', variable: 'BUDGET_RUN' }, limit: '' },
  { name: 'budget.month', value: '$30', from: { kind: 'operator', variable: 'BUDGET_REPOSITORY_MONTH' }, limit: '' },
  { name: 'model', value: 'gpt-x', from: { kind: 'operator', variable: 'MODEL' }, limit: '' },
];

it('a repository on this disk has the budgets and the model of the operator, and nothing else', async () => {
  const { values, problem, url } = await createLocalConfiguration(CONFIG, 'gpt-x')(LOCAL, SIGNAL);
  expect(values.map(({ means: _, ...value }) => value)).toEqual(OPERATORS);
  expect([problem, url]).toEqual(['', '']);
});

it('without a model it says so', async () => {
  const { values } = await createLocalConfiguration(CONFIG, null)(LOCAL, SIGNAL);
  const limit = 'none, since the operator offers no model: facts only';
  expect(values.find(({ name }) => name === 'model')).toMatchObject({ value: 'none', limit });
});

it('a repository on GitHub has its own file, else that of its owner, under the ceiling', async () => {
  await using house = await eventHouse();
  const { people, apiUrl: _, webUrl: githubWebUrl, state } = house.double;
  people.organization('octo');
  await people.openRepository('octo/shop', { files: { '.github/causeway.yml': 'labels: [look]\n' } });
  await people.openRepository('octo/docs');
  await people.openRepository('octo/.github', { files: { '.github/causeway.yml': 'language: de\n' } });
  people.install('octo');
  await house.settle();
  const configuration = createConfigurationReader({
    ...{ clients: house.clients, store: house.store, log: createLog({ level: 'silent' }) },
    now: () => state.clock.now(),
  });
  const of = createGithubConfiguration(
    { configuration, store: house.store },
    { ...CONFIG, githubWebUrl },
    { operatorModel: 'gpt-x', otherModels: [] },
  );
  const told = async (name: string) => {
    const project = await house.store.findProject(name);
    const { values, url } = await of(project ?? LOCAL, SIGNAL);
    const given = values.filter(({ from }) => from.kind === 'file' || from.kind === 'owner');
    return [url.replace(githubWebUrl, ''), ...given.map(({ name: key, value, from }) => ({ key, value, from }))];
  };
  expect(await told('octo/shop')).toEqual([
    '/octo/shop/blob/HEAD/.github/causeway.yml',
    { key: 'labels', value: 'look', from: { kind: 'file' } },
  ]);
  expect(await told('octo/docs')).toEqual([
    '/octo/.github/blob/HEAD/.github/causeway.yml',
    { key: 'language', value: 'de', from: { kind: 'owner', repository: 'octo/.github' } },
  ]);
  expect((await of(LOCAL, SIGNAL)).values).toHaveLength(3);
  const shop = await house.store.findProject('octo/shop');
  const [mode] = (await of(shop ?? LOCAL, SIGNAL)).values;
  expect(mode).toMatchObject({ value: 'fix', limit: 'comment, since MAX_MODE allows no more' });
});

const PROJECT: Project = {
  ...{ id: 'prj_1', name: 'octo/shop', createdAt: '2026-11-20T10:00:00.000Z' },
  source: {
    ...{ kind: 'github', repositoryId: 1, installationId: 2, url: 'https://github.com/octo/shop.git' },
    ...{ isPrivate: true, isArchived: false, defaultBranch: 'main' },
  },
};

async function readRefusal(mode: Mode, maxMode: Mode, project = PROJECT): Promise<string> {
  const configuration = { of: async () => ({ config: { ...DEFAULT_CONFIG, mode }, problem: null }) };
  const settingsOf = createSettingsReader(configuration, { maxMode }, { operatorModel: 'm', otherModels: [] });
  return (await settingsOf(project, AbortSignal.timeout(1_000))).noPullRequests;
}

it.each([
  ['fix', 'fix', /^$/],
  ['fix', 'comment', /operator/],
  ['comment', 'observe', /operator/],
  ['comment', 'fix', /mode: comment/],
  ['observe', 'fix', /mode: observe/],
] as const)('with %s in the repository and %s at most, the API says %s', async (mode, maxMode, words) => {
  expect(await readRefusal(mode, maxMode)).toMatch(words);
});

it('a local project is judged elsewhere', async () => {
  const local: Project = { ...PROJECT, source: { kind: 'path', path: '/srv/shop' } };
  expect(await readRefusal('observe', 'observe', local)).toBe('');
});

it('names DATA_DIR to the person who makes a token for an account in a folder that no service has used', async () => {
  await using folder = await temporaryFolder();
  const command = { kind: 'token-create', name: 'laptop', scopes: [], expiresIn: null, account: 'mara' } as const;
  const context = { io: scriptedTerminal(), environment: { DATA_DIR: folder.path }, now: () => new Date() };
  await expect(runCommand(command, context, new AbortController().signal)).rejects.toThrow(
    'Local mode has one account, "local": leave --account out, or name the DATA_DIR of the service.',
  );
});
