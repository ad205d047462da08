// Our own check run on a head: what people see of it on the double, from the first red check to the pull request.
import { describe, expect, it } from 'vitest';
import { createId } from '../../../src/core/ids.ts';
import { EMPTY_RECORD } from '../../../src/core/thread/thread.ts';
import { type CheckRunHouse, checkRunHouse } from './check-run-house.ts';
import { SHOP } from './publishing-house.ts';
import { pullRequest } from './sample-view.ts';

async function shown(house: CheckRunHouse) {
  await house.publish();
  const [run, ...others] = house.runs();
  expect(others).toEqual([]);
  return run;
}

describe('our check run', () => {
  it('is there at once with verdict and log, and complete when the investigation has ended', async () => {
    await using house = await checkRunHouse();
    const begun = await house.begun();
    await house.judged([begun.finding]);
    const first = await house.publish();
    const [run] = house.runs();
    expect(run).toMatchObject({
      ...{ name: 'Causeway', status: 'in_progress', conclusion: null, annotations: [], actions: [] },
      externalId: (await house.head()).id,
      output: { title: 'Your change: TypeError: x · looking for the cause' },
    });
    expect(run?.output.text).toContain('```text\nTypeError: x\n```');
    const wait = Date.parse(first.kind === 'later' ? first.runAt : '') - house.deps.now().getTime();
    expect(wait).toBeGreaterThan(30_000);
    expect(wait).toBeLessThanOrEqual(60_000);
    await house.concluded(begun);
    expect(await house.publish()).toEqual({ kind: 'done' });
    expect(house.runs()).toHaveLength(1);
    expect(house.runs()[0]).toMatchObject({
      ...{ status: 'completed', conclusion: 'neutral' },
      output: { title: 'Your change: src/cart.js says two where it must say 2' },
      annotations: [{ path: 'src/cart.js', startLine: 2, endLine: 2, level: 'warning', message: 'x is undefined' }],
      actions: [{ label: 'Open fix', identifier: 'open_fix' }],
    });
    expect((await house.head()).record.checkRun).toMatchObject({ id: run?.id, status: 'completed', annotations: 1 });
  });

  it('shows on which of the last 30 days it was seen, up to that of its head', async () => {
    await using house = await checkRunHouse();
    const now = house.deps.now().getTime();
    const seen = await house.found({}, 'of many days');
    const failure = {
      id: createId('fal'),
      projectId: house.house.project.id,
      fingerprint: 'of many days',
      headline: 'x',
    };
    const sample = (await house.deps.store.findFailure(seen.failureId))!.firstSeen;
    const sightings = [1, 1, 3, 40].map((days) => ({
      ...{ ...sample, key: createId('req'), sha: createId('req') },
      at: new Date(now - days * 86_400_000).toISOString(),
    }));
    await house.deps.store.recordSightings(failure, sightings);
    await house.judged([seen]);
    expect((await shown(house))?.output.summary).toContain(
      `Last 30 days: \`${'▁'.repeat(26)}▅▁█▅\`, seen on 3 of them, at most 2 times a day.`,
    );
  });

  it('says nothing between the verdict and what comes of it', async () => {
    await using house = await checkRunHouse();
    const begun = await house.begun();
    const links = { investigationId: null, threadId: null, isOwnThread: false };
    await house.judged([{ ...begun.finding, ...links, notBegun: { code: 'pending' } }], { state: 'waiting' });
    expect([await house.publish(), house.runs()]).toEqual([{ kind: 'done' }, []]);
    await house.judged([begun.finding]);
    expect(await shown(house)).toMatchObject({ status: 'in_progress', annotations: [] });
    await house.judged([begun.finding, await house.found({ notBegun: { code: 'uninformative' } })], {
      state: 'waiting',
    });
    const writes = house.writes();
    await house.publish();
    expect(house.writes()).toEqual(writes);
  });

  it('is completed at once where nothing is looked into', async () => {
    await using house = await checkRunHouse();
    await house.judged([await house.found({ verdict: 'flaky', reasons: [{ code: 'passed_at_same_commit' }] })]);
    expect(await shown(house)).toMatchObject({
      ...{ status: 'completed', conclusion: 'neutral', annotations: [], actions: [] },
      output: { title: 'Flaky: it also passed on this commit' },
    });
  });

  it('links the check run of the pull request that it names, where that has no comment yet', async () => {
    await using house = await checkRunHouse();
    const { store, project, double } = house.house;
    const now = house.deps.now().toISOString();
    const seen = {
      ...{
        key: createId('req'),
        sha: 'c'.repeat(40),
        branch: 'first',
        pullRequest: 7,
        isOnDefault: false,
        isTrusted: true,
      },
      ...{ checkName: 'test', app: 'github-actions', verdict: 'code' as const, at: now },
    };
    const failure = { id: createId('fal'), projectId: project.id, fingerprint: 'known', headline: 'TypeError: x' };
    await store.recordSightings(failure, [seen]);
    const finding = await house.found({}, 'known');
    const other = await house.begun({ finding, subject: { kind: 'pull_request', number: 6 } });
    await house.concluded(other);
    const runs = { 7: 'c'.repeat(40), 6: 'd'.repeat(40) };
    for (const [number, sha] of Object.entries(runs)) {
      const { id } = await store.ensureHead(
        { id: createId('hed'), projectId: project.id, sha, branch: 'x' },
        { runAt: now, now },
      );
      const place = { ...house.pull, number: Number(number), sha };
      await store.saveHead(id, { state: 'red', place, leftOut: [], endedAt: now, findings: [] }, now);
      const url = `${double.webUrl}/${SHOP}/runs/${number}`;
      await store.saveHeadRecord(
        id,
        { checkRun: { id: Number(number), status: 'completed', url, annotations: 0, digest: '', at: now }, held: null },
        now,
      );
    }
    await house.judged([{ ...other.finding, isOwnThread: false, standing: 'known', sharedFrom: 6 }]);
    const summary = (await shown(house))?.output.summary ?? '';
    expect(summary).toContain(`[the analysis there](${double.webUrl}/${SHOP}/runs/6)`);
  });

  it('is not written again where nothing has changed', async () => {
    await using house = await checkRunHouse();
    await house.judged([await house.found()]);
    await house.publish();
    const writes = house.writes();
    await house.publish();
    await house.publish();
    expect(house.writes()).toEqual(writes);
  });

  it('ends whatever became of the investigation', async () => {
    await using house = await checkRunHouse();
    const begun = await house.begun();
    await house.judged([begun.finding]);
    await house.publish();
    await house.house.store.giveUp(
      begun.run,
      { code: 'internal', detail: 'It broke.' },
      house.deps.now().toISOString(),
    );
    const run = await shown(house);
    expect(run).toMatchObject({ status: 'completed' });
    expect(run?.output.summary).toContain('No result: It broke.');
  });

  it('ends where the investigation has vanished', async () => {
    await using house = await checkRunHouse();
    const begun = await house.begun();
    await house.judged([begun.finding]);
    await house.publish();
    const store = { ...house.deps.store, findInvestigation: async () => null };
    Object.assign(house.deps, { store });
    expect(await shown(house)).toMatchObject({ status: 'completed' });
  });

  it('is none for a head that was never red, or is no head any more', async () => {
    await using house = await checkRunHouse();
    await house.judged([], { state: 'green' });
    await house.publish();
    await house.judged([await house.found()], { state: 'superseded', place: null });
    await house.publish();
    expect(house.runs()).toEqual([]);
    expect(house.writes()).toEqual([]);
  });

  it('is completed when another commit takes the place, though the investigation goes on', async () => {
    await using house = await checkRunHouse();
    const begun = await house.begun();
    await house.judged([begun.finding]);
    await house.publish();
    await house.judged([begun.finding], { state: 'superseded', place: null });
    expect(await house.publish()).toEqual({ kind: 'done' });
    expect(house.runs()).toMatchObject([{ status: 'completed', annotations: [] }]);
    expect(house.runs()[0]?.output.summary).toMatch(/^A newer commit replaced this one/);
  });

  it('shows no secret', async () => {
    await using house = await checkRunHouse();
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const excerpt = { step: '', headline: `token ${secret}`, lines: [secret], cut: '', tests: [secret] };
    await house.judged([await house.found({ excerpt, places: [{ path: 'a.js', line: 1, message: secret }] })]);
    const run = await shown(house);
    expect(run?.annotations).toHaveLength(1);
    expect(JSON.stringify(run)).not.toContain(secret);
  });
});

