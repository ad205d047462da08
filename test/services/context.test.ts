// Other repositories of a run: at which commit each is opened, what is not, and that a run continues at the same ones.

import { createRedactor } from 'causeway-redact';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitRepository, gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import type { Project } from '../../src/core/project/project.ts';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';
import { createLog } from '../../src/log.ts';
import { listWantedContext, openContext, reopenContext } from '../../src/services/context.ts';
import { sqlite } from '../contract/sqlite-place.ts';
import { SIGNAL, testSource, treeOf } from '../support/project-source.ts';

const cleanup = new AsyncDisposableStack();
let library: GitRepository;
let tagged = '';
let isReadable = true;
let open: (files: Readonly<Record<string, string>>, names?: readonly string[]) => ReturnType<typeof openContext>;
let reopen: (records: Parameters<typeof reopenContext>[2]) => ReturnType<typeof reopenContext>;

beforeAll(async () => {
  library = cleanup.use(await gitRepository({ folder: 'rates' }));
  const manifests = { 'package.json': '{\n  "name": "@octo/rates"\n}\n', 'go.mod': 'module octo.example/rates\n' };
  await library.commit({ ...manifests, 'Cargo.toml': '[package]\nname = "octo-rates"\n' }, 'Begin');
  library.tag('v1.2.0');
  tagged = library.git('rev-parse', 'HEAD');
  await library.commit({ 'README.md': 'Rates\n' }, 'More');
  const { source } = cleanup.use(testSource());
  const redactor = cleanup.use(createRedactor({ exactValues: () => [] }));
  const { store } = cleanup.use(await cleanup.use(await sqlite.place()).open());
  const [other] = await store.syncProjects(
    [{ name: 'local/rates', source: { kind: 'path', path: library.path } }],
    new Date().toISOString(),
  );
  if (other === undefined) throw new Error('there is no project');
  const context = {
    listNames: async ({ context: names }: typeof DEFAULT_SETTINGS) => names,
    isReadableByAll: async () => isReadable,
    showsSteps: true,
  };
  const services = { store, source, log: createLog({ level: 'silent' }), context };
  const project: Project = { ...other, id: 'prj_shop', name: 'local/shop' };
  open = async (files, names = ['local/rates']) => {
    const shop = cleanup.use(await gitRepository({ folder: 'shop' }));
    await shop.commit({ 'src/a.js': 'export {};\n', ...files }, 'Begin');
    const place = { ...project, source: { kind: 'path', path: shop.path } } as const;
    const tree = await treeOf(await source.open(place, SIGNAL));
    const input = { project: place, settings: { ...DEFAULT_SETTINGS, context: names }, tree, redactor };
    return await openContext(services, input, await listWantedContext(services, input, SIGNAL), SIGNAL);
  };
  reopen = (records) => reopenContext(services, { project, redactor }, records, SIGNAL);
});
afterAll(() => cleanup.disposeAsync());

const LOCK = '{\n  "packages": {\n    "node_modules/@octo/rates": {\n      "version": "1.2.0",\n    }\n  }\n}\n';

it.each<readonly [string, string]>([
  ['package-lock.json', LOCK],
  ['package.json', '{ "dependencies": { "@octo/rates": "^1.2.0" } }\n'],
  ['package.json', '{ "dependencies": { "@octo/rates": "github:octo/rates#v1.2.0" } }\n'],
  ['yarn.lock', '"@octo/rates@^1.0.0":\n  version "1.2.0"\n'],
  ['go.mod', 'module shop\n\nrequire octo.example/rates v1.2.0\n'],
  ['Cargo.lock', '[[package]]\nname = "octo-rates"\nversion = "1.2.0"\n'],
])('is read at the version that %s names', async (file, text) => {
  const { records } = await open({ [file]: text });
  expect(records).toEqual([expect.objectContaining({ revision: tagged, ref: 'v1.2.0', refused: null })]);
});

it.each<readonly [string, string]>([
  ['another package', '{ "dependencies": { "@octo/rates-of-others": "1.2.0" } }\n'],
  ['a version without a tag', '{ "dependencies": { "@octo/rates": "1.1.0" } }\n'],
])('is read at its default branch where the manifest names %s', async (_, text) => {
  const { records } = await open({ 'package.json': text });
  expect(records).toEqual([expect.objectContaining({ revision: library.git('rev-parse', 'HEAD'), ref: 'main' })]);
});

it('is one of five at most, and never of another owner', async () => {
  const names = ['other/rates', 'local/b', 'local/c', 'LOCAL/rates', 'local/rates', 'local/shop', 'local/d', 'local/e'];
  const { records, opened } = await open({}, names);
  expect(records.map(({ repository, refused }) => [repository, refused])).toEqual([
    ['other/rates', 'other_owner'],
    ['local/b', 'unreadable'],
    ['local/c', 'unreadable'],
    ['local/rates', null],
    ['local/d', 'unreadable'],
    ['local/e', 'too_many'],
  ]);
  expect(opened).toHaveLength(1);
});

describe('a run that continues', () => {
  it('reads the commit that it has read, and ends where it may no longer read it', async () => {
    const { records } = await open({});
    await library.commit({ 'late.js': 'export {};\n' }, 'Later');
    const { opened } = await reopen(records);
    expect(opened.map(({ tree }) => tree.revision)).toEqual(records.map(({ revision }) => revision));
    isReadable = false;
    await expect(reopen(records)).rejects.toMatchObject({ code: 'access_lost' });
  });
});
