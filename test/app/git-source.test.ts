// What the package says of a repository becomes our errors: at the opening, in what was opened, and in the middle of a sequence.
import { mkdtempDisposableSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { openSource } from '../../src/app/git-source.ts';
import { CausewayError } from '../../src/core/errors.ts';
import { pathProject, SIGNAL, testSource, treeOf } from '../support/project-source.ts';

/** Its code and message; fails where it is none of ours. */
async function failureOf(work: Promise<unknown>): Promise<string> {
  const outcome = await work.then(
    () => new Error('it did not fail'),
    (error: unknown) => error,
  );
  if (outcome instanceof CausewayError) return `${outcome.code}: ${outcome.message}`;
  throw outcome;
}

describe('the source', () => {
  it('says what is wrong with a folder, or a name', async () => {
    await using at = testSource();
    const { source } = at;
    expect(await failureOf(source.open(pathProject('/nowhere/at/all'), SIGNAL))).toMatch(
      /^repository_unreachable: .*there is no such folder/,
    );
    await using repo = await gitRepository();
    expect(await failureOf(source.open(pathProject(repo.path), SIGNAL))).toMatch(/^repository_empty: /);
    expect(await failureOf(source.forget('../other'))).toMatch(/^invalid: /);
  });

  it('says what an opened one lacks', async () => {
    await using at = testSource();
    await using repo = await gitRepository();
    await repo.commit({ 'a.txt': 'a\n' }, 'first');
    const blob = repo.git('rev-parse', 'HEAD:a.txt');
    rmSync(path.join(repo.path, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    const tree = await treeOf(await at.source.open(pathProject(repo.path), SIGNAL));
    expect(await failureOf(tree.read('a.txt', {}, SIGNAL))).toMatch(/^absent: /);
    expect(await failureOf(tree.compare('b'.repeat(40), {}, SIGNAL))).toMatch(/^revision_not_found: /);
    expect(await failureOf(tree.history({ message: 'a\0b' }, SIGNAL))).toMatch(/^invalid: /);
  });

  it('says that it was closed, in the middle of a sequence too', async () => {
    using folder = mkdtempDisposableSync(path.join(tmpdir(), 'causeway-git-'));
    await using repo = await gitRepository();
    const sha = await repo.commit({ 'a.txt': 'a\n' }, 'first');
    const source = openSource({ folder: folder.path, environment: process.env });
    const repository = await source.open(pathProject(repo.path), SIGNAL);
    await source[Symbol.asyncDispose]();
    expect(await failureOf(repository.findTags(sha, SIGNAL))).toMatch(/^cancelled: /);
    expect(await failureOf(repository.tree(sha).messages([sha], SIGNAL)[Symbol.asyncIterator]().next())).toMatch(
      /^cancelled: /,
    );
  });

  it('gives back as it is what the credentials throw', async () => {
    const lost = new CausewayError('access_lost', 'The App was uninstalled.');
    await using at = testSource({ credentials: () => Promise.reject(lost) });
    const project = { ...pathProject(''), source: { kind: 'url', url: 'https://127.0.0.1:9/a' } as const };
    await expect(at.source.open(project, SIGNAL)).rejects.toBe(lost);
  });
});
