// Checks that end anywhere but on our own branches: which heads are noted for a look, when it is due, and that it costs no call.
import { describe, expect, it } from 'vitest';
import type { HeadState } from '../../../src/core/check/head.ts';
import { EMPTY_RECORD, type PostedPullRequest } from '../../../src/core/thread/thread.ts';
import { type EventHouse, shop } from './event-house.ts';

const NAME = 'octo/shop';
const CI = 'other-ci';

interface Noted {
  readonly sha: string;
  readonly branch: string;
  readonly at: number;
  /** Seconds from now until it is looked at. */
  readonly inSeconds: number;
}

async function noted({ store, double }: EventHouse): Promise<readonly Noted[]> {
  const rows = await store.database.read((reader) =>
    reader.selectFrom('jobs').select(['subject', 'run_at']).where('kind', '=', 'head').orderBy('seq').execute(),
  );
  const now = double.state.clock.now().getTime();
  return await Promise.all(
    rows.map(async ({ subject, run_at }) => {
      const { sha, branch } = (await store.findHead(subject))!;
      const at = Date.parse(run_at);
      return { sha, branch, at, inSeconds: (at - now) / 1_000 };
    }),
  );
}

/** A shop with a commit on a branch. */
async function house(branch = 'topic') {
  const made = await shop();
  const sha = await made.double.people.push(NAME, { by: 'wren', branch, files: { 'a.js': 'x\n' } });
  await made.settle();
  const project = (await made.store.findProject(NAME))!;
  return { made, sha, people: made.double.people, project };
}

/** A thread of ours with a pull request on that branch. */
async function ownBranch(made: EventHouse, { branch, sha }: { branch: string; sha: string }): Promise<void> {
  made.double.people.label(NAME, 1, 'analyse', 'wren');
  await made.settle();
  const thread = (await made.store.findThreadOfSubject((await made.store.findProject(NAME))!.id, {
    kind: 'issue',
    number: 1,
  }))!;
  const pullRequest: PostedPullRequest = {
    ...{ number: 9, url: '', nodeId: 'x', branch, base: 'main', headSha: sha, issueId: 'iss_1', state: 'open' },
    ...{ checks: 'waiting', attempts: [], handedOver: null },
  };
  const now = made.double.state.clock.now().toISOString();
  await made.store.saveThreadRecord(thread.id, { ...EMPTY_RECORD, pullRequest }, now);
}

/** Moves a branch with no word to anybody. */
async function reset({ double }: EventHouse, branch: string, sha: string): Promise<void> {
  const _found = [...double.state.repositories.values()].find(({ name }) => name === 'shop')!;
  await double.git('octo/shop', 'update-ref', `refs/heads/${branch}`, sha);
}

async function forget({ store }: EventHouse): Promise<void> {
  await store.database.write((trx) => trx.deleteFrom('jobs').where('kind', '=', 'head').execute());
}

/** The head was judged so, with nothing more to be said of it here. */
async function judged({ store, double }: EventHouse, head: { sha: string; branch: string }, state: HeadState) {
  const project = (await store.findProject(NAME))!;
  const now = double.state.clock.now().toISOString();
  const times = { runAt: now, now };
  const { id } = await store.ensureHead({ id: `hed_${head.sha}`, projectId: project.id, ...head }, times);
  const place = { kind: 'branch', branch: head.branch } as const;
  await store.saveHead(id, { state, place, findings: [], leftOut: [], endedAt: now }, now);
  return { id, project, now };
}

describe('red checks', () => {
  it.each(['failure', 'error'] as const)('a status that says %s gathers for some seconds', async (state) => {
    const { made, sha, people } = await house();
    await using _ = made;
    await people.reportStatus(NAME, { sha, context: 'jenkins', state: 'pending' });
    await made.settle();
    expect(await noted(made)).toEqual([]);
    const before = made.double.state.clock.now().getTime();
    await people.reportStatus(NAME, { sha, context: 'jenkins', state });
    await made.settle();
    const [head] = await noted(made);
    expect(head).toMatchObject({ sha, branch: 'topic' });
    expect(head?.inSeconds).toBeLessThanOrEqual(3);
    expect(head?.at).toBeGreaterThan(before + 1_000);
  });
});

