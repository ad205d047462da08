// What a commit is the head of: the default branch, a pull request of whatever repository, a queue, a branch alone, or nothing any more.
import { describe, expect, it } from 'vitest';
import { ChecksBusy } from '../../../src/core/check/check.ts';
import { type ChecksHouse, checksHouse, SHOP, SIGNAL } from './checks-house.ts';

const PASSED = { name: 'test', conclusion: 'success' } as const;

const place = (house: ChecksHouse, sha: string, branch: string, pullRequest: number | null = null) =>
  house.checks.locate(house.project, { sha, branch, pullRequest }, SIGNAL);

describe('the default branch', () => {
  it('is named with who pushed, also where other commits stand on it by now, but not where it was pushed away', async () => {
    await using house = await checksHouse();
    const { people } = house;
    const sha = await people.push(SHOP, { by: 'wren', files: { 'a.js': 'x\n' } });
    await people.reportWorkflowRun(SHOP, { sha, jobs: [PASSED] });
    const pushedBy = { id: people.user('wren').id, login: 'wren' };
    expect(await place(house, sha, 'main')).toEqual({ kind: 'default', branch: 'main', pushedBy });
    expect(await place(house, sha, '')).toEqual({ kind: 'default', branch: 'main', pushedBy });
    await people.push(SHOP, { by: 'ada', files: { 'b.js': 'x\n' } });
    expect(await place(house, sha, 'main')).toEqual({ kind: 'default', branch: 'main', pushedBy, isBehind: true });
    const elsewhere = await house.branch('topic');
    expect(await place(house, elsewhere, 'main')).toBeNull();
  });

  it.each(['reader', 'a bot'])('names nobody where %s is behind it', async (who) => {
    await using house = await checksHouse();
    const { people } = house;
    if (who === 'a bot') {
      people.otherApp('robot');
      people.grant(SHOP, 'robot[bot]', 'write');
    }
    const sha = await people.push(SHOP, { by: who === 'a bot' ? 'robot[bot]' : who, files: { 'a.js': 'x\n' } });
    await people.reportWorkflowRun(SHOP, { sha, jobs: [PASSED] });
    expect(await place(house, sha, 'main')).toMatchObject({ kind: 'default', pushedBy: null });
  });

  it('names who pushed, and never whom the commit names: anybody can write that', async () => {
    await using house = await checksHouse();
    const { people, double } = house;
    // By its words it is of `ada`, who may write.
    const sha = await people.push(SHOP, { by: 'ada', files: { 'a.js': 'x\n' } });
    expect(await place(house, sha, 'main')).toMatchObject({ kind: 'default', pushedBy: null });
    const jobs = [PASSED];
    await people.reportWorkflowRun(SHOP, { sha, by: 'ada', event: 'issue_comment', jobs });
    await people.reportWorkflowRun(SHOP, { sha, by: 'ada', branch: 'topic', jobs });
    expect(await place(house, sha, 'main')).toMatchObject({ kind: 'default', pushedBy: null });
    await people.reportWorkflowRun(SHOP, { sha, by: 'wren', jobs });
    expect(await place(house, sha, 'main')).toMatchObject({ pushedBy: { id: double.people.user('wren').id } });
  });

  it.each(['main', ''])('is not where a pull request of a fork was merged: %j', async (branch) => {
    await using house = await checksHouse();
    const { people } = house;
    const fork = await people.fork(SHOP, 'eve');
    const from = `eve/${fork.name}`;
    await people.push(from, { by: 'eve', branch: 'main', files: { 'evil.js': 'x\n' } });
    const sha = await people.push(from, { by: 'eve', branch: 'main', files: { 'evil.js': 'y\n' } });
    const made = { by: 'eve', title: 'Afar', head: 'main', headRepository: from };
    const { number } = await people.openPull(SHOP, made);
    await people.reportWorkflowRun(SHOP, { sha, jobs: [PASSED] });
    await people.merge(SHOP, number, 'wren');
    expect(await place(house, sha, branch)).toMatchObject({ kind: 'pull_request', number, isClosed: true });
  });
});