describe('annotations', () => {
  it('are added once, and only new ones after that', async () => {
    await using house = await checkRunHouse();
    const finding = await house.found();
    await house.judged([finding]);
    await house.publish();
    const more = [...finding.places, { path: 'src/other.js', line: 1, message: 'y' }];
    await house.judged([{ ...finding, places: more }]);
    const run = await shown(house);
    expect(run?.annotations.map(({ path }) => path)).toEqual(['src/cart.js', 'src/other.js']);
    expect((await house.head()).record.checkRun?.annotations).toBe(2);
  });
});

describe('the button', () => {
  const FAILURE = (failureId: string) => ({ kind: 'failure', failureId }) as const;

  it('gives way to the pull request, with its address', async () => {
    await using house = await checkRunHouse();
    const begun = await house.begun();
    await house.judged([begun.finding]);
    const issueId = await house.concluded(begun);
    expect((await shown(house))?.actions).toHaveLength(1);
    const now = house.deps.now().toISOString();
    const url = `${house.deps.webUrl}/octo/shop/pull/9`;
    const record = { ...EMPTY_RECORD, pullRequest: pullRequest({ issueId, url }) };
    await house.house.store.saveThreadRecord(begun.thread.id, record, now);
    const run = await shown(house);
    expect(run?.actions).toEqual([]);
    expect(run?.output.summary).toContain(`next: review [#9](${url})`);
    expect((await house.head()).record.checkRun?.buttons).toBeUndefined();
  });

  it('points to the pull request of the last time where a failure of the default branch is back', async () => {
    await using house = await checkRunHouse();
    const finding = await house.found({ standing: 'regression' });
    const begun = await house.begun({ finding, subject: FAILURE(finding.failureId) });
    await house.concluded(begun);
    const url = `${house.deps.webUrl}/octo/shop/pull/9`;
    const record = { ...EMPTY_RECORD, pullRequest: pullRequest({ issueId: 'iss_before', url }) };
    await house.house.store.saveThreadRecord(begun.thread.id, record, house.deps.now().toISOString());
    await house.judged([begun.finding], { place: house.onDefault });
    const run = await shown(house);
    expect(run?.actions).toEqual([]);
    expect(run?.output.summary).toContain(`next: review or close [#9](${url}), still open from last time`);
  });

  it('is one for each failure of the default branch that has a change', async () => {
    await using house = await checkRunHouse();
    const findings = [await house.found(), await house.found(), await house.found()];
    const begun = [];
    for (const finding of findings) begun.push(await house.begun({ finding, subject: FAILURE(finding.failureId) }));
    const [first, second, third] = begun;
    await house.concluded(first!);
    await house.concluded(second!, { outcome: 'inconclusive' }, []);
    await house.concluded(third!);
    await house.judged(
      begun.map(({ finding }) => finding),
      { place: house.onDefault },
    );
    const run = await shown(house);
    expect(run?.actions.map(({ identifier }) => identifier)).toEqual(['open_fix', 'open_fix_2']);
    expect((await house.head()).record.checkRun?.buttons).toEqual([
      { threadId: first?.thread.id, investigationId: first?.finding.investigationId },
      { threadId: third?.thread.id, investigationId: third?.finding.investigationId },
    ]);
  });

  it('is one for a pull request with several causes: that of the first with a change', async () => {
    await using house = await checkRunHouse();
    const first = await house.begun();
    const second = await house.begun({ isLead: false });
    const third = await house.begun({ isLead: false });
    await house.concluded(first, { outcome: 'inconclusive' }, []);
    await house.concluded(second);
    await house.concluded(third);
    await house.judged([first.finding, second.finding, third.finding]);
    expect((await shown(house))?.actions).toHaveLength(1);
    expect((await house.head()).record.checkRun?.buttons).toMatchObject([
      { investigationId: second.finding.investigationId },
    ]);
  });

  it.each([
    ['a fork', { isFork: true }],
    ['a draft', { isDraft: true }],
    ['an author who may not write', { isTrusted: false }],
  ])('is none for %s', async (_, place) => {
    await using house = await checkRunHouse();
    const begun = await house.begun();
    await house.concluded(begun);
    await house.judged([begun.finding], { place: { ...house.pull, ...place } });
    expect(await shown(house)).toMatchObject({ status: 'completed', actions: [] });
  });

  it.each([
    ['another head’s thread', { isOwnThread: false }, {}],
    ['a change that is never published', {}, { guards: [{ rule: 'never/workflow', file: 'x', reason: 'r' }] }],
    ['advice', {}, { outcome: 'action_recommended' as const }],
  ])('is none for %s', async (_, over, analysis) => {
    await using house = await checkRunHouse();
    const begun = await house.begun();
    await house.concluded(begun, analysis);
    await house.judged([{ ...begun.finding, ...over }]);
    expect((await shown(house))?.actions).toEqual([]);
  });

  it.each([
    ['the repository says so', { config: { mode: 'comment' as const } }],
    ['the operator says so', { deps: { ceiling: 'comment' as const } }],
    ['that was not granted', { permissions: { metadata: 'read', checks: 'write', contents: 'read' } as const }],
  ])('is none where no pull requests are opened, since %s', async (_, setting) => {
    await using house = await checkRunHouse(setting);
    const begun = await house.begun();
    await house.concluded(begun);
    await house.judged([begun.finding]);
    expect(await shown(house)).toMatchObject({ status: 'completed', actions: [] });
  });

  it('gives way to “is being opened” once somebody has asked, and is back with the reason where none came', async () => {
    await using house = await checkRunHouse();
    const begun = await house.begun();
    await house.concluded(begun);
    await house.judged([begun.finding]);
    house.house.advance(2);
    const now = house.deps.now().toISOString();
    const by = { id: 7, login: 'wanda' };
    await house.house.store.requestFix(begun.thread.id, { ...by, at: now }, now);
    const asked = await shown(house);
    expect(asked?.actions).toEqual([]);
    expect(asked?.output.summary).toContain('opening a pull request');
    expect((await house.publish()).kind).toBe('later');
    const { investigationId } = begun.finding;
    const withheld = { investigationId: investigationId ?? '', reason: { code: 'archived' } as const, request: '' };
    await house.house.store.saveThreadRecord(begun.thread.id, { ...EMPTY_RECORD, withheld }, now);
    const refused = await shown(house);
    expect(refused?.actions).toHaveLength(1);
    expect(refused?.output.summary).toContain('No pull request was opened: the repository is archived.');
  });

  it('is back where nothing came of a request within an hour', async () => {
    await using house = await checkRunHouse();
    const begun = await house.begun();
    await house.concluded(begun);
    await house.judged([begun.finding]);
    house.house.advance(2);
    const now = house.deps.now().toISOString();
    await house.house.store.requestFix(begun.thread.id, { id: 7, login: 'wanda', at: now }, now);
    expect((await shown(house))?.actions).toEqual([]);
    house.house.advance(3_601);
    expect((await shown(house))?.actions).toHaveLength(1);
    expect(await house.publish()).toEqual({ kind: 'done' });
  });

  it('of the default branch stays while its failure is open, though other commits came after it', async () => {
    await using house = await checkRunHouse();
    const finding = await house.found();
    const begun = await house.begun({ finding, subject: FAILURE(finding.failureId) });
    await house.concluded(begun);
    await house.judged([begun.finding], { place: house.onDefault });
    expect((await shown(house))?.actions).toHaveLength(1);
    await house.judged([begun.finding], { state: 'superseded', place: null });
    expect((await shown(house))?.actions).toHaveLength(1);
    const closed = {
      ...house.deps.store,
      findFailure: async () => ({ ...(await ledger(house, finding.failureId)), state: 'closed' as const }),
    };
    Object.assign(house.deps, { store: closed });
    expect((await shown(house))?.actions).toEqual([]);
  });
});

