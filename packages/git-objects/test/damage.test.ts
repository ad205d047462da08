// Repositories and mirrors that are damaged, or hold what is no file.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toUnreachable } from '../src/failure.ts';
import { acquireProcessLock } from '../src/locks.ts';
import { createGit } from '../src/process.ts';
import type { SourceTree } from '../src/source.ts';
import { gitHttp } from './git-http.ts';
import { type GitRepository, gitRepository } from './git-repository.ts';
import { pathProject, SIGNAL, temporaryFolder, testSource, treeOf, urlProject } from './open-project.ts';

const MAKE_PIPE = 'mkfifo';

function objectFile(gitDir: string, id: string): string {
  return join(gitDir, 'objects', id.slice(0, 2), id.slice(2));
}

/** Overwrites the only pack of the mirror, as a failing disk may. */
function ruinPack(folder: string): void {
  const packs = join(folder, 'prj_test.git', 'objects', 'pack');
  const pack = join(packs, readdirSync(packs).find((name) => name.endsWith('.pack')) ?? '');
  chmodSync(pack, 0o644);
  writeFileSync(pack, Buffer.alloc(readFileSync(pack).length), { flag: 'r+' });
}

async function textsOf(tree: SourceTree, repo: GitRepository, paths: readonly string[]): Promise<readonly string[]> {
  const texts: string[] = [];
  const blobs = paths.map((path) => repo.git('rev-parse', `HEAD:${path}`));
  for await (const pieces of tree.contents(blobs, SIGNAL)) {
    texts.push(...pieces.map(({ bytes }) => Buffer.from(bytes).toString()));
  }
  return texts;
}

describe('a mirror that lost an object', () => {
  it('is made anew when a search comes upon it', async () => {
    await using repo = await gitRepository();
    await using server = await gitHttp({ root: dirname(repo.path) });
    await using kept = testSource();
    await repo.commit({ 'a.txt': 'needle\n' }, 'first');
    const tree = await treeOf(await kept.source.open(urlProject(`${server.url}project/.git`), SIGNAL));
    await tree.files(SIGNAL);
    ruinPack(kept.folder);
    const found = await tree.search({ pattern: 'needle', regex: false, ignoreCase: false, paths: [] }, SIGNAL);
    expect(found).toMatchObject({ cuts: [], hits: [{ path: 'a.txt', line: 1 }] });
    expect(readdirSync(kept.folder).filter((name) => name.startsWith('prj_'))).toEqual(['prj_test.git']);
  });

  it('is made anew from a remote, when it lost a commit or a tree', async () => {
    await using repo = await gitRepository();
    await using server = await gitHttp({ root: dirname(repo.path) });
    await using kept = testSource();
    const sha = await repo.commit({ 'a.txt': 'needle\n' }, 'first');
    const project = urlProject(`${server.url}project/.git`);
    await kept.source.open(project, SIGNAL);
    const packs = join(kept.folder, 'prj_test.git', 'objects', 'pack');
    for (const name of readdirSync(packs)) rmSync(join(packs, name));
    const repository = await kept.source.open(project, SIGNAL);
    expect(await repository.resolve('', SIGNAL)).toBe(sha);
    expect((await repository.tree(sha).files(SIGNAL)).entries).toHaveLength(1);
  });

  it('is read by a new process once it is made anew, and no concurrent read is lost', async () => {
    await using repo = await gitRepository();
    await using server = await gitHttp({ root: dirname(repo.path) });
    await using kept = testSource();
    await repo.commit({ 'a.txt': 'needle\n', 'b.txt': 'b\n' }, 'first');
    const tree = await treeOf(await kept.source.open(urlProject(`${server.url}project/.git`), SIGNAL));
    await tree.files(SIGNAL);
    ruinPack(kept.folder);
    const reads = await Promise.all(['a.txt', 'b.txt'].map((path) => tree.read(path, {}, SIGNAL)));
    expect(reads).toMatchObject([{ text: 'needle\n' }, { text: 'b\n' }]);
  });

  it.each([1, 30])('or was evicted is made anew for many contents as for one (%i)', async (times) => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const sha = await repo.commit({ 'a.txt': 'a\n' }, 'first');
    const tree = (await kept.source.open(pathProject(repo.path), SIGNAL)).tree(sha);
    rmSync(join(kept.folder, 'prj_test.git'), { recursive: true });
    const texts = Array.from({ length: times }, () => 'a\n');
    const paths = texts.map(() => 'a.txt');
    expect(await textsOf(tree, repo, paths)).toEqual(texts);
  });

  it('shares the damage of its source: the error names git fsck, and a repaired source is read', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    await repo.commit({ 'a.txt': 'needle\n' }, 'first');
    const blob = objectFile(join(repo.path, '.git'), repo.git('rev-parse', 'HEAD:a.txt'));
    chmodSync(blob, 0o644);
    truncateSync(blob, 9);
    const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    const reading = tree.read('a.txt', {}, SIGNAL);
    await expect(reading).rejects.toMatchObject({ code: expect.stringMatching(/absent|repository_unreachable/) });
    await expect(reading).rejects.toMatchObject({ message: expect.stringContaining('git fsck') });
    rmSync(blob);
    repo.git('hash-object', '-w', join(repo.path, 'a.txt'));
    const again = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    expect(await again.read('a.txt', {}, SIGNAL)).toMatchObject({ text: 'needle\n' });
  });
});

