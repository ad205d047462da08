// A head that is looked at again as another than it was: of a pull request that is closed, open again, or was opened since.
import { describe, expect, it } from 'vitest';
import {
  CODE_LOG,
  CODE_WORDS,
  HEAD,
  type HeadGround,
  headGround,
  OTHER_LOG,
  pullRequestPlace,
} from '../support/head-ground.ts';
import { at as time } from '../support/store-samples.ts';

const OTHER = 'd'.repeat(40);
const ON_BRANCH = { kind: 'branch', branch: 'feature' } as const;

async function lookAs(at: HeadGround, place: Parameters<HeadGround['world']['places']['set']>[1], sha = HEAD) {
  at.world.places.set(sha, place);
  return (await at.look(sha)).head;
}

/** Begun ever. */
async function begun(at: HeadGround): Promise<number> {
  return (await at.store.listInvestigations({ projectIds: [at.project.id], limit: 9 })).length;
}

describe('a pull request that was investigated and closed', () => {
  async function closed() {
    const at = await headGround();
    for (const sha of [HEAD, OTHER]) at.world.changed.set(sha, { paths: ['src/cart.py'], isCut: false });
    at.run('test', 'red', { log: CODE_LOG, words: CODE_WORDS });
    const [finding] = (await lookAs(at, pullRequestPlace())).findings;
    expect(finding).toMatchObject({ investigationId: expect.any(String) });
    at.seconds = 60;
    expect((await lookAs(at, pullRequestPlace({ isClosed: true }))).state).toBe('superseded');
    const failure = async () => (await at.store.findFailure(finding!.failureId))!;
    return { at, finding: finding!, failure };
  }

  it('has ended its failures, whatever reported it', async () => {
    const { at, failure } = await closed();
    await using _ = at;
    expect(await failure()).toMatchObject({ state: 'closed', closed: { at: time(60), by: 'pull_request' } });
  });

  it('has them again as they were where it is opened again at the same head, and no one pays twice', async () => {
    const { at, finding, failure } = await closed();
    await using _ = at;
    at.seconds = 120;
    const head = await lookAs(at, pullRequestPlace());
    expect([head.state, head.findings]).toEqual(['red', [finding]]);
    const { investigationId, threadId } = finding;
    expect(await failure()).toMatchObject({ state: 'open', opening: 1, closed: null, investigationId, threadId });
    at.run('test', 'red', { sha: OTHER, log: CODE_LOG, words: CODE_WORDS });
    const [there] = (await lookAs(at, pullRequestPlace({ number: 6, sha: OTHER }), OTHER)).findings;
    expect(there).toMatchObject({ investigationId, threadId, isOwnThread: false });
    expect(await begun(at)).toBe(1);
  });

  it('has nothing again that has passed meanwhile', async () => {
    const { at, failure } = await closed();
    await using _ = at;
    at.seconds = 120;
    at.run('test', 'green');
    expect((await lookAs(at, pullRequestPlace())).state).toBe('green');
    expect(await failure()).toMatchObject({ state: 'closed' });
  });

  it('is over in the end where a look was under way when it was closed', async () => {
    const { at, failure } = await closed();
    await using _ = at;
    at.seconds = 120;
    await lookAs(at, pullRequestPlace());
    expect(await failure()).toMatchObject({ state: 'open' });
    await lookAs(at, pullRequestPlace({ isClosed: true }));
    expect(await failure()).toMatchObject({ state: 'closed', closed: { at: time(120) } });
  });
});

describe('a commit that was judged as one of a branch', () => {
  async function onBranch() {
    const at = await headGround();
    at.run('test', 'red', { log: CODE_LOG });
    const [finding] = (await lookAs(at, ON_BRANCH)).findings;
    expect(finding?.notBegun).toEqual({ code: 'no_pull_request' });
    expect(await begun(at)).toBe(0);
    return { at, failureId: finding!.failureId };
  }

  it('is judged again and investigated as that of a pull request which was opened since', async () => {
    const { at, failureId } = await onBranch();
    await using _ = at;
    const { findings } = await lookAs(at, pullRequestPlace());
    expect(findings).toMatchObject([
      { failureId, verdict: 'code', standing: 'new', base: 'green', isOwnThread: true, notBegun: null },
    ]);
    expect(await begun(at)).toBe(1);
    expect(await at.store.findFailure(failureId)).toMatchObject({ hits: 1, pullRequests: [5], state: 'open' });
    expect(await at.store.isOpenIn(failureId, 5)).toBe(true);
    expect((await at.look()).head.findings).toEqual(findings);
  });

  it.each([
    [pullRequestPlace(), 1],
    [pullRequestPlace({ isTrusted: false }), 0],
  ])('has the trust of its pull request: %#', async (place, heads) => {
    const { at, failureId } = await onBranch();
    await using _ = at;
    await lookAs(at, place);
    const besides = { sha: OTHER, pullRequest: 9, branch: 'other' };
    expect(await at.store.readFailureStatistics(failureId, { isTrustedOnly: true, besides })).toMatchObject({ heads });
  });
});

describe('a check of the base', () => {
  const BASE = 'b'.repeat(40);

  it.each(['another-ci', ''])('of %j that is red excuses no other of its name', async (app) => {
    await using at = await headGround();
    at.run('test', 'red', { sha: BASE, app });
    at.run('test', 'green', { sha: BASE });
    at.run('test', 'red', { log: CODE_LOG });
    const [finding] = (await lookAs(at, pullRequestPlace())).findings;
    expect(finding).toMatchObject({ verdict: 'code', base: 'green' });
  });

  it('of another App only says nothing', async () => {
    await using at = await headGround();
    at.run('test', 'green', { sha: BASE, app: 'another-ci' });
    at.run('test', 'red', { log: CODE_LOG });
    const [finding] = (await lookAs(at, pullRequestPlace())).findings;
    expect(finding).not.toHaveProperty('base');
  });

  /** The base is red for another cause; next to it another App's check of that name is red for this one. */
  async function redBase(isStoredBefore: boolean) {
    const at = await headGround();
    at.run('test', 'red', { sha: BASE, log: OTHER_LOG });
    at.run('test', 'red', { sha: BASE, app: 'another-ci', runId: 77, words: { annotations: [] }, log: CODE_LOG });
    const head = await lookAs(at, { kind: 'branch', branch: 'main' }, BASE);
    expect(head.findings.map(({ checks }) => checks[0]?.app).toSorted()).toEqual(['another-ci', 'github-actions']);
    if (isStoredBefore) {
      const findings = head.findings.map((finding) => ({
        ...finding,
        checks: finding.checks.map(({ app: _, ...check }) => check),
      }));
      await at.store.saveHead(head.id, { ...head, findings }, time(1));
    }
    at.run('test', 'red', { log: CODE_LOG });
    return { at, finding: (await lookAs(at, pullRequestPlace())).findings[0]! };
  }

  it('is red for the causes that were found of it, and not of another of its name', async () => {
    const { at, finding } = await redBase(false);
    await using _ = at;
    expect(finding).toMatchObject({ verdict: 'code', base: 'red' });
    expect(finding.reasons).toContainEqual(expect.objectContaining({ code: 'red_on_base', cause: 'other' }));
  });

  it('is any of its name where a finding was stored without its App', async () => {
    const { at, finding } = await redBase(true);
    await using _ = at;
    expect(finding).toMatchObject({ verdict: 'base_broken', base: 'red' });
    expect(finding.reasons).toContainEqual(expect.objectContaining({ code: 'red_on_base', cause: 'same' }));
  });
});
