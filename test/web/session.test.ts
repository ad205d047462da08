// Sessions and forms: one browser, ended by time or by the person; only forms of our own pages change anything.
import { describe, expect, it } from 'vitest';
import { createSignInCode } from '../../src/web/sign-in.ts';
import { BASE, type WebGround, webGround } from './web-ground.ts';

const HOUR_MS = 3_600_000;

/** A sign-in code that is valid for an hour. */
async function addCode({ store, visitor }: WebGround): Promise<string> {
  const { code, hash } = createSignInCode();
  const times = { expiresAt: '2026-11-20T11:00:00.000Z', now: '2026-11-20T10:00:00.000Z' };
  await store.addSignInCode({ hash, accountId: visitor.account.id, ...times });
  return code;
}

describe('a page behind the sign-in', () => {
  it('redirects to the sign-in, and back to the page afterwards', async () => {
    await using ground = await webGround();
    const answer = await ground.stranger().get('/usage?months=2');
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/sign-in?return=%2Fusage%3Fmonths%3D2');
    expect(await answer.text()).toBe('');
  });

  it.each(['', 'x', 'a'.repeat(43), '../../etc', '%00'])('is not shown for the invented session %j', async (value) => {
    await using ground = await webGround();
    const answer = await ground.stranger().get('/projects', { cookie: `causeway_session_3000=${value}` });
    expect(answer.status).toBe(303);
  });
});

describe('a session', () => {
  it('is 256 random bits in a cookie that no script reads and no other site sends along', async () => {
    await using ground = await webGround();
    const code = await addCode(ground);
    const answer = await ground.stranger().post('/sign-in/local', { code }, { formToken: null });
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^causeway_session_3000=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  it('is bound to its host and to TLS where there is TLS', async () => {
    await using ground = await webGround({ baseUrl: 'https://causeway.example.com' });
    expect(ground.visitor.cookie()).toMatch(/^__Host-causeway_session=/);
    // Nothing is said of neighbours on other names, which may have no TLS.
    const { headers } = await ground.visitor.get('/projects');
    expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}$/);
  });

  it('ends after 12 hours without use, and after 7 days however much it is used', async () => {
    await using ground = await webGround();
    const start = ground.clock.now.getTime();
    const statusAfter = async (ms: number) => {
      ground.clock.now = new Date(start + ms);
      return (await ground.visitor.get('/projects')).status;
    };
    for (let hours = 11; hours < 7 * 24; hours += 11) expect(await statusAfter(hours * HOUR_MS)).toBe(200);
    expect(await statusAfter(7 * 24 * HOUR_MS)).toBe(303);
    await using idle = await webGround();
    idle.clock.now = new Date(idle.clock.now.getTime() + 12 * HOUR_MS);
    expect((await idle.visitor.get('/projects')).status).toBe(303);
  });

  it('that was signed out is over for every copy of its cookie; another browser stays signed in', async () => {
    await using ground = await webGround();
    const first = await ground.signIn('mara', 7, 'write');
    const second = await ground.signIn('mara', 7, 'write');
    const copy = first.cookie();
    const answer = await first.post('/sign-out');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sign-in']);
    expect(first.cookie()).toBe('');
    expect((await ground.stranger().get('/projects', { cookie: copy })).status).toBe(303);
    expect((await second.get('/projects')).status).toBe(200);
  });

  it('from before a sign-in is invalid after it', async () => {
    await using ground = await webGround();
    const before = ground.visitor.cookie();
    const code = await addCode(ground);
    await ground.visitor.post('/sign-in/local', { code });
    expect(ground.visitor.cookie()).not.toBe(before);
    expect((await ground.stranger().get('/projects', { cookie: before })).status).toBe(303);
    expect((await ground.visitor.get('/projects')).status).toBe(200);
  });

  it('is stored only as a hash, and is in no line of the log', async () => {
    await using ground = await webGround();
    await ground.visitor.get('/projects');
    const value = ground.visitor.cookie().split('=')[1] ?? '';
    const sessions = await ground.store.listSessions(ground.visitor.account.id);
    expect(value).toHaveLength(43);
    expect(JSON.stringify(sessions)).not.toContain(value);
    expect(ground.lines.join('\n')).not.toContain(value);
  });
});

describe('a link from the terminal', () => {
  it('signs in once; looking at it uses nothing up', async () => {
    await using ground = await webGround();
    const code = await addCode(ground);
    const one = ground.stranger();
    for (let times = 0; times < 3; times++) expect((await one.get(`/sign-in/local?code=${code}`)).status).toBe(200);
    expect((await one.post('/sign-in/local', { code }, { formToken: null })).status).toBe(303);
    const again = await ground.stranger().post('/sign-in/local', { code }, { formToken: null });
    expect(again.status).toBe(400);
    expect(await again.text()).toContain('bin/causeway sign-in');
    expect(again.headers.getSetCookie()).toEqual([]);
  });

  it('is invalid after an hour', async () => {
    await using ground = await webGround();
    const code = await addCode(ground);
    ground.clock.now = new Date('2026-11-20T11:00:00.000Z');
    expect((await ground.stranger().post('/sign-in/local', { code }, { formToken: null })).status).toBe(400);
  });
});