async function ledger({ house }: CheckRunHouse, failureId: string) {
  return (await house.store.findFailure(failureId))!;
}

describe('where nothing may leave', () => {
  it.each([{ config: { mode: 'observe' as const } }, { deps: { ceiling: 'observe' as const } }])(
    'it is noted down: %j',
    async (setting) => {
      await using house = await checkRunHouse(setting);
      await house.judged([await house.found()]);
      await house.publish();
      expect(house.writes()).toEqual([]);
      const { record } = await house.head();
      expect(record.checkRun).toBeNull();
      expect(record.held).toMatch(
        /^Your change: TypeError: x\n\n\*\*1 check failed because of this change\.\*\*\n\n\*\*Your change/,
      );
      Object.assign(house.deps, { ceiling: 'fix' });
      house.house.setting.config = { ...house.house.setting.config, mode: 'fix' };
      await house.publish();
      expect((await house.head()).record).toMatchObject({ held: null, checkRun: { status: 'completed' } });
    },
  );

  it('a paused house waits', async () => {
    await using house = await checkRunHouse();
    house.house.setting.paused = true;
    await house.judged([await house.found()]);
    expect((await house.publish()).kind).toBe('later');
    expect(house.writes()).toEqual([]);
  });

  it('without the permission it is tried once for a head', async () => {
    await using house = await checkRunHouse({ permissions: { metadata: 'read', checks: 'read', contents: 'write' } });
    await house.judged([await house.found()]);
    expect(await house.publish()).toEqual({ kind: 'done' });
    expect((await house.head()).record.isRefused).toBe(true);
    const writes = house.writes();
    await house.publish();
    expect(house.writes()).toEqual(writes);
    expect(house.runs()).toEqual([]);
  });

  it('a suspended installation is no reason never to try again', async () => {
    await using house = await checkRunHouse();
    const [installation] = house.house.double.state.installations.values();
    house.house.double.people.suspend(installation!, 'octo');
    await house.judged([await house.found()]);
    expect(await house.publish()).toEqual({ kind: 'done' });
    expect((await house.head()).record.isRefused).toBeUndefined();
  });
});