describe('what is no file in a repository', () => {
  it.each(['shallow', 'packed-refs', 'objects/info/alternates', 'refs/heads/pipe'])(
    'a pipe as %s is refused by name, not waited for',
    async (name) => {
      await using repo = await gitRepository();
      await using kept = testSource();
      await repo.commit({ 'a.txt': 'a\n' }, 'first');
      mkdirSync(join(repo.path, '.git', 'objects', 'info'), { recursive: true });
      execFileSync(MAKE_PIPE, [join(repo.path, '.git', name)]);
      await expect(kept.source.open(pathProject(repo.path), SIGNAL)).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining(name),
      });
    },
  );

  it('a link to an endless device is refused too', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    await repo.commit({ 'a.txt': 'a\n' }, 'first');
    symlinkSync('/dev/zero', join(repo.path, '.git', 'shallow'));
    await expect(kept.source.open(pathProject(repo.path), SIGNAL)).rejects.toMatchObject({
      message: expect.stringContaining('"shallow" is a pipe or device'),
    });
  });
});

describe('a broken ref', () => {
  it('is left out, and the others are read', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const sha = await repo.commit({ 'a.txt': 'a\n' }, 'first');
    writeFileSync(join(repo.path, '.git', 'refs', 'heads', 'broken'), `${'1'.repeat(40)}\n`);
    const repository = await kept.source.open(pathProject(repo.path), SIGNAL);
    expect(await repository.resolve('', SIGNAL)).toBe(sha);
    expect(await repository.resolve('broken', SIGNAL)).toBeNull();
  });

  it('that is the default branch is named when that branch is asked for; others are read', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const sha = await repo.commit({ 'a.txt': 'a\n' }, 'first');
    repo.branch('sound');
    writeFileSync(join(repo.path, '.git', 'refs', 'heads', 'main'), `${'1'.repeat(40)}\n`);
    const repository = await kept.source.open(pathProject(repo.path), SIGNAL);
    expect(await repository.resolve('sound', SIGNAL)).toBe(sha);
    await expect(repository.resolve('', SIGNAL)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('(main)'),
    });
  });

  it('where there is no other is not taken for an empty repository', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    writeFileSync(join(repo.path, '.git', 'refs', 'heads', 'main'), `${'1'.repeat(40)}\n`);
    const repository = await kept.source.open(pathProject(repo.path), SIGNAL);
    await expect(repository.resolve('', SIGNAL)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('git fsck'),
    });
  });
});

describe('a mirror that another process holds', () => {
  it('is waited for until a deadline, and the words say what to end', async () => {
    await using repo = await gitRepository();
    await using kept = testSource({ lockWaitMs: 150 });
    await repo.commit({ 'a.txt': 'a\n' }, 'first');
    using _held = await acquireProcessLock(join(kept.folder, 'locks', 'prj_test'), SIGNAL);
    await expect(kept.source.open(pathProject(repo.path), SIGNAL)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringMatching(/Another process .*End that process/s),
    });
  });
});

describe('the git that is started', () => {
  it('is never one that lies in a working folder', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'git'), '#!/bin/sh\necho planted\n', { mode: 0o755 });
    const environment = { PATH: `.::${process.env['PATH'] ?? ''}` };
    const git = createGit({ environment, certificates: () => '', lifetime: SIGNAL });
    const call = { args: ['--version'], folder: folder.path, timeoutMs: 20_000, maxBytes: 1_000, signal: SIGNAL };
    expect((await git.run(call)).stdout.toString()).toContain('git version');
    const none = createGit({ environment: { PATH: '.:' }, certificates: () => '', lifetime: SIGNAL });
    await expect(none.run(call)).rejects.toMatchObject({ message: expect.stringContaining('Install git') });
  });

  it.skipIf(process.platform === 'win32').each([0, 20, 60])(
    'shows no inner folder, though progress pushed out the beginning of its line (by %i bytes)',
    async (over) => {
      using folder = temporaryFolder();
      const cloning = "Cloning into bare repository '/srv/causeway/data/mirrors/prj_a.git-partial-x'...\n";
      const last = 'error: RPC failed\n';
      const progress = `Receiving objects:  42%${' '.repeat(16_384 + over - cloning.length - last.length - 24)}\r`;
      writeFileSync(join(folder.path, 'printed'), `${cloning}${progress}${last}`);
      writeFileSync(join(folder.path, 'git'), '#!/bin/sh\ncat printed >&2\n', { mode: 0o755 });
      const environment = { PATH: `${folder.path}:${process.env['PATH'] ?? ''}` };
      const git = createGit({ environment, certificates: () => '', lifetime: SIGNAL });
      const call = { args: [], folder: folder.path, timeoutMs: 20_000, maxBytes: 1_000, signal: SIGNAL };
      expect((await git.run(call)).stderr).toBe(last.trim());
    },
  );
});

describe('the message about a full disk', () => {
  const explain = (stderr: string) =>
    toUnreachable('The repository of octo/shop', { kind: 'exited', code: 128 }, stderr);

  it('names our disk, whatever git prints besides', () => {
    const printed =
      'error: RPC failed; curl 56 TLS\nfatal: write error: No space left on device\nfatal: fetch-pack: invalid';
    expect(explain(printed)).toMatchObject({
      code: 'no_space',
      message: 'The repository of octo/shop could not be read. No space left on the disk of its mirror.',
      cause: { code: 'ENOSPC' },
    });
  });

  it('does not blame ours for the disk of the remote', () => {
    expect(explain('remote: fatal: write error: No space left on device\nfatal: early EOF').code).toBe('unreachable');
  });
});
