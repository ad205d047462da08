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

/** Words that begin on one line and end on another; only code, such as an address, may be longer than a line. */
const BROKEN_WORDS = `(() => {
  const broken = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (text.parentElement.closest('code') !== null) continue;
    for (const { index, 0: word } of text.data.matchAll(/\\p{L}{2,30}/gu)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (tops.size > 1) broken.add(word);
    }
  }
  return [...broken];
})()`;

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
      expect(await page.evaluate(BROKEN_WORDS), `words on two lines, ${viewport.width} wide`).toEqual([]);
      const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
      expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
    }
    expect(faults).toEqual([]);
  });
});
