// The documentation page in a real browser: wide and narrow, light and dark, for every reader.
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../src/api/server.ts';
import { createLog } from '../../src/log.ts';
import { type OpenBrowser, openBrowser } from '../support/browser.ts';
import { type ApiGround, apiGround } from './api-ground.ts';

let ground: ApiGround;
let server: RunningServer;
let browser: OpenBrowser;
beforeAll(async () => {
  ground = await apiGround();
  const log = createLog({ level: 'silent' });
  server = await startServer({ fetch: ground.api.fetch, host: '127.0.0.1', port: 0, loopbackOnly: true, log });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await ground[Symbol.asyncDispose]();
});

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly impact: string | null; readonly help: string }[];
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };

describe('the documentation page', () => {
  it('renders without errors, fits every screen, and is accessible', async () => {
    // Only the checker's own script needs the policy out of the way; the other test keeps it.
    const { page, faults } = await browser.page({ viewport: WIDE, bypassCSP: true });
    await page.goto(`${server.address}/docs`);
    expect(await page.title()).toBe('Causeway API');
    expect(await page.getByRole('heading', { name: 'Create an issue' }).isVisible()).toBe(true);
    await page.evaluate('document.querySelectorAll("details").forEach((details) => { details.open = true; })');
    await page.addScriptTag({ path: AXE });
    for (const [viewport, colorScheme] of [
      [WIDE, 'light'],
      [NARROW, 'dark'],
    ] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
      const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
      expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
    }
    expect(faults).toEqual([]);
  });
});
