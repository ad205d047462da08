// A red default branch: when its fix is opened without being asked for, by whom it is answered for, and what it says.
import { describe, expect, it } from 'vitest';
import type { Sighting } from '../../../src/core/check/failure.ts';
import type { Finding, HeadPlace } from '../../../src/core/check/head.ts';
import { createId } from '../../../src/core/ids.ts';
import type { Analysis } from '../../../src/core/issue/issue.ts';
import { decideFix } from '../../../src/github/publish/decide-fix.ts';
import { inBranch, inPullRequest, ON_MAIN } from '../../support/store-samples.ts';
import { type PublishingHouse, publishingHouse, SHOP } from './publishing-house.ts';
import { at, cause, fixResult, NOW, unasked } from './sample-view.ts';

const LOOK = {
  ...{ reason: 'x', evidence: [], model: 'm' },
  usage: { turns: 1, promptTokens: 1, completionTokens: 1, costUsd: 0 },
};
const AGREED = { ...LOOK, verdict: 'agrees' } as const;
const SURE = { verdict: 'code', confidence: 0.78, secondLook: AGREED } as const;

/** Investigations of it began at `NOW`, and ended then. */
function standingOf(analysis: Partial<Analysis>, requestedAt: string | null = NOW) {
  const result = fixResult({ ...SURE, ...analysis });
  const fixRequest = requestedAt === null ? null : { id: 7, login: 'ada', at: requestedAt };
  const view = unasked(
    [cause(result)],
    { checks: null, pull: null },
    { subject: { kind: 'failure', failureId: 'fal_1' }, fixRequest },
  );
  return decideFix(view, result.issue).kind;
}

describe('the fix of a red default branch', () => {
  it('opens unasked where it is proven and sure', () => {
    expect(standingOf({})).toBe('opening');
  });

  it.each<[string, Partial<Analysis>]>([
    ['not sure enough', { confidence: 0.77 }],
    ['without a confidence', { confidence: null }],
    ['cut short', { partial: true }],
    ['of another verdict', { verdict: 'inconclusive' }],
    ['one that a person must look at', { guards: [{ rule: 'person/manifest', file: 'package.json', reason: 'x' }] }],
  ])('waits for a person where it is %s, and opens when one asks after seeing it', (_, analysis) => {
    expect(standingOf(analysis)).toBe('on_request');
    expect(standingOf(analysis, at(60))).toBe('opening');
  });

  it.each<[string, number, Analysis['secondLook'], string]>([
    ['that nothing looked at again', 0.89, null, 'on_request'],
    ['that could not be looked at again', 0.89, { ...LOOK, verdict: 'not_done' }, 'on_request'],
    ['that could not be looked at again, and is surer', 0.9, { ...LOOK, verdict: 'not_done' }, 'opening'],
    ['that was repaired', 0.89, { ...LOOK, verdict: 'repair', confidenceBefore: 0.9, isRepaired: true }, 'on_request'],
    [
      'that was repaired, and is surer',
      0.9,
      { ...LOOK, verdict: 'repair', confidenceBefore: 0.9, isRepaired: true },
      'opening',
    ],
    [
      'that needs a repair',
      0.95,
      { ...LOOK, verdict: 'repair', confidenceBefore: 0.95, isRepaired: false },
      'on_request',
    ],
    ['in doubt', 0.95, { ...LOOK, verdict: 'doubts', confidenceBefore: 0.95 }, 'on_request'],
    ['that is refuted', 0.95, { ...LOOK, verdict: 'refutes', confidenceBefore: 0.95 }, 'on_request'],
  ])('of a change %s, at confidence %d', (_, confidence, secondLook, state) => {
    expect(standingOf({ confidence, secondLook })).toBe(state);
  });

  it('waits where nobody stands behind it, or only somebody who asked for another one before', () => {
    expect(standingOf({}, null)).toBe('on_request');
    expect(standingOf({}, at(-60))).toBe('on_request');
  });

  it('says nothing of the branch where it comes back, and ends, in a pull request alone', async () => {
    await using house = await publishingHouse();
    const { failureId } = await red(house);
    await house.conclude({ analysis: SURE });
    await house.settle();
    const opened = house.pulls()[0]?.body;
    expect(opened).toMatch(/^\*\*Proposed fix/);
    await mended(house, failureId);
    house.advance(60);
    await back(house, failureId, { pullRequest: 7, branch: 'topic', isOnDefault: false });
    await house.settle();
    expect(house.pulls()[0]?.body).toBe(opened);
    house.advance(60);
    await house.store.closeFailuresOfPullRequest(house.project.id, 7, house.deps.now().toISOString());
    expect(await house.store.findFailure(failureId)).toMatchObject({ state: 'closed', closed: { by: 'pull_request' } });
    await house.settle();
    expect(house.pulls()[0]?.body).toBe(opened);
  });

  it('is not opened for one who has lost write', async () => {
    await using house = await publishingHouse();
    await red(house);
    house.double.people.grant(SHOP, 'wanda', 'read');
    await house.conclude({ analysis: SURE });
    await house.settle();
    expect(house.pulls()).toEqual([]);
  });
});

