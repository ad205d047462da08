// Failures, outcomes and calibration over HTTP: paged, filtered, and only of projects that the token may read.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getOpenApiDocument } from '../../src/api/openapi.ts';
import {
  at,
  conclusion,
  finding,
  inBranch,
  ofActions,
  recorded,
  SHA,
  seenAs,
  sighting,
} from '../support/store-samples.ts';
import { type ApiGround, apiGround, bodyOf, listOf } from './api-ground.ts';
import { type GithubGround, githubGround } from './github-ground.ts';

let ground: ApiGround;
let github: GithubGround;
beforeEach(async () => {
  ground = await apiGround();
  github = await githubGround(ground);
  github.setRole('triage');
});
afterEach(() => ground[Symbol.asyncDispose]());

const call = (path: string, token = github.token) => ground.call('GET', path, { token });

/** A red check with a verdict and no Issue, in each of the two projects. */
async function addVerdicts(): Promise<void> {
  const now = ground.clock.now.toISOString();
  for (const [id, project] of [
    ['hidden', github.hidden],
    ['shown', github.shown],
  ] as const) {
    const { store } = ground;
    await recorded(store, project.id, [inBranch(`key ${id}`, 5, { checkName: `canary ${id}` })], `fal_${id}`);
    await store.ensureHead({ id: `hed_${id}`, projectId: project.id, sha: SHA, branch: 'topic' }, { runAt: now, now });
    await store.saveHead(`hed_${id}`, seenAs('red', { findings: [finding(`fal_${id}`)] }), now);
  }
}

/** Of `components.schemas` of the document. */
function expectForm(name: string, value: unknown): void {
  const document = getOpenApiDocument();
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'document');
  const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
  expect([validate(value), validate.errors]).toEqual([true, null]);
}

describe('GET /api/v1/failures/', () => {
  it('lists those of all visible projects, each as it is alone, with the verdict of a head without an Issue', async () => {
    await addVerdicts();
    const list = await listOf(await call('/api/v1/failures/'));
    expect(list.map(({ id }) => id).toSorted()).toEqual(['fal_hidden', 'fal_shown']);
    for (const failure of list) {
      expectForm('Failure', failure);
      expect(await bodyOf(await call(`/api/v1/failures/${failure.id}/`))).toEqual(failure);
      expect(failure).toMatchObject({ state: 'open', hits: 1, investigationId: null, lastSeen: { verdict: 'code' } });
    }
  });

  it('says by what one was closed, until it is back', async () => {
    const { store, clock } = ground;
    const { id } = github.shown;
    const read = async () => Reflect.get(await bodyOf(await call('/api/v1/failures/fal_back/')), 'closed');
    await recorded(store, id, [sighting('red')], 'fal_back');
    const green = { sha: 'good', checks: [ofActions('test')], at: at(5), contained: [{ from: SHA, to: 'good' }] };
    await store.closeFixedFailures(id, green, clock.now.toISOString());
    expect(await read()).toEqual({ sha: 'good', at: at(5), by: 'green' });
    await recorded(store, id, [sighting('red again', { at: at(9) })], 'fal_back');
    expect(await read()).toBeNull();
  });

  it('is paged, and filtered by project, state and time', async () => {
    await addVerdicts();
    const first = await call('/api/v1/failures/?limit=1');
    const next = /<[^>]*\?([^>]*)>; rel="next"/.exec(first.headers.get('Link') ?? '')?.[1];
    const ids = async (query: string) => (await listOf(await call(`/api/v1/failures/?${query}`))).map(({ id }) => id);
    expect([...(await listOf(first)).map(({ id }) => id), ...(await ids(next ?? ''))].toSorted()).toEqual([
      ...['fal_hidden', 'fal_shown'],
    ]);
    expect(await ids('projectId=octo/shown')).toEqual(['fal_shown']);
    expect(await ids('state=closed')).toEqual([]);
    expect(await ids('until=2026-11-20T10:00:00Z')).toEqual([]);
    expect(await ids('since=2026-11-20T11:00:00%2B01:00')).toHaveLength(2);
    expect(await ids('sort=flaky')).toEqual([]);
    const answer = await call('/api/v1/failures/?since=yesterday&state=done&limit=0');
    expect((await bodyOf(answer)).errors.map(({ pointer }) => pointer).toSorted()).toEqual([
      '/limit',
      '/since',
      '/state',
    ]);
  });
});

