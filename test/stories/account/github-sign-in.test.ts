// Signing in with GitHub, over the real service: who comes in, who does not, and what nobody can bend.
import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openShop, SHOP_NAME } from '../../support/github-shop.ts';
import { type GithubStage, openGithubStage, storedQueue } from '../../support/github-stage.ts';
import { type WebVisitor, webVisitor } from '../../support/web-visitor.ts';

let stage: GithubStage;
let mara: WebVisitor;

const BAD_CODE = { error: 'bad_verification_code', error_description: 'bad' };
const BAD_SECRET = { error: 'incorrect_client_credentials', error_description: 'bad' };
const BAD_ADDRESS = { error: 'redirect_uri_mismatch', error_description: 'bad' };
const EXCHANGE = '/login/oauth/access_token';

beforeAll(async () => {
  stage = await openGithubStage({ prepare: (double) => openShop(double) });
  await stage.rest();
  // Nobody may sign in before the repositories of their owner are known.
  await stage.until('the installation', () =>
    stage.service().output().includes('projects of an installation are up to date'),
  );
});

afterAll(() => stage[Symbol.asyncDispose]());

beforeEach(() => {
  stage.double.signIns.signedIn = 'mara';
  mara = webVisitor(stage.service().address);
});

/** How often a code was exchanged for a token. */
function exchanges(): number {
  return stage.double.requests.filter(({ path }) => path.startsWith(EXCHANGE)).length;
}

/** Goes to GitHub and comes back with an address that was not opened yet. */
async function cameBack(visitor: WebVisitor, returnPath = ''): Promise<URL> {
  const out = await visitor.send('/sign-in', '/sign-in', { return: returnPath });
  expect(out.status).toBe(303);
  const answer = await visitor.get(out.headers.get('location') ?? '');
  return new URL(answer.headers.get('location') ?? 'none:');
}

async function isSignedIn(visitor: WebVisitor): Promise<boolean> {
  return (await visitor.get('/projects')).status === 200;
}

describe('somebody who can reach a repository of an allowed owner', () => {
  it('signs in, sees it, and GitHub keeps no token of theirs', async () => {
    const { status, url, text } = await mara.open((await cameBack(mara)).href);
    expect([status, new URL(url).pathname]).toEqual([200, '/']);
    expect(text).toContain(SHOP_NAME);
    expect(text).toContain('mara');
    expect([...stage.double.state.tokens.values()].filter(({ kind }) => kind === 'user')).toEqual([]);
    expect(stage.service().output()).not.toMatch(/gh[ur]_[0-9a-f]{10}/);
  });

  it('comes back to the page that was asked for, and to no other site', async () => {
    const asked = await mara.get('/usage');
    const page = await mara.get(asked.headers.get('location') ?? '');
    const field = /name="return" value="([^"]*)"/.exec(await page.text())?.[1] ?? '';
    expect(field).toBe('/usage');
    const back = await mara.get((await cameBack(mara, field)).href);
    expect(back.headers.get('location')).toBe('/usage');
    for (const evil of ['//evil.example', '/\\evil.example', 'https:evil.example', 'https://evil.example']) {
      const visitor = webVisitor(stage.service().address);
      expect((await visitor.get((await cameBack(visitor, evil)).href)).headers.get('location')).toBe('/');
    }
  });

  it('says yes to a challenge that is bound to this sign-in', async () => {
    const out = await mara.send('/sign-in', '/sign-in');
    const { searchParams } = new URL(out.headers.get('location') ?? '');
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: stage.double.app.clientId,
      redirect_uri: `${stage.service().address}/account/callback`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });
});

describe('somebody without anything here', () => {
  it('is told so, and gets no session', async () => {
    stage.double.people.user('ola');
    stage.double.signIns.signedIn = 'ola';
    const ola = webVisitor(stage.service().address);
    const answer = await ola.get((await cameBack(ola)).href);
    expect(answer.status).toBe(403);
    expect(ola.cookie()).toBe('');
    expect(await isSignedIn(ola)).toBe(false);
  });

  it('who says no at GitHub is told that nobody signed in', async () => {
    const back = await cameBack(mara);
    const answer = await mara.get(`/account/callback?error=access_denied&state=${back.searchParams.get('state')}`);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('Sign-in cancelled.');
  });

  it.each([
    ['application_suspended', true],
    ['<b>loud</b>', false],
  ])('whom GitHub sends back with the error %s is told so, by name where it is one', async (error, isNamed) => {
    const back = await cameBack(mara);
    const state = back.searchParams.get('state');
    const answer = await mara.get(`/account/callback?error=${encodeURIComponent(error)}&state=${state}`);
    const text = await answer.text();
    expect([answer.status, text.includes(error)]).toEqual([400, isNamed]);
    expect(text).toContain('GitHub ended the sign-in without naming you');
    expect(text).not.toContain('loud');
  });
});

