// The history of one file in a tree too large to be compared with as a whole.
import { expect, it } from 'vitest';
import { gitRepository } from './git-repository.ts';
import { pathProject, SIGNAL, testSource, treeOf } from './open-project.ts';

it('follows a file through a renaming that changed it, among more files than are compared with', async () => {
  await using repo = await gitRepository();
  await using kept = testSource();
  const others = Array.from({ length: 10_050 }, (_, index) => ({ name: `lib/${index}.txt`, content: `${index}` }));
  const text = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
  const made = repo.commitRaw([...others, { name: 'old.txt', content: text }], 'made');
  const changed = text.replace('line 3', 'LINE 3');
  const apart = repo.commitRaw([...others, { name: 'new.txt', content: changed }], 'apart', 'apart');
  const moved = repo.git('commit-tree', `${apart}^{tree}`, '-p', made, '-m', 'moved and changed');
  repo.git('update-ref', 'refs/heads/main', moved);
  const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
  const { commits } = await tree.history({ path: 'new.txt' }, SIGNAL);
  expect(commits.map(({ sha }) => sha)).toEqual([moved, made]);
});
