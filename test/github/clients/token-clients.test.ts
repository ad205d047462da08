// One given token, as a job of GitHub Actions has it: who it says that we are, and how much of GitHub it reads.
import { expect, it } from 'vitest';
import { createTokenClients } from '../../../src/github/clients/token-clients.ts';
import { startGithubApi } from './github-api.ts';
import { NEVER, SHOP } from './ground.ts';

const NOW = new Date('2026-11-01T10:00:00Z');

async function openClients(remaining = 900, mostReads = 3) {
  const api = await startGithubApi({
    'GET /repos/*/*': () => ({ body: { id: 501 }, headers: { 'x-ratelimit-remaining': String(remaining) } }),
    'POST /repos/*/*/issues/*/comments': () => ({ status: 201, body: { id: 1 } }),
    'GET /apps/*': () => ({ body: { id: 15_368, slug: 'github-actions' } }),
    'POST /graphql': () => ({ body: { data: { viewer: { login: 'github-actions[bot]', databaseId: 41_898_282 } } } }),
  });
  const place = { apiUrl: api.url, webUrl: api.url, userAgent: 'test', now: () => NOW };
  const unread: string[] = [];
  const onUnread = (what: string) => void unread.push(what);
  const clients = createTokenClients({ ...place, token: 'ghs_0123456789abcdefghij', mostReads, onUnread });
  return {
    unread,
    api,
    clients,
    read: () =>
      clients
        .repository(SHOP, 'read')
        .call(({ rest }, request) => rest.repos.get({ owner: 'octo', repo: 'shop', request }), NEVER),
    say: () =>
      clients
        .repository(SHOP, 'talk')
        .call(
          ({ rest }, request) =>
            rest.issues.createComment({ owner: 'octo', repo: 'shop', issue_number: 1, body: 'x', request }),
          NEVER,
        ),
    async [Symbol.asyncDispose]() {
      clients[Symbol.dispose]();
      await api[Symbol.asyncDispose]();
    },
  };
}

it('is GitHub Actions, whose other check runs are not ours', async () => {
  await using given = await openClients();
  expect(await given.clients.identity(NEVER)).toMatchObject({
    ...{ appId: 15_368, slug: 'github-actions', botId: 41_898_282, isShared: true },
  });
  expect(given.api.asked.map(({ authorization }) => authorization)).toEqual(
    Array(2).fill('token ghs_0123456789abcdefghij'),
  );
});

it('reads so often and no more, and can still write then', async () => {
  await using given = await openClients();
  for (let at = 0; at < 3; at += 1) await given.read();
  await expect(given.read()).rejects.toMatchObject({ kind: 'busy', retryAt: new Date('2026-11-01T11:00:00Z') });
  expect(given.unread).toEqual(['the repository']);
  await given.say();
  expect(given.api.asked).toHaveLength(4);
});

it('leaves the last calls of the hour to other workflows', async () => {
  await using given = await openClients(99);
  await given.read();
  await expect(given.read()).rejects.toThrow('fewer than 100 left for the other workflows');
  await given.say();
});
