// Local mode in a real browser: from the first start to the first result, watched live; keys; and every page as anybody can read it.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitRepository } from '../../../packages/git-objects/test/git-repository.ts';
import { modelEndpoint } from '../../../packages/models/test/model-endpoint.ts';
import { barriersOn, type OpenBrowser, openBrowser } from '../../support/browser.ts';
import { modelSettings } from '../../support/model-service.ts';
import { plays } from '../../support/played-model.ts';
import { type Service, startService, temporaryFolder } from '../../support/service.ts';
import { CAUSE, FIX_TURNS, SHOP, SHOP_REPORT } from '../../support/shop-fix.ts';
import { webVisitor } from '../../support/web-visitor.ts';
import { webhookReceiver } from '../../support/webhook-receiver.ts';

let service: Service;
let browser: OpenBrowser;
let page: Page;
let faults: readonly string[];
/** The model answers its third question only after this. */
const goOn = Promise.withResolvers<void>();
const opened = new AsyncDisposableStack();
/** Addresses of the pages, as the story came by them. */
const seen = { project: '', investigation: '', issue: '', subscription: '' };

beforeAll(async () => {
  const folder = opened.use(await temporaryFolder());
  const shop = opened.use(await gitRepository());
  await shop.commit(SHOP, 'Start');
  let asked = 0;
  const endpoint = opened.use(
    await modelEndpoint(async (...question) => {
      asked += 1;
      if (asked === 3) await goOn.promise;
      await plays(FIX_TURNS)(...question);
    }),
  );
  const env = await modelSettings(endpoint, folder.path);
  service = opened.use(await startService({ projects: [shop.path], dataDir: folder.path, env }));
  browser = opened.use(await openBrowser());
  ({ page, faults } = await browser.page());
});

afterAll(() => opened[Symbol.asyncDispose]());

function printedLink(): string {
  return /http:\S+\/sign-in\/local\?code=[\w-]+/.exec(service.output())?.[0] ?? '';
}

/** The path of the page that is shown. */
function here(): string {
  return new URL(page.url()).pathname;
}

