// Tokens of the double reach what they were made for, and nothing else.
import { describe, expect, test } from 'vitest';
import { appJwt, ask, installationToken } from './ask.ts';
import { openDouble, shop } from './shop.ts';

const HOUR = 3_600_000;

describe('an installation token', () => {
  test('of one repository finds no other one, and of a read permission writes nothing', async () => {
    await using github = await openDouble();
    const { installation, repository } = await shop(github);
    await github.people.openRepository('octo/vault', { isPrivate: true });
    const scope = { repository_ids: [repository.id], permissions: { issues: 'read' } } as const;
    const token = await installationToken(github, installation, scope);
    github.people.openIssue('octo/shop', { by: 'ada', title: 'Broken' });
    expect((await ask(github, 'GET /repos/octo/shop/issues/1', { token })).status).toBe(200);
    expect((await ask(github, 'GET /repos/octo/vault', { token })).status).toBe(404);
    const comment = await ask(github, 'POST /repos/octo/shop/issues/1/comments', { token, body: { body: 'x' } });
    expect(comment).toMatchObject({ status: 403, body: { message: 'Resource not accessible by integration' } });
    expect(comment.headers.get('x-accepted-github-permissions')).toBe('issues=write; pull_requests=write');
    expect((await ask(github, 'GET /repos/octo/shop/contents/README.md', { token })).status).toBe(403);
    expect(github.people.comments('octo/shop', 1)).toEqual([]);
    expect(github.requests.at(-1)).toMatchObject({
      tokenKind: 'installation',
      permissions: { issues: 'read', metadata: 'read' },
      repositoryIds: [repository.id],
      status: 403,
    });
  });

  test('is not made for more than the installation has', async () => {
    await using github = await openDouble();
    const { installation } = await shop(github);
    const other = await github.people.openRepository('corner/other');
    const line = `POST /app/installations/${installation.id}/access_tokens`;
    const token = appJwt(github);
    expect((await ask(github, line, { token, body: { permissions: { actions: 'write' } } })).status).toBe(422);
    expect((await ask(github, line, { token, body: { permissions: { workflows: 'write' } } })).status).toBe(422);
    expect((await ask(github, line, { token, body: { repository_ids: [other.id] } })).status).toBe(422);
  });

  test('ends after an hour, with the suspension, with the installation', async () => {
    await using github = await openDouble();
    const { installation, token } = await shop(github);
    const status = async (one: string) => (await ask(github, 'GET /repos/octo/shop', { token: one })).status;
    expect(await status(token)).toBe(200);
    github.people.suspend(installation, 'ada');
    expect(await status(token)).toBe(403);
    github.people.unsuspend(installation, 'ada');
    github.state.clock.advance(HOUR);
    expect(await status(token)).toBe(401);
    const fresh = await installationToken(github, installation);
    expect(await status(fresh)).toBe(200);
    github.people.uninstall(installation, 'ada');
    expect(await status(fresh)).toBe(401);
    const again = await ask(github, `POST /app/installations/${installation.id}/access_tokens`, {
      token: appJwt(github),
    });
    expect(again.status).toBe(404);
  });

  test('loses what the installation loses', async () => {
    await using github = await openDouble();
    const { installation, token } = await shop(github);
    github.people.acceptPermissions(installation, { metadata: 'read' }, 'ada');
    expect((await ask(github, 'GET /repos/octo/shop/contents/README.md', { token })).status).toBe(403);
    github.people.transferRepository('octo/shop', github.people.user('eve').login, 'ada');
    expect((await ask(github, 'GET /repos/octo/shop', { token })).status).toBe(404);
  });
});

test('a JWT that is signed by another key, stale or from the future is refused', async () => {
  await using github = await openDouble();
  const stranger = github.people.otherApp('stranger');
  const forged = appJwt(github, { ...github.app, privateKey: stranger.privateKey });
  const asked = [forged, appJwt(github, github.app, -700), appJwt(github, github.app, 300)];
  for (const token of asked) expect((await ask(github, 'GET /app', { token })).status).toBe(401);
  expect((await ask(github, 'GET /app', { token: appJwt(github) })).status).toBe(200);
});

test('what a person may do is told by role, custom roles by their base too, and nobody else is known', async () => {
  await using github = await openDouble();
  const { token } = await shop(github);
  const { people } = github;
  people.grant('octo/shop', 'tom', 'triage');
  people.grant('octo/shop', 'cat', 'write', 'release manager');
  people.user('stranger');
  const roleOf = async (login: string) => {
    const { status, body } = await ask(github, `GET /repos/octo/shop/collaborators/${login}/permission`, { token });
    const said = body as { permission?: string; role_name?: string };
    return [status, said.permission, said.role_name];
  };
  expect(await roleOf('ada')).toEqual([200, 'admin', 'admin']);
  expect(await roleOf('tom')).toEqual([200, 'read', 'triage']);
  expect(await roleOf('cat')).toEqual([200, 'write', 'release manager']);
  expect(await roleOf('stranger')).toEqual([200, 'read', 'read']);
  people.publiciseRepository('octo/shop', 'ada', true);
  expect((await roleOf('stranger')).slice(0, 2)).toEqual([200, 'none']);
  expect((await roleOf('nobody'))[0]).toBe(404);
  expect((await roleOf('shop-bot[bot]'))[0]).toBe(404);
});

test('a renamed repository is found at its old name by a redirect, a blocked one is 451, an archived one is read-only', async () => {
  await using github = await openDouble();
  const { token, repository } = await shop(github);
  github.people.openIssue('octo/shop', { by: 'ada', title: 'Broken' });
  github.people.renameRepository('octo/shop', 'store', 'ada');
  const moved = await ask(github, 'GET /repos/octo/shop', { token });
  expect(moved).toMatchObject({ status: 301, body: { url: `${github.apiUrl}/repositories/${repository.id}` } });
  expect(moved.headers.get('location')).toBe(`${github.apiUrl}/repositories/${repository.id}`);
  const written = await ask(github, 'POST /repos/octo/shop/issues/1/comments', { token, body: { body: 'x' } });
  const target = written.headers.get('location') ?? '';
  expect([written.status, target]).toEqual([307, `${github.apiUrl}/repositories/${repository.id}/issues/1/comments`]);
  expect((await ask(github, `POST ${target}`, { token, body: { body: 'x' } })).status).toBe(201);
  const byId = await ask(github, `GET /repositories/${repository.id}`, { token });
  expect(byId).toMatchObject({ status: 200, body: { full_name: 'octo/store' } });
  github.people.archiveRepository('octo/store', 'ada');
  const body = { body: 'x' };
  expect((await ask(github, 'POST /repos/octo/store/issues/1/comments', { token, body })).status).toBe(403);
  repository.isBlocked = true;
  expect((await ask(github, 'GET /repos/octo/store', { token })).status).toBe(451);
});

test('what the double does not know, and what GitHub does not describe, fails its disposal', async () => {
  const github = await openDouble();
  await ask(github, 'GET /repos/octo/shop/no-such-thing');
  await expect(github[Symbol.asyncDispose]()).rejects.toThrow(
    /unknown request: GET \/repos\/octo\/shop\/no-such-thing/,
  );
  const strict = await openDouble();
  const { token } = await shop(strict);
  strict.people.openIssue('octo/shop', { by: 'ada', title: 'Broken' });
  await ask(strict, 'POST /repos/octo/shop/issues/1/reactions', { token, body: { content: 'thumbs' } });
  await expect(strict[Symbol.asyncDispose]()).rejects.toThrow(/reactions\/create-for-issue/);
});
