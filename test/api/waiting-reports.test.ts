// How many reports of one person wait in one project: beyond it they are told so, and whoever comes after them does not wait for more.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acceptance } from '../support/store-samples.ts';
import { type ApiGround, apiGround, bodyOf } from './api-ground.ts';
import { type GithubGround, githubGround } from './github-ground.ts';

const MOST = 20;

let ground: ApiGround;
let there: GithubGround;
beforeEach(async () => {
  ground = await apiGround();
  there = await githubGround(ground);
});
afterEach(() => ground[Symbol.asyncDispose]());

interface Sending {
  readonly token?: string;
  readonly projectId?: string;
  readonly fresh?: boolean;
  readonly key?: string;
}

function send(data: string, { token = there.token, projectId = there.hidden.id, fresh, key }: Sending = {}) {
  const headers = key === undefined ? {} : { 'Idempotency-Key': key };
  return ground.call('POST', '/api/v1/issues/', { token, headers, body: { data, projectId, ...(fresh && { fresh }) } });
}

/** Gives the ids of the investigations. */
async function fill(count = MOST): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const answer = await send('boom', { fresh: true, ...(n === 0 && { key: 'first' }) });
    expect(answer.status).toBe(202);
    ids.push(/inv_\w+/.exec(answer.headers.get('Location') ?? '')?.[0] ?? '');
  }
  return ids;
}

describe('a report of an account with 20 unfinished ones in the project', () => {
  it('is refused with 429 that says so, and taken again once one has ended', async () => {
    const [first = '', second = ''] = await fill();
    await ground.start(first);
    const refused = await send('one more');
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60']);
    expect((await bodyOf(refused)).detail).toContain('20 reports of this account are unfinished in this project');
    expect(await ground.store.listInvestigations({ limit: 100 })).toHaveLength(MOST);
    await ground.call('DELETE', `/api/v1/investigations/${second}/`, { token: there.token });
    expect((await send('one more')).status).toBe(202);
    expect((await send('and one more')).status).toBe(429);
  });

  it('does not affect other accounts, and is accepted in another project', async () => {
    await fill();
    const now = ground.clock.now.toISOString();
    const { id } = await ground.store.ensureAccount({ login: 'mara', githubId: 7, signingSecret: 'whsec_m', now });
    const token = await ground.newToken({ accountId: id });
    expect((await send('boom', { token })).status).toBe(202);
    expect((await send('boom', { projectId: there.shown.id })).status).toBe(202);
  });

  it('is taken where it joins one of them, or repeats it', async () => {
    await fill(MOST - 1);
    expect((await send('alike')).status).toBe(202);
    expect((await send('alike')).status).toBe(202);
    const repeated = await send('boom', { fresh: true, key: 'first' });
    expect([repeated.status, (await send('other')).status]).toEqual([202, 429]);
  });

  it('does not count what red checks began in their name', async () => {
    const account = { id: there.accountId, login: 'octocat', githubId: 583231 };
    for (let n = 0; n < MOST; n++) {
      const wanted = { origin: 'check-run', fresh: true } as const;
      await ground.store.accept(acceptance({ account, project: there.hidden }, wanted));
    }
    expect((await send('boom')).status).toBe(202);
  });

  it('is accepted from the one account of local mode', async () => {
    for (let n = 0; n <= MOST; n++) await ground.report('boom', { fresh: true });
    expect(await ground.store.listInvestigations({ limit: 100 })).toHaveLength(MOST + 1);
  });
});