describe('GET /api/v1/outcomes/', () => {
  it('lists answers of issues and verdicts that led to none', async () => {
    await addVerdicts();
    const { issueId } = await github.conclude(github.hidden);
    const list = await listOf(await call('/api/v1/outcomes/'));
    for (const outcome of list) expectForm('Outcome', outcome);
    const listed = (kind: string) => list.filter((one) => Reflect.get(one, 'kind') === kind);
    expect(listed('verdict')).toHaveLength(2);
    expect(listed('verdict')[0]).toMatchObject({ issueId: null, verdict: 'code', state: 'pending', sha: SHA });
    expect(listed('issue')).toEqual([expect.objectContaining({ issueId, failureId: null, judgement: null })]);
    expect(await listOf(await call('/api/v1/outcomes/?kind=issue&projectId=octo/hidden'))).toEqual(listed('issue'));
    const issue = await bodyOf(await call(`/api/v1/issues/${issueId}/`));
    expect(Object.keys(issue.analysis).at(-1)).toBe('outcomes');
    expect(Reflect.get(issue.analysis, 'outcomes')).toMatchObject({ state: 'pending', votes: { right: 0, wrong: 0 } });
  });
});

describe('GET /api/v1/calibration/', () => {
  it('says how reliable confidence is, in one project with its threshold, or in all', async () => {
    const { store } = ground;
    const at = ground.clock.now.toISOString();
    for (const vote of ['right', 'right', 'wrong'] as const) {
      const investigationId = await ground.report('boom', { projectId: github.hidden.id, fresh: true });
      const found = conclusion();
      const analysis = { ...found.analysis, outcome: 'code_fix', confidence: 0.85 } as const;
      const run = await ground.start(investigationId);
      const [issueId = ''] = await store.conclude(run, { ...found, analysis }, at);
      await store.recordVote(issueId, { personId: 9, source: 'command', vote, why: '', at }, at);
    }
    const one = await bodyOf(await call('/api/v1/calibration/?projectId=octo/hidden'));
    expectForm('Calibration', one);
    const figures = { answers: 3, unknown: 0, right: 2, wrong: 1, brier: expect.closeTo(0.2558, 3) };
    expect(one).toMatchObject({ ...figures, threshold: { value: 0.78, reason: { code: 'unmoved', count: 3 } } });
    expect(Reflect.get(one, 'deciles')[8]).toMatchObject({ from: 0.8, to: 0.9, count: 3, right: 2 });
    const all = await bodyOf(await call('/api/v1/calibration/'));
    expect(all).toMatchObject({ ...figures, projectId: null, threshold: null });
  });
});

it('shows nothing of a project that the token may not read, and the bytes of what does not exist', async () => {
  await addVerdicts();
  await github.conclude(github.hidden);
  const bound = await ground.newToken({ accountId: github.accountId, projectIds: [github.shown.id] });
  for (const path of ['failures', 'outcomes', 'calibration']) {
    const text = await (await call(`/api/v1/${path}/`, bound)).text();
    for (const canary of ['hidden', github.hidden.id]) expect(text).not.toContain(canary);
    const refused = await (await call(`/api/v1/${path}/?projectId=octo/hidden`, bound)).text();
    expect(refused).toBe(await (await call(`/api/v1/${path}/?projectId=octo/absent`, bound)).text());
  }
  const absent = await call('/api/v1/failures/fal_absent/', bound);
  const hidden = await call('/api/v1/failures/fal_hidden/', bound);
  expect([hidden.status, await hidden.text()]).toEqual([404, await absent.text()]);
  const [outcome] = await listOf(await call('/api/v1/outcomes/?projectId=octo/hidden'));
  const cursor = Buffer.from(outcome?.id ?? '').toString('base64url');
  expect((await call(`/api/v1/outcomes/?cursor=${cursor}`, bound)).status).toBe(422);
  github.setRole('none');
  expect(await listOf(await call('/api/v1/outcomes/'))).toEqual([]);
});