async function mended(house: PublishingHouse, failureId: string) {
  house.advance(60);
  const now = house.deps.now().toISOString();
  const sha = 'c'.repeat(40);
  const contained = [{ from: (await house.store.findFailure(failureId))!.firstSeen.sha, to: sha }];
  const green = {
    sha,
    checks: ['test (20)', 'lint'].map((name) => ({ app: 'github-actions', name })),
    at: now,
    contained,
  };
  await house.store.closeFixedFailures(house.project.id, green, now);
  expect((await house.store.findFailure(failureId))?.state).toBe('closed');
}

/** With commits of its own. */
async function back(house: PublishingHouse, failureId: string, place: Partial<Sighting> = {}) {
  const { fingerprint, headline, firstSeen } = (await house.store.findFailure(failureId))!;
  const at = house.deps.now().toISOString();
  const seen = { ...firstSeen, key: 'again', sha: 'e'.repeat(40), at, ...place };
  await house.store.recordSightings({ id: failureId, projectId: house.project.id, fingerprint, headline }, [seen]);
  expect((await house.store.findFailure(failureId))?.state).toBe('open');
  await house.store.saveRange(failureId, { from: 'c'.repeat(40), to: 'e'.repeat(40), total: 1, commits: [] });
}

async function red(house: PublishingHouse) {
  const names = ['test (20)', 'lint'];
  const finding = await house.found({ names, subject: 'failure', sha: await house.head(), fixRequest: 'wanda' });
  await house.store.saveRange(finding.failureId, {
    ...{ from: 'a'.repeat(40), to: 'b'.repeat(40), total: 2 },
    commits: [
      { sha: 'b'.repeat(40), author: 'wanda', subject: 'Break it, closes #3' },
      { sha: 'd'.repeat(40), author: '', subject: 'Prepare' },
    ],
  });
  await shownAtHead(house, finding);
  return finding;
}

/** At the head of the default branch, and at that of a fork's pull request, which says what it likes. */
async function shownAtHead(house: PublishingHouse, finding: Finding) {
  const { store, project } = house;
  const at = house.deps.now().toISOString();
  const save = async (sha: string, place: HeadPlace, shown: Finding) => {
    const { id } = await store.ensureHead(
      { id: createId('hed'), projectId: project.id, sha, branch: 'main' },
      { runAt: at, now: at },
    );
    await store.saveHead(id, { state: 'red', place, findings: [shown], leftOut: [], endedAt: at }, at);
  };
  await save(await house.head(), ON_MAIN, finding);
  const checks = [{ name: 'of a fork', runId: 9, url: '', isRed: true }];
  const outside = inPullRequest(9, { isFork: true, isTrusted: false });
  await save('9'.repeat(40), outside, { ...finding, checks, isOwnThread: false });
  const { fingerprint } = (await store.findFailure(finding.failureId))!;
  const named = { id: finding.failureId, projectId: project.id, fingerprint, headline: 'of a fork' };
  await store.recordSightings(named, [inBranch('fork', 9, { checkName: 'of a fork', isTrusted: false, at })]);
}
