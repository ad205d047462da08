// What counts for a repository on this disk, and for one on GitHub as it is read there.
import { expect, it } from 'vitest';
import { createGithubConfiguration } from '../../src/app/github.ts';
import { createLocalConfiguration } from '../../src/app/local.ts';
import type { Project } from '../../src/core/project.ts';
import { createConfigurationReader } from '../../src/github/configuration/read-configuration.ts';
import { createLog } from '../../src/log.ts';
import { eventHouse } from '../github/events/event-house.ts';

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
    configuration,
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
