// Files that a change touches, commits between green and red, and red checks of the past.
import { describe, expect, it } from 'vitest';
import type { PastCheck } from '../../../src/core/check.ts';
import type { HeadPlace } from '../../../src/core/head.ts';
import { type ChecksHouse, checksHouse, SHOP, SIGNAL } from './checks-house.ts';

const changed = (house: ChecksHouse, sha: string, place: HeadPlace) =>
  house.checks.listChangedFiles(house.project, { sha, place }, SIGNAL);

describe('what a change touches', () => {
  it('is that of the last commit on the default branch, and of all commits on another', async () => {
    await using house = await checksHouse();
    const { people } = house;
    await people.push(SHOP, { by: 'wren', files: { 'a.js': 'x\n' } });
    const sha = await people.push(SHOP, { by: 'wren', files: { 'b.js': 'x\n' } });
    expect(await changed(house, sha, { kind: 'default', branch: 'main', pushedBy: null })).toEqual({
      ...{ paths: ['b.js'], isCut: false },
    });
    await house.branch('spike');
    const tip = await people.push(SHOP, { by: 'wren', branch: 'spike', files: { 'c.js': 'x\n' } });
    expect((await changed(house, tip, { kind: 'branch', branch: 'spike' }))?.paths).toEqual(['c.js', 'spike.js']);
  });

  it('is cut after 300 files of a pull request, and a renamed one has two names', async () => {
    const body = `${'const line = 1;\n'.repeat(20)}`;
    await using house = await checksHouse({ files: { 'old.js': body } });
    const { people } = house;
    const many = Object.fromEntries(Array.from({ length: 320 }, (_, at) => [`many/${at}.js`, 'x\n']));
    await people.push(SHOP, { by: 'wren', branch: 'topic', files: { ...many } });
    const { number } = await people.openPull(SHOP, { by: 'wren', title: 'Many', head: 'topic' });
    const sha = people.issue(SHOP, number).pull!.headSha;
    const place = await house.checks.locate(house.project, { sha, branch: 'topic' }, SIGNAL);
    const { got, calls } = await house.counting(() => changed(house, sha, place!));
    expect(got).toMatchObject({ isCut: true });
    expect(got?.paths).toHaveLength(300);
    expect(calls).toHaveLength(3);
    const moved = await people.push(SHOP, { by: 'wren', files: { 'old.js': null, 'new.js': body } });
    const both = await changed(house, moved, { kind: 'default', branch: 'main', pushedBy: null });
    expect(both?.paths.toSorted()).toEqual(['new.js', 'old.js']);
  });
});

describe('the commits between green and red', () => {
  const range = (house: ChecksHouse, from: string, to: string) =>
    house.checks.readRange(house.project, { from, to }, SIGNAL);

  it('are named newest first, at most 20 of them, each on one line', async () => {
    await using house = await checksHouse();
    const { people } = house;
    const from = await people.push(SHOP, { by: 'wren', files: { 'n.js': 'start\n' } });
    let to = '';
    for (let at = 1; at <= 23; at += 1) {
      const message = `Change ${at}\n\nAnd why`;
      to = await people.push(SHOP, { by: at % 2 ? 'wren' : 'ada', files: { 'n.js': `${at}\n` }, message });
    }
    const found = await range(house, from, to);
    expect(found).toMatchObject({ from, to, total: 23 });
    expect(found?.commits).toHaveLength(20);
    expect(found?.commits[0]).toEqual({ sha: to, author: 'wren', subject: 'Change 23' });
    expect(found?.commits[1]).toMatchObject({ author: 'ada', subject: 'Change 22' });
  });
});

describe('red checks of the past', () => {
  const DAY_MS = 86_400_000;
  const since = (house: ChecksHouse) => new Date(house.now().getTime() - 14 * DAY_MS).toISOString();
  const at = (house: ChecksHouse, days: number) =>
    `${new Date(house.now().getTime() - days * DAY_MS).toISOString().slice(0, 19)}Z`;

  async function read(house: ChecksHouse) {
    const checks: PastCheck[] = [];
    const pages: number[] = [];
    let [cursor, from]: [string | null, string] = ['', since(house)];
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof house.checks.listPast>> = await house.checks.listPast(
        house.project,
        { since: from, cursor, mostCalls: 500 },
        SIGNAL,
      );
      checks.push(...page.checks);
      pages.push(page.calls);
      cursor = page.next;
    }
    return { checks, pages };
  }

  it('are the failed jobs of failed runs of those days, newest first, with their logs to be had', async () => {
    await using house = await checksHouse();
    const { people } = house;
    const sha = await house.branch('topic');
    const { number } = await people.openPull(SHOP, { by: 'wren', title: 'Topic', head: 'topic' });
    const failed = { name: 'test', conclusion: 'failure', log: 'Error: no\n' } as const;
    const passed = { name: 'lint', conclusion: 'success' } as const;
    await people.reportWorkflowRun(SHOP, { sha, at: at(house, 20), jobs: [failed] });
    await people.reportWorkflowRun(SHOP, { sha, at: at(house, 3), jobs: [passed, failed] });
    await people.reportWorkflowRun(SHOP, { sha, at: at(house, 2), jobs: [passed] });
    await people.reportWorkflowRun(SHOP, { sha, at: at(house, 1), jobs: [{ ...failed, name: 'late' }] });
    const { got, calls } = await house.counting(() => read(house));
    expect(got.checks.map(({ check }) => check.name)).toEqual(['late', 'test']);
    expect(got.pages).toEqual([3]);
    expect(calls).toHaveLength(3);
    const [late] = got.checks;
    expect(late).toMatchObject({ sha, branch: 'topic', pullRequest: number });
    expect(late?.check).toMatchObject({ app: 'github-actions', state: 'red', conclusion: 'failure' });
    expect((await house.checks.readOutput(house.project, late!.check, SIGNAL)).log).toBe('Error: no\n');
  });

  it('are none of what anybody may start', async () => {
    await using house = await checksHouse();
    const { people } = house;
    const sha = await people.push(SHOP, { by: 'wren', files: { 'a.js': 'x\n' } });
    const jobs = [{ name: 'test', conclusion: 'failure' as const }];
    await people.reportWorkflowRun(SHOP, { sha, at: at(house, 3), jobs });
    await people.reportWorkflowRun(SHOP, { sha, at: at(house, 2), event: 'issue_comment', by: 'eve', jobs });
    await people.reportWorkflowRun(SHOP, { sha, at: at(house, 1), jobs });
    const { checks, pages } = await read(house);
    expect([checks.length, pages]).toEqual([2, [3]]);
  });

  it('cost no more calls than there are left', async () => {
    await using house = await checksHouse();
    const { people, checks, project } = house;
    const sha = await house.branch('topic');
    for (let nr = 0; nr < 5; nr += 1) {
      const jobs = [{ name: `job ${nr}`, conclusion: 'failure' as const }];
      await people.reportWorkflowRun(SHOP, { sha, at: at(house, 1 + nr), jobs });
    }
    const page = { since: since(house), cursor: '', mostCalls: 3 };
    const { got, calls } = await house.counting(() => checks.listPast(project, page, SIGNAL));
    expect([got.calls, calls.length]).toEqual([3, 3]);
    expect(got.checks.map(({ check }) => check.name)).toEqual(['job 0', 'job 1']);
  });
});
