// Which token GitHub is asked for, what it may do, and for how long it is used.
import { expect, it } from 'vitest';
import { createGithubClients } from '../../../src/github/clients/create-github-clients.ts';
import type { TokenUse } from '../../../src/github/clients/github-clients.ts';
import { listRegisteredSecrets } from '../../../src/log.ts';
import { APP_ID, type Ground, installation, NEVER, openGround, SHOP, tokenName } from './ground.ts';

const REPOSITORY = { 'GET /repos/*/*': () => ({ body: { id: 501 } }) };

function read(ground: Ground, use: TokenUse = 'read') {
  return ground.clients
    .repository(SHOP, use)
    .call((octokit, request) => octokit.rest.repos.get({ owner: 'octo', repo: 'shop', request }), NEVER);
}

it.each<readonly [TokenUse, Record<string, string>]>([
  ['git', { metadata: 'read', contents: 'read' }],
  [
    'read',
    {
      metadata: 'read',
      contents: 'read',
      issues: 'read',
      pull_requests: 'read',
      checks: 'read',
      statuses: 'read',
      actions: 'read',
    },
  ],
  ['talk', { metadata: 'read', issues: 'write', pull_requests: 'write' }],
  ['push', { metadata: 'read', contents: 'write', pull_requests: 'write' }],
  ['check', { metadata: 'read', checks: 'write' }],
])('a token to %s is of one repository and may do nothing else', async (use, permissions) => {
  await using ground = await openGround(REPOSITORY);
  await read(ground, use);
  expect(ground.api.asked[0]).toMatchObject({ method: 'POST', path: '/app/installations/7/access_tokens' });
  expect(ground.api.tokenRequests()).toEqual([{ repository_ids: [501], permissions }]);
  expect(ground.api.asked[1]?.authorization).toBe(`token ${tokenName(1)}`);
});

it('a token is not asked for more than the installation was granted', async () => {
  await using ground = await openGround(REPOSITORY);
  ground.known.set(7, installation({ metadata: 'read', contents: 'read', pull_requests: 'write' }));
  await read(ground, 'push');
  await read(ground, 'check');
  await read(ground, 'talk');
  expect(ground.api.tokenRequests().map((body) => (body as { permissions: unknown }).permissions)).toEqual([
    { metadata: 'read', contents: 'read', pull_requests: 'write' },
    { metadata: 'read' },
    { metadata: 'read', pull_requests: 'write' },
  ]);
});

it('a token to list repositories sees all of them and can do nothing with them', async () => {
  await using ground = await openGround({ 'GET /installation/repositories': () => ({ body: { repositories: [] } }) });
  await ground.clients
    .installation(7)
    .call((octokit, request) => octokit.rest.apps.listReposAccessibleToInstallation({ request }), NEVER);
  expect(ground.api.tokenRequests()).toEqual([{ permissions: { metadata: 'read' } }]);
});

it('permissions that were taken back unheard are left out of a second request', async () => {
  let asked = 0;
  await using ground = await openGround({
    ...REPOSITORY,
    'POST /app/installations/*/access_tokens': () => {
      asked += 1;
      return asked === 1
        ? { status: 422, body: { message: 'The permissions requested are not granted to this installation.' } }
        : { status: 201, body: { token: tokenName(9), expires_at: '2100-01-01T00:00:00Z' } };
    },
    'GET /app/installations/*': () => ({ body: { id: 7, permissions: { metadata: 'read', contents: 'read' } } }),
  });
  await read(ground, 'push');
  expect(ground.api.tokenRequests()[1]).toEqual({
    repository_ids: [501],
    permissions: { metadata: 'read', contents: 'read' },
  });
});

it('callers at the same time share one request for a token; other uses and repositories get their own', async () => {
  await using ground = await openGround(REPOSITORY);
  await Promise.all([read(ground), read(ground), read(ground), read(ground, 'git')]);
  await ground.clients.gitToken({ ...SHOP, repositoryId: 502 }, NEVER);
  expect(ground.api.tokenRequests().map((body) => (body as { repository_ids: number[] }).repository_ids[0])).toEqual([
    501, 501, 502,
  ]);
});

