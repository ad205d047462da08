// Files that a change touches, commits between green and red, and red checks of the past.
import { describe, expect, it } from 'vitest';
import type { HeadPlace } from '../../../src/core/check/head.ts';
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
      ...{ paths: ['b.js'], isCut: false, lines: { 'b.js': [{ from: 1, to: 1 }] } },
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
    expect(found?.steps).toBe(23);
  });

  it('are counted by what is on the branch itself: a merge brings the others', async () => {
    await using house = await checksHouse();
    const { people } = house;
    const from = await people.push(SHOP, { by: 'wren', files: { 'n.js': 'start\n' } });
    const side: string[] = [];
    for (const at of [1, 2])
      side.push(await people.push(SHOP, { by: 'ada', branch: 'side', files: { 's.js': `${at}\n` } }));
    const { number } = await people.openPull(SHOP, { by: 'ada', title: 'Side', head: 'side' });
    const merge = await people.merge(SHOP, number, 'wren');
    const to = await people.push(SHOP, { by: 'wren', files: { 'n.js': 'end\n' } });
    const found = await range(house, from, to);
    expect(found).toMatchObject({ total: 4, steps: 2 });
    const brought = found?.commits.flatMap(({ sha, by }) => (by === undefined ? [] : [[sha, by]]));
    expect(brought?.toSorted()).toEqual(side.map((sha) => [sha, merge]).toSorted());
    expect((await range(house, side[0]!, to))?.steps).toBeUndefined();
  });
});