describe('a branch that is called as ours are', () => {
  it('is looked at like any other where we did not make it, such as that of a fork', async () => {
    const { made, people } = await house();
    await using _ = made;
    const fork = await people.fork(NAME, 'eve');
    const headRepository = `eve/${fork.name}`;
    const sha = await people.push(headRepository, { by: 'eve', branch: 'causeway/x', files: { 'b.js': 'x\n' } });
    await people.openPull(NAME, { by: 'eve', title: 'Afar', head: 'causeway/x', headRepository });
    await people.reportWorkflowRun(NAME, { sha, jobs: [{ name: 'test', conclusion: 'failure' }] });
    await made.settle();
    expect(await noted(made)).toMatchObject([{ sha, branch: 'causeway/x' }]);
  });

  it.each([
    ['begins at it', ['causeway/issue-1-abc', 'main'], 'main'],
    ['stands on it', ['main'], 'main'],
    ['stands on it, and others do too', [], 'main'],
  ])('and is ours keeps no status of the default branch away: it %s', async (_how, tips, branch) => {
    const { made, sha, people, project } = await house('main');
    await using _ = made;
    const own = 'causeway/issue-1-abc';
    await people.push(NAME, { by: 'wren', branch: own, from: 'main', files: { 'c.js': 'x\n' } });
    if (!tips.includes('main')) await people.push(NAME, { by: 'wren', files: { 'd.js': 'x\n' } });
    if (tips.includes(own)) await reset(made, own, sha);
    await ownBranch(made, { branch: own, sha });
    await people.reportStatus(NAME, { sha, context: 'jenkins', state: 'success' });
    await people.reportStatus(NAME, { sha, context: 'other', state: 'failure' });
    const told = made.announced.at(-1)?.payload['branches'] as { name: string; commit: { sha: string } }[];
    expect(told.map(({ name }) => name)).toEqual([own, 'main']);
    expect(told.filter(({ commit }) => commit.sha === sha).map(({ name }) => name)).toEqual(tips);
    await made.settle();
    expect(await noted(made)).toMatchObject([{ sha, branch }]);
    expect(
      (await made.store.listPassingChecks(project.id, { app: '', name: 'jenkins' })).map((green) => green.sha),
    ).toEqual([sha]);
  });
});

describe('green checks', () => {
  it('are of no interest where nothing was red', async () => {
    const { made, sha, people } = await house();
    await using _ = made;
    await people.reportCheck(NAME, { sha, name: 'unit', app: CI, conclusion: 'success' });
    await people.reportStatus(NAME, { sha, context: 'jenkins', state: 'success' });
    await made.settle();
    expect(await noted(made)).toEqual([]);
  });

  it.each(['check', 'status'])('are looked at where the branch was red before, told by a %s', async (kind) => {
    const { made, sha: red, people } = await house();
    await using _ = made;
    await judged(made, { sha: red, branch: 'topic' }, 'red');
    await forget(made);
    const sha = await people.push(NAME, { by: 'wren', branch: 'topic', files: { 'b.js': 'y\n' } });
    if (kind === 'check') await people.reportCheck(NAME, { sha, name: 'unit', app: CI, conclusion: 'success' });
    else await people.reportStatus(NAME, { sha, context: 'jenkins', state: 'success' });
    await made.settle();
    expect(await noted(made)).toMatchObject([{ sha, branch: 'topic' }]);
  });

  it('of the default branch are looked at while a failure of it is open', async () => {
    const { made, sha, people, project } = await house('main');
    await using _ = made;
    const at = made.double.state.clock.now().toISOString();
    const seen = {
      key: 'k',
      sha: 'f'.repeat(40),
      branch: 'main',
      pullRequest: null,
      isOnDefault: true,
      isTrusted: true,
    } as const;
    const failure = { id: 'fal_1', projectId: project.id, fingerprint: 'f', headline: 'Error: no' };
    await people.reportCheck(NAME, { sha, name: 'unit', app: CI, conclusion: 'success' });
    await made.settle();
    expect(await noted(made)).toEqual([]);
    await made.store.recordSightings(failure, [
      { ...seen, app: 'github-actions', checkName: 'unit', verdict: 'code', at },
    ]);
    await people.reportCheck(NAME, { sha, name: 'unit', app: 'another-ci', conclusion: 'success' });
    await made.settle();
    expect(await noted(made)).toMatchObject([{ sha, branch: 'main' }]);
  });

  it("of the default branch are not looked at because a fork's branch of that name is red, and the fork's own are", async () => {
    const { made, people, project } = await house();
    await using _ = made;
    const fork = await people.fork(NAME, 'eve');
    const headRepository = `eve/${fork.name}`;
    const push = (text: string) =>
      people.push(headRepository, { by: 'eve', branch: 'main', files: { 'b.js': `${text}\n` } });
    const red = await push('x');
    const { number } = await people.openPull(NAME, { by: 'eve', title: 'Afar', head: 'main', headRepository });
    const now = made.double.state.clock.now().toISOString();
    const times = { runAt: now, now };
    const { id } = await made.store.ensureHead({ id: 'hed_f', projectId: project.id, sha: red, branch: 'main' }, times);
    const of = { kind: 'pull_request', number, branch: 'main', sha: red, isQueue: false, isFork: true } as const;
    const place = { ...of, base: { branch: 'main', sha: red }, isDraft: false, author: null, isTrusted: false };
    const seen = { findings: [], leftOut: [], stillWaiting: [], endedAt: now };
    await made.store.saveHead(id, { state: 'red', place, ...seen }, now);
    await made.settle();
    await forget(made);
    const jobs = [{ name: 'test', conclusion: 'success' as const }];
    const ours = await people.push(NAME, { by: 'wren', files: { 'd.js': 'x\n' } });
    await people.reportWorkflowRun(NAME, { sha: ours, jobs });
    await made.settle();
    expect(await noted(made)).toEqual([]);
    const mended = await push('y');
    await people.reportWorkflowRun(NAME, { sha: mended, jobs });
    await made.settle();
    expect((await noted(made)).map(({ sha }) => sha)).toContain(mended);
  });
});

