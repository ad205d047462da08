// A GitHub in front of a real browser: signing in on the way to a page, access that is lost, and the pages that only a GitHub fills.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { barriersOn, type OpenBrowser, openBrowser } from '../../support/browser.ts';
import { heldOf, openDesk } from '../../support/github-desk.ts';
import { type ShopModel, shopModel } from '../../support/github-model.ts';
import { openRedDesk } from '../../support/github-red-desk.ts';
import { COUPONS } from '../../support/github-red-model.ts';
import { reportBug } from '../../support/github-shop.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import { type WebhookReceiver, webhookReceiver } from '../../support/webhook-receiver.ts';

/** Public, with a pull request of ours. */
const SHOP = 'corner/shop';
/** Private and only observed, with a red check and an issue. */
const WATCHED = 'corner/watched';

const opened = new AsyncDisposableStack();
let stage: GithubStage;
let browser: OpenBrowser;
let receiver: WebhookReceiver;
let mara: Page;
let faults: readonly string[];

beforeAll(async () => {
  const model: ShopModel = opened.use(await shopModel());
  receiver = opened.use(await webhookReceiver());
  receiver.answerWith(500);
  stage = opened.use(await openGithubStage({ env: { ...model.env, CALLBACK_ALLOW: '127.0.0.1' } }));
  const shop = await openDesk(stage, SHOP);
  shop.label('mara');
  await shop.pull();
  const watched = await openRedDesk(stage, null, WATCHED, { isPrivate: true, config: 'mode: observe\n' });
  await watched.run(await watched.tip(), { test: COUPONS });
  const number = await reportBug(stage.double, { name: WATCHED, by: 'mara' });
  stage.double.people.label(WATCHED, number, 'analyse', 'mara');
  await stage.until(
    'what would have been posted',
    async () => (await heldOf(stage.dataDir, 2))?.comment || (await heldOf(stage.dataDir, 3))?.comment,
  );
  browser = opened.use(await openBrowser());
  ({ page: mara, faults } = await browser.page());
});

afterAll(() => opened[Symbol.asyncDispose]());

/** Comes in on the way to `path`, as somebody whom GitHub knows already. */
async function signIn(page: Page, login: string, path: string): Promise<void> {
  stage.double.signIns.signedIn = login;
  await page.goto(`${stage.service().address}${path}`);
  await page.getByRole('button', { name: 'Sign in with GitHub' }).click();
  await page.waitForURL(({ pathname }) => !/^\/(?:sign-in|account\/callback)/.test(pathname));
}

function here(page: Page): string {
  return page.url().replace(stage.service().address, '');
}

/** Opens the page of a project from the list of all. */
async function openProject(page: Page, name: string): Promise<string> {
  await page.goto(`${stage.service().address}/projects`);
  await page.getByRole('link', { name, exact: true }).first().click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  return here(page);
}

describe('somebody whom GitHub does not know yet', () => {
  it('says there who they are and comes in, or cancels and is told so', async () => {
    stage.double.signIns.signedIn = null;
    const { page } = await browser.page();
    const begin = async () => {
      await page.goto(`${stage.service().address}/projects`);
      await page.getByRole('button', { name: 'Sign in with GitHub' }).click();
      await page.getByRole('heading', { name: /^Authorize / }).waitFor();
    };
    await begin();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Sign-in cancelled.').waitFor();
    await begin();
    await page.getByRole('radio', { name: 'mara' }).check();
    await page.getByRole('button', { name: /^Authorize / }).click();
    await page.getByRole('link', { name: SHOP, exact: true }).first().waitFor();
    expect(here(page)).toBe('/projects');
    await page.getByRole('link', { name: SHOP, exact: true }).first().click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(SHOP);
  });
});

describe('somebody whom GitHub knows', () => {
  it('comes by one button and by way of GitHub to the page that was asked for', async () => {
    await signIn(mara, 'mara', '/usage');
    expect(here(mara)).toBe('/usage');
    const shop = await openProject(mara, SHOP);
    const again = await browser.page();
    await signIn(again.page, 'mara', shop);
    expect([here(again.page), await again.page.getByRole('heading', { level: 1 }).textContent()]).toEqual([shop, SHOP]);
    // Chromium tells here of a form that the policy keeps from GitHub.
    expect([again.faults, faults]).toEqual([[], []]);
  });

  it('would be held back by Chromium under a policy that does not name GitHub', async () => {
    const { page, faults: complaints } = await browser.page();
    await page.route(
      /\/sign-in$/,
      async (route) => {
        // Not by the browser's own request, which hung once in three whole runs.
        const answer = await fetch(route.request().url());
        const policy = answer.headers.get('content-security-policy') ?? '';
        expect(policy).toContain(`form-action 'self' ${stage.double.webUrl};`);
        const narrow = policy.replace(` ${stage.double.webUrl};`, ';');
        const headers = { ...Object.fromEntries(answer.headers), 'content-security-policy': narrow };
        await route.fulfill({ status: answer.status, headers, body: await answer.text() });
      },
      { times: 1 },
    );
    await page.goto(`${stage.service().address}/sign-in`);
    await page.getByRole('button', { name: 'Sign in with GitHub' }).click();
    await stage.until('the complaint', () => complaints.some((complaint) => complaint.includes('form-action')));
    expect(here(page)).toBe('/sign-in');
  });

  it('loses the project with the role, page, list and issue, and keeps the rest', async () => {
    const { people } = stage.double;
    people.user('vera');
    people.grant(SHOP, 'vera', 'triage');
    people.grant(WATCHED, 'vera', 'read');
    const { page: vera } = await browser.page();
    await signIn(vera, 'vera', '/projects');
    const shop = await openProject(vera, SHOP);
    const issue = vera.getByRole('main').locator('a[href^="/issues/"]').first();
    await issue.click();
    const issuePage = vera.url();
    people.revoke(SHOP, 'vera');
    // Roles are believed for five minutes, and no longer than the process lives.
    await stage.service().end('SIGTERM');
    await stage.restart();
    for (const address of [`${stage.service().address}${shop}`, issuePage]) {
      expect((await vera.goto(address))?.status()).toBe(404);
      expect(await vera.getByRole('main').textContent()).toContain("This page doesn't exist");
    }
    await vera.goto(`${stage.service().address}/projects`);
    const list = (await vera.getByRole('main').textContent()) ?? '';
    expect([list.includes(SHOP), list.includes(WATCHED)]).toEqual([false, true]);
  });
});

