// Where somebody is after signing in: at the page that was asked for, also by way of the terminal and of a form that came too late.
import { describe, expect, it } from 'vitest';
import { createSignInCode } from '../../src/web/sign-in.ts';
import { formTo } from './read-page.ts';
import { type WebGround, webGround } from './web-ground.ts';

async function newCode({ store, clock, visitor }: WebGround): Promise<string> {
  const { code, hash } = createSignInCode();
  const expiresAt = new Date(clock.now.getTime() + 60_000).toISOString();
  await store.addSignInCode({ hash, accountId: visitor.account.id, expiresAt, now: clock.now.toISOString() });
  return code;
}

describe('the link of the terminal', () => {
  it('leads to the page that was asked for before', async () => {
    await using ground = await webGround();
    const browser = ground.stranger();
    const sent = await browser.get('/usage?format=csv');
    await browser.get(sent.headers.get('location') ?? '');
    expect(browser.cookie()).not.toContain('usage');
    const answer = await browser.post('/sign-in/local', { code: await newCode(ground) }, { formToken: null });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/usage?format=csv']);
    // Once: the next sign-in knows nothing of it.
    const next = await browser.post('/sign-in/local', { code: await newCode(ground) }, { formToken: null });
    expect(next.headers.get('location')).toBe('/projects');
  });

  it.each([
    ['another site', '/sign-in?return=https://evil.example', null],
    ['a cookie that we did not seal', null, 'causeway_sign_in_3000=/usage'],
  ])('leads to the projects after %s', async (_what, page, forged) => {
    await using ground = await webGround();
    const browser = ground.stranger();
    if (page !== null) await browser.get(page);
    const headers = forged === null ? {} : { cookie: forged };
    const code = await newCode(ground);
    const answer = await browser.post('/sign-in/local', { code }, { formToken: null, headers });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/projects']);
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