describe('GitHub', () => {
  it('does not take the text: then the title has to do, and it is completed', async () => {
    await using house = await checkRunHouse();
    const fault = { kind: 'answer', when: 'before', status: 422 } as const;
    house.house.double.faults.add({ method: 'POST', path: /\/check-runs$/, fault });
    await house.judged([await house.found()]);
    expect(await shown(house)).toMatchObject({
      ...{ status: 'completed', annotations: [] },
      output: { title: 'Your change: TypeError: x', summary: 'Your change: TypeError: x' },
    });
    const writes = house.writes();
    await house.publish();
    expect(house.writes()).toEqual(writes);
  });

  it('is at a limit: later, at the time that it names', async () => {
    await using house = await checkRunHouse();
    const fault = { kind: 'secondary_limit', status: 403, retryAfter: 120 } as const;
    house.house.double.faults.add({ method: 'POST', path: /\/check-runs$/, fault });
    await house.judged([await house.found()]);
    const result = await house.publish();
    const wait = result.kind === 'later' ? Date.parse(result.runAt) - house.deps.now().getTime() : 0;
    expect(wait).toBeGreaterThanOrEqual(119_000);
    house.house.advance(wait / 1_000);
    expect(await shown(house)).toMatchObject({ status: 'completed' });
  });
});
