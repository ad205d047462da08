// The page on which the App is installed: asked for once, and never waited for long.
import { expect, it } from 'vitest';
import { createInstallPage } from '../../../src/github/setup/make-app.ts';
import type { Route } from '../clients/github-api.ts';
import { NEVER, openGround } from '../clients/ground.ts';

const ROUTES: Record<string, Route> = {
  'GET /app': () => ({ body: { id: 4711, slug: 'causeway-octo', owner: { id: 90, login: 'octo' } } }),
  'GET /app/installations': () => ({ body: [] }),
  'GET /users/*': () => ({ body: { id: 12_345, login: 'causeway-octo[bot]' } }),
};

it('is the one of the App that GitHub names, asked for when it is wanted and then known', async () => {
  await using ground = await openGround(ROUTES);
  const page = createInstallPage(ground.clients, 'https://github.com');
  const enterprise = createInstallPage(ground.clients, 'https://git.octo.test');
  expect(ground.api.asked).toEqual([]);
  expect(await page(NEVER)).toBe('https://github.com/apps/causeway-octo/installations/new');
  const asked = ground.api.asked.length;
  expect(await page(NEVER)).toBe('https://github.com/apps/causeway-octo/installations/new');
  expect(await enterprise(NEVER)).toBe('https://git.octo.test/github-apps/causeway-octo/installations/new');
  expect(ground.api.asked).toHaveLength(asked);
});

it('is "" where GitHub does not answer soon, or nobody waits any more', async () => {
  await using ground = await openGround({ ...ROUTES, 'GET /app': () => 'hang' }, { deadlineMs: 600_000 });
  expect(await createInstallPage(ground.clients, 'https://github.com', 20)(NEVER)).toBe('');
  expect(await createInstallPage(ground.clients, 'https://github.com', 60_000)(AbortSignal.abort())).toBe('');
});
