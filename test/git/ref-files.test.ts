// What the files of a mirror say of its refs is what git says, or is left to git.
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readRefFiles } from '../../src/git/ref-files.ts';
import { gitRepository } from '../support/git-repository.ts';

const BESIDES = 'refs/causeway/head';

async function bareCopy() {
  const repo = await gitRepository();
  const first = await repo.commit({ 'a.ts': 'a\n' }, 'first');
  repo.git('tag', '-a', 'v1', '-m', 'one');
  repo.git('branch', 'topic/deep/one');
  repo.git('branch', 'ünder');
  const second = await repo.commit({ 'a.ts': 'b\n' }, 'second');
  const gitDir = join(repo.path, '.git', 'copy.git');
  repo.git('clone', '--quiet', '--bare', '--template=', '.', gitDir);
  const git = (...args: readonly string[]) => repo.git(`--git-dir=${gitDir}`, ...args);
  const listed = () =>
    `${git('for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads/', 'refs/tags/', BESIDES)}\n`;
  const sorted = (text: string | null) => text?.split('\n').sort();
  return {
    ...{ gitDir, git, first, second, [Symbol.asyncDispose]: () => repo[Symbol.asyncDispose]() },
    expectAsGit: async () => expect(sorted(await readRefFiles(gitDir, BESIDES))).toEqual(sorted(listed())),
  };
}

it('reads packed and loose refs, a loose one before the packed one of its name', async () => {
  await using copy = await bareCopy();
  await copy.expectAsGit();
  copy.git('update-ref', 'refs/heads/topic/deep/one', copy.second);
  copy.git('update-ref', 'refs/heads/new', copy.first);
  copy.git('update-ref', BESIDES, copy.second);
  copy.git('update-ref', 'refs/elsewhere/x', copy.second);
  await copy.expectAsGit();
  copy.git('update-ref', '-d', 'refs/tags/v1');
  await copy.expectAsGit();
  copy.git('pack-refs', '--all', '--prune');
  await copy.expectAsGit();
});

it.each<readonly [string, (gitDir: string) => void]>([
  ['a damaged configuration', (gitDir) => appendFileSync(join(gitDir, 'config'), '[half\n')],
  ['no configuration', (gitDir) => rmSync(join(gitDir, 'config'))],
  [
    'refs in another form',
    (gitDir) => appendFileSync(join(gitDir, 'config'), '[extensions]\n\trefStorage = reftable\n'),
  ],
  ['no HEAD', (gitDir) => rmSync(join(gitDir, 'HEAD'))],
  ['a HEAD of nothing', (gitDir) => writeFileSync(join(gitDir, 'HEAD'), 'nothing\n')],
  ['no objects', (gitDir) => rmSync(join(gitDir, 'objects'), { recursive: true })],
  ['a ref that is cut', (gitDir) => put(gitDir, 'cut', '0123\n')],
  [
    'no way to read the branches',
    (gitDir) => {
      rmSync(join(gitDir, 'refs/heads'), { recursive: true });
      writeFileSync(join(gitDir, 'refs/heads'), '');
    },
  ],
  ['no way to read the ref besides', (gitDir) => mkdirSync(join(gitDir, BESIDES), { recursive: true })],
  ['a ref that leads to another', (gitDir) => put(gitDir, 'led', 'ref: refs/heads/main\n')],
  ['a ref of no object', (gitDir) => put(gitDir, 'none', `${'0'.repeat(40)}\n`)],
  ['a name that git does not allow', (gitDir) => put(gitDir, 'x.lock', `${'1'.repeat(40)}\n`)],
  ['a packed line that is cut', (gitDir) => appendFileSync(join(gitDir, 'packed-refs'), '0123 refs/heads/cut\n')],
  [
    'packed refs that are larger than is read',
    (gitDir) => writeFileSync(join(gitDir, 'packed-refs'), '#\n'.repeat(2 ** 20)),
  ],
  [
    'very many files',
    (gitDir) => Array.from({ length: 300 }, (_, number) => put(gitDir, `n${number}`, `${'1'.repeat(40)}\n`)),
  ],
])('leaves it to git where there is %s', async (_, change) => {
  await using copy = await bareCopy();
  change(copy.gitDir);
  expect(await readRefFiles(copy.gitDir, BESIDES)).toBeNull();
});

function put(gitDir: string, name: string, text: string): void {
  mkdirSync(join(gitDir, 'refs/heads'), { recursive: true });
  writeFileSync(join(gitDir, 'refs/heads', name), text);
}
