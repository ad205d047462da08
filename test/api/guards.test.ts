// What stands before every operation: token, scope, rate, and the order in which things are checked.
import { afterEach, describe, expect, it } from 'vitest';
import { createToken } from '../../src/core/account/account.ts';
import { CausewayError } from '../../src/core/errors.ts';
import type { Store } from '../../src/db/store.ts';
import { type ApiGround, apiGround, bodyOf, type GroundOptions, requestOf } from './api-ground.ts';

let ground: ApiGround;
const open = async (options: GroundOptions = {}) => {
  ground = await apiGround(options);
};
afterEach(() => ground[Symbol.asyncDispose]());

/** The store with one verb replaced. */
const withVerb =
  <K extends keyof Store>(name: K, verb: (store: Store) => Store[K]) =>
  (store: Store): Store =>
    new Proxy(store, { get: (target, key) => (key === name ? verb(target) : Reflect.get(target, key)) });

const list = (headers: Record<string, string>, path = '/api/v1/projects/') =>
  ground.call('GET', path, { token: null, headers });

describe('the token', () => {
  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['no scheme', (token: string) => token],
    ['another scheme', (token: string) => `Basic ${Buffer.from(`x:${token}`).toString('base64')}`],
    ['no space', (token: string) => `Bearer${token}`],
    ['the header twice', (token: string) => `Bearer ${token}, Bearer ${token}`],
    ['something after it', (token: string) => `Bearer ${token} x`],
    ['a comma after it', (token: string) => `Bearer ${token},`],
    ['only the scheme', 'Bearer'],
    ['an unknown token', () => `Bearer ${createToken()}`],
    ['bytes beyond ASCII', 'Bearer cwy_\u00e9'],
    ['a very long one', `Bearer cwy_${'a'.repeat(10_000)}`],
  ])('is refused with 401: %s', async (_name, header) => {
    await open();
    const value = typeof header === 'function' ? header(ground.token) : header;
    const answer = await list(value === undefined ? {} : { Authorization: value });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer');
  });

  it.each(['bearer ', 'BEARER ', 'bEaReR ', 'Bearer  ', 'Bearer\t', 'bearer \t '])(
    'is accepted after %j: the name of a scheme has no case (RFC 9110)',
    async (scheme) => {
      await open();
      expect((await list({ Authorization: scheme + ground.token })).status).toBe(200);
    },
  );

  it('stops working with the next request after its revocation', async () => {
    await open();
    expect((await ground.call('GET', '/api/v1/projects/')).status).toBe(200);
    const [record] = await ground.store.listTokens(ground.account.id);
    await ground.store.revokeToken(record!.id, ground.account.id, ground.clock.now.toISOString());
    expect((await ground.call('GET', '/api/v1/projects/')).status).toBe(401);
  });

  it('expires by the clock of the server, to the millisecond', async () => {
    await open();
    const token = await ground.newToken({ expiresAt: '2026-11-20T10:00:01.000Z' });
    const status = async () => (await ground.call('GET', '/api/v1/projects/', { token })).status;
    expect(await status()).toBe(200);
    ground.clock.now = new Date('2026-11-20T10:00:00.999Z');
    expect(await status()).toBe(200);
    ground.clock.now = new Date('2026-11-20T10:00:01.000Z');
    expect(await status()).toBe(401);
  });

  it.each(['access_token=TOKEN', 'token=TOKEN', 'x=1&reference=%63wy_REST', 'TOKEN', 'access_token='])(
    'is refused in the address (?%s) even with a valid header, and is in no log line',
    async (query) => {
      await open();
      const address = query.replace('TOKEN', ground.token).replace('REST', ground.token.slice(4));
      const answer = await ground.call('GET', `/api/v1/investigations/?${address}`);
      expect(answer.status).toBe(401);
      expect(ground.log.length).toBeGreaterThan(0);
      expect(ground.log.join()).not.toContain(ground.token.slice(4));
    },
  );

  it('is in no log line, wherever it appears', async () => {
    await open();
    await ground.call('GET', `/api/v1/issues/${ground.token}/`);
    await ground.call('GET', `/api/v1/nowhere/${ground.token}/`);
    await ground.call('POST', '/api/v1/issues/', { raw: ground.token });
    expect(ground.log.join()).not.toContain(ground.token.slice(4));
  });
});

