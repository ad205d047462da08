// The double's CI runs for what people and Apps push, and as on GitHub not for what a workflow pushes with its own token.
import { startCi, startGithubDouble } from 'causeway-github-double';
import { expect, it } from 'vitest';

it('runs for pushes, but for those of a workflow', async () => {
  await using double = await startGithubDouble();
  const { people } = double;
  await people.openRepository('corner/shop', { files: { 'a.txt': 'a\n' } });
  people.organization('corner', { owners: ['nora'], members: [] });
  people.install('corner', { app: people.otherApp('github-actions'), by: 'nora', events: ['push'] });
  const ci = startCi(double, 'corner/shop', { jobs: { test: ['true'] } });
  const push = (by: string, branch: string) =>
    people.push('corner/shop', { by, branch, files: { 'a.txt': `${branch}\n` } });
  const first = await push('mara', 'one');
  await push('github-actions[bot]', 'two');
  await ci.settled();
  expect(ci.ran).toEqual([first]);
});
