// After a refusal GitHub is left alone until it said, by those whom it refused, and by nobody else.
import { describe, expect, it } from 'vitest';
import { GithubFailure, type TokenUse } from '../../../src/github/clients/github-clients.ts';
import type { Said } from './github-api.ts';
import { APP_ID, type Ground, installation, NEVER, openGround, SHOP } from './ground.ts';

const MINUTE = 60_000;

function read(ground: Ground, installationId = 7, use: TokenUse = 'read') {
  return ground.clients
    .repository({ ...SHOP, installationId }, use)
    .call(
      (octokit, request) => octokit.rest.repos.get({ owner: 'octo', repo: `shop-${installationId}`, request }),
      NEVER,
    );
}

function query(ground: Ground) {
  return ground.clients
    .repository(SHOP, 'push')
    .call((octokit, request) => octokit.graphql<unknown>('{ viewer { login } }', { request }), NEVER);
}

function search(ground: Ground) {
  return ground.clients
    .repository(SHOP, 'read')
    .call((octokit, request) => octokit.rest.search.code({ q: 'x', request }), NEVER);
}

function asApp(ground: Ground) {
  return ground.clients.app.call((octokit, request) => octokit.rest.apps.getAuthenticated({ request }), NEVER);
}

async function failure(work: Promise<unknown>): Promise<GithubFailure> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(GithubFailure);
  return error as GithubFailure;
}

function later(ground: Ground, ms: number): void {
  ground.clock.now = new Date(ground.clock.now.getTime() + ms);
}

const SECONDARY: Said = {
  status: 403,
  headers: { 'retry-after': '600' },
  body: { message: 'You have exceeded a secondary rate limit' },
};

function spent(ground: Ground, seconds: number): Said {
  const at = Math.ceil(ground.clock.now.getTime() / 1_000) + seconds;
  return {
    status: 403,
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(at) },
    body: { message: 'API rate limit exceeded' },
  };
}

const FINE: Said = { body: { id: 501, data: { viewer: { login: 'x' } }, items: [] } };

describe('a limit', () => {
  it('that GitHub names is kept by every call of that installation, whatever it is for', async () => {
    let isLimited = true;
    await using ground = await openGround({
      'GET /repos/octo/shop-7': () => (isLimited ? SECONDARY : FINE),
      'POST /graphql': () => FINE,
    });
    const first = await failure(read(ground));
    for (let call = 0; call < 60; call += 1) {
      const held = await failure(read(ground, 7, call % 2 === 0 ? 'read' : 'talk'));
      expect(held).toMatchObject({ kind: 'busy', status: null, retryAt: first.retryAt, message: first.message });
    }
    await failure(query(ground));
    later(ground, 599_000);
    await failure(read(ground));
    expect(ground.api.calls()).toEqual(['GET /repos/octo/shop-7']);
    // Nor is a token asked for that could not be used.
    expect(ground.api.tokenRequests()).toHaveLength(1);
    isLimited = false;
    later(ground, 1_000);
    await read(ground);
    await query(ground);
    expect(ground.api.calls()).toHaveLength(3);
  });

  it('of one installation holds back neither another one nor the App', async () => {
    await using ground = await openGround({
      'GET /repos/octo/shop-7': () => SECONDARY,
      'GET /repos/octo/shop-8': () => FINE,
      'GET /app': () => FINE,
    });
    ground.known.set(8, { ...installation(), id: 8 });
    await failure(read(ground));
    await read(ground, 8);
    await asApp(ground);
    await failure(read(ground));
    expect(ground.api.calls()).toEqual(['GET /repos/octo/shop-7', 'GET /repos/octo/shop-8', 'GET /app']);
  });

  it('of an hour that is used up is one for each count of GitHub', async () => {
    await using ground = await openGround({
      'GET /repos/octo/shop-7': () => spent(ground, 1_800),
      'POST /graphql': () => FINE,
      'GET /search/code': () => FINE,
    });
    await failure(read(ground));
    await query(ground);
    await search(ground);
    later(ground, 29 * MINUTE);
    await failure(read(ground));
    expect(ground.api.calls()).toEqual(['GET /repos/octo/shop-7', 'POST /graphql', 'GET /search/code?q=x']);
    later(ground, 2 * MINUTE);
    await failure(read(ground));
    expect(ground.api.calls()).toHaveLength(4);
  });

  it('of the App leaves those at work who have their token', async () => {
    await using ground = await openGround({
      'GET /app': () => SECONDARY,
      'GET /repos/octo/shop-7': () => FINE,
    });
    ground.known.set(8, { ...installation(), id: 8 });
    await read(ground);
    await failure(asApp(ground));
    await read(ground);
    const held = await failure(read(ground, 8));
    expect(held.retryAt).toEqual(new Date(ground.clock.now.getTime() + 600_000));
    expect(ground.api.tokenRequests()).toHaveLength(1);
  });

  it('of the installation that is asked for the bot does not keep our name from the others', async () => {
    await using ground = await openGround({
      'GET /app': () => ({ body: { id: APP_ID, slug: 'causeway', owner: { id: 90, login: 'octo' } } }),
      'GET /app/installations': () => ({ body: [7, 8].map((id) => ({ id, suspended_at: null })) }),
      'GET /repos/octo/shop-7': () => SECONDARY,
      'GET /users/causeway[bot]': () => ({ body: { id: 12_345, login: 'causeway[bot]' } }),
    });
    await failure(read(ground));
    expect((await ground.clients.identity(NEVER)).botId).toBe(12_345);
    expect(ground.api.asked.at(-1)?.authorization).toBe('');
  });
});
