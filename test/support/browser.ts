// A real browser for tests of pages: opens them, looks for barriers, and collects what it complains about.
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core';
import { PATIENCE_MS } from './patience.ts';

export interface OpenBrowser extends AsyncDisposable {
  /** A page in a context of its own; `faults` collects whatever it complains about. */
  page(options?: BrowserContextOptions): Promise<{ readonly page: Page; readonly faults: readonly string[] }>;
}

/** Starts the Chromium that the packages bring; it reaches loopback only as far as the test lets it. */
export async function openBrowser(): Promise<OpenBrowser> {
  const browser = await launched();
  return {
    page: async (options = {}) => {
      const context = await browser.newContext(options);
      context.setDefaultTimeout(PATIENCE_MS);
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) faults.push(message.text());
      });
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('requestfailed', (request) => {
        const why = request.failure()?.errorText ?? '';
        // What the page was still asking when it was left for the next one.
        if (why !== 'net::ERR_ABORTED') faults.push(`${request.url()} failed: ${why}`);
      });
      return { page, faults };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** The first to come unpacks it among the temporary files; whoever finds it half written may not start it yet. */
async function launched(): Promise<Browser> {
  // A graphics card played by software is a quarter of the processor time of these tests, and pages of text need none.
  chromium.setGraphicsMode = false;
  const executablePath = await chromium.executablePath();
  // In a single process, closing one page's context ends the whole browser.
  const args = [...chromium.args.filter((argument) => argument !== '--single-process'), '--disable-gpu'];
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(100)) {
    try {
      return await playwright.launch({ executablePath, args, headless: true, timeout: PATIENCE_MS });
    } catch (error) {
      if (Date.now() > end || !String(error).includes('ETXTBSY')) throw error;
    }
  }
}

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** The size of targets is off by default, although WCAG 2.2 AA asks for it (2.5.8). */
const RULES = { 'target-size': { enabled: true } };

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** One line for each violation of WCAG 2.2 AA and of axe's own best practices, on the page as it is shown now. */
async function violationsOn(page: Page): Promise<readonly string[]> {
  // By the debugger's road, which the page's policy does not bar; once for a page, since it is half a megabyte to read.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const { violations } = (await page.evaluate(
    `axe.run(document, { resultTypes: ["violations"], rules: ${JSON.stringify(RULES)} })`,
  )) as {
    readonly violations: readonly Violation[];
  };
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)} (${failureSummary})`),
  );
}

/** How many pixels the page is wider than the window. */
function overhang(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

const SIZES = { wide: { width: 1_280, height: 900 }, narrow: { width: 360, height: 740 } } as const;

/** What bars people from the page that is open, in any of its looks: one line each. `name` is that of its pictures. */
export async function barriersOn(page: Page, name: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await photograph(page, `${name}-${size}-${colorScheme}`);
      const wider = await overhang(page);
      const lines = [...(wider > 0 ? [`${wider} pixels wider than the window`] : []), ...(await violationsOn(page))];
      found.push(...lines.map((line) => `${name}, ${size}, ${colorScheme}: ${line}`));
    }
  }
  await page.setViewportSize(SIZES.wide);
  return found;
}

/** With SHOTS, the folder that pictures of the pages are put into, for people to look at. */
async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env['SHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
}
