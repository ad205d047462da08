// Where a commit stands decides: the default branch, what is set aside, what waits, and who asked.
import { describe, expect, it } from 'vitest';
import { ChecksBusy, ChecksClosed } from '../../src/core/check/check.ts';
import { createId } from '../../src/core/ids.ts';
import type { ThreadPart } from '../../src/db/reports.ts';
import {
  CODE_LOG,
  DISK_LOG,
  HEAD,
  type HeadGround,
  headGround,
  OTHER_LOG,
  pullRequestPlace,
} from '../support/head-ground.ts';
import {
  acceptance,
  conclusion,
  ON_MAIN,
  ofActions,
  opening,
  started,
  TRIAGER,
  at as time,
  trigger,
} from '../support/store-samples.ts';

const GREEN = 'a'.repeat(40);
const NEXT = 'd'.repeat(40);

async function defaultBranch(): Promise<HeadGround> {
  const at = await headGround();
  at.world.places.set(HEAD, ON_MAIN);
  at.world.history.push(GREEN, '1'.repeat(40), HEAD, NEXT);
  return at;
}

async function gaveUp(at: HeadGround, investigationId: string | null): Promise<void> {
  const investigation = await at.store.findInvestigation(investigationId ?? '');
  await at.store.giveUp(investigation!.runId, { code: 'internal', detail: 'x' }, time(at.seconds));
}

describe('a red default branch', () => {
  it('has a thread for each failure, and a request of its pusher for the first only', async () => {
    await using at = await defaultBranch();
    at.run('test (1)', 'red', { log: CODE_LOG });
    at.run('test (2)', 'red', { log: CODE_LOG });
    at.run('till', 'red', { log: OTHER_LOG });
    const { head } = await at.look();
    const threads = await Promise.all(head.findings.map(({ threadId }) => at.store.findThread(threadId!)));
    expect(threads.map((thread) => thread?.subject)).toEqual(
      head.findings.map(({ failureId }) => ({ kind: 'failure', failureId })),
    );
    expect(threads.map((thread) => thread?.fixRequest?.login ?? null)).toEqual(['mona', null]);
    expect(threads.map((thread) => thread?.investigationId)).toEqual(
      head.findings.map(({ investigationId }) => investigationId),
    );
    expect(head.findings.map(({ isOwnThread }) => isOwnThread)).toEqual([true, true]);
  });

  it('asks for no pull request where none may be opened, or no one is known to stand behind it', async () => {
    await using at = await defaultBranch();
    at.world.rules = { ...at.world.rules, opens: false };
    at.run('test', 'red', { log: CODE_LOG });
    const [first] = (await at.look()).head.findings;
    expect(await at.store.findThread(first!.threadId!)).toMatchObject({ fixRequest: null, trigger: { role: 'write' } });
    at.world.rules = { ...at.world.rules, opens: true };
    at.world.places.set(NEXT, { kind: 'default', branch: 'main', pushedBy: null });
    at.run('till', 'red', { sha: NEXT, log: OTHER_LOG });
    const [second] = (await at.look(NEXT)).head.findings;
    expect(await at.store.findThread(second!.threadId!)).toMatchObject({
      fixRequest: null,
      trigger: { role: 'none', by: { login: 'causeway[bot]' } },
    });
  });

  it('names the commits since it was last green, in the ledger and in the report', async () => {
    await using at = await defaultBranch();
    await at.store.recordPassingCheck(at.project.id, { check: ofActions('test'), sha: GREEN, at: time(-3600) });
    at.run('test', 'red', { log: CODE_LOG });
    const [finding] = (await at.look()).head.findings;
    expect(await at.store.findFailure(finding!.failureId)).toMatchObject({
      range: { from: GREEN, to: HEAD, total: 2 },
    });
    expect(await at.reportOf(finding!.investigationId)).toContain(`Green at ${GREEN}, red at ${HEAD}, 2 between them`);
    await at.look();
    expect(at.world.asked.filter((call) => call.startsWith('range'))).toHaveLength(1);
  });

  it('closes what is green again, and knows a regression with a range and an investigation of its own', async () => {
    await using at = await defaultBranch();
    at.run('test', 'red', { log: CODE_LOG });
    const { head: first } = await at.look();
    at.seconds = 3_600;
    at.world.places.set(GREEN, ON_MAIN);
    at.run('test', 'green', { sha: GREEN });
    expect((await at.look(GREEN)).head.state).toBe('green');
    const { failureId, investigationId } = first.findings[0]!;
    expect(await at.store.findFailure(failureId)).toMatchObject({ state: 'closed', closed: { sha: GREEN } });
    await at.store.recordPassingCheck(at.project.id, { check: ofActions('test'), sha: GREEN, at: time(3_600) });
    at.seconds = 7_200;
    at.world.places.set(NEXT, ON_MAIN);
    at.run('test', 'red', { sha: NEXT, log: CODE_LOG });
    const { head } = await at.look(NEXT);
    expect(head.findings).toMatchObject([{ failureId, standing: 'regression' }]);
    expect(head.findings[0]!.investigationId).not.toBe(investigationId);
    expect(await at.store.findFailure(failureId)).toMatchObject({
      opening: 2,
      range: { from: GREEN, to: NEXT, total: 3 },
    });
    expect(head.findings).toMatchObject([{ opening: 2, range: { to: NEXT } }]);
    // A person has the check run of the earlier time looked at again.
    await at.store.rerequestHead(first.id, time(7_300));
    expect((await at.look()).head.findings).toMatchObject([{ opening: 1, standing: 'new' }]);
    expect((await at.look()).head.findings[0]).not.toHaveProperty('range');
    expect((await at.store.findFailure(failureId))?.range).toMatchObject({ to: NEXT });
  });

  it('names no commits where the machine failed, or where the check passed at the same commit since', async () => {
    await using at = await defaultBranch();
    const check = ofActions('test');
    await at.store.recordPassingCheck(at.project.id, { check, sha: GREEN, at: time(-3600) });
    at.run('test', 'red', { log: DISK_LOG });
    const [disk] = (await at.look()).head.findings;
    expect(disk).toMatchObject({ verdict: 'infrastructure' });
    expect(await at.store.findFailure(disk!.failureId)).toMatchObject({ range: null });
    at.world.places.set(NEXT, ON_MAIN);
    at.run('test', 'red', { sha: NEXT, log: CODE_LOG });
    const [code] = (await at.look(NEXT)).head.findings;
    expect(await at.store.findFailure(code!.failureId)).toMatchObject({ range: { to: NEXT } });
    at.seconds = 60;
    at.run('test', 'green', { sha: NEXT });
    expect((await at.look(NEXT)).head.findings).toMatchObject([{ verdict: 'flaky' }]);
    expect(await at.store.findFailure(code!.failureId)).toMatchObject({ range: null });
  });

  it('closes what is green next to what is red', async () => {
    await using at = await defaultBranch();
    at.run('test', 'red', { log: CODE_LOG });
    const { head: first } = await at.look();
    at.seconds = 60;
    at.world.places.set(NEXT, ON_MAIN);
    at.run('test', 'green', { sha: NEXT });
    at.run('till', 'red', { sha: NEXT, log: OTHER_LOG });
    const { head } = await at.look(NEXT);
    expect(head.state).toBe('red');
    expect(await at.store.findFailure(first.findings[0]!.failureId)).toMatchObject({ state: 'closed' });
    expect(await at.store.findFailure(head.findings[0]!.failureId)).toMatchObject({ state: 'open' });
  });
});

