// A real Chromium without a window, for pages as people see them.
import { setTimeout as sleep } from 'node:timers/promises';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core';

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

const UNPACKING_MS = 30_000;

/** The first to come unpacks it among the temporary files; whoever finds it half written may not start it yet. */
async function launched(): Promise<Browser> {
  // A graphics card played by software is a quarter of the processor time of these tests, and pages of text need none.
  chromium.setGraphicsMode = false;
  const executablePath = await chromium.executablePath();
  // In a single process, closing one page's context ends the whole browser.
  const args = [...chromium.args.filter((argument) => argument !== '--single-process'), '--disable-gpu'];
  for (const end = Date.now() + UNPACKING_MS; ; await sleep(100)) {
    try {
      return await playwright.launch({ executablePath, args, headless: true });
    } catch (error) {
      if (Date.now() > end || !String(error).includes('ETXTBSY')) throw error;
    }
  }
}
