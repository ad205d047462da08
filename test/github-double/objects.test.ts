// What the double writes and reads without git is what git would have written and read.
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/service.ts';
import { commitFiles, type FileTexts } from './git/commit-files.ts';
import { branchSha, type GitPerson, readRefs } from './git/read-objects.ts';
import { GIT_ENVIRONMENT } from './git/run-git.ts';
import { writeBlob, writeCommit, writeTree } from './git/write-objects.ts';

const PEOPLE: Readonly<Record<string, GitPerson>> = {
  'of a bot': { name: 'causeway[bot]', email: '1+causeway[bot]@example.com', date: '2025-03-01T10:00:00Z' },
  'whose name git trims': { name: "Ada 'the' Example.", email: 'ada@example.com', date: '2025-03-01T10:00:00Z' },
};
const ROUNDS: readonly FileTexts[] = [
  {
    'README.md': 'x\n',
    'src/a.js': 'a\n',
    'src-b/c.js': 'c',
    'src/lib/deep/x.ts': 'q',
    '.github/causeway.yml': 'm: 1\n',
  },
  { 'src/a.js': 'b\n', 'src.txt': 'y', 'src/lib/deep/x.ts': null },
  { 'new/file': 'ü', 'src-b/c.js': null, 'src/z': 'z' },
  { 'a..b/c': '1', 'ä/x': '2' },
  { src: 'a file where a folder was' },
  { 'README.md': 'changed\n' },
];

it.each(Object.entries(PEOPLE))('writes the commits %s', async (_, person) => {
  await using folder = await temporaryFolder();
  const git = inFolder(folder.path);
  git('init', '--quiet', '--bare', folder.path);
  let parent: string | null = null;
  for (const files of ROUNDS) {
    const made = await commitFiles(folder.path, { parent, files, message: 'Hello\n\nthere', person });
    expect(made).toBe(await commitOfGit(folder.path, parent, files, person));
    parent = made;
  }
  expect(git('fsck', '--strict', '--full', '--no-dangling', parent ?? '')).toBe('');
});

it.each([['loose'], ['packed']])('reads refs that are %s', async (how) => {
  await using folder = await temporaryFolder();
  const git = inFolder(folder.path);
  git('init', '--quiet', '--bare', folder.path);
  const [person] = Object.values(PEOPLE);
  if (person === undefined) throw new Error('nobody');
  const sha = await commitFiles(folder.path, { parent: null, files: { a: 'a' }, message: 'First', person });
  for (const ref of ['heads/feature/x', 'heads/main', 'pull/1/head']) git('update-ref', `refs/${ref}`, sha);
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'tag', '-a', '-m', 'one', 'v1', sha);
  if (how === 'packed') git('pack-refs', '--all');
  const read = (await readRefs(folder.path)).map((ref) => `${ref.name} ${ref.sha} ${ref.type}`).join('\n');
  expect(read).toBe(git('for-each-ref', '--format=%(refname) %(objectname) %(objecttype)'));
  const branches = ['main', 'feature', 'feature/x', 'main~1'].map((name) => branchSha(folder.path, name));
  expect(await Promise.all(branches)).toEqual([sha, null, sha, null]);
});

function inFolder(gitDir: string): (...args: string[]) => string {
  const env = { ...GIT_ENVIRONMENT, GIT_DIR: gitDir };
  return (...args) =>
    execFileSync('git', args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
}

/** By git alone. */
async function commitOfGit(
  gitDir: string,
  parent: string | null,
  files: FileTexts,
  person: GitPerson,
): Promise<string> {
  const changes = [];
  for (const [path, content] of Object.entries(files)) {
    changes.push({ path, mode: '100644', sha: content === null ? null : await writeBlob(gitDir, content) });
  }
  const tree = await writeTree(gitDir, parent, changes);
  const parents = parent === null ? [] : [parent];
  return writeCommit(gitDir, { tree, parents, message: 'Hello\n\nthere', author: person, committer: person });
}