describe('the past', () => {
  const DAY_MS = 86_400_000;
  const ago = (house: ChecksHouse, days: number) =>
    `${new Date(house.now().getTime() - days * DAY_MS).toISOString().slice(0, 19)}Z`;
  const read = (house: ChecksHouse, mostCalls = 125) =>
    house.checks.listPast(house.project, { since: ago(house, 14), mostCalls, isPatient: false }, SIGNAL);
  const failed = { name: 'test', conclusion: 'failure', log: 'Error: no\n' } as const;
  const passed = { name: 'lint', conclusion: 'success' } as const;

  it('has the failed jobs of those days, newest first, with their logs to be had', async () => {
    await using house = await checksHouse();
    const { people } = house;
    const sha = await house.branch('topic');
    const { number } = await people.openPull(SHOP, { by: 'wren', title: 'Topic', head: 'topic' });
    await people.reportWorkflowRun(SHOP, { sha, at: ago(house, 20), jobs: [failed] });
    await people.reportWorkflowRun(SHOP, { sha, at: ago(house, 3), jobs: [passed, failed] });
    await people.reportWorkflowRun(SHOP, { sha, at: ago(house, 2), jobs: [passed] });
    await people.reportWorkflowRun(SHOP, { sha, at: ago(house, 1), jobs: [{ ...failed, name: 'late' }] });
    const { got, calls } = await house.counting(() => read(house));
    expect(got.checks.map(({ check }) => check.name)).toEqual(['late', 'test']);
    expect([got.calls, got.unreadRuns]).toEqual([4, 0]);
    expect(calls.filter((call) => /\/(?:actions|issues)/.test(call))).toHaveLength(4);
    const [late] = got.checks;
    expect(late).toMatchObject({ sha, branch: 'topic', pullRequest: number, passedAgain: false });
    expect(late?.check).toMatchObject({ app: 'github-actions', state: 'red', conclusion: 'failure' });
    expect((await house.checks.readOutput(house.project, late!.check, SIGNAL)).log).toBe('Error: no\n');
  });

  it('says what was pushed by somebody with write access: not a fork, and not a bot', async () => {
    await using house = await checksHouse();
    const { people } = house;
    people.otherApp('renovate');
    const jobs = [failed];
    const topic = await house.branch('topic');
    await people.reportWorkflowRun(SHOP, { sha: topic, by: 'wren', at: ago(house, 4), jobs });
    await people.reportWorkflowRun(SHOP, { sha: topic, by: 'renovate[bot]', at: ago(house, 3), jobs });
    const fork = await people.fork(SHOP, 'eve');
    const from = `eve/${fork.name}`;
    const sha = await people.push(from, { by: 'eve', branch: 'evil', files: { 'evil.js': 'x\n' } });
    await people.openPull(SHOP, { by: 'eve', title: 'Evil', head: 'evil', headRepository: from });
    await people.reportWorkflowRun(SHOP, { sha, by: 'eve', at: ago(house, 2), jobs });
    const { checks } = await read(house);
    expect(checks.map(({ branch, isTrusted }) => [branch, isTrusted])).toEqual([
      ['eve:evil', false],
      ['topic', false],
      ['topic', true],
    ]);
  });

  it('has none of what anybody may start', async () => {
    await using house = await checksHouse();
    const { people } = house;
    const sha = await people.push(SHOP, { by: 'wren', files: { 'a.js': 'x\n' } });
    const jobs = [{ name: 'test', conclusion: 'failure' as const }];
    await people.reportWorkflowRun(SHOP, { sha, at: ago(house, 3), jobs });
    await people.reportWorkflowRun(SHOP, { sha, at: ago(house, 2), event: 'issue_comment', by: 'eve', jobs });
    await people.reportWorkflowRun(SHOP, { sha, at: ago(house, 1), jobs });
    expect((await read(house)).checks).toHaveLength(2);
  });

  it('says which jobs passed when they were repeated, and what the base said before', async () => {
    await using house = await checksHouse();
    const { people } = house;
    const main = await people.push(SHOP, { by: 'wren', files: { 'a.js': 'x\n' } });
    const topic = await house.branch('topic');
    await people.reportWorkflowRun(SHOP, { sha: topic, at: ago(house, 9), jobs: [failed] });
    await people.reportWorkflowRun(SHOP, { sha: main, at: ago(house, 8), jobs: [{ ...passed, name: 'test' }] });
    await people.reportWorkflowRun(SHOP, { sha: topic, at: ago(house, 7), jobs: [failed] });
    await people.reportWorkflowRun(SHOP, { sha: main, at: ago(house, 6), jobs: [failed, passed] });
    await people.reportWorkflowRun(SHOP, {
      sha: topic,
      at: ago(house, 5),
      jobs: [failed, { ...failed, name: 'lint' }],
    });
    const flaky = await people.reportWorkflowRun(SHOP, { sha: topic, at: ago(house, 4), jobs: [failed, passed] });
    await people.rerun(SHOP, flaky, { by: 'wren', at: ago(house, 3) });
    await people.finishJob(SHOP, flaky, 'test', { conclusion: 'success', at: ago(house, 3) });
    const { checks } = await read(house);
    const red = checks.find(({ branch }) => branch === 'main')?.check.runId;
    expect(checks.map(({ check, passedAgain, base }) => [check.name, passedAgain, base])).toEqual([
      ['test', true, { state: 'red', runId: red }],
      ['test', false, { state: 'red', runId: red }],
      ['lint', false, { state: 'green' }],
      ['test', false, { state: 'green' }],
      ['test', false, { state: 'green' }],
      ['test', false, { state: 'unknown' }],
    ]);
  });

  it('has the issues that were opened, and which of them start an analysis', async () => {
    await using house = await checksHouse();
    const { people } = house;
    people.openIssue(SHOP, { by: 'wren', title: 'Crash', labels: ['Analyse'] });
    people.openIssue(SHOP, { by: 'wren', title: 'Wish', labels: ['idea'] });
    await house.branch('topic');
    await people.openPull(SHOP, { by: 'wren', title: 'Topic', head: 'topic' });
    const { issues } = await read(house);
    expect(issues).toMatchObject({ opened: 2, labelled: [{ title: 'Crash' }] });
  });

  it('costs no more calls than there are left, and says how much was not read', async () => {
    await using house = await checksHouse();
    const { people } = house;
    const sha = await house.branch('topic');
    for (let nr = 0; nr < 5; nr += 1) {
      const jobs = [{ name: `job ${nr}`, conclusion: 'failure' as const }];
      await people.reportWorkflowRun(SHOP, { sha, at: ago(house, 1 + nr), jobs });
    }
    const got = await read(house, 4);
    expect([got.calls, got.unreadRuns]).toEqual([4, 3]);
    expect(got.checks.map(({ check }) => check.name)).toEqual(['job 0', 'job 1']);
  });
});