describe('a commit is set aside', () => {
  it('with what was found, where it is the head of nothing any more; its investigations go on', async () => {
    await using at = await headGround();
    at.world.places.set(HEAD, pullRequestPlace());
    at.run('test', 'red', { log: CODE_LOG });
    const { head: red } = await at.look();
    at.world.places.delete(HEAD);
    const { head, result } = await at.look();
    expect(result).toEqual({ kind: 'done' });
    expect(head).toMatchObject({ state: 'superseded', place: red.place, findings: red.findings });
    expect((await at.store.findInvestigation(red.findings[0]!.investigationId!))?.outcome.state).toBe('queued');
    expect(await at.store.findFailure(red.findings[0]!.failureId)).toMatchObject({ state: 'open' });
  });

  it('as closed with its pull request, though nothing took its place', async () => {
    await using at = await headGround();
    at.world.places.set(HEAD, pullRequestPlace());
    at.run('test', 'red', { log: CODE_LOG });
    await at.look();
    at.world.places.set(HEAD, pullRequestPlace({ isClosed: true }));
    const { head } = await at.look();
    expect(head).toMatchObject({ state: 'superseded', place: { number: 5, isClosed: true } });
    expect(head.findings).toHaveLength(1);
  });

  it('where its pull request has another head', async () => {
    await using at = await headGround();
    at.world.places.set(HEAD, pullRequestPlace({ sha: NEXT }));
    at.run('test', 'red', { log: CODE_LOG });
    expect((await at.look()).head).toMatchObject({ state: 'superseded', findings: [] });
  });

  it.each([
    ['a branch of ours', { branch: 'causeway/issue-12-abc' }, 'ignored'],
    ['a branch of a fork that is called like ours', { branch: 'causeway/x', isFork: true }, 'red'],
  ] as const)('on %s or not', async (_, changes, state) => {
    await using at = await headGround();
    at.world.places.set(HEAD, pullRequestPlace(changes));
    at.run('test', 'red', { log: CODE_LOG });
    expect((await at.look()).head.state).toBe(state);
  });

  it('where the configuration does not name its base, and no check is asked for', async () => {
    await using at = await headGround();
    at.world.rules = { ...at.world.rules, branches: ['release/*'] };
    at.world.places.set(HEAD, pullRequestPlace());
    at.run('test', 'red', { log: CODE_LOG });
    expect((await at.look()).head.state).toBe('ignored');
    expect(at.world.asked).toEqual(['rules', `place ${HEAD}`]);
    at.world.places.set(HEAD, pullRequestPlace({ base: { branch: 'release/1/x', sha: GREEN } }));
    expect((await at.look()).head.state).toBe('red');
  });

  it('where the configuration leaves out all of its checks, which are named', async () => {
    await using at = await headGround();
    at.world.rules = { ...at.world.rules, exclude: ['nightly*'] };
    at.world.places.set(HEAD, pullRequestPlace());
    at.run('nightly / fuzz', 'red', { log: CODE_LOG });
    const { head } = await at.look();
    expect(head).toMatchObject({ state: 'ignored', findings: [], leftOut: [{ name: 'nightly / fuzz' }] });
  });
});

