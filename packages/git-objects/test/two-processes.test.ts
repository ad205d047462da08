// More than one process at the same mirrors, one of them killed in the middle.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireProcessLock } from '../src/locks.ts';
import { createGitSource } from '../src/mirror.ts';
import { gitHttp } from './git-http.ts';
import { gitRepository } from './git-repository.ts';
import { pathProject, SIGNAL, temporaryFolder, testSource, urlProject } from './open-project.ts';

const MIRROR = new URL('../src/mirror.ts', import.meta.url).href;

/** Another process that opens a project and prints the sha of its default branch. */
function opener(folder: string, project: unknown): ChildProcess {
  const program = `
    const { createGitSource } = await import(${JSON.stringify(MIRROR)});
    await using source = createGitSource({ folder: ${JSON.stringify(folder)}, environment: process.env });
    const signal = new AbortController().signal;
    const repository = await source.open(${JSON.stringify(project)}, signal);
    console.log(await repository.resolve('', signal));`;
  return spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function printed(child: ChildProcess): Promise<string> {
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await new Promise((resolve) => child.once('close', resolve));
  return text.trim();
}

function mirrorsIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('prj_'));
}

describe('several processes', () => {
  it('do not keep whoever wants a copy removed from being told to stop', async () => {
    using folder = temporaryFolder();
    await using source = createGitSource({ folder: folder.path, lockWaitMs: 2_000, environment: process.env });
    using _holder = await acquireProcessLock(join(folder.path, 'locks', 'prj_1'), SIGNAL);
    const stop = new AbortController();
    const forgotten = source.forget('prj_1', stop.signal);
    stop.abort(new Error('Ctrl-C'));
    await expect(forgotten).rejects.toThrow('Ctrl-C');
  });

  it('that open the same project at once all get it', async () => {
    await using repo = await gitRepository();
    using folder = temporaryFolder();
    const sha = await repo.commit({ 'a.txt': 'a\n' }, 'first');
    const project = pathProject(repo.path);
    const found = await Promise.all([1, 2, 3].map(() => printed(opener(folder.path, project))));
    expect(found).toEqual([sha, sha, sha]);
    expect(mirrorsIn(folder.path)).toEqual(['prj_test.git']);
  });

  it('one killed during the first fetch leaves nothing that stands in the way of the next', async () => {
    await using repo = await gitRepository();
    using folder = temporaryFolder();
    const reached = Promise.withResolvers<void>();
    let held = 0;
    await using server = await gitHttp({
      root: dirname(repo.path),
      // The first process gets its refs, and for the pack it waits forever.
      intercept: (request) => {
        if (request.method !== 'POST' || held >= 2) return false;
        held += 1;
        if (held === 1) return false;
        reached.resolve();
        return true;
      },
    });
    const sha = await repo.commit({ 'a.txt': 'a\n' }, 'first');
    const project = urlProject(`${server.url}project/.git`);
    const killed = opener(folder.path, project);
    await reached.promise;
    expect(mirrorsIn(folder.path)).toEqual([expect.stringMatching(/^prj_test\.git\.partial-/)]);
    killed.kill('SIGKILL');
    expect(await printed(opener(folder.path, project))).toBe(sha);
    expect(mirrorsIn(folder.path)).toEqual(['prj_test.git']);
  });

  it('callers in one process share one fetch, and one that leaves does not take it from the others', async () => {
    await using repo = await gitRepository();
    await using server = await gitHttp({ root: dirname(repo.path) });
    await using kept = testSource();
    const sha = await repo.commit({ 'a.txt': 'a\n' }, 'first');
    const project = urlProject(`${server.url}project/.git`);
    const abort = new AbortController();
    const leaving = kept.source.open(project, abort.signal);
    const staying = [1, 2, 3].map(() => kept.source.open(project, SIGNAL));
    abort.abort(new Error('left'));
    await expect(leaving).rejects.toThrow('left');
    for (const repository of await Promise.all(staying)) expect(await repository.resolve('', SIGNAL)).toBe(sha);
    const listings = server.requests.filter((request) => request.path.includes('info/refs'));
    expect(listings.length).toBeLessThanOrEqual(2);
  });
});

describe('the lock', () => {
  it('is held by one, waits, and gives up when aborted', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'lock');
    const first = await acquireProcessLock(file, SIGNAL);
    await expect(acquireProcessLock(file, AbortSignal.timeout(150))).rejects.toMatchObject({ name: 'TimeoutError' });
    const second = acquireProcessLock(file, SIGNAL);
    first[Symbol.dispose]();
    (await second)[Symbol.dispose]();
  });
});

describe('a disposed source', () => {
  it('ends what was under way', async () => {
    const silent = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const kept = testSource();
    const connected = new Promise((resolve) => silent.once('connection', resolve));
    const opening = kept.source.open(urlProject(`http://127.0.0.1:${port}/x`), SIGNAL);
    await connected;
    await kept[Symbol.asyncDispose]();
    await expect(opening).rejects.toMatchObject({ code: 'closed' });
    await new Promise((resolve) => silent.close(resolve));
  });
});
