// A repository as of an earlier commit: nothing that came later can be found, however it is asked for.
import { expect, it } from 'vitest';
import { gitRepository } from './git-repository.ts';
import { pathProject, SIGNAL, testSource, urlProject } from './open-project.ts';

const CANARY = 'canaryOfTheFix';

it('shows what leads to the commit, and no later branch, tag, commit or text', async () => {
  await using made = await gitRepository();
  const first = await made.commit({ 'a.js': 'export const a = 1;\n' }, 'Begin');
  made.tag('v1');
  const base = await made.commit({ 'b.js': 'export const b = 1;\n' }, 'Add b');
  const fix = await made.commit({ 'a.js': `export const ${CANARY} = 2;\n` }, `Fix it with ${CANARY}, fixes #7`);
  made.tag('v2');
  made.branch('next');
  await using opened = testSource({ asOf: base });
  const repository = await opened.source.open(pathProject(made.path), SIGNAL);
  const resolve = (revision: string) => repository.resolve(revision, SIGNAL);
  expect(await Promise.all(['', 'main', 'v1', first.slice(0, 8), base].map(resolve))).toEqual([
    ...[base, base, first, first, base],
  ]);
  expect(await Promise.all(['v2', 'next', fix, fix.slice(0, 10)].map(resolve))).toEqual([null, null, null, null]);
  expect(await repository.ensureCommit(fix, SIGNAL)).toBe(false);
  expect([await repository.findTags(first, SIGNAL), await repository.findTags(base, SIGNAL)]).toEqual([['v1'], []]);
  const tree = repository.tree(base);
  const search = await tree.search({ pattern: CANARY, regex: false, ignoreCase: false, paths: [] }, SIGNAL);
  const histories = await Promise.all([{ message: CANARY }, { issue: 7 }].map((query) => tree.history(query, SIGNAL)));
  expect([search.hits, ...histories.map(({ commits }) => commits)]).toEqual([[], [], []]);
});

it('is refused for a repository that would have to be fetched', async () => {
  await using opened = testSource({ asOf: 'a'.repeat(40) });
  const opening = opened.source.open(urlProject('https://git.example/acme/shop.git'), SIGNAL);
  await expect(opening).rejects.toThrow('only a repository on this disk');
});