describe('the first run', () => {
  it('leads by the link in the terminal to the first screen', async () => {
    await page.goto(printedLink());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Needs you' }).waitFor();
    const project = page.getByRole('link', { name: /^local\// });
    seen.project = (await project.getAttribute('href')) ?? '';
    await project.click();
    expect(here()).toBe(seen.project);
  });

  it('takes a report by a form, and shows its investigation live, without being loaded anew', async () => {
    await page.getByRole('link', { name: 'New report' }).first().click();
    await page.getByLabel('Report or log').fill(SHOP_REPORT);
    await page.getByRole('button', { name: 'Start investigation' }).click();
    await page.waitForURL(/\/investigations\/inv_/);
    seen.investigation = here();
    await page.evaluate('window.loadedOnce = true');
    await page
      .getByText(/2 turns/)
      .first()
      .waitFor();
    await page.getByText('search "customer.discount"').first().waitFor();
    expect(await page.getByRole('button', { name: /^Stop/ }).isVisible()).toBe(true);
    expect(await barriersOn(page, 'live')).toEqual([]);
    expect(await page.evaluate('window.loadedOnce')).toBe(true);
  });

  it('ends at the issue: what came of it, and from the cause to the evidence', async () => {
    goOn.resolve();
    await page.waitForURL(/\/issues\/iss_/);
    seen.issue = here();
    const main = page.getByRole('main');
    expect(await main.getByRole('heading', { level: 1 }).count()).toBe(1);
    await main.getByText('return sum * (1 - (customer?.discount ?? 0));').first().waitFor();
    const cited = main.getByRole('link', { name: /step \d+/i }).first();
    const target = (await cited.getAttribute('href')) ?? '';
    expect(target).toMatch(/#step-\d+$/);
    await cited.click();
    const step = page.locator(target.slice(target.indexOf('#')));
    expect(await step.isVisible()).toBe(true);
    expect(await step.textContent()).toContain(CAUSE);
  });
});

describe('an issue', () => {
  it('says how long ago it was, and copies itself as Markdown, told to those who listen as well', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    expect(await page.locator('time[title$="UTC"]').first().textContent()).toMatch(/ago$|^now$/);
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await page.getByRole('status').getByText('Copied').waitFor();
    const markdown = await (await page.request.get(`${service.address}${seen.issue}/markdown`)).text();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(markdown);
    await page.getByRole('button', { name: 'Copy as Markdown' }).waitFor();
  });

  it('is selected to be copied by hand where the browser keeps the clipboard', async () => {
    const plain = await browser.page();
    await plain.page.context().addCookies(await page.context().cookies());
    await plain.page.addInitScript('Object.defineProperty(navigator, "clipboard", { value: undefined })');
    await plain.page.goto(`${service.address}${seen.issue}`);
    await plain.page.getByText('Details', { exact: true }).click();
    await plain.page.locator('[data-copy="address"]').click();
    await plain.page.getByRole('status').getByText('Selected').waitFor();
    expect(await plain.page.evaluate('String(getSelection())')).toBe(`${service.address}${seen.issue}`);
    // As the questions of an issue are, which this one has none of.
    await plain.page.evaluate('document.getElementById("address").hidden = true');
    await plain.page.locator('[data-copy="address"]').click();
    expect(await plain.page.locator('#address').isVisible()).toBe(true);
    await plain.page.getByText('More', { exact: true }).click();
    await plain.page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await plain.page.waitForURL(/\/markdown$/);
  });

  it('is read whole without scripts', async () => {
    const plain = await browser.page({ javaScriptEnabled: false });
    await plain.page.context().addCookies(await page.context().cookies());
    await plain.page.goto(`${service.address}${seen.issue}`);
    const text = (await plain.page.getByRole('main').textContent()) ?? '';
    for (const words of ['customer.discount', 'docs/guests.md', 'src/words/greeting.js']) expect(text).toContain(words);
    await plain.page.goto(`${service.address}${seen.project}`);
    expect(await plain.page.getByRole('link', { name: /discount|customer|guest/i }).count()).toBeGreaterThan(0);
    expect(plain.faults).toEqual([]);
  });
});

describe('a token', () => {
  it('is made, shown once with a curl that works, and worth nothing once it is revoked', async () => {
    await page.goto(`${service.address}/account/security-credentials`);
    await page.getByRole('link', { name: 'Create new auth token' }).click();
    await page.getByLabel('Name').fill('laptop');
    await page.getByRole('button', { name: 'Create token' }).click();
    const shown = (await page.getByRole('main').textContent()) ?? '';
    const [token = ''] = /cwy_[0-9A-Za-z]{36}/.exec(shown) ?? [];
    const call = () => fetch(`${service.address}/api/v1/projects/`, { headers: { Authorization: `Bearer ${token}` } });
    expect((await call()).status).toBe(200);
    await page.goto(`${service.address}/account/security-credentials`);
    expect(await page.getByRole('main').textContent()).not.toContain(token);
    await page.getByRole('button', { name: 'Revoke laptop' }).click();
    await page
      .getByText(/revoked/i)
      .first()
      .waitFor();
    expect((await call()).status).toBe(401);
    expect(service.output()).not.toContain(token);
  });
});

describe('a subscription', () => {
  it('is added by a form that shows its faults, tried out with an example, and deleted', async () => {
    const receiver = opened.use(await webhookReceiver());
    await page.goto(`${service.address}/account/subscriptions`);
    await page.getByRole('link', { name: 'Add a subscription' }).click();
    await page.getByLabel('Address', { exact: true }).fill('http://10.0.0.1/hook');
    await page.getByLabel('Slack').check();
    await page.getByRole('button', { name: 'Add subscription' }).click();
    await page.getByRole('alert').getByText('CALLBACK_ALLOW').waitFor();
    expect(await barriersOn(page, 'subscription-faults')).toEqual([]);
    await page.getByLabel('Address', { exact: true }).fill(receiver.url);
    await page.getByLabel('failure.opened').check();
    await page.getByRole('button', { name: 'Add subscription' }).click();
    await page.getByText('Send an example to see it arrive').waitFor();
    seen.subscription = here();
    await page.getByRole('button', { name: 'Send an example' }).click();
    const [delivery] = await receiver.received(1);
    expect(delivery?.body).toContain('Example: Cause and fix');
    await expect
      .poll(async () => {
        await page.reload();
        return await page.getByRole('main').textContent();
      })
      .toContain('delivered');
    expect(await page.getByRole('main').textContent()).not.toContain('/hook');
    await page.goto(`${service.address}/account/subscriptions/new`);
    await page.getByLabel('Address', { exact: true }).fill(receiver.url);
    await page.getByRole('button', { name: 'Add subscription' }).click();
    await page.getByText('You won’t see it again').waitFor();
    expect(await page.locator('#secret').textContent()).toMatch(/^whsec_/);
    expect(await barriersOn(page, 'subscription-secret')).toEqual([]);
    await page.getByRole('link', { name: 'Go to the subscription' }).click();
    await page.getByRole('button', { name: 'Delete this subscription' }).click();
    await page.getByText('The subscription was deleted').waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
  });
});

describe('every page', () => {
  const PAGES: Readonly<Record<string, () => string>> = {
    home: () => '/',
    projects: () => '/projects',
    project: () => seen.project,
    failures: () => `${seen.project}/failures`,
    settings: () => `${seen.project}/settings`,
    report: () => `${seen.project}/reports/new`,
    investigation: () => `${seen.investigation}?steps=1`,
    issue: () => seen.issue,
    delete: () => `${seen.issue}/delete`,
    credentials: () => '/account/security-credentials',
    token: () => '/account/tokens/new',
    deliveries: () => '/account/deliveries',
    subscriptions: () => '/account/subscriptions',
    'subscription-form': () => '/account/subscriptions/new',
    subscription: () => seen.subscription,
    usage: () => '/usage',
    audit: () => '/audit',
    absent: () => '/nowhere',
  };

  it.each(Object.keys(PAGES))('%s bars nobody, light and dark, wide and narrow', async (name) => {
    await page.goto(`${service.address}${PAGES[name]?.()}`);
    expect(await barriersOn(page, name)).toEqual([]);
  });

  it.each(['/sign-in', '/sign-in/local?code=of-nobody'])('that a stranger sees as well: %s', async (address) => {
    const stranger = await browser.page();
    await stranger.page.goto(`${service.address}${address}`);
    expect(await barriersOn(stranger.page, address.replace(/\W+/g, '-'))).toEqual([]);
  });

  it('made no browser complain', () => {
    // The page that is not there, and the form with a fault, are what a browser tells of.
    expect(faults.filter((fault) => !/404|422/.test(fault))).toEqual([]);
  });
});

describe('the link of the terminal', () => {
  it('was good once', async () => {
    const other = webVisitor(service.address);
    const [, code = ''] = printedLink().split('code=');
    const answer = await other.send('/sign-in', '/sign-in/local', { code });
    expect(answer.status).toBe(400);
  });
});
