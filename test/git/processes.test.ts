// How many git processes an opened repository costs: what cannot change is asked once.
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { gitRepository } from '../support/git-repository.ts';
import { temporaryFolder } from '../support/service.ts';
import { pathProject, SIGNAL, testSource } from './open-project.ts';

/** Git, with a note of each call in front of it. */
function notedGit(folder: string) {
  const real = execFileSync('sh', ['-c', 'command -v git']).toString().trim();
  const notes = join(folder, 'notes');
  writeFileSync(notes, '');
  writeFileSync(join(folder, 'git'), `#!/bin/sh\necho "$*" >> '${notes}'\nexec '${real}' "$@"\n`);
  chmodSync(join(folder, 'git'), 0o755);
  return {
    environment: { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH']}` },
    calls: (verb: string) =>
      readFileSync(notes, 'utf8')
        .split('\n')
        .filter((call) => call.includes(` ${verb}`)).length,
  };
}

it('lists a commit once, and asks one process what objects are and hold', async () => {
  await using folder = await temporaryFolder();
  const { environment, calls } = notedGit(folder.path);
  await using repo = await gitRepository();
  await repo.commit({ 'src/a.ts': 'a\n' }, 'first');
  symlinkSync('src/a.ts', join(repo.path, 'link'));
  const sha = await repo.commit({ 'src/b.ts': 'b\n' }, 'second');
  await using kept = testSource({ environment });
  const opened = await kept.source.open(pathProject(repo.path), SIGNAL);
  for (const revision of ['', 'main', sha, sha.slice(0, 12)]) expect(await opened.resolve(revision, SIGNAL)).toBe(sha);
  expect([await opened.resolve('absent', SIGNAL), await opened.resolve('0123456', SIGNAL)]).toEqual([null, null]);
  const tree = opened.tree(sha);
  const { entries } = await tree.files(SIGNAL);
  expect(entries.map(({ path }) => path)).toEqual(['link', 'src/a.ts', 'src/b.ts']);
  expect((await opened.tree(sha).files(SIGNAL)).entries).toHaveLength(3);
  expect(await tree.read('src/b.ts', {}, SIGNAL)).toMatchObject({ text: 'b\n' });
  expect(await tree.read('link', {}, SIGNAL)).toEqual({ kind: 'symlink', target: 'src/a.ts' });
  const ids = entries.map(({ blob }) => blob);
  for await (const pieces of tree.contents(ids, SIGNAL)) expect(ids).toContain(pieces[0]?.blob);
  const asked = [
    'ls-tree',
    'cat-file --batch-command',
    'cat-file --batch --buffer',
    'cat-file -s',
    'rev-parse --verify',
  ];
  expect(asked.map(calls)).toEqual([1, 1, 0, 0, 1]);
});

it('asks the same process on where there is no such object', async () => {
  await using folder = await temporaryFolder();
  const { environment, calls } = notedGit(folder.path);
  await using repo = await gitRepository();
  const sha = await repo.commit({ 'a.ts': 'a\n' }, 'first');
  await using kept = testSource({ environment });
  const opened = await kept.source.open(pathProject(repo.path), SIGNAL);
  const unknown = ['a', 'b', 'c'].map((digit) => digit.repeat(40));
  for (const revision of unknown) expect(await opened.resolve(revision, SIGNAL)).toBeNull();
  const blob = repo.git('rev-parse', 'HEAD:a.ts');
  const found: string[] = [];
  for await (const pieces of opened.tree(sha).contents([...unknown, blob], SIGNAL)) {
    found.push(...pieces.map((piece) => piece.blob));
  }
  expect(found).toEqual([blob]);
  expect(calls('cat-file --batch-command')).toBe(1);
});
