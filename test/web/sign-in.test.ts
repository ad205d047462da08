// Signing in: the link of the terminal, the way back from GitHub, its limits, and where it may lead.
import { describe, expect, it } from 'vitest';
import type { Person } from '../../src/core/project/person.ts';
import { toSafeReturnPath } from '../../src/web/session.ts';
import { createSignInCode } from '../../src/web/sign-in.ts';
import { formTo } from './read-page.ts';
import { onGithub, type WebGround, webGround } from './web-ground.ts';

async function newCode({ store, clock, visitor }: WebGround): Promise<string> {
  const { code, hash } = createSignInCode();
  const expiresAt = new Date(clock.now.getTime() + 60_000).toISOString();
  await store.addSignInCode({ hash, accountId: visitor.account.id, expiresAt, now: clock.now.toISOString() });
  return code;
}

describe('the link of the terminal', () => {
  it('leads to the page that was requested before', async () => {
    await using ground = await webGround();
    const browser = ground.stranger();
    const sent = await browser.get('/usage?format=csv');
    await browser.get(sent.headers.get('location') ?? '');
    expect(browser.cookie()).not.toContain('usage');
    const answer = await browser.post('/sign-in/local', { code: await newCode(ground) }, { formToken: null });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/usage?format=csv']);
    // Once: the next sign-in knows nothing of it.
    const next = await browser.post('/sign-in/local', { code: await newCode(ground) }, { formToken: null });
    expect(next.headers.get('location')).toBe('/');
  });

  it.each([
    ['another site', '/sign-in?return=https://evil.example', null],
    ['a cookie that we did not seal', null, 'causeway_sign_in_3000=/usage'],
  ])('leads to the first page after %s', async (_what, page, forged) => {
    await using ground = await webGround();
    const browser = ground.stranger();
    if (page !== null) await browser.get(page);
    const headers = forged === null ? {} : { cookie: forged };
    const code = await newCode(ground);
    const answer = await browser.post('/sign-in/local', { code }, { formToken: null, headers });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
  });
});

describe('a form that needs a recent sign-in, sent when it is too late', () => {
  it.each([
    ['/account/tokens/new', '/account/tokens', '/account/tokens/new'],
    ['/account/security-credentials', '/account/signing-secret/rotate', '/account/security-credentials'],
  ])('of %s leads to a sign-in that comes back there', async (page, action, back) => {
    await using ground = await webGround();
    const { fields } = formTo(await ground.visitor.page(page), action);
    ground.clock.now = new Date(ground.clock.now.getTime() + 31 * 60_000);
    const answer = await ground.visitor.post(action, fields);
    const href = `/sign-in?again=1&amp;return=${encodeURIComponent(back)}`;
    expect([answer.status, (await answer.text()).includes(`href="${href}"`)]).toEqual([403, true]);
  });
});

const MARA: Person = { id: 7, login: 'mara' };

/** GitHub, which says who came when `answer` does. */
function groundWith(answer: () => Promise<Person>): Promise<WebGround> {
  const address = ({ state }: { readonly state: string }) => `https://github.com/login?state=${state}`;
  return webGround({ signInMethod: { ...onGithub(''), signIn: { address, person: answer } } });
}

/** A browser that has been at GitHub, and the address with which it comes back. */
async function cameBack(ground: WebGround) {
  const browser = ground.stranger();
  const out = await browser.post('/sign-in', {}, { formToken: null });
  const state = new URL(out.headers.get('location') ?? '').searchParams.get('state');
  return { ...browser, address: `/account/callback?code=x&state=${state}` };
}

function later(ground: WebGround, seconds: number): void {
  ground.clock.now = new Date(ground.clock.now.getTime() + seconds * 1_000);
}

describe('ways back from GitHub', () => {
  it('are exchanged eight at a time, and one that has to wait comes in later', async () => {
    const waiting: ((person: Person) => void)[] = [];
    await using ground = await groundWith(() => new Promise((resolve) => waiting.push(resolve)));
    const answers: Promise<Response>[] = [];
    for (let count = 0; count < 8; count++) {
      const { get, address } = await cameBack(ground);
      answers.push(get(address));
    }
    await expect.poll(() => waiting.length).toBe(8);
    const ninth = await cameBack(ground);
    const refused = await ninth.get(ninth.address);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    for (const resolve of waiting.splice(0)) resolve(MARA);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 303));
    const again = ninth.get(ninth.address);
    await expect.poll(() => waiting.length).toBe(1);
    waiting[0]?.(MARA);
    expect((await again).status).toBe(303);
  });
});

describe('forms of a sign-in', () => {
  it.each(['/sign-in/local'])('sent to %s are bounded for all visitors together', async (path) => {
    await using ground = path === '/sign-in' ? await groundWith(async () => MARA) : await webGround();
    const send = () => ground.stranger().post(path, { code: 'x' }, { formToken: null });
    for (let count = 0; count < 600; count++) expect((await send()).status).not.toBe(429);
    const refused = await send();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    later(ground, 60);
    expect((await send()).status).not.toBe(429);
    // Who signed in before notices nothing.
    expect((await ground.visitor.get('/projects')).status).toBe(200);
  });
});

describe('where a sign-in leads', () => {
  it.each([
    ['/issues/iss_1', '/issues/iss_1'],
    ['/projects/prj_1?after=iss_2#step-3', '/projects/prj_1?after=iss_2#step-3'],
    ['/account/security-credentials', '/account/security-credentials'],
    ['/projects/../usage', '/usage'],
  ])('keeps the page %s', (given, path) => {
    expect(toSafeReturnPath(given)).toBe(path);
  });

  it.each([
    '',
    '/',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\/evil.example',
    '/\t/evil.example',
    '/\n//evil.example',
    '/./%2e//evil.example',
    '/..//evil.example',
    'https:evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    'projects',
    '@evil.example',
    '/sign-in?return=/sign-in',
    '/sign-out',
    '/account/callback?code=x',
    `/${'a'.repeat(2_000)}`,
  ])('goes to the first page instead of %j', (given) => {
    expect(toSafeReturnPath(given)).toBe('/');
  });
});
