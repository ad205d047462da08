// How many git processes an opened repository costs: what cannot change is asked once.
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
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

it('lists a commit once, and resolves what was resolved without asking again', async () => {
  await using folder = await temporaryFolder();
  const { environment, calls } = notedGit(folder.path);
  await using repo = await gitRepository();
  await repo.commit({ 'src/a.ts': 'a\n' }, 'first');
  const sha = await repo.commit({ 'src/b.ts': 'b\n' }, 'second');
  await using kept = testSource({ environment });
  const opened = await kept.source.open(pathProject(repo.path), SIGNAL);
  for (const revision of ['', 'main', sha]) expect(await opened.resolve(revision, SIGNAL)).toBe(sha);
  for (const from of [1, 2, 3]) {
    const { entries } = await opened.tree(sha).files(SIGNAL);
    expect([from, entries.map(({ path }) => path)]).toEqual([from, ['src/a.ts', 'src/b.ts']]);
  }
  expect(await opened.resolve('absent', SIGNAL)).toBeNull();
  expect([calls('ls-tree'), calls(`rev-parse --verify --quiet --end-of-options ${sha}^{commit}`)]).toEqual([1, 1]);
});
