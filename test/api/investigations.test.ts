// Investigations over HTTP: listing, waiting for the end, cancelling.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiGround, apiGround, bodyOf, listOf, requestOf } from './api-ground.ts';

let ground: ApiGround;
beforeEach(async () => {
  ground = await apiGround({ projects: ['local/app', 'local/other'] });
});
afterEach(() => ground[Symbol.asyncDispose]());

const one = (id: string, query = '') => ground.call('GET', `/api/v1/investigations/${id}/${query}`);

describe('GET /api/v1/investigations/{investigationId}/', () => {
  it('shows how far it is, from queued to its issue', async () => {
    const id = await ground.report('boom', { reference: 'r-1' });
    expect(await bodyOf(await one(id))).toEqual({
      id,
      projectId: ground.project.id,
      state: 'queued',
      progress: { step: 0, action: '' },
      issueId: null,
      reason: null,
      createdAt: '2026-11-20T10:00:00.000Z',
      reference: 'r-1',
    });
    const run = await ground.start(id);
    await ground.store.recordStep(run, { action: 'search x', result: 'y', analysis: 'z' }, run.startedAt);
    expect(await bodyOf(await one(id))).toMatchObject({ state: 'running', progress: { step: 1, action: 'search x' } });
    const issueId = await ground.conclude(id);
    expect(await bodyOf(await one(id))).toMatchObject({ state: 'concluded', issueId, reason: null });
  });

  it('shows why it gave up', async () => {
    const id = await ground.report();
    const reason = { code: 'repository_empty', detail: 'There is no commit.' } as const;
    await ground.store.giveUp(await ground.start(id), reason, ground.clock.now.toISOString());
    expect(await bodyOf(await one(id))).toMatchObject({ state: 'gave_up', issueId: null, reason });
  });

  it('delays the answer until the investigation ends', async () => {
    const id = await ground.report();
    const held = one(id, '?wait=60');
    await ground.following(1);
    const issueId = await ground.conclude(id);
    expect(await bodyOf(await held)).toMatchObject({ state: 'concluded', issueId });
  });

  it('is 404 where the investigation is erased meanwhile', async () => {
    const id = await ground.report();
    const held = one(id, '?wait=60');
    await ground.following(1);
    await ground.store.eraseIssue(await ground.conclude(id), ground.clock.now.toISOString());
    expect([200, 404]).toContain((await held).status);
    expect((await one(id, '?wait=1')).status).toBe(404);
  });

  it('ends when the client disconnects, and when the server stops', async () => {
    const id = await ground.report();
    const path = `/api/v1/investigations/${id}/?wait=60`;
    const [gone, stopping] = [new AbortController(), new AbortController()];
    const left = ground.api.fetch(requestOf('GET', path, { token: ground.token, signal: gone.signal }));
    const stopped = ground.api.fetch(requestOf('GET', path, { token: ground.token }), stopping.signal);
    await ground.following(2);
    gone.abort();
    stopping.abort();
    expect((await left).status).toBe(200);
    expect((await bodyOf(await stopped)).state).toBe('queued');
  });

  it.each(['61', '-1', 'x', '1.5', ''])('refuses ?wait=%s', async (wait) => {
    const answer = await one(await ground.report(), `?wait=${wait}`);
    expect(answer.status).toBe(422);
    expect((await bodyOf(answer)).errors[0]?.pointer).toBe('/wait');
  });
});

describe('GET /api/v1/investigations/', () => {
  it('lists newest first, filtered by project, state and reference', async () => {
    const [, other] = await ground.store.listProjects({});
    const a = await ground.report('a', { reference: 'x' });
    const b = await ground.report('b', { reference: 'x', projectId: other!.id });
    const c = await ground.report('c');
    await ground.conclude(c);
    const ids = async (query: string) =>
      (await listOf(await ground.call('GET', `/api/v1/investigations/${query}`))).map(({ id }) => id);
    expect(await ids('')).toEqual([c, b, a]);
    expect(await ids('?reference=x')).toEqual([b, a]);
    expect(await ids(`?projectId=${other!.id}`)).toEqual([b]);
    expect(await ids('?projectId=LOCAL/OTHER&reference=x&state=queued')).toEqual([b]);
    expect(await ids('?state=concluded')).toEqual([c]);
    expect(await ids('?reference=')).toEqual([c]);
    expect(await ids('?reference=nothing')).toEqual([]);
  });

  it('shows whole pages of what the caller may see, whatever others added since', async () => {
    const [, other] = await ground.store.listProjects({});
    const own: string[] = [];
    for (let i = 0; i < 3; i++) own.unshift(await ground.report(`mine ${i}`));
    for (let i = 0; i < 4; i++) await ground.report(`not mine ${i}`, { projectId: other!.id });
    own.unshift(await ground.report('mine at last'));
    const token = await ground.newToken({ projectIds: [ground.project.id] });
    const answer = await ground.call('GET', '/api/v1/investigations/?limit=2', { token });
    expect((await listOf(answer)).map(({ id }) => id)).toEqual(own.slice(0, 2));
    const next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('Link') ?? '')?.[1] ?? '';
    expect((await listOf(await ground.call('GET', next, { token }))).map(({ id }) => id)).toEqual(own.slice(2));
    const nothing = await ground.newToken({ projectIds: [] });
    expect(await listOf(await ground.call('GET', '/api/v1/investigations/', { token: nothing }))).toEqual([]);
  });

  it('is complete in pages, each linked to the next with the same filter', async () => {
    const wanted: string[] = [];
    for (let i = 0; i < 7; i++) wanted.unshift(await ground.report(`problem ${'abcdefg'[i]}`, { reference: 'é&=' }));
    const found: string[] = [];
    let next: string | undefined = '/api/v1/investigations/?limit=3&reference=%C3%A9%26%3D';
    let pages = 0;
    for (; next !== undefined; pages++) {
      const answer: Response = await ground.call('GET', next);
      found.push(...(await listOf(answer)).map(({ id }) => id));
      next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('Link') ?? '')?.[1];
    }
    expect(pages).toBe(3);
    expect(found).toEqual(wanted);
  });

  it('refuses values that mean nothing, all at once', async () => {
    const answer = await ground.call('GET', '/api/v1/investigations/?state=done&limit=x&cursor=*');
    expect(answer.status).toBe(422);
    expect((await bodyOf(answer)).errors.map(({ pointer }) => pointer).sort()).toEqual(['/cursor', '/limit', '/state']);
  });
});