describe('the scope', () => {
  it.each([
    ['POST', '/api/v1/issues/', 'issues:write'],
    ['GET', '/api/v1/issues/x/', 'issues:read'],
    ['DELETE', '/api/v1/issues/x/', 'issues:write'],
    ['GET', '/api/v1/projects/', 'projects:read'],
    ['GET', '/api/v1/projects/x/', 'projects:read'],
    ['GET', '/api/v1/investigations/', 'issues:read'],
    ['GET', '/api/v1/investigations/x/', 'issues:read'],
    ['DELETE', '/api/v1/investigations/x/', 'issues:write'],
    ['GET', '/api/v1/investigations/x/events/', 'issues:read'],
  ] as const)('of %s %s is %s', async (method, path, scope) => {
    await open();
    const others = (['issues:read', 'issues:write', 'projects:read', 'pull-requests:write'] as const).filter(
      (one) => one !== scope,
    );
    const without = await ground.call(method, path, { token: await ground.newToken({ scopes: others }) });
    expect(without.status).toBe(403);
    expect((await bodyOf(without)).detail).toContain(scope);
    const alone = await ground.call(method, path, { token: await ground.newToken({ scopes: [scope] }) });
    expect(alone.status).not.toBe(403);
  });
});

describe('the rate', () => {
  const limits = { callsPerMinute: 5, creationsPerMinute: 2 };
  const create = () => ground.call('POST', '/api/v1/issues/', { body: { data: 'x', projectId: ground.project.id } });

  it('is limited for each account separately, and shown in headers', async () => {
    await open({ limits });
    for (let left = 4; left >= 0; left--) {
      const answer = await ground.call('GET', '/api/v1/projects/');
      expect(answer.headers.get('RateLimit')).toBe(`"calls";r=${left};t=60`);
      expect(answer.headers.get('RateLimit-Policy')).toBe('"calls";q=5;w=60');
    }
    ground.clock.now = new Date(ground.clock.now.getTime() + 20_500);
    const refused = await ground.call('GET', '/api/v1/projects/');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('Retry-After')).toBe('40');
    expect(refused.headers.get('RateLimit')).toBe('"calls";r=0;t=40');
    const other = await ground.store.ensureAccount({
      login: 'other',
      githubId: null,
      signingSecret: 'whsec_y',
      now: '2026',
    });
    const token = await ground.newToken({ accountId: other.id });
    expect((await ground.call('GET', '/api/v1/projects/', { token })).status).toBe(200);
    ground.clock.now = new Date(ground.clock.now.getTime() + 39_500);
    expect((await ground.call('GET', '/api/v1/projects/')).status).toBe(200);
  });

  it('has a narrower quota for new issues, which uses up no calls once it is empty', async () => {
    await open({ limits });
    expect([(await create()).status, (await create()).status]).toEqual([202, 202]);
    const refused = await create();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('RateLimit')).toBe('"calls";r=3;t=60, "creations";r=0;t=60');
    expect((await ground.call('GET', '/api/v1/projects/')).headers.get('RateLimit')).toBe('"calls";r=2;t=60');
  });
});

describe('the order of the checks', () => {
  it('is token, scope, rate, type, size of the body, JSON, size of the data, values', async () => {
    await open({ limits: { callsPerMinute: 100, creationsPerMinute: 5 } });
    const reader = await ground.newToken({ scopes: ['issues:read'] });
    const status = async (token: string | null, raw: string, type = 'application/json') =>
      (await ground.call('POST', '/api/v1/issues/', { token, raw, headers: { 'Content-Type': type } })).status;
    const huge = `{"data": "${'x'.repeat(8_388_608)}`;
    expect(await status(null, huge, 'text/plain')).toBe(401);
    expect(await status(reader, huge, 'text/plain')).toBe(403);
    expect(await status(ground.token, huge, 'text/plain')).toBe(415);
    expect(await status(ground.token, huge)).toBe(413);
    expect(await status(ground.token, '{"data": ')).toBe(400);
    expect(await status(ground.token, JSON.stringify({ data: 'x'.repeat(1_048_577), extra: 1 }))).toBe(413);
    expect(await status(ground.token, '{"data": "", "projectId": "x"}')).toBe(422);
    expect(await status(ground.token, huge, 'text/plain')).toBe(429);
  });
});