describe('a pull request', () => {
  async function pulled() {
    const given = await house();
    const { number } = await given.people.openPull(NAME, { by: 'wren', title: 'Topic', head: 'topic', draft: true });
    await given.made.settle();
    return { ...given, number };
  }

  it.each(['close', 'merge', 'ready'])('whose head is known is looked at when it changes: %s', async (change) => {
    const { made, sha, people, number } = await pulled();
    await using _ = made;
    await judged(made, { sha, branch: 'topic' }, 'red');
    await forget(made);
    if (change === 'ready') people.markReady(NAME, number, 'wren');
    else if (change === 'merge') await people.merge(NAME, number, 'ada');
    else people.close(NAME, number, 'ada');
    await made.settle();
    const [head, ...more] = await noted(made);
    expect(more).toEqual([]);
    expect(head).toMatchObject({ sha });
    expect(head?.inSeconds).toBeLessThanOrEqual(0);
  });

  it('that got new commits leaves the head of before, which is looked at', async () => {
    const { made, sha, people } = await pulled();
    await using _ = made;
    await judged(made, { sha, branch: 'topic' }, 'red');
    await forget(made);
    await people.push(NAME, { by: 'wren', branch: 'topic', files: { 'b.js': 'y\n' } });
    await made.settle();
    expect((await noted(made)).map((one) => one.sha)).toEqual([sha]);
  });

  describe('has failures of its own', () => {
    /** One that was seen there alone, and one that another pull request has as well. */
    async function failing() {
      const given = await pulled();
      const { made, number, project } = given;
      const at = made.double.state.clock.now().toISOString();
      const sighting = {
        sha: 'f'.repeat(40),
        branch: 'topic',
        isOnDefault: false,
        isTrusted: true,
        app: '',
        checkName: 'unit',
        at,
      } as const;
      const record = (id: string, pulls: readonly number[]) =>
        made.store.recordSightings(
          { id, projectId: project.id, fingerprint: id, headline: 'Error: no' },
          pulls.map((pull) => ({ ...sighting, key: `${id} ${pull}`, pullRequest: pull, verdict: 'code' as const })),
        );
      await record('fal_own', [number]);
      await record('fal_shared', [number, number + 1]);
      const states = () =>
        Promise.all(['fal_own', 'fal_shared'].map(async (id) => (await made.store.findFailure(id))?.state));
      expect(await states()).toEqual(['open', 'open']);
      return { ...given, states };
    }

    it.each(['close', 'merge'])('which close with it, those of others do not: %s', async (end) => {
      const { made, people, number, states } = await failing();
      await using _ = made;
      if (end === 'merge') await people.merge(NAME, number, 'ada');
      else people.close(NAME, number, 'ada');
      await made.settle();
      expect(await states()).toEqual(['closed', 'open']);
    });
  });
});