describe('every page', () => {
  it.each(['/sign-in', '/projects', '/nowhere', '/sign-in/local'])(
    '%s allows nothing but our own style and script',
    async (path) => {
      await using ground = await webGround();
      const { headers } = await ground.visitor.get(`${path}?again=1`);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-request-id')).toMatch(/^req_/);
    },
  );

  it('answers a method that it does not know with the ones that it does', async () => {
    await using ground = await webGround();
    const answer = await ground.web.fetch(new Request(`${BASE}/projects`, { method: 'DELETE' }));
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('has the same rate limit as calls of the API', async () => {
    await using ground = await webGround({ limits: { callsPerMinute: 3, creationsPerMinute: 1 } });
    const statuses = [];
    for (let times = 0; times < 4; times++) statuses.push((await ground.visitor.get('/projects')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it('has style and script under names that change with what they hold, kept by browsers for good', async () => {
    await using ground = await webGround();
    const text = await (await ground.stranger().get('/sign-in')).text();
    const [href = ''] = /\/assets\/style\.[0-9a-f]{16}\.css/.exec(text) ?? [];
    const asset = await ground.stranger().get(href);
    expect([asset.status, asset.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    expect(asset.headers.get('cache-control')).toContain('immutable');
    expect((await ground.stranger().get('/assets/page.0000000000000000.js')).status).toBe(404);
  });
});

/** Any form will do: this one ends the session, so that it shows whether it was taken. */
async function signedInAfter(ground: Awaited<ReturnType<typeof webGround>>): Promise<boolean> {
  return (await ground.visitor.get('/projects')).status === 200;
}

describe('a form', () => {
  it.each([
    ['without the value that proves it', null],
    ['with another value', 'a'.repeat(43)],
    ['with an empty value', ''],
  ])('%s changes nothing', async (_what, formToken) => {
    await using ground = await webGround();
    expect((await ground.visitor.post('/sign-out', {}, { formToken })).status).toBe(403);
    expect(await signedInAfter(ground)).toBe(true);
  });

  it("with another session's value changes nothing", async () => {
    await using ground = await webGround();
    const other = await ground.signIn('mara', 7, 'admin');
    const formToken = /name="csrf_token" value="([^"]+)"/.exec(await other.page('/projects'))?.[1] ?? '';
    expect(formToken).toHaveLength(43);
    expect((await ground.visitor.post('/sign-out', {}, { formToken })).status).toBe(403);
    expect(await signedInAfter(ground)).toBe(true);
  });

  it.each([
    ['from another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['from a neighbour on the same site', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:4000' }],
    ['from another origin, by an old browser', { 'sec-fetch-site': null, origin: 'https://evil.example' }],
    ['from a page without an origin', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
    ['without either header', { 'sec-fetch-site': null, origin: null }],
  ])('%s changes nothing, even with the right value', async (_what, headers) => {
    await using ground = await webGround();
    const given = Object.entries(headers).map(([name, value]) => [name, value ?? ''] as const);
    const answer = await ground.visitor.post('/sign-out', {}, { headers: Object.fromEntries(given) });
    expect(answer.status).toBe(403);
    expect(await signedInAfter(ground)).toBe(true);
  });

  it('from our own page is taken from browsers that send the one header or the other', async () => {
    for (const headers of [{ 'sec-fetch-site': '' }, { origin: '' }]) {
      await using ground = await webGround();
      expect((await ground.visitor.post('/sign-out', {}, { headers })).status).toBe(303);
    }
  });

  it('must be a form, and of a bounded size', async () => {
    await using ground = await webGround();
    const json = { 'content-type': 'application/json' };
    expect((await ground.visitor.post('/sign-out', {}, { headers: json })).status).toBe(415);
    expect((await ground.visitor.post('/sign-out', { text: 'a'.repeat(13 * 1_024 * 1_024) })).status).toBe(413);
    expect(await signedInAfter(ground)).toBe(true);
  });

  it.each([
    ['/sign-in/local', 4_096, false],
    ['/sign-out', 65_536, true],
  ])(
    'to %s of as many fields as fit is refused at once, and as too large beyond its limit',
    async (path, limit, isOwn) => {
      await using ground = await webGround();
      const send = (bytes: number) => {
        const cookie = isOwn ? ground.visitor.cookie() : '';
        const type = 'application/x-www-form-urlencoded';
        const headers = { 'content-type': type, origin: BASE, 'sec-fetch-site': 'same-origin', cookie };
        const body = 'a&'.repeat(bytes / 2);
        return ground.web.fetch(new Request(`${BASE}${path}`, { method: 'POST', body, headers }));
      };
      expect([(await send(limit)).status, (await send(limit + 2)).status]).toEqual([400, 413]);
    },
  );

  it('sent after the session ended says so, and changes nothing', async () => {
    await using ground = await webGround();
    const answer = await ground.stranger().post('/account/tokens', { name: 'x' }, { formToken: 'x' });
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain('nothing was changed');
  });
});