describe('every answer', () => {
  it('has a request id of its own, which the log line has too', async () => {
    await open();
    const answers = [
      await ground.call('GET', '/api/v1/projects/'),
      await ground.call('GET', '/api/v1/nowhere/'),
      await ground.call('PUT', '/api/v1/projects/'),
      await ground.call('GET', '/healthz'),
      await list({}),
    ];
    const ids = answers.map(({ headers }) => headers.get('X-Request-Id') ?? '');
    expect(new Set(ids).size).toBe(5);
    const lines = ground.log.map((line) => JSON.parse(line));
    for (const [i, id] of ids.entries()) {
      expect(lines.find((line) => line.requestId === id)).toMatchObject({ msg: 'request', status: answers[i]!.status });
    }
    expect(lines.find((line) => line.requestId === ids[0])).toMatchObject({
      method: 'GET',
      route: '/api/v1/projects/',
      accountId: ground.account.id,
    });
  });

  it('reveals nothing internal where the store fails', async () => {
    const failing = new CausewayError('store_unusable', 'The database /srv/data/causeway.db is full');
    await open({ around: withVerb('listProjects', () => () => Promise.reject(failing)) });
    const answer = await ground.call('GET', '/api/v1/projects/');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('Retry-After')).toBe('5');
    expect(await answer.text()).not.toContain('/srv/data');
    expect(ground.log.join()).toContain('/srv/data');
  });

  it('is 500 without inner text where we fail', async () => {
    await open({ around: withVerb('listProjects', () => () => Promise.reject(new TypeError('inner words'))) });
    const answer = await ground.call('GET', '/api/v1/projects/');
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('inner words');
  });

  it('has no body for HEAD, and the headers of GET', async () => {
    await open();
    for (const path of ['/api/v1/projects/', `/api/v1/projects/${ground.project.id}`, '/api/v1/investigations/']) {
      const [head, get] = [await ground.call('HEAD', path), await ground.call('GET', path)];
      expect(head.status).toBe(200);
      expect(head.headers.get('Content-Type')).toBe(get.headers.get('Content-Type'));
    }
  });

  it.each([
    ['PUT', '/api/v1/issues/', 'POST'],
    ['GET', '/api/v1/issues/', 'POST'],
    ['HEAD', '/api/v1/issues/', 'POST'],
    ['PATCH', '/api/v1/issues/x', 'GET, HEAD, DELETE'],
    ['POST', '/api/v1/projects/', 'GET, HEAD'],
    ['DELETE', '/api/v1/projects/x/', 'GET, HEAD'],
    ['OPTIONS', '/api/v1/investigations/', 'GET, HEAD'],
    ['POST', '/api/v1/openapi.json', 'GET, HEAD'],
    ['POST', '/docs', 'GET, HEAD'],
    ['DELETE', '/healthz', 'GET, HEAD'],
  ])('is 405 for %s %s, with Allow', async (method, path, allow) => {
    await open();
    for (const token of [ground.token, null]) {
      const answer = await ground.api.fetch(requestOf(method, path, { token }));
      expect(answer.status).toBe(405);
      expect(answer.headers.get('Allow')).toBe(allow);
      expect(answer.headers.get('Content-Type')).toBe(
        method === 'HEAD' ? answer.headers.get('Content-Type') : 'application/problem+json',
      );
    }
  });

  it.each([
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v2/issues/',
    '/api/v1/issues//',
    '/api/v1/issues/%2e%2e/',
    '/api/v1//issues/x/',
    '/api/v1/issues/%00/',
    '/api/v1/issues/a%2Fb/',
    '/api/v1/issues/%ff/',
    '/api/v1/issues/%zz/',
    '/api/v1/issues/__proto__/',
    `/api/v1/issues/${'a'.repeat(16_000)}/`,
    '/api/v1/projects/constructor/',
    '/API/V1/projects/',
  ])('is 404 or a known page for the path %s', async (path) => {
    await open();
    expect([404, 302, 405]).toContain((await ground.api.fetch(requestOf('GET', path, { token: ground.token }))).status);
  });
});
