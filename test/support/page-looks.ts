// A page as different people have it: light and dark, on a wide screen and on a narrow one; and pictures of it.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { overhang, violationsOn } from './accessible.ts';

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