describe('a pull request', () => {
  it('is found by its head, in one call and one for the role of its author', async () => {
    await using house = await checksHouse();
    const { people } = house;
    const sha = await house.branch('topic');
    const { number } = await people.openPull(SHOP, { by: 'wren', title: 'Topic', head: 'topic', draft: true });
    const { got, calls } = await house.counting(() => place(house, sha, 'topic'));
    const base = people.issue(SHOP, number).pull!.baseSha;
    expect(got).toEqual({
      ...{ kind: 'pull_request', number, branch: 'topic', base: { branch: 'main', sha: base }, sha, isQueue: false },
      ...{ isFork: false, isDraft: true, isTrusted: true, author: { id: people.user('wren').id, login: 'wren' } },
    });
    expect(calls).toHaveLength(2);
  });

  it.each([
    ['wren', true],
    ['reader', false],
    ['causeway[bot]', false],
  ])('of %s is trusted: %s', async (by, isTrusted) => {
    await using house = await checksHouse();
    house.people.grant(SHOP, 'causeway[bot]', 'write');
    const sha = await house.branch('topic');
    await house.people.openPull(SHOP, { by, title: 'Topic', head: 'topic' });
    expect(await place(house, sha, 'topic')).toMatchObject({ kind: 'pull_request', isTrusted });
  });

  it('of a bot is trusted once a person with write has pushed to it, whoever starts a run later', async () => {
    await using house = await checksHouse();
    const { people } = house;
    people.otherApp('renovate');
    people.grant(SHOP, 'renovate[bot]', 'write');
    const sha = await house.branch('bump');
    await people.openPull(SHOP, { by: 'renovate[bot]', title: 'Bump', head: 'bump' });
    const run = (of: string, by: string, event = 'pull_request') =>
      people.reportWorkflowRun(SHOP, { sha: of, by, event, branch: 'bump', jobs: [PASSED] });
    await run(sha, 'renovate[bot]');
    await run(sha, 'wren');
    expect(await place(house, sha, 'bump')).toMatchObject({ isBot: true, isTrusted: false });
    const next = await people.push(SHOP, { by: 'wren', branch: 'bump', files: { 'more.js': 'y\n' } });
    expect(await place(house, next, 'bump')).toMatchObject({ isBot: true, isTrusted: false });
    await run(next, 'wren', 'issue_comment');
    await run(next, 'wren');
    expect(await place(house, next, 'bump')).toMatchObject({
      ...{ isBot: true, isTrusted: true },
      author: { login: 'renovate[bot]' },
    });
  });

  it('is left by a head that is none any more, and closed for one that was closed or merged', async () => {
    await using house = await checksHouse();
    const { people } = house;
    const old = await house.branch('topic');
    const { number } = await people.openPull(SHOP, { by: 'wren', title: 'Topic', head: 'topic' });
    const sha = await people.push(SHOP, { by: 'wren', branch: 'topic', files: { 'more.js': 'y\n' } });
    expect(await place(house, old, 'topic')).toBeNull();
    expect(await place(house, sha, 'topic')).toMatchObject({ number });
    people.close(SHOP, number, 'wren');
    const closed = { kind: 'pull_request', number, sha, isTrusted: false, isClosed: true };
    expect(await place(house, sha, 'topic')).toMatchObject(closed);
    expect(await place(house, old, 'topic')).toBeNull();
    people.reopen(SHOP, number, 'wren');
    expect((await place(house, sha, 'topic')) as object).not.toHaveProperty('isClosed');
    await people.merge(SHOP, number, 'ada');
    expect(await place(house, sha, 'topic')).toMatchObject(closed);
  });

  it.each(['topic', 'main', ''])('of a fork is found by its head alone, whatever the branch: %j', async (branch) => {
    await using house = await checksHouse();
    const { people } = house;
    const fork = await people.fork(SHOP, 'eve');
    const name = `eve/${fork.name}`;
    const sha = await people.push(name, { by: 'eve', branch: branch || 'topic', files: { 'evil.js': 'x\n' } });
    // A branch of that name stands here as well, and is another one.
    if (branch === 'topic') await house.branch('topic');
    const made = { by: 'eve', title: 'From afar', head: branch || 'topic', headRepository: name };
    const { number } = await people.openPull(SHOP, made);
    expect(await place(house, sha, branch)).toMatchObject({
      ...{ kind: 'pull_request', number, sha, isFork: true, isTrusted: false, author: { login: 'eve' } },
    });
  });
});