describe('a red commit of the default branch on which others stand by now', () => {
  /** Its check began after 40 seconds and ended after 100; another commit was green as it is given. */
  async function behind(greens: Readonly<Record<string, number>>, isBehind = true) {
    const at = await defaultBranch();
    at.world.places.set(HEAD, { kind: 'default', branch: 'main', pushedBy: null, ...(isBehind && { isBehind }) });
    at.world.places.set(NEXT, { kind: 'default', branch: 'main', pushedBy: null });
    for (const [checkName, seconds] of Object.entries(greens)) {
      await at.store.recordPassingCheck(at.project.id, { check: ofActions(checkName), sha: NEXT, at: time(seconds) });
    }
    at.seconds = 100;
    at.run('test', 'red', { log: CODE_LOG });
    return at;
  }

  it('is set aside, unread, where a later one was green while it was checked', async () => {
    await using at = await behind({ test: 70 });
    const { head } = await at.look();
    expect([head.state, head.place?.kind, head.findings]).toEqual(['superseded', 'default', []]);
    expect(at.world.asked.filter((call) => call.startsWith('said'))).toEqual([]);
    expect(await at.store.listFailures([at.project.id], { limit: 1 })).toEqual([]);
  });

  it("is looked at where the later green one is a fork's, on a branch that is called as ours is", async () => {
    await using at = await behind({ test: 70 });
    at.world.places.set(NEXT, pullRequestPlace({ isFork: true, sha: NEXT, branch: 'main' }));
    expect((await at.look()).head.state).toBe('red');
  });

  it.each<readonly [string, Readonly<Record<string, number>>]>([
    ['nothing was green', {}],
    ['that check was green only before it began', { test: 20 }],
    ['another check was green meanwhile', { lint: 70 }],
  ])('is looked at where %s', async (_, greens) => {
    await using at = await behind(greens);
    const { head } = await at.look();
    expect([head.state, head.findings.length]).toEqual(['red', 1]);
    expect(await at.store.listFailures([at.project.id], { limit: 2 })).toHaveLength(1);
  });

  it('is looked at where one of its red checks was green later, and another was not', async () => {
    await using at = await behind({ test: 70 });
    at.run('till', 'red', { log: OTHER_LOG });
    expect((await at.look()).head.state).toBe('red');
  });

  it('is looked at where none stands on it, whatever was green meanwhile', async () => {
    await using at = await behind({ test: 70 }, false);
    expect((await at.look()).head.state).toBe('red');
  });
});

describe('a commit waits', () => {
  it('with what was found before, while its checks run again', async () => {
    await using at = await headGround();
    at.world.places.set(HEAD, pullRequestPlace());
    at.run('test', 'red', { log: CODE_LOG });
    const { head: red } = await at.look();
    at.run('test', 'waiting');
    expect((await at.look()).head).toMatchObject({ state: 'waiting', findings: red.findings });
  });

  it('while the service is paused, and nothing is asked', async () => {
    await using at = await headGround();
    expect((await at.look(HEAD, { isPaused: () => true })).result).toEqual({ kind: 'later', runAt: time(15) });
    expect(at.world.asked).toEqual([]);
  });

  it('as long as GitHub asks for, and not at all where it is closed to us', async () => {
    await using at = await headGround();
    at.world.before = () => {
      throw new ChecksBusy('GitHub is busy.', new Date(time(77)));
    };
    expect((await at.look()).result).toEqual({ kind: 'later', runAt: time(77) });
    at.world.before = () => {
      throw new ChecksClosed('GitHub has no such repository for us.');
    };
    expect((await at.look()).result).toEqual({ kind: 'done' });
  });
});