describe('a way back from GitHub is refused before anything is asked there', () => {
  async function expectRefused(visitor: WebVisitor, address: string): Promise<void> {
    const before = exchanges();
    const answer = await visitor.get(address);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('Start again.');
    expect(exchanges()).toBe(before);
    expect(visitor.cookie()).not.toContain('session');
    expect(await isSignedIn(visitor)).toBe(false);
  }

  it('without a state', async () => {
    const back = await cameBack(mara);
    back.searchParams.delete('state');
    await expectRefused(mara, back.href);
  });

  it('with the state of somebody else', async () => {
    const back = await cameBack(mara);
    const other = await cameBack(webVisitor(stage.service().address));
    back.searchParams.set('state', other.searchParams.get('state') ?? '');
    await expectRefused(mara, back.href);
  });

  it('in another browser than the one that set out', async () => {
    await expectRefused(webVisitor(stage.service().address), (await cameBack(mara)).href);
  });

  it('a second time, with the cookies of the first', async () => {
    const back = await cameBack(mara);
    const cookie = mara.cookie();
    expect((await mara.get(back.href)).status).toBe(303);
    const before = exchanges();
    const again = await webVisitor(stage.service().address).get(back.href, { cookie });
    expect([again.status, exchanges()]).toEqual([400, before]);
    expect(again.headers.getSetCookie().join()).not.toContain('session');
  });

  it('without a code', async () => {
    const back = await cameBack(mara);
    back.searchParams.delete('code');
    await expectRefused(mara, back.href);
  });

  it('with a cookie that we did not seal', async () => {
    const back = await cameBack(mara);
    const [name = ''] = mara.cookie().split('=');
    const state = back.searchParams.get('state');
    const forged = Buffer.from(JSON.stringify({ state, verifier: 'x', returnPath: '/', until: 1e15 })).toString(
      'base64url',
    );
    const before = exchanges();
    const answer = await webVisitor(stage.service().address).get(back.href, { cookie: `${name}=v1.${forged}` });
    expect([answer.status, exchanges()]).toEqual([400, before]);
  });
});

describe('a code', () => {
  it('that was made for another challenge opens nothing', async () => {
    const other = await cameBack(webVisitor(stage.service().address));
    const back = await cameBack(mara);
    back.searchParams.set('code', other.searchParams.get('code') ?? '');
    const answer = await mara.get(back.href);
    expect(answer.status).toBe(400);
    expect(await isSignedIn(mara)).toBe(false);
  });

  it.each([
    ['an error with status 200', { kind: 'answer', when: 'before', status: 200, body: BAD_CODE }, 400],
    ['a page of HTML', { kind: 'html', when: 'before', status: 200 }, 503],
    ['a fault of its own', { kind: 'answer', when: 'before', status: 500, body: {} }, 503],
    ['nothing, and hangs up', { kind: 'reset', when: 'before' }, 503],
  ] as const)('to which GitHub answers %s makes no half of a session', async (_what, fault, status) => {
    const back = await cameBack(mara);
    stage.double.faults.add({ method: 'POST', path: /access_token/, fault });
    const answer = await mara.get(back.href);
    expect(answer.status).toBe(status);
    const text = await answer.text();
    expect(text).toMatch(/<h1>.+<\/h1><p class="lead">.{20,}<\/p>/);
    expect(text).not.toContain(back.searchParams.get('code'));
    expect(await isSignedIn(mara)).toBe(false);
    // The next try is a new one, and works.
    expect((await mara.open((await cameBack(mara)).href)).status).toBe(200);
  });
});

describe('a service that is not configured as its App on GitHub', () => {
  it.each([
    ['another client secret', BAD_SECRET, 'GITHUB_CLIENT_SECRET'],
    ['another callback address', BAD_ADDRESS, 'PUBLIC_URL'],
    ['a page of HTML in its way', null, 'GHE_HOST'],
  ])('%s names on the page what the operator has to mend', async (_what, body, variable) => {
    const back = await cameBack(mara);
    const fault =
      body === null
        ? ({ kind: 'html', when: 'before', status: 200 } as const)
        : ({ kind: 'answer', when: 'before', status: 200, body } as const);
    stage.double.faults.add({ method: 'POST', path: /access_token/, fault });
    const answer = await mara.get(back.href);
    expect([answer.status, (await answer.text()).includes(variable)]).toEqual([503, true]);
    expect(await isSignedIn(mara)).toBe(false);
  });
});

