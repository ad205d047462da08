// Set-up mode as its own process, in a real browser: from the one-time code to a running GitHub mode, without a restart.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { manifestGithub } from '../support/manifest-github.ts';
import { type Service, startService, temporaryFolder } from '../support/service.ts';

function printedCode(service: Service): string {
  const code = /one-time code\s+(\S+)/.exec(service.output())?.[1];
  if (code === undefined) throw new Error(`no code in:\n${service.output()}`);
  return code;
}

it('the App is made in the browser, kept sealed, and served at once', async () => {
  await using folder = await temporaryFolder();
  await using github = await manifestGithub();
  const publicUrl = 'https://causeway.example.test';
  const env = {
    ...{ PUBLIC_URL: publicUrl, GHE_HOST: new URL(github.url).host, GHE_PROTOCOL: 'http' },
    ...{ METRICS_TOKEN: 'a-token-for-those-who-operate', LOG_LEVEL: 'debug' },
  };
  await using service = await startService({ projects: [], dataDir: folder.path, env });
  const code = printedCode(service);
  expect((await fetch(`${service.address}/healthz`)).status).toBe(200);
  for (const elsewhere of ['/', '/readyz', '/docs', '/api/v1/projects/', '/api/github/webhooks']) {
    expect((await fetch(service.address + elsewhere)).status).toBe(404);
  }
  await using browser = await openBrowser();
  const { page, faults } = await browser.page();
  await page.goto(`${service.address}/setup`);
  expect(await page.inputValue('#publicUrl')).toBe(publicUrl);
  await page.fill('#code', 'AAAAA-AAAAA-AAAAA-AAAAA');
  await page.click('button');
  expect(await page.textContent('[role=alert]')).toContain("isn't the one-time code");
  // The browser notes that the answer was 403.
  const noted = faults.length;
  await page.fill('#code', code.toLowerCase());
  await page.check('input[value=organisation]');
  await page.fill('input[name=organisation]', 'octo');
  await page.check('input[value=comment]');
  await shot(page, 'setup-form');
  await page.click('button');
  await shot(page, 'setup-hand-over');
  await page.click('button');
  await page.click('text=Create GitHub App');
  expect(await page.textContent('h1')).toBe('causeway-octo is ready');
  await shot(page, 'setup-done');
  expect(await page.getAttribute('a.button', 'href')).toBe(`${github.url}/github-apps/causeway-octo/installations/new`);
  expect(faults.slice(noted)).toEqual([]);

  expect(github.manifests).toHaveLength(1);
  const [{ path: asked, manifest } = { path: '', manifest: {} }] = github.manifests;
  expect(asked).toBe('/organizations/octo/settings/apps/new');
  expect(manifest).toMatchObject({
    public: false,
    hook_attributes: { url: `${publicUrl}/api/github/webhooks`, active: true },
    redirect_url: `${service.address}/setup/created`,
    callback_urls: [`${publicUrl}/account/callback`],
    default_permissions: { contents: 'read', pull_requests: 'read', issues: 'write', metadata: 'read' },
  });
  await expect.poll(() => service.output()).toContain('App 4711');
  await expect.poll(async () => (await fetch(`${service.address}/readyz`)).status).toBe(200);
  expect((await fetch(`${service.address}/setup`)).status).toBe(404);
  // The service that came of it has counted how it came to be.
  expect(service.output()).toContain('"route":"POST /app-manifests/{code}/conversions","status":201');
  const kept = path.join(folder.path, 'github-app');
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  for (const secret of [...github.secrets, 'PRIVATE KEY', '4711']) {
    expect(readFileSync(kept, 'utf8')).not.toContain(secret);
    if (secret !== '4711') expect(service.output()).not.toContain(secret);
  }
  expect(await service.end('SIGTERM')).toBe(0);

  const { PUBLIC_URL: _, ...without } = env;
  await using again = await startService({ projects: [], dataDir: folder.path, env: without });
  expect(again.output()).toContain(`Causeway is ready: ${publicUrl}`);
});

/** For looking at: only where a folder for them is named. */
async function shot(
  page: { screenshot(options: { path: string; fullPage: boolean }): Promise<unknown> },
  name: string,
) {
  const folder = process.env['SCREENSHOTS'];
  if (folder) await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
}
