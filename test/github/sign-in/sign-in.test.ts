import type { Fault } from 'causeway-github-double';
import { describe, expect, it } from 'vitest';
import { SignInRefused } from '../../../src/core/account/account.ts';
import { listRegisteredSecrets } from '../../../src/log.ts';
import { NEVER } from '../clients/ground.ts';
import { REDIRECT, type SignInHouse, type SignInHouseOptions, signInHouse } from './sign-in-house.ts';

/** For what never comes to an end; anything else has the service's own time. */
const HASTY = { deadlineMs: 600 };
const EXCHANGE = /^\/login\/oauth\/access_token$/;

/** `octo/shop` with the App on it; mona reads it. */
async function shop(options: SignInHouseOptions = {}): Promise<SignInHouse> {
  const house = await signInHouse(options);
  await house.double.people.openRepository('octo/shop', { isPrivate: true });
  house.double.people.grant('octo/shop', 'mona', 'read');
  house.double.people.install('octo');
  await house.reconcile();
  return house;
}

async function refusal(work: Promise<unknown>): Promise<Error & { code?: string; kind?: string }> {
  return await work.then(
    () => expect.fail('It was let in.'),
    (error: unknown) => error as Error,
  );
}

describe('somebody who comes back from GitHub', () => {
  it('was sent there with a state, a challenge and the exact address to come back to, and nothing else', async () => {
    await using house = await signInHouse();
    const url = new URL(house.signIn.address({ state: 's&t', challenge: 'c+/=', redirectUri: REDIRECT }));
    expect(`${url.origin}${url.pathname}`).toBe(`${house.double.webUrl}/login/oauth/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: house.double.app.clientId,
      redirect_uri: REDIRECT,
      state: 's&t',
      code_challenge: 'c+/=',
      code_challenge_method: 'S256',
    });
  });

  it.each(['', '/api/v3'])('is a person, known by two questions, with GitHub behind "%s"', async (basePath) => {
    await using house = await shop({ basePath });
    const arrival = await house.arrive('mona');
    const person = await house.signIn.person(arrival, NEVER);
    expect(person).toEqual({ id: house.double.people.user('mona').id, login: 'mona' });
    expect(
      house.asked().map(({ method, path, tokenKind, status }) => `${method} ${path} ${tokenKind} ${status}`),
    ).toEqual([
      'POST /login/oauth/access_token none 200',
      'GET /user user 200',
      'GET /user/installations?per_page=100&page=1 user 200',
      `DELETE /applications/${house.double.app.clientId}/token client 204`,
    ]);
    const [exchange] = house.asked();
    expect(exchange?.headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(Object.fromEntries(new URLSearchParams(exchange?.body))).toEqual({
      client_id: house.double.app.clientId,
      client_secret: house.double.app.clientSecret,
      code: arrival.code,
      redirect_uri: REDIRECT,
      code_verifier: arrival.verifier,
    });
  });

  it('leaves no token behind: it is handed back, kept out of every text, and logged by nobody', async () => {
    await using house = await shop();
    const before = new Set(listRegisteredSecrets());
    await house.signIn.person(await house.arrive('mona'), NEVER);
    const fresh = listRegisteredSecrets().filter((secret) => !before.has(secret));
    expect(fresh.map((secret) => secret.slice(0, 4)).sort()).toEqual(['ghr_', 'ghu_']);
    const handedBack = house.asked().at(-1);
    expect(fresh).toContain(JSON.parse(handedBack?.body ?? '{}').access_token);
    expect(house.tokensLeft()).toBe(0);
    expect(house.logged()).toBe('');
  });

  it('gets in all the same where GitHub does not take the token back, which the log says without it', async () => {
    await using house = await shop();
    house.double.faults.add({
      method: 'DELETE',
      path: /^\/applications\//,
      fault: { kind: 'html', when: 'before', status: 500 },
    });
    expect(await house.signIn.person(await house.arrive('mona'), NEVER)).toMatchObject({ login: 'mona' });
    expect(house.logged()).toContain('status 500');
    expect(house.logged()).not.toMatch(/ghu_|ghr_|redacted|Unicorn/);
  });
});

describe('a code', () => {
  it.each([
    [
      'that was used before',
      async (house: SignInHouse) => {
        const arrival = await house.arrive('mona');
        await house.signIn.person(arrival, NEVER);
        return arrival;
      },
    ],
    [
      'whose verifier is another',
      async (house: SignInHouse) => ({ ...(await house.arrive('mona')), verifier: 'x'.repeat(43) }),
    ],
    [
      'that GitHub never gave',
      async (house: SignInHouse) => ({ ...(await house.arrive('mona')), code: 'a&client_id=b' }),
    ],
  ])('%s is refused with what to do, and no token is asked about', async (_, arrive) => {
    await using house = await shop();
    const arrival = await arrive(house);
    const asked = house.asked().length;
    const error = await refusal(house.signIn.person(arrival, NEVER));
    expect(error).toBeInstanceOf(SignInRefused);
    expect(error).toMatchObject({
      kind: 'code',
      message: 'The sign-in took too long or was used before: sign in again.',
    });
    expect(
      house
        .asked()
        .slice(asked)
        .map(({ path }) => path),
    ).toEqual(['/login/oauth/access_token']);
    expect(house.logged()).toBe('');
  });
});

const answer = (status: number, body: unknown): Fault => ({ kind: 'answer', when: 'before', status, body });
const said = (error: string) =>
  answer(200, { error, error_description: 'Words of GitHub.', error_uri: 'https://docs.github.com' });

describe('an exchange that goes wrong', () => {
  it.each<[string, Fault, string]>([
    ['wrong credentials', said('incorrect_client_credentials'), 'GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET'],
    ['an unknown client', answer(404, { error: 'Not Found' }), 'GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET'],
    ['an address that the App does not name', said('redirect_uri_mismatch'), `add it as a "Callback URL"`],
    ['an error that nobody knows', said('<script>'), 'sign in again'],
    ['a page with 200', { kind: 'html', when: 'before', status: 200 }, '(a page instead of data)'],
    ['a page with 500', { kind: 'html', when: 'before', status: 500 }, '(status 500)'],
    ['an error with 500', answer(500, { error: 'bad_verification_code' }), '(status 500)'],
    ['a token with 500', answer(500, { access_token: 'ghu_of-a-failed-answer' }), '(status 500)'],
    ['half an answer', { kind: 'half_json' }, '(a page instead of data)'],
    ['JSON of something else', answer(200, ['ghu_listed-for-nothing']), '(unexpected data)'],
    ['null', answer(200, 'null'), '(unexpected data)'],
    [
      'a token that fits in no header',
      answer(200, { access_token: 'ghu_first\r\nx-second: line' }),
      '(unexpected data',
    ],
    ['more than 2 MiB', answer(200, { access_token: 'x'.repeat(2_200_000) }), '(more than 2048 KiB)'],
    ['a redirect', answer(302, ''), '(status 302)'],
    ['a connection that breaks', { kind: 'reset', when: 'before' }, 'GHE_HOST'],
    ['no answer in time', { kind: 'hang', when: 'before' }, '(timed out)'],
    ['an answer that trickles', { kind: 'drip', everyMilliseconds: 100, bytes: 1 }, '(timed out)'],
  ])('%s: readable, with the repair, and without a word or a secret of GitHub', async (_, fault, words) => {
    await using house = await shop({ change: words === '(timed out)' ? HASTY : {} });
    house.double.faults.add({ path: EXCHANGE, fault });
    const error = await refusal(house.signIn.person(await house.arrive('mona'), NEVER));
    expect(error).toMatchObject({ code: 'github_failed', message: expect.stringContaining(words) });
    expect(error).not.toBeInstanceOf(SignInRefused);
    expect(`${error.message} ${error.cause}`).not.toMatch(/ghu_|Unicorn|Words of|script|docs\.github/);
    expect(error.message).not.toContain(house.double.app.clientSecret);
    expect(house.asked().filter(({ path }) => path !== '/login/oauth/access_token')).toEqual([]);
  });

  it('a token whose answer was of no use is registered as a secret all the same', async () => {
    await using house = await shop();
    const body = { access_token: 'ghu_in-a-strange-answer', refresh_token: 'ghr_in-a-strange-answer' };
    house.double.faults.add({ path: EXCHANGE, fault: answer(202, body) });
    await refusal(house.signIn.person(await house.arrive('mona'), NEVER));
    expect(listRegisteredSecrets()).toEqual(expect.arrayContaining([body.access_token, body.refresh_token]));
  });
});

describe('questions that go wrong', () => {
  it.each<[string, RegExp, Fault, string]>([
    ['who it is', /^\/user$/, answer(401, { message: 'Bad credentials' }), '(status 401)'],
    ['who it is', /^\/user$/, answer(200, { id: 'seven', login: 'mona' }), '(unexpected data)'],
    ['who it is', /^\/user$/, answer(200, { id: 7, login: 'mo\u202ena' }), '(unexpected data)'],
    [
      'the installations',
      /^\/user\/installations/,
      { kind: 'html', when: 'before', status: 200 },
      '(a page instead of data)',
    ],
    ['the installations', /^\/user\/installations/, answer(200, { installations: 'all' }), '(unexpected data'],
    ['the installations', /^\/user\/installations/, { kind: 'reset', when: 'before' }, 'GHE_HOST'],
    ['the installations', /^\/user\/installations/, { kind: 'hang', when: 'before' }, '(timed out)'],
  ])('%s: the token is handed back, and the repair said', async (_, path, fault, words) => {
    await using house = await shop({ change: words === '(timed out)' ? HASTY : {} });
    house.double.faults.add({ path, fault });
    const error = await refusal(house.signIn.person(await house.arrive('mona'), NEVER));
    expect(error).toMatchObject({ code: 'github_failed', message: expect.stringContaining(words) });
    expect(error.message).toContain('GHE_HOST');
    expect(error.message).not.toContain('Bad credentials');
    expect(house.tokensLeft()).toBe(0);
  });
});
