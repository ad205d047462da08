// What bars people from a page: found by axe in the real browser, and by its width.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** The size of targets is off by default, although WCAG 2.2 AA asks for it (2.5.8). */
const RULES = { 'target-size': { enabled: true } };
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** One line for each violation of WCAG 2.2 AA and of axe's own best practices, on the page as it is shown now. */
export async function violationsOn(page: Page): Promise<readonly string[]> {
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
export function overhang(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