describe('the pages that a GitHub fills bar nobody, light and dark, wide and narrow', () => {
  const PAGES: readonly (readonly [name: string, project: string, path: string, words: string])[] = [
    ['public', SHOP, '', 'public'],
    ['private', WATCHED, '', 'private'],
    ['shop-settings', SHOP, '/settings', 'Default branch'],
    ['watched-settings', WATCHED, '/settings', "this repository's file"],
    ['failures', WATCHED, '/failures', 'TypeError'],
    ['observed', WATCHED, '/observed', 'Comment'],
    ['observed-nothing', SHOP, '/observed', 'In the 14 days before it was installed'],
  ];

  it.each(PAGES)('%s', async (name, project, path, words) => {
    const page = await openProject(mara, project);
    await mara.goto(`${stage.service().address}${page}${path}`);
    expect(await mara.getByRole('main').textContent()).toContain(words);
    await unfold(mara);
    expect(await barriersOn(mara, name)).toEqual([]);
  });

  it('one failure', async () => {
    const page = await openProject(mara, WATCHED);
    await mara.goto(`${stage.service().address}${page}/failures`);
    await mara.locator('a[href*="/failures/fal_"]').first().click();
    expect(here(mara)).toMatch(/\/failures\/fal_/);
    expect(await barriersOn(mara, 'failure')).toEqual([]);
  });

  it('an issue with its pull request, and usage with what became of it', async () => {
    await mara.goto(`${stage.service().address}/usage`);
    // A GitHub without TLS is no address that anybody is led to by what it answers.
    expect(await mara.getByRole('rowheader', { name: / corner\/shop#\d+$/ }).count()).toBe(1);
    expect(await barriersOn(mara, 'usage-pulls')).toEqual([]);
    await mara.locator('a[href^="/issues/"]').first().click();
    expect(await mara.getByRole('table', { name: /src\/coupons\.js/ }).count()).toBe(1);
    expect(await barriersOn(mara, 'issue-on-github')).toEqual([]);
  });

  it('a delivery that failed', async () => {
    const api = await stage.api('mara');
    const page = await openProject(mara, SHOP);
    await api.report({ projectId: page.split('/').at(-1), data: 'It fails elsewhere', callbackUrl: receiver.url });
    await receiver.received(1);
    const list = `${stage.service().address}/account/deliveries`;
    const dead = mara.getByText('status_500').first();
    await stage.until('the first attempt', async () => {
      await mara.goto(list);
      return (await dead.count()) > 0;
    });
    expect(await barriersOn(mara, 'deliveries-rows')).toEqual([]);
    await mara.getByRole('link', { name: /^evt_/ }).first().click();
    await unfold(mara);
    expect(await mara.getByRole('main').textContent()).toContain('issue.created');
    expect(await barriersOn(mara, 'delivery')).toEqual([]);
  });

  it('forms with faults', async () => {
    const page = await openProject(mara, SHOP);
    await mara.goto(`${stage.service().address}${page}/reports/new`);
    await mara.getByLabel('Report or log').fill(' ');
    await mara.getByRole('button', { name: 'Start investigation' }).click();
    await mara.locator('.fault').first().waitFor();
    expect(await barriersOn(mara, 'report-faults')).toEqual([]);
    await mara.goto(`${stage.service().address}/account/tokens/new`);
    await mara.getByLabel('Name').fill(' ');
    await mara.getByRole('button', { name: 'Create token' }).click();
    await mara.locator('.fault').first().waitFor();
    expect(await barriersOn(mara, 'token-faults')).toEqual([]);
  });

  it('keys in the one page that shows them', async () => {
    await mara.goto(`${stage.service().address}/account/tokens/new`);
    await mara.getByLabel('Name').fill('laptop');
    await mara.getByRole('button', { name: 'Create token' }).click();
    expect(await mara.getByRole('main').textContent()).toMatch(/cwy_\w{36}/);
    expect(await barriersOn(mara, 'token-made')).toEqual([]);
    await mara.goto(`${stage.service().address}/account/security-credentials`);
    expect(await barriersOn(mara, 'credentials-rows')).toEqual([]);
    await mara.getByRole('button', { name: 'Show the signing secret' }).click();
    expect(await mara.getByRole('main').textContent()).toContain('whsec_');
    expect(await barriersOn(mara, 'secret')).toEqual([]);
  });

  it('and made no browser complain', () => {
    // A form with a fault is answered with a status that Chromium tells of.
    expect(faults.filter((fault) => !/status of (?:400|422)/.test(fault))).toEqual([]);
  });
});

/** What is folded is there for everybody as well. A menu covers what is below it. */
async function unfold(page: Page): Promise<void> {
  await page.evaluate('for (const fold of document.querySelectorAll("details:not(.menu)")) fold.open = true');
}
