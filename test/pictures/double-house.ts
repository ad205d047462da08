// Causeway on the GitHub double as docs/github.md starts the two, with the steps of that walk that pictures are taken of.

import { setTimeout as sleep } from 'node:timers/promises';
import { type GithubDouble, startGithubDouble } from 'causeway-github-double';
import type { Page } from 'playwright-core';
import { DEMO_SHOP, openDemoShop } from '../double-program/demo-shop.ts';
import { CAUSEWAY_APP } from '../support/causeway-app.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import type { Ground } from '../try-github/ground.ts';
import { findFreePort, startCauseway } from '../try-github/service.ts';
import { SCRIPTED } from '../try-github/try-github.ts';

const OWNER = 'corner';
const DELIVERY = 'src/delivery.js';

export interface DoubleHouse extends AsyncDisposable {
  /** In the account area. */
  signIn(page: Page, login: string): Promise<void>;
  /** On the double, as mara. */
  label(page: Page, issue: number): Promise<void>;
  /** The page of the investigation that runs, once it has asked the model. */
  openRunning(page: Page): Promise<void>;
  /** Until Causeway has said that there. */
  untilComment(number: number, words: RegExp): Promise<void>;
  /** In the account area, what came of that issue. */
  openIssue(page: Page, issue: number): Promise<void>;
  /** Pushes the change of docs/github.md with a pull request, and waits for its suggestion; gives the number. */
  breakDelivery(page: Page): Promise<number>;
  /** What the pull request changes, on the double. */
  openFiles(page: Page, number: number): Promise<void>;
}

export async function openDoubleHouse(): Promise<DoubleHouse> {
  await using opening = new AsyncDisposableStack();
  const double = opening.use(await startGithubDouble({ basePath: '/api/v3', app: CAUSEWAY_APP, page: true }));
  const { app, people } = double;
  const port = await findFreePort();
  const address = `http://127.0.0.1:${port}`;
  app.webhookUrl = `${address}/api/github/webhooks`;
  app.callbackUrls.push(`${address}/account/callback`);
  people.organization(OWNER, { owners: ['nora'], members: ['per'] });
  const ci = await openDemoShop(double);
  opening.defer(async () => void (await ci.settled()));
  people.install(OWNER, { by: 'nora' });
  const ending = new AbortController();
  const limits = { budget: 1, signal: ending.signal };
  opening.use(await startCauseway(toGround(double, port), 'mara', limits));
  const opened = opening.move();
  const shop = `${double.webUrl}/${DEMO_SHOP}`;
  const bodies = (number: number) =>
    people.comments(DEMO_SHOP, number).filter(({ authorId }) => authorId === app.botId);
  const untilComment = (number: number, words: RegExp) =>
    until(`${words} at #${number}`, () => bodies(number).some(({ body }) => words.test(body)));
  return {
    untilComment,
    signIn: async (page, login) => {
      await page.goto(`${address}/sign-in`);
      await page.getByRole('button', { name: 'Sign in with GitHub' }).click();
      await page.getByRole('radio', { name: login }).check();
      await page.getByRole('button', { name: /^Authorize/ }).click();
      await page.waitForURL(`${address}/`);
    },
    label: async (page, issue) => {
      await page.goto(`${shop}/issues/${issue}`);
      await page.getByRole('button', { name: 'Add label' }).click();
    },
    openRunning: async (page) => {
      const link = page.locator('#running-now .row-link').first();
      await until('an investigation that runs', async () => {
        await page.goto(`${address}/`);
        return (await link.count()) > 0;
      });
      await link.click();
      await page.locator('.steps li').nth(5).waitFor();
    },
    openIssue: async (page, issue) => {
      await page.goto(`${address}/projects`);
      await page.getByRole('link', { name: DEMO_SHOP }).first().click();
      await page
        .locator('tr', { hasText: `#${issue}` })
        .locator('a[href^="/issues/"]')
        .first()
        .click();
      await page.waitForURL(/\/issues\//);
    },
    breakDelivery: async (page) => {
      await page.goto(`${shop}/blob/main/${DELIVERY}`);
      const content = page.getByLabel('Content');
      const lines = (await content.inputValue()).split('\n');
      lines[6] = lines[6]?.replace('>=', '>') ?? '';
      await content.fill(lines.join('\n'));
      await page.getByRole('button', { name: 'Push' }).click();
      const pulls = [...double.repository(DEMO_SHOP).issues.values()].filter(({ pull }) => pull !== null);
      const number = Math.max(...pulls.map((one) => one.number));
      const isSuggested = () => double.repository(DEMO_SHOP).reviewComments.size > 0;
      await until('the suggestion', isSuggested);
      return number;
    },
    openFiles: async (page, number) => {
      await page.goto(`${shop}/pull/${number}/files?view=reader`);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function toGround(double: GithubDouble, port: number): Ground {
  const { app, people } = double;
  return {
    ...{ apiUrl: double.apiUrl, webUrl: double.webUrl, sandbox: DEMO_SHOP, port, hookUrl: app.webhookUrl ?? '' },
    app: { id: String(app.id), privateKey: app.privateKey },
    token: people.userToken('mara'),
    environment: {
      ...{ PATH: process.env['PATH'], HOME: process.env['HOME'], APP_ID: String(app.id), PRIVATE_KEY: app.privateKey },
      ...{ WEBHOOK_SECRET: app.webhookSecret, GITHUB_CLIENT_ID: app.clientId, GITHUB_CLIENT_SECRET: app.clientSecret },
      ...{ GHE_HOST: new URL(double.webUrl).host, GHE_PROTOCOL: 'http', MODEL: SCRIPTED },
    },
  };
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await isSo()); await sleep(200)) {
    if (Date.now() > end) throw new Error(`It did not come to ${what}.`);
  }
}
