// The index with a real repository, git, the thread and the disk.
import { expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { createLog } from '../../src/log.ts';
import { createLexicons } from '../../src/search/lexicons.ts';
import { pathProject, testSource, treeOf } from '../support/project-source.ts';
import { temporaryFolder } from '../support/service.ts';
import { pathsWith, SIGNAL, sources, wordOf } from './ground.ts';

it('a real repository is indexed, and its next commit after it', async () => {
  await using repo = await gitRepository();
  await using at = testSource();
  await using folder = await temporaryFolder();
  await using lexicons = createLexicons({ folder: folder.path, log: createLog({ level: 'silent' }) });
  await repo.commit({ ...sources(30), 'src/latin.ts': Buffer.from('caf\xe9 zeppelin();\n', 'latin1') }, 'Begin');
  const project = pathProject(repo.path);
  const first = await treeOf(await at.source.open(project, SIGNAL));
  const before = await lexicons.of(project).open(first, SIGNAL);
  expect(before.files).toHaveLength(31);
  expect(await pathsWith(before, 'zeppelin')).toEqual(['src/latin.ts']);
  await repo.commit({ 'src/part3.ts': 'quokka();\n', 'src/part4.ts': null }, 'Tend to the quokka\n\nIt was hungry.');
  const second = await treeOf(await at.source.open(project, SIGNAL));
  const after = await lexicons.of(project).open(second, SIGNAL);
  expect(await pathsWith(after, 'quokka')).toEqual(['src/part3.ts']);
  expect(await pathsWith(after, wordOf(4))).toEqual([]);
  expect(await pathsWith(after, wordOf(5))).toEqual(['src/part5.ts']);
  const { commits } = await lexicons.of(project).openHistory(second, 10, SIGNAL);
  expect(commits.map(({ sha, paths }) => [sha === second.revision, paths.length])).toEqual([
    [true, 2],
    [false, 31],
  ]);
});