describe('next to what else was begun', () => {
  it('none begins where a person had the pull request analysed since the head is known', async () => {
    await using at = await headGround();
    at.world.places.set(HEAD, pullRequestPlace({ isDraft: true }));
    at.run('test', 'red', { log: CODE_LOG });
    await at.look();
    const subject = { kind: 'pull_request', number: 5 } as const;
    const asked = trigger({ kind: 'comment', commentId: 1, by: TRIAGER });
    const thread: ThreadPart = opening(createId('thr'), { subject, trigger: asked });
    const account = await at.store.ensureAccount({ login: 't', githubId: 8, signingSecret: 'whsec_t', now: time(0) });
    at.seconds = 5;
    await at.store.accept(acceptance({ account, project: at.project }, { thread, now: time(5) }));
    at.world.places.set(HEAD, pullRequestPlace());
    const { head } = await at.look();
    expect(head.findings[0]).toMatchObject({
      investigationId: null,
      notBegun: { code: 'requested' },
    });
    at.seconds = 10;
    at.world.places.set(NEXT, pullRequestPlace({ sha: NEXT }));
    at.run('test', 'red', { sha: NEXT, log: CODE_LOG });
    expect((await at.look(NEXT)).head.findings[0]!.notBegun).toBeNull();
  });

  it('what a person asked for is linked, also on a fork, where nothing else may begin', async () => {
    await using at = await headGround();
    at.world.places.set(HEAD, pullRequestPlace({ isFork: true, isTrusted: false }));
    at.run('test', 'red', { log: CODE_LOG });
    expect((await at.look()).head.findings[0]!.notBegun).toEqual({ code: 'fork' });
    const subject = { kind: 'pull_request', number: 5 } as const;
    const asked = trigger({ kind: 'comment', commentId: 1, by: TRIAGER });
    const thread: ThreadPart = opening(createId('thr'), { subject, trigger: asked });
    const account = await at.store.ensureAccount({ login: 't', githubId: 8, signingSecret: 'whsec_t', now: time(0) });
    await at.store.accept(acceptance({ account, project: at.project }, { thread, now: time(5) }));
    const [finding] = (await at.look()).head.findings;
    expect(finding).toMatchObject({ investigationId: null, threadId: thread.threadId, isOwnThread: false });
    expect(finding!.notBegun).toEqual({ code: 'requested' });
  });

  it('another begins for the next commit where one ended with nothing, not for the same', async () => {
    await using at = await headGround();
    at.world.places.set(HEAD, pullRequestPlace());
    at.run('test', 'red', { log: CODE_LOG });
    const first = (await at.look()).head.findings[0]!.investigationId;
    await gaveUp(at, first);
    expect((await at.look()).head.findings[0]!.investigationId).toBe(first);
    at.world.places.set(NEXT, pullRequestPlace({ sha: NEXT }));
    at.run('test', 'red', { sha: NEXT, log: CODE_LOG });
    const second = (await at.look(NEXT)).head.findings[0]!.investigationId;
    expect(second).not.toBe(first);
    await gaveUp(at, second);
    expect((await at.look(NEXT)).head.findings[0]!.investigationId).toBe(second);
  });

  it('another begins for the next commit where one was erased, not for the same', async () => {
    await using at = await headGround();
    at.world.places.set(HEAD, pullRequestPlace());
    at.run('test', 'red', { log: CODE_LOG });
    const first = (await at.look()).head.findings[0]!.investigationId;
    await conclude(at, first);
    for (let look = 0; look < 2; look += 1) {
      const [finding] = (await at.look()).head.findings;
      expect(finding).toMatchObject({ investigationId: null, notBegun: { code: 'erased' } });
    }
    at.world.places.set(NEXT, pullRequestPlace({ sha: NEXT }));
    at.run('test', 'red', { sha: NEXT, log: CODE_LOG });
    const { investigationId } = (await at.look(NEXT)).head.findings[0]!;
    expect(await at.store.findInvestigation(investigationId!)).not.toBeNull();
  });
});

/** Concludes the investigation and erases its Issue. */
async function conclude(at: HeadGround, investigationId: string | null): Promise<void> {
  const investigation = await at.store.findInvestigation(investigationId!);
  const run = await started(at.store, investigation!.runId);
  const [issueId] = await at.store.conclude(run, conclusion(), time(at.seconds));
  await at.store.eraseIssue(issueId!, time(at.seconds));
}
