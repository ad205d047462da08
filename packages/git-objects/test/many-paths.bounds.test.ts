// Commits of very many paths.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type GitRepository, gitRepository } from './git-repository.ts';
import { pathProject, SIGNAL, testSource, treeOf } from './open-project.ts';

function mktree(repo: GitRepository, rows: readonly string[]): string {
  const input = `${rows.join('\n')}\n`;
  return execFileSync('git', ['mktree'], { cwd: repo.path, input }).toString().trim();
}

/** A commit of 10^`depth` paths, in `depth` tree objects. */
function treeBomb(repo: GitRepository, depth: number): void {
  const blob = repo.git('hash-object', '-w', join(repo.path, 'a.txt'));
  let tree = mktree(
    repo,
    Array.from({ length: 10 }, (_, index) => `100644 blob ${blob}\tf${index}`),
  );
  for (let level = 1; level < depth; level += 1) {
    const same = tree;
    tree = mktree(
      repo,
      Array.from({ length: 10 }, (_, index) => `040000 tree ${same}\td${index}`),
    );
  }
  repo.git('update-ref', 'refs/heads/main', repo.git('commit-tree', tree, '-m', 'bomb'));
}

describe('a commit of 10^10 paths', () => {
  it('is listed up to 300,000 entries, says so, and lets others work meanwhile', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    await repo.commit({ 'a.txt': 'a\n' }, 'first');
    treeBomb(repo, 10);
    const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const listing = await tree.files(SIGNAL);
    clearInterval(timer);
    expect(listing.entries).toHaveLength(300_000);
    expect(listing.cut).toContain('300000 entries');
    expect(turns).toBeGreaterThan(10);
    expect(await tree.read('d0/d0/d0/d0/d0', {}, SIGNAL)).toEqual({ kind: 'folder' });
  });
});

it('100,000 files are listed and searched', async () => {
  await using repo = await gitRepository();
  await using kept = testSource();
  repo.commitRaw(
    Array.from({ length: 100_000 }, (_, index) => ({
      name: `packages/p${index % 500}/src/file${index}.ts`,
      content: `export const value = ${index % 50};${index === 77_777 ? ' // needle' : ''}\n`,
    })),
    'many',
  );
  const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
  expect((await tree.files(SIGNAL)).entries).toHaveLength(100_000);
  const found = await tree.search({ pattern: 'needle', regex: false, ignoreCase: false, paths: [] }, SIGNAL);
  expect(found.hits).toEqual([
    { path: 'packages/p277/src/file77777.ts', line: 1, text: 'export const value = 27; // needle' },
  ]);
  expect(await tree.read('packages/p0/src/file77777.ts', {}, SIGNAL)).toMatchObject({
    kind: 'absent',
    nearest: expect.arrayContaining(['packages/p277/src/file77777.ts']),
  });
});