it('a token that GitHub no longer takes is thrown away, and the call made once more with a new one', async () => {
  await using ground = await openGround({
    'GET /repos/*/*': ({ authorization }) =>
      authorization.endsWith(tokenName(1))
        ? { status: 401, body: { message: 'Bad credentials' } }
        : { body: { id: 501 } },
  });
  expect((await read(ground)).data.id).toBe(501);
  await read(ground);
  expect(ground.api.tokenRequests()).toHaveLength(2);
});

it('an installation that is not known is gone, and GitHub is not asked', async () => {
  await using ground = await openGround(REPOSITORY);
  ground.known.clear();
  await expect(read(ground)).rejects.toMatchObject({ kind: 'gone', code: 'github_failed' });
  expect(ground.api.asked).toEqual([]);
});

it('tokens are in the register of secrets', async () => {
  await using ground = await openGround({
    'POST /app/installations/*/access_tokens': () => ({
      status: 201,
      body: { token: 'ghs_registeredSecret1', expires_at: '2100-01-01T00:00:00Z' },
    }),
  });
  expect(await ground.clients.gitToken(SHOP, NEVER)).toBe('ghs_registeredSecret1');
  expect(listRegisteredSecrets()).toContain('ghs_registeredSecret1');
});

it('a key that is none is refused with the name of its variable', () => {
  const wrong = {
    appId: 1,
    privateKey: 'x',
    apiUrl: 'http://127.0.0.1:9',
    webUrl: '',
    userAgent: 'x',
    installations: { findInstallation: async () => null },
    now: () => new Date(),
  };
  expect(() => createGithubClients(wrong)).toThrow(/PRIVATE_KEY is not an RSA private key/);
});

const IDENTITY = {
  'GET /app': () => ({
    body: {
      ...{ id: APP_ID, slug: 'causeway', owner: { id: 90, login: 'octo', type: 'Organization' } },
      permissions: { contents: 'read' },
    },
  }),
  'GET /users/causeway[bot]': () => ({ body: { id: 12_345, login: 'causeway[bot]' } }),
};

it('the App knows its own name, its owner and its bot, and asks once an hour', async () => {
  await using ground = await openGround({
    ...IDENTITY,
    'GET /app/installations': () => ({
      body: [
        { id: 6, suspended_at: '2026-01-01T00:00:00Z' },
        { id: 7, suspended_at: null },
      ],
    }),
  });
  const expected = {
    appId: APP_ID,
    slug: 'causeway',
    owner: { id: 90, login: 'octo' },
    botLogin: 'causeway[bot]',
    botId: 12_345,
    permissions: { contents: 'read' },
    isShared: false,
  };
  const [first, second] = await Promise.all([ground.clients.identity(NEVER), ground.clients.identity(NEVER)]);
  expect([first, second]).toEqual([expected, expected]);
  ground.clock.now = new Date(ground.clock.now.getTime() + 59 * 60_000);
  await ground.clients.identity(NEVER);
  expect(ground.api.calls().filter((call) => call === 'GET /app')).toHaveLength(1);
  expect(ground.api.asked.at(-1)).toMatchObject({
    path: '/users/causeway%5Bbot%5D',
    authorization: 'token ghs_000000000001',
  });
  ground.clock.now = new Date(ground.clock.now.getTime() + 2 * 60_000);
  await ground.clients.identity(NEVER);
  expect(ground.api.calls().filter((call) => call === 'GET /app')).toHaveLength(2);
});

it('before anybody has installed the App its bot is looked up as anybody may', async () => {
  await using ground = await openGround({ ...IDENTITY, 'GET /app/installations': () => ({ body: [] }) });
  expect((await ground.clients.identity(NEVER)).botId).toBe(12_345);
  expect(ground.api.asked.at(-1)?.authorization).toBe('');
});

it('an identity that could not be read is asked for again', async () => {
  let isDown = true;
  await using ground = await openGround({
    ...IDENTITY,
    'GET /app/installations': () => ({ body: [] }),
    'GET /app': () => (isDown ? { status: 502 } : IDENTITY['GET /app']()),
  });
  await expect(ground.clients.identity(NEVER)).rejects.toMatchObject({ kind: 'unsure' });
  isDown = false;
  expect((await ground.clients.identity(NEVER)).slug).toBe('causeway');
});
