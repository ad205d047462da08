// Set-up against those who do not sit at the terminal: guesses, foreign pages, foreign returns, and a door that is closed.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MadeApp } from '../../../src/github/setup/make-app.ts';
import { createSetup, type Setup } from '../../../src/github/setup/setup-mode.ts';
import { createLog } from '../../../src/log.ts';
import { type ManifestGithub, manifestGithub } from '../../support/manifest-github.ts';

const HOST = 'causeway.local:3000';
const ORIGIN = `http://${HOST}`;
const NEVER = new AbortController().signal;

let github: ManifestGithub;
let setup: Setup;
let now: Date;
let kept: { readonly app: MadeApp; readonly publicUrl: string }[];

beforeEach(async () => {
  github = await manifestGithub();
  now = new Date('2026-11-20T10:00:00.000Z');
  kept = [];
  setup = createSetup({
    github: { apiUrl: `${github.url}/api/v3`, webUrl: github.url, userAgent: 'test' },
    appFile: readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'app.yml'), 'utf8'),
    publicUrl: '',
    now: () => now,
    log: createLog({ level: 'silent' }),
    keep: (app, publicUrl) => void kept.push({ app, publicUrl }),
  });
});
afterEach(() => github[Symbol.asyncDispose]());

const FORM = { owner: 'user', organisation: '', name: 'Causeway', kind: 'fix', publicUrl: 'https://c.example' };

function get(where: string, headers: Record<string, string> = {}): Promise<Response> {
  return setup.fetch(new Request(ORIGIN + where, { headers: { Host: HOST, ...headers } }), NEVER);
}

function submit(changes: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Response> {
  const body = new URLSearchParams({ ...FORM, code: setup.code, ...changes });
  const sent = { Host: HOST, Origin: ORIGIN, 'Sec-Fetch-Site': 'same-origin', ...headers };
  return setup.fetch(new Request(`${ORIGIN}/setup`, { method: 'POST', body, headers: sent }), NEVER);
}

/** Submits, lets GitHub make the App, and gives the address that it leads back to, with the browser's cookie. */
async function journey(): Promise<{ readonly back: URL; readonly cookie: string }> {
  const answer = await submit();
  const page = await answer.text();
  const action = /action="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const manifest = /name="manifest" value="([^"]+)"/.exec(page)?.[1]?.replaceAll('&quot;', '"') ?? '';
  const confirm = await fetch(action, { method: 'POST', body: new URLSearchParams({ manifest }) });
  const back = new URL(/href="([^"]+)"/.exec(await confirm.text())?.[1]?.replaceAll('&amp;', '&') ?? '');
  return { back, cookie: (answer.headers.get('Set-Cookie') ?? '').split(';')[0] ?? '' };
}

const comeBack = ({ back, cookie }: { back: URL; cookie: string }) =>
  get(back.pathname + back.search, { Cookie: cookie });

describe('the one-time code', () => {
  it('opens however many wrong ones a stranger has sent, who may send ten a minute', async () => {
    for (let tries = 0; tries < 10; tries++) expect((await submit({ code: `WRONG${tries}` })).status).toBe(403);
    expect((await submit({ code: 'WRONG' })).status).toBe(429);
    expect((await submit()).status).toBe(200);
    expect((await submit({ code: 'WRONG' })).status).toBe(429);
    now = new Date(now.getTime() + 60_001);
    expect((await submit({ code: 'WRONG' })).status).toBe(403);
  });
});

describe('a form', () => {
  it.each([
    ['of another site', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
    ['of another port', { Origin: 'http://causeway.local:4000', 'Sec-Fetch-Site': 'same-site' }],
    ['of no page', { Origin: 'null' }],
  ])('%s is refused, whatever code it brings', async (_, headers) => {
    expect((await submit({}, headers)).status).toBe(403);
  });

  it.each([
    [{ kind: 'admin' }, 'Choose what the App may do.'],
    [{ owner: '' }, 'Choose whether'],
    [{ owner: 'organisation', organisation: '../../x' }, 'name of the organisation'],
    [{ name: '<b>' }, 'The name has'],
    [{ publicUrl: 'javascript:alert(1)' }, 'The address begins with'],
    [{ publicUrl: 'https://me@c.example' }, 'The address begins with'],
    [{ publicUrl: 'https://:secret@c.example' }, 'The address begins with'],
    [{ publicUrl: 'https://c.example/?x=1' }, 'The address begins with'],
    [{ publicUrl: 'https://c.example/#x' }, 'The address begins with'],
    [{ publicUrl: 'https://c.example/?' }, 'The address begins with'],
  ])('with %j is refused with what to do', async (changes, words) => {
    const answer = await submit(changes);
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain(words);
  });

  it.each([
    ['https://a.example/"><script>', 'https://a.example/%22%3E%3Cscript%3E'],
    [' HTTPS://A.example:443/x/../causeway// ', 'https://a.example/causeway'],
    ['https://a.example', 'https://a.example'],
  ])('with the address %j gives the manifest %j', async (publicUrl, address) => {
    const page = await (await submit({ publicUrl })).text();
    expect(page).toContain(`&quot;setup_url&quot;:&quot;${address}/&quot;`);
    expect(page).not.toContain('<script');
  });
});

describe('every page', () => {
  it('is stored nowhere, framed nowhere, runs no script and lets forms go to GitHub alone', async () => {
    for (const answer of [await get('/setup'), await submit()]) {
      expect(answer.headers.get('Cache-Control')).toBe('no-store');
      const policy = answer.headers.get('Content-Security-Policy');
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
    }
    expect((await submit()).headers.get('Content-Security-Policy')).toContain(`form-action 'self' ${github.url};`);
  });
});

describe('the way back from GitHub', () => {
  it('keeps the App once, and closes the door', async () => {
    const way = await journey();
    expect((await comeBack(way)).status).toBe(200);
    await setup.done;
    expect(kept).toMatchObject([{ app: { appId: 4711, slug: 'causeway-octo' }, publicUrl: 'https://c.example' }]);
    for (const where of ['/setup', way.back.pathname + way.back.search]) expect((await get(where)).status).toBe(404);
    expect((await submit()).status).toBe(404);
    expect(kept).toHaveLength(1);
  });

  it('is refused with another state, in another browser, and after an hour', async () => {
    const way = await journey();
    const foreign = new URL(way.back);
    foreign.searchParams.set('state', 'x'.repeat(43));
    expect((await comeBack({ ...way, back: foreign })).status).toBe(403);
    expect((await comeBack({ ...way, cookie: 'causeway_setup=other' })).status).toBe(403);
    expect((await comeBack({ ...way, cookie: '' })).status).toBe(403);
    now = new Date(now.getTime() + 3_600_001);
    expect((await comeBack(way)).status).toBe(403);
    expect(kept).toEqual([]);
  });
});
