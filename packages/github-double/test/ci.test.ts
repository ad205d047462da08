// The double's CI runs for what people and Apps push, and as on GitHub not for what a workflow pushes with its own token.
import { startCi, startGithubDouble } from 'causeway-github-double';
import { describe, expect, it } from 'vitest';

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

describe('where the repository has workflow files', () => {
  const workflow = (on: string, rest = 'jobs: { test: { runs-on: ubuntu-latest } }') => `on: ${on}\n${rest}\n`;

  async function openShop(files: Readonly<Record<string, string>>, jobs: Readonly<Record<string, string[]>> = {}) {
    const double = await startGithubDouble();
    const { people } = double;
    const placed = Object.entries(files).map(([file, text]) => [`.github/workflows/${file}`, text]);
    await people.openRepository('corner/shop', { files: { 'a.txt': 'a\n', ...Object.fromEntries(placed) } });
    people.organization('corner', { owners: ['nora'], members: [] });
    for (const app of ['github-actions', 'another']) {
      people.install('corner', { app: people.otherApp(app), by: 'nora', events: ['push'] });
    }
    const ci = startCi(double, 'corner/shop', { jobs });
    const runs = () => [...double.repository('corner/shop').workflowRuns.values()];
    return {
      double,
      people,
      runs,
      push: (branch: string, file = 'a.txt', message = 'Change it') =>
        people.push('corner/shop', { by: 'mara', branch, message, files: { [file]: `${branch}\n` } }),
      open: (head: string) => people.openPull('corner/shop', { by: 'mara', title: 'Change it', head }),
      started: async () => {
        await ci.settled();
        const names = runs().map(({ path, event }) => `${path.slice('.github/workflows/'.length)} ${event}`);
        return names.toSorted();
      },
    };
  }

  it('starts for a push and a pull request what their filters let through', async () => {
    const shop = await openShop({
      'both.yml': workflow('[push, pull_request]'),
      'main.yml': workflow('{ push: { branches: [main] } }'),
      'ours.yml': workflow("{ push: { branches: ['**', '!skip/**'] } }"),
      'tags.yml': workflow("{ push: { tags: ['v*'] } }"),
      'docs.yml': workflow("{ pull_request: { paths: ['docs/**/*.md'] } }"),
      'code.yml': workflow("{ pull_request: { paths-ignore: ['docs/**'], branches: [main] } }"),
      'next.yml': workflow('{ pull_request: { branches: [next] } }'),
      'label.yml': workflow('{ pull_request: { types: [labeled] } }'),
      'new.yml': workflow('create'),
      'broken.yml': 'on: push\njobs: [',
    });
    await using _ = shop.double;
    await shop.push('fix/docs', 'docs/a.md');
    expect(await shop.started()).toEqual(['both.yml push', 'new.yml create', 'ours.yml push']);
    await shop.open('fix/docs');
    expect(await shop.started()).toEqual([
      ...['both.yml pull_request', 'both.yml push', 'docs.yml pull_request', 'new.yml create', 'ours.yml push'],
    ]);
    await shop.push('skip/code');
    await shop.open('skip/code');
    expect((await shop.started()).slice(0, 4)).toEqual([
      ...['both.yml pull_request', 'both.yml pull_request', 'both.yml push', 'both.yml push'],
    ]);
    expect((await shop.started()).filter((one) => /^(?:code|ours)/.test(one))).toEqual([
      ...['code.yml pull_request', 'ours.yml push'],
    ]);
  });

  it('starts nothing for a message that asks for it, but what runs with the rights of the base', async () => {
    const files = { 'both.yml': workflow('[push, pull_request]'), 'target.yml': workflow('pull_request_target') };
    const shop = await openShop(files);
    await using _ = shop.double;
    await shop.push('quiet', 'a.txt', 'Change it [skip ci]');
    await shop.open('quiet');
    expect(await shop.started()).toEqual(['target.yml pull_request_target']);
    const [run] = shop.runs();
    expect(run?.headSha).toBe(await shop.double.tip('corner/shop'));
  });

  it('follows a run by name with what the default branch has, and starts for what is closed and deleted', async () => {
    const shop = await openShop({
      'ci.yml': `name: Tests\n${workflow('pull_request')}`,
      'after.yml': workflow('{ workflow_run: { workflows: [Tests], types: [completed] } }'),
      'other.yml': workflow('{ workflow_run: { workflows: [Tests], branches: [main], types: [completed] } }'),
      'closed.yml': workflow('{ pull_request: { types: [closed] } }'),
      'deleted.yml': workflow('delete'),
    });
    await using _ = shop.double;
    await shop.push('fix');
    await shop.open('fix');
    expect(await shop.started()).toEqual(['after.yml workflow_run', 'ci.yml pull_request']);
    await shop.people.deleteBranch('corner/shop', 'fix', 'mara');
    expect((await shop.started()).filter((one) => /^(?:closed|deleted)/.test(one))).toEqual([
      ...['closed.yml pull_request', 'deleted.yml delete'],
    ]);
  });

  it('runs a pull request merged into its base, which the log names, and jobs after those that they need', async () => {
    const jobs = [
      'jobs:',
      '  test: { runs-on: ubuntu-latest }',
      '  ship: { runs-on: ubuntu-latest, needs: test }',
      '  tell: { runs-on: ubuntu-latest, needs: ship, if: always() }',
    ].join('\n');
    const both = "require('node:fs').statSync('b.txt'); require('node:fs').statSync('c.txt')";
    const shop = await openShop({ 'ci.yml': workflow('pull_request', jobs) }, { test: ['node', '-e', both] });
    await using _ = shop.double;
    const head = await shop.push('fix', 'b.txt');
    const base = await shop.push('main', 'c.txt');
    await shop.open('fix');
    await shop.started();
    const [first] = shop.runs();
    expect(first?.attempts[0]?.map(({ name, conclusion }) => [name, conclusion])).toEqual([
      ...[
        ['test', 'success'],
        ['ship', 'success'],
        ['tell', 'success'],
      ],
    ]);
    expect(first?.headSha).toBe(head);
    expect(first?.attempts[0]?.[0]?.log).toContain(` Merge ${head} into ${base}\n`);

    await shop.people.push('corner/shop', { by: 'mara', branch: 'fix', files: { 'b.txt': null, 'd.txt': 'd\n' } });
    await shop.started();
    expect(shop.runs()[1]?.attempts[0]?.map(({ name, conclusion }) => [name, conclusion])).toEqual([
      ...[
        ['test', 'failure'],
        ['ship', 'skipped'],
        ['tell', 'success'],
      ],
    ]);
  });

  it('starts no run of a pull request that has a conflict', async () => {
    const shop = await openShop({ 'ci.yml': workflow('pull_request'), 'target.yml': workflow('pull_request_target') });
    await using _ = shop.double;
    await shop.push('fix');
    await shop.push('main');
    await shop.open('fix');
    expect(await shop.started()).toEqual(['target.yml pull_request_target']);
  });
});