describe('a page of investigations', () => {
  const faults = async (query: string) => {
    const answer = await ground.call('GET', `/api/v1/investigations/${query}`);
    expect(answer.status).toBe(422);
    return (await bodyOf(answer)).errors;
  };
  const pointers = async (query: string) => (await faults(query)).map(({ pointer }) => pointer).sort();
  const nextOf = (answer: Response) => /\?([^>]+)>; rel="next"/.exec(answer.headers.get('Link') ?? '')?.[1] ?? '';

  it('is refused where the investigation at which it begins was deleted, along with any other fault', async () => {
    const kept = await ground.report('a');
    const erased = await ground.report('b');
    await ground.report('c');
    const next = nextOf(await ground.call('GET', '/api/v1/investigations/?limit=2'));
    const there = await listOf(await ground.call('GET', `/api/v1/investigations/?${next}`));
    expect(there.map(({ id }) => id)).toEqual([kept]);
    await ground.store.eraseIssue(await ground.conclude(erased), ground.clock.now.toISOString());
    const [fault, ...rest] = await faults(`?${next}`);
    expect([fault?.pointer, rest]).toEqual(['/cursor', []]);
    expect(fault?.detail).toMatch(/is gone: start again without cursor\.$/);
    expect(await pointers(`?${next}&state=foo&projectId=zz`)).toEqual(['/cursor', '/projectId', '/state']);
  });

  it('cannot begin at what the caller may not see', async () => {
    const [, other] = await ground.store.listProjects({});
    await ground.report('a');
    await ground.report('b', { projectId: other!.id });
    await ground.report('c');
    const next = nextOf(await ground.call('GET', '/api/v1/investigations/?limit=2'));
    const token = await ground.newToken({ projectIds: [ground.project.id] });
    const answer = await ground.call('GET', `/api/v1/investigations/?${next}`, { token });
    expect([answer.status, (await bodyOf(answer)).errors[0]?.pointer]).toEqual([422, '/cursor']);
  });

  it('of one project cannot begin at an investigation of another', async () => {
    const [, other] = await ground.store.listProjects({});
    const cursor = Buffer.from(await ground.report('b', { projectId: other!.id })).toString('base64url');
    expect(await pointers(`?cursor=${cursor}&projectId=${ground.project.id}`)).toEqual(['/cursor']);
    const answer = await ground.call('GET', `/api/v1/investigations/?cursor=${cursor}&projectId=${other!.id}`);
    expect(answer.status).toBe(200);
  });
});

describe('DELETE /api/v1/investigations/{investigationId}/', () => {
  const cancel = (id: string, token = ground.token) =>
    ground.call('DELETE', `/api/v1/investigations/${id}/`, { token });

  it('cancels once, and notifies the caller by webhook', async () => {
    const id = await ground.report('boom', { callbackUrl: 'https://example.com/hook' });
    expect((await cancel(id)).status).toBe(200);
    expect(await bodyOf(await one(id))).toMatchObject({ state: 'cancelled', reason: { code: 'cancelled' } });
    expect((await cancel(id)).status).toBe(409);
    const [webhook] = await ground.store.listWebhooks(ground.account.id, 10);
    expect(webhook).toMatchObject({ type: 'issue.failed', investigationId: id });
  });

  it('refuses with 409 what has concluded', async () => {
    const id = await ground.report();
    await ground.conclude(id);
    expect((await cancel(id)).status).toBe(409);
  });

  it('does not touch others that share the analysis', async () => {
    const [first, second] = [await ground.report('boom'), await ground.report('boom')];
    await cancel(first);
    await ground.conclude(second);
    expect(await bodyOf(await one(first))).toMatchObject({ state: 'cancelled' });
    expect(await bodyOf(await one(second))).toMatchObject({ state: 'concluded' });
  });

  it('needs triage, and is absent for a person who may only read', async () => {
    const id = await ground.report();
    const other = await ground.store.ensureAccount({
      login: 'other',
      githubId: 7,
      signingSecret: 'whsec_y',
      now: '2026',
    });
    const token = await ground.newToken({ accountId: other.id });
    ground.roles.set(other.id, 'read');
    expect((await cancel(id, token)).status).toBe(404);
    expect(await bodyOf(await one(id))).toMatchObject({ state: 'queued' });
    ground.roles.set(other.id, 'triage');
    expect((await cancel(id, token)).status).toBe(200);
    const [deed] = await ground.store.listAuditEntries({ accountId: other.id, projectIds: [], limit: 1 });
    expect(deed).toMatchObject({ who: 'other', verb: 'investigation.cancelled', subject: id });
  });
});