function withdraw(login: string): Promise<void> {
  const { id } = stage.double.people.user(login);
  return deliver('github_app_authorization', { action: 'revoked', sender: { id, login, type: 'User' } });
}

/** As GitHub tells it: a delivery of the App itself, signed. */
async function deliver(event: string, payload: object): Promise<void> {
  const body = JSON.stringify(payload);
  const signature = createHmac('sha256', stage.double.app.webhookSecret).update(body).digest('hex');
  const answer = await fetch(`${stage.service().address}/api/github/webhooks`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${signature}`,
    },
  });
  expect(answer.status).toBe(202);
}

describe('somebody who lost the role', () => {
  it('sees nothing of the project any more, on pages and with tokens, once what was known of them is forgotten', async () => {
    const { people } = stage.double;
    people.user('vera');
    people.grant(SHOP_NAME, 'vera', 'write');
    stage.double.signIns.signedIn = 'vera';
    const vera = webVisitor(stage.service().address);
    const { text } = await vera.open((await cameBack(vera)).href);
    const [page = ''] = /\/projects\/prj_\w+/.exec(text) ?? [];
    const api = await stage.api('vera');
    expect(await api.status(`/api/v1${page}/`)).toBe(200);
    people.revoke(SHOP_NAME, 'vera');
    // Roles are believed for five minutes, and no longer than the process lives.
    await stage.service().end('SIGTERM');
    await stage.restart();
    expect((await vera.open('/projects')).text).not.toContain(SHOP_NAME);
    expect((await vera.get(page)).status).toBe(404);
    expect(await api.status(`/api/v1${page}/`)).toBe(404);
  });
});

describe('somebody who takes back the authorisation of the App', () => {
  it('is signed out everywhere, and their tokens are worth nothing', async () => {
    await mara.open((await cameBack(mara)).href);
    const api = await stage.api('mara');
    expect(await api.status('/api/v1/projects/')).toBe(200);
    await withdraw('mara');
    await stage.until('the end of the session', async () => !(await isSignedIn(mara)));
    expect(await api.status('/api/v1/projects/')).toBe(401);
  });
});

describe('a withdrawal', () => {
  it('is heeded at once while every other delivery hangs on GitHub', async () => {
    // Somebody of their own: the same bytes within a second of each other are one withdrawal.
    stage.double.people.grant(SHOP_NAME, 'noor', 'write');
    stage.double.signIns.signedIn = 'noor';
    const noor = webVisitor(stage.service().address);
    await noor.open((await cameBack(noor)).href);
    const api = await stage.api('noor');
    expect(await api.status('/api/v1/projects/')).toBe(200);
    stage.double.faults.add({ path: /./, times: 1_000, fault: { kind: 'hang', when: 'before' } });
    for (let number = 1_001; number <= 1_012; number++) await deliver('issues', labelled(number));
    const waiting = async () => (await storedQueue(stage.dataDir)).jobs.filter(({ kind }) => kind === 'delivery');
    const stuck = async () => (await waiting()).map(({ subject, state }) => `${subject} ${state}`);
    const running = async () => (await waiting()).filter(({ state }) => state === 'running');
    await stage.until('a full lane', async () => (await running()).length === 8);
    const before = await stuck();
    await withdraw('noor');
    await stage.until('the end of the token', async () => (await api.status('/api/v1/projects/')) === 401);
    expect(await isSignedIn(noor)).toBe(false);
    expect([await stuck(), before.length]).toEqual([before, 12]);
  });
});

/** Somebody labelled that issue: who may do so, GitHub is asked. */
function labelled(number: number): object {
  const { state, people } = stage.double;
  const { id, login } = people.user('per');
  const shop = stage.double.repository(SHOP_NAME);
  const [installation] = state.installations.values();
  const now = state.clock.now().toISOString();
  return {
    action: 'labeled',
    label: { name: 'analyse' },
    issue: { number, title: 'x', body: 'x', user: { id, login }, created_at: now, updated_at: now },
    repository: { id: shop.id, full_name: SHOP_NAME, owner: { id: shop.ownerId, login: 'corner' } },
    installation: { id: installation?.id },
    sender: { id, login, type: 'User' },
  };
}
