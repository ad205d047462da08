// Tokens of people at the double: exchanged under faults, handed back, and by whom.
import { describe, expect, test } from 'vitest';
import { ask } from './ask.ts';
import type { GithubDouble } from './double.ts';
import { startGithubDouble } from './start.ts';

/** A token of ada for the App under test, or for none. */
function tokenOfAda(github: GithubDouble, appId: number | null = github.app.id): string {
  const value = `ghu_${github.state.nextId()}`;
  const userId = github.people.user('ada').id;
  github.state.tokens.set(value, { kind: 'user', userId, appId, expiresAt: null });
  return value;
}

async function handBack(github: GithubDouble, token: unknown, secret = github.app.clientSecret): Promise<number> {
  const { clientId } = github.app;
  const authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
  const options = { headers: { authorization }, body: { access_token: token } };
  return (await ask(github, `DELETE /applications/${clientId}/token`, options)).status;
}

describe('a token of a person', () => {
  test('that its App hands back is believed no more, and is none the second time', async () => {
    await using github = await startGithubDouble();
    const token = tokenOfAda(github);
    expect((await ask(github, 'GET /user', { token })).status).toBe(200);
    expect(await handBack(github, token)).toBe(204);
    expect((await ask(github, 'GET /user', { token })).status).toBe(401);
    expect(await handBack(github, token)).toBe(404);
    expect(github.requests.map(({ tokenKind }) => tokenKind)).toEqual(['user', 'client', 'bad', 'client']);
  });

  test('stays where the secret is wrong, it is of another App, or it says itself that it goes', async () => {
    await using github = await startGithubDouble();
    const token = tokenOfAda(github);
    expect(await handBack(github, token, 'not the secret')).toBe(401);
    expect(await handBack(github, tokenOfAda(github, null))).toBe(404);
    const path = `DELETE /applications/${github.app.clientId}/token`;
    expect((await ask(github, path, { token, body: { access_token: token } })).status).toBe(401);
    expect((await ask(github, 'GET /user', { token })).status).toBe(200);
  });
});

describe('the exchange of a code', () => {
  const exchange = (github: GithubDouble) =>
    fetch(`${github.webUrl}/login/oauth/access_token`, { method: 'POST', body: new URLSearchParams({ code: 'x' }) });

  test('is recorded with what was sent, behind an API that stands beside it too', async () => {
    await using github = await startGithubDouble({ basePath: '/api/v3' });
    expect(await (await exchange(github)).json()).toMatchObject({ error: 'incorrect_client_credentials' });
    expect(github.requests).toMatchObject([
      { method: 'POST', path: '/login/oauth/access_token', tokenKind: 'none', body: 'code=x', status: 200 },
    ]);
  });

  test('is struck by the faults that strike the API', async () => {
    await using github = await startGithubDouble();
    const path = /^\/login\/oauth\/access_token$/;
    github.faults.add({ path, fault: { kind: 'html', when: 'before', status: 200 } });
    github.faults.add({ path, fault: { kind: 'answer', when: 'before', status: 500 } });
    github.faults.add({ path, fault: { kind: 'reset', when: 'before' } });
    expect(await (await exchange(github)).text()).toContain('Unicorn');
    expect((await exchange(github)).status).toBe(500);
    await expect(exchange(github)).rejects.toThrow();
    expect((await exchange(github)).status).toBe(200);
  });
});
