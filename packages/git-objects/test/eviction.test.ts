// The mirrors' limit: the one that nobody used for longest goes, never one in use, and what is gone is fetched again when it is needed.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readMirrorsSize } from '../src/eviction.ts';
import { acquireProcessLock } from '../src/locks.ts';
import { type GitHttpServer, gitHttp } from './git-http.ts';
import { type GitRepository, gitRepository } from './git-repository.ts';
import { SIGNAL, type TestSource, testSource, treeOf, urlProject } from './open-project.ts';

/** Of incompressible text, so that each mirror takes a little more than this. */
const BYTES = 100_000;
const NAMES = ['one', 'two', 'three'] as const;
type Name = (typeof NAMES)[number];
const HOUR_MS = 60 * 60_000;

let repository: GitRepository;
let server: GitHttpServer;

beforeAll(async () => {
  repository = await gitRepository();
  const noise = randomBytes(BYTES).toString('base64');
  await repository.commit({ 'noise.txt': `${noise}\n`, 'src/a.ts': 'const a = 1;\n' }, 'Begin');
  server = await gitHttp({ root: join(repository.path, '..') });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await repository[Symbol.asyncDispose]();
});

const project = (name: Name) => urlProject(`${server.url}project/.git`, `prj_${name}`);

interface Ground extends TestSource {
  readonly evicted: readonly string[];
}

function ground(maxTogetherBytes = 2.5 * BYTES): Ground {
  const evicted: string[] = [];
  const besides = { folder: '/nowhere', forget: async (projectId: string) => void evicted.push(projectId) };
  return { ...testSource({ maxTogetherBytes, besides }), evicted };
}

/** As if nobody had used it since then. */
function unused(folder: string, name: Name, hours: number): void {
  const at = new Date(Date.now() - hours * HOUR_MS);
  utimesSync(join(folder, `prj_${name}.git`), at, at);
}

async function open(source: TestSource['source'], ...names: readonly Name[]) {
  const opened = [];
  for (const name of names) opened.push(await source.open(project(name), SIGNAL));
  return opened;
}

const mirrors = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.startsWith('prj_'))
    .sort();

describe('the limit of all mirrors', () => {
  it('lets the one go that was used least recently, tells of it, and fetches it again when it is needed', async () => {
    await using it = ground();
    await open(it.source, 'one', 'two');
    unused(it.folder, 'one', 2);
    unused(it.folder, 'two', 3);
    await open(it.source, 'three');
    await expect.poll(() => mirrors(it.folder)).toEqual(['prj_one.git', 'prj_three.git']);
    await expect.poll(() => it.evicted).toEqual(['prj_two']);
    unused(it.folder, 'one', 1);
    const [again] = await open(it.source, 'two');
    if (again === undefined) throw new Error('not opened');
    expect(await (await treeOf(again)).read('src/a.ts', {}, SIGNAL)).toMatchObject({ text: 'const a = 1;\n' });
    await expect.poll(() => it.evicted).toEqual(['prj_two', 'prj_one']);
  });

  it('lets none go that was used within half an hour: reading counts as use, by whichever process', async () => {
    await using it = ground();
    const [one] = await open(it.source, 'one', 'two');
    if (one === undefined) throw new Error('not opened');
    unused(it.folder, 'one', 2);
    unused(it.folder, 'two', 1);
    // A lookup of an investigation that opened it long ago.
    await one.resolve('', SIGNAL);
    await open(it.source, 'three');
    await expect.poll(() => it.evicted).toEqual(['prj_two']);
    expect(mirrors(it.folder)).toEqual(['prj_one.git', 'prj_three.git']);
  });

  it('waits for nobody: one that another process is fetching stays, and the next in turn goes', async () => {
    await using it = ground();
    await open(it.source, 'one', 'two');
    unused(it.folder, 'one', 2);
    unused(it.folder, 'two', 1);
    using _fetching = await acquireProcessLock(join(it.folder, 'locks', 'prj_one'), SIGNAL);
    await open(it.source, 'three');
    await expect.poll(() => it.evicted).toEqual(['prj_two']);
    expect(mirrors(it.folder)).toEqual(['prj_one.git', 'prj_three.git']);
  });

  it('makes a mirror anew under a reader who took longer than anybody may', async () => {
    await using it = ground();
    const [one] = await open(it.source, 'one', 'two');
    if (one === undefined) throw new Error('not opened');
    const tree = await treeOf(one);
    for (const name of ['one', 'two'] as const) unused(it.folder, name, name === 'one' ? 3 : 2);
    await open(it.source, 'three');
    await expect.poll(() => it.evicted).toEqual(['prj_one']);
    expect(await tree.read('src/a.ts', {}, SIGNAL)).toMatchObject({ text: 'const a = 1;\n' });
    const found = await tree.search({ pattern: 'const a', regex: false, ignoreCase: false, paths: [] }, SIGNAL);
    expect(found.hits.map(({ path }) => path)).toEqual(['src/a.ts']);
  });

  it('counts the indexes too', async () => {
    await using it = ground(0);
    await open(it.source, 'one', 'two');
    const digests = join(it.folder, '..', `${it.folder.split('/').at(-1)}-digests`);
    mkdirSync(digests);
    writeFileSync(join(digests, 'prj_one.files'), 'x'.repeat(5_000));
    const noted = await readMirrorsSize(it.folder, digests);
    const pack = statSync(packOf(it.folder, 'one')).size;
    expect(noted.mirrors).toBe(2);
    expect(noted.bytes).toBeGreaterThan(2 * pack + 5_000);
    expect(noted.bytes).toBeLessThan(2 * pack + 5_000 + 2 * 20_000);
    expect(noted.bytes - (await readMirrorsSize(it.folder)).bytes).toBe(5_000);
  });

  it('clears what a process left that was killed while it removed a mirror', async () => {
    await using it = ground();
    const left = join(it.folder, 'prj_long_gone.git.partial-forgotten');
    mkdirSync(join(left, 'objects'), { recursive: true });
    await open(it.source, 'one');
    await expect.poll(() => existsSync(left)).toBe(false);
    expect(it.evicted).toEqual([]);
  });
});

function packOf(folder: string, name: Name): string {
  const packs = join(folder, `prj_${name}.git`, 'objects', 'pack');
  return join(packs, readdirSync(packs).find((file) => file.endsWith('.pack')) ?? '');
}
