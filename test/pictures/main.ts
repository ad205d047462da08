// Takes the pictures of README and docs/ from what the code shows now, offline.
//   npm run pictures -- [NAME…]
// On the GitHub double the shipped script plays the model and CI really runs; the first screen and the failures show made-up records.

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowser } from '../support/browser.ts';
import { FULL, fillHouse, REPOSITORIES } from '../web/filled-house.ts';
import { BASE, webGround } from '../web/web-ground.ts';
import { type DoubleHouse, openDoubleHouse } from './double-house.ts';
import { toPalette } from './palette.ts';

const FOLDER = path.join(import.meta.dirname, '..', '..', 'docs', 'images');
const SIZE = { width: 1_280, height: 800 };

/** Those of the filled house, and those of one walk on the double, in its order. */
const OF_HOUSE = ['needs-you', 'account-failures'] as const;
const OF_DOUBLE = ['account-live', 'account-issue', 'red-annotations'] as const;
const ALL: readonly string[] = [...OF_HOUSE, ...OF_DOUBLE];

await using browser = await openBrowser();
const { page: blank } = await browser.page();

/** In light colours, standing still. */
async function openPage(): Promise<Page> {
  const { page } = await browser.page({ viewport: SIZE, colorScheme: 'light', reducedMotion: 'reduce' });
  return page;
}

async function take(name: string, page: Page, selector: string | null = null): Promise<void> {
  const file = path.join(FOLDER, `${name}.png`);
  // No cursor and no open menu that the way there has left.
  await page.mouse.move(0, 0);
  const shown = selector === null ? page : page.locator(selector).first();
  const picture = await toPalette(blank, await shown.screenshot({ animations: 'disabled' }));
  await writeFile(file, picture);
  process.stdout.write(`docs/images/${name}.png, ${Math.ceil(picture.length / 1_024)} KB\n`);
}

/** A project of the smaller house has failures of every kind. */
async function takeOfHouse(wanted: readonly string[]): Promise<void> {
  if (wanted.includes('needs-you')) await takeOne('needs-you', REPOSITORIES.slice(0, 11), () => '/');
  if (wanted.includes('account-failures'))
    await takeOne('account-failures', REPOSITORIES.slice(0, 5), (id) => `/projects/${id}/failures`);
}

async function takeOne(
  name: (typeof OF_HOUSE)[number],
  repositories: typeof REPOSITORIES,
  toAddress: (projectId: string) => string,
): Promise<void> {
  await using ground = await webGround({ repositories });
  await fillHouse(ground, FULL);
  const page = await openPage();
  await page.clock.setFixedTime(ground.clock.now);
  await page.route(`${BASE}/**`, async (route) => {
    const { pathname, search } = new URL(route.request().url());
    const answer = await ground.visitor.get(`${pathname}${search}`);
    const body = Buffer.from(await answer.arrayBuffer());
    await route.fulfill({ status: answer.status, headers: Object.fromEntries(answer.headers), body });
  });
  await page.goto(`${BASE}${toAddress(ground.projects[0]?.id ?? '')}`);
  await take(name, page);
}

async function takeOfDouble(wanted: readonly string[]): Promise<void> {
  await using house: DoubleHouse = await openDoubleHouse();
  const page = await openPage();
  await house.signIn(page, 'mara');
  // Its reporter has write, so that one label leads to the pull request and its proof.
  await house.label(page, 2);
  if (wanted.includes('account-live')) {
    await house.openRunning(page);
    await take('account-live', page);
  }
  if (wanted.includes('account-issue')) {
    await house.untilComment(2, /proven in CI/);
    await house.openIssue(page, 2);
    await take('account-issue', page);
  }
  if (wanted.includes('red-annotations')) {
    const number = await house.breakDelivery(page);
    await house.openFiles(page, number);
    await take('red-annotations', page, '.box.file');
  }
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !ALL.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no picture ${unknown.join(', ')}: ${ALL.join(', ')}\n`);
  process.exitCode = 2;
} else {
  const names = wanted.length === 0 ? ALL : wanted;
  await mkdir(FOLDER, { recursive: true });
  if (OF_HOUSE.some((name) => names.includes(name))) await takeOfHouse(names);
  if (OF_DOUBLE.some((name) => names.includes(name))) await takeOfDouble(names);
}