describe('a merge queue', () => {
  async function queued() {
    const house = await checksHouse();
    const { people } = house;
    const head = await house.branch('topic');
    const { number } = await people.openPull(SHOP, { by: 'wren', title: 'Topic', head: 'topic' });
    await people.push(SHOP, { by: 'ada', files: { 'ahead.js': 'x\n' } });
    return { house, head, number, group: await people.enqueue(SHOP, number, 'wren') };
  }

  it('maps to its pull request, on top of what the queue has for a base', async () => {
    const { house, head, number, group } = await queued();
    await using _ = house;
    expect(await place(house, group.sha, group.branch)).toMatchObject({
      ...{ kind: 'pull_request', number, sha: head, isQueue: true, isTrusted: true },
      base: { branch: 'main', sha: group.baseSha },
    });
  });

  it("does not for a fork's branch that is named like one: it speaks for its own pull request alone", async () => {
    const { house, number, group } = await queued();
    await using _ = house;
    const { people } = house;
    const fork = await people.fork(SHOP, 'eve');
    const name = `eve/${fork.name}`;
    const sha = await people.push(name, { by: 'eve', branch: group.branch, files: { 'evil.js': 'x\n' } });
    const made = { by: 'eve', title: 'Me too', head: group.branch, headRepository: name };
    const own = await people.openPull(SHOP, made);
    await people.reportWorkflowRun(SHOP, { sha, branch: group.branch, jobs: [{ name: 't', conclusion: 'failure' }] });
    expect(own.number).not.toBe(number);
    expect(await place(house, sha, group.branch)).toMatchObject({ number: own.number, isFork: true });
    people.close(SHOP, own.number, 'eve');
    expect(await place(house, sha, group.branch)).toBeNull();
    // GitHub finds a fork's pull request by its commit no more: what it was of before is asked for.
    const closed = { number: own.number, isFork: true, isClosed: true };
    expect(await place(house, sha, group.branch, own.number)).toMatchObject(closed);
    people.reopen(SHOP, own.number, 'eve');
    const over = await people.push(name, { by: 'eve', branch: group.branch, files: { 'evil.js': 'y\n' } });
    people.close(SHOP, own.number, 'eve');
    expect(await place(house, sha, group.branch, own.number)).toBeNull();
    expect(await place(house, over, group.branch, own.number)).toMatchObject(closed);
  });
});

describe('a branch without a pull request', () => {
  it('is one as long as the commit stands at its tip', async () => {
    await using house = await checksHouse();
    const sha = await house.branch('spike');
    expect(await place(house, sha, 'spike')).toEqual({ kind: 'branch', branch: 'spike' });
    await house.people.deleteBranch(SHOP, 'spike', 'wren');
    expect(await place(house, sha, 'spike')).toBeNull();
  });
});

it('where GitHub gives no answer the place is not guessed', async () => {
  await using house = await checksHouse();
  const sha = await house.branch('spike');
  house.double.faults.add({ path: /\/pulls/, fault: { kind: 'reset', when: 'before' } });
  await expect(place(house, sha, 'spike')).rejects.toBeInstanceOf(ChecksBusy);
});
