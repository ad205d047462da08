// With what git reads a repository on GitHub, and what a token that GitHub does not give means for the investigation.
import { expect, it } from 'vitest';
import type { Project } from '../../../src/core/project/project.ts';
import { SourceBusy } from '../../../src/core/source/source.ts';
import { gitCredentials } from '../../../src/github/clients/create-github-clients.ts';
import { NEVER, openGround, SHOP } from './ground.ts';

const PROJECT: Project = { id: 'prj_1', name: 'octo/shop', source: SHOP, createdAt: '2026-11-01T00:00:00.000Z' };
const TOKENS = 'POST /app/installations/*/access_tokens';

it('any other project is read without', async () => {
  await using ground = await openGround({});
  const project: Project = { ...PROJECT, source: { kind: 'url', url: 'https://example.org/a.git' } };
  expect(await gitCredentials(ground.clients, project, NEVER)).toBeNull();
  expect(ground.api.asked).toEqual([]);
});

it('a repository that the App lost says that access was lost', async () => {
  await using ground = await openGround({ [TOKENS]: () => ({ status: 404, body: { message: 'Not Found' } }) });
  await expect(gitCredentials(ground.clients, PROJECT, NEVER)).rejects.toMatchObject({
    code: 'access_lost',
    message: expect.stringContaining('octo/shop'),
  });
});

it('at a limit the investigation waits for its end', async () => {
  await using ground = await openGround({
    [TOKENS]: () => ({ status: 429, headers: { 'retry-after': '90' }, body: { message: 'Slow down' } }),
  });
  const failure = await gitCredentials(ground.clients, PROJECT, NEVER).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SourceBusy);
  expect(failure).toMatchObject({ retryAt: new Date(ground.clock.now.getTime() + 90_000) });
});

it('with GitHub down the repository is out of reach, which may pass', async () => {
  await using ground = await openGround({ [TOKENS]: () => ({ status: 503 }) });
  await expect(gitCredentials(ground.clients, PROJECT, NEVER)).rejects.toMatchObject({
    code: 'repository_unreachable',
  });
});
