// Towards github.com writes are a second apart and those that notify people three, each installation by itself; reads never wait for them.
import nock from 'nock';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createGithubClients } from '../../../src/github/clients/create-github-clients.ts';
import type { GithubClients } from '../../../src/github/clients/github-clients.ts';
import { APP_ID, installation, NEVER, PRIVATE_KEY, SHOP, tokenName } from './ground.ts';

const API = 'https://api.github.com';
let sent: { readonly path: string; readonly at: number }[] = [];
let holder = 100;
let clients: GithubClients;

// Test files share a process: http as nock patches it buffers bodies, which other files measure.
beforeAll(() => {
  if (!nock.isActive()) nock.activate();
});
afterAll(() => nock.restore());

beforeEach(() => {
  nock.disableNetConnect();
  sent = [];
  holder += 10;
  const github = nock(API).persist();
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  github.post(/access_tokens$/).reply(201, { token: tokenName(1), expires_at });
  const note = (request: Request): [number, object] => {
    sent.push({ path: new URL(request.url).pathname, at: performance.now() });
    return [200, { id: 501 }];
  };
  github.post(/^\/repos\//).reply(note);
  github.get(/^\/repos\//).reply(note);
  clients = createGithubClients({
    ...{
      appId: APP_ID,
      privateKey: PRIVATE_KEY,
      apiUrl: API,
      webUrl: 'https://github.com',
      userAgent: 'Causeway/test',
    },
    installations: { findInstallation: async (id) => installation(undefined, id) },
    now: () => new Date(),
    deadlineMs: 900,
  });
});

afterEach(() => {
  clients[Symbol.dispose]();
  nock.cleanAll();
  nock.enableNetConnect();
});

const place = { owner: 'octo', repo: 'shop', issue_number: 3 };

function react(installationId: number, signal = NEVER) {
  const issue = { ...place, issue_number: installationId };
  return clients
    .repository({ ...SHOP, installationId }, 'talk')
    .call(({ rest }, request) => rest.reactions.createForIssue({ ...issue, content: 'eyes', request }), signal);
}

function read(installationId: number) {
  return clients
    .repository({ ...SHOP, installationId }, 'read')
    .call(({ rest }, request) => rest.issues.get({ ...place, request }), NEVER);
}

it('writes of one installation wait for their turn, outside of their deadline, and another one does not wait for them', async () => {
  // With their tokens at hand.
  await Promise.all([react(holder), react(holder + 1), read(holder)]);
  sent = [];
  const began = performance.now();
  await Promise.all([react(holder), react(holder), react(holder), react(holder + 1), read(holder)]);
  const own = sent.filter(({ path }) => path.endsWith('/reactions'));
  expect(own).toHaveLength(4);
  // Two turns of a second each, from the start: on a busy machine the first one may arrive late.
  expect((own[3]?.at ?? 0) - began).toBeGreaterThan(1_800);
  expect(own.findIndex(({ path }) => path.includes(`/${holder + 1}/`))).toBeLessThan(2);
});

it('a write that is given up while it waits is never sent', async () => {
  const leaving = new AbortController();
  const [first, second] = [react(holder), react(holder, leaving.signal)];
  await first;
  leaving.abort(new Error('The job was cancelled.'));
  await expect(second).rejects.toThrow('The job was cancelled.');
  await react(holder);
  expect(sent).toHaveLength(2);
});

it('a limit ends the wait of those behind it: they are handed to the queue, and not sent', async () => {
  nock.cleanAll();
  nock(API)
    .post(/access_tokens$/)
    .reply(201, { token: tokenName(1), expires_at: '2100-01-01T00:00:00Z' });
  nock(API)
    .post(/reactions$/)
    .reply(403, { message: 'You have exceeded a secondary rate limit' }, { 'retry-after': '60' });
  const both = await Promise.allSettled([react(holder), react(holder)]);
  for (const outcome of both) expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'busy' } });
});
