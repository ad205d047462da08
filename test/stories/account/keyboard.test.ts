// Every task of the account area by the keyboard alone: nothing is clicked, and what has the focus is found as a person finds it, by pressing Tab.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitRepository } from '../../../packages/git-objects/test/git-repository.ts';
import { type OpenBrowser, openBrowser } from '../../support/browser.ts';
import { type Service, startService, temporaryFolder } from '../../support/service.ts';
import { SHOP, SHOP_REPORT } from '../../support/shop-fix.ts';

/** Presses of Tab after which a person has given up. */
const MOST_TABS = 120;

const opened = new AsyncDisposableStack();
let service: Service;
let browser: OpenBrowser;
let page: Page;

beforeAll(async () => {
  const folder = opened.use(await temporaryFolder());
  const shop = opened.use(await gitRepository());
  await shop.commit(SHOP, 'Start');
  service = opened.use(await startService({ projects: [shop.path], dataDir: folder.path }));
  browser = opened.use(await openBrowser());
  ({ page } = await browser.page());
});

afterAll(() => opened[Symbol.asyncDispose]());

/** Moves the focus to what has these words: its text, its label or its value. */
async function reach(words: string): Promise<void> {
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    await page.keyboard.press('Tab');
    const name = await page.evaluate<string>(
      `(() => { const at = document.activeElement; return (at?.labels?.[0]?.textContent ?? at?.getAttribute('aria-label') ?? at?.textContent ?? '').replace(/\\s+/g, ' ').trim(); })()`,
    );
    if (name === words || name.startsWith(`${words} `)) {
      const isSeen = await page.evaluate<boolean>(
        `(() => { const box = document.activeElement.getBoundingClientRect(); return box.width > 0 && box.height > 0; })()`,
      );
      if (isSeen) return;
    }
  }
  throw new Error(`Tab never led to “${words}” on ${page.url()}.`);
}

/** What stays on the page: a menu, or the way past the bar. */
async function press(words: string): Promise<void> {
  await reach(words);
  await page.keyboard.press('Enter');
}

/** A link or the button of a form: the next key is for the page that it leads to. */
async function follow(words: string): Promise<void> {
  await reach(words);
  await enter();
}

async function enter(): Promise<void> {
  const loaded = page.waitForEvent('load');
  await page.keyboard.press('Enter');
  await loaded;
}

async function waitForHeading(name: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** By the search field, which the key / leads to from anywhere. */
async function search(words: string): Promise<void> {
  await page.keyboard.press('/');
  await page.keyboard.type(words);
  await enter();
  await waitForHeading('Search');
}

describe('by the keyboard alone', () => {
  it('somebody signs in, hands in a report and reads its answer', async () => {
    await page.goto(/http:\S+\/sign-in\/local\?code=[\w-]+/.exec(service.output())?.[0] ?? '');
    await follow('Sign in');
    await waitForHeading('Needs you');
    await follow('New report');
    await reach('Report or log');
    await page.keyboard.insertText(SHOP_REPORT);
    await follow('Start investigation');
    await page.waitForURL(/\/issues\/iss_/);
    await press('More');
    await follow('View as Markdown');
    await page.waitForURL(/\/markdown$/);
    await page.goBack();
  });

  it('passes the bar by the first link of the page', async () => {
    await page.goto(`${service.address}/projects`);
    await press('Skip to content');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
  });

  it('finds the issue again, has it analysed again and deletes it', async () => {
    await search('discount');
    const title = await page.getByRole('main').locator('a[href^="/issues/"]').first().textContent();
    await follow((title ?? '').replace(/\s+/g, ' ').trim());
    await page.waitForURL(/\/issues\/iss_/);
    const first = page.url();
    await press('Analyse again');
    await reach('What to consider (optional)');
    await page.keyboard.type('Look at the discount.');
    await follow('Start');
    await page.waitForURL((url) => url.href !== first && /\/issues\/iss_/.test(url.href));
    await follow('Delete…');
    await waitForHeading('Delete this issue?');
    await follow('Delete the issue');
    await page.getByText('The issue was deleted').waitFor();
  });

  it('makes a token and revokes it', async () => {
    await follow('Credentials');
    await waitForHeading('Security credentials');
    await follow('Create new auth token');
    await reach('Name');
    await page.keyboard.type('keys');
    await follow('Create token');
    await page.locator('#secret, code[id]').first().waitFor();
    await follow('Credentials');
    await follow('Revoke');
    await page.getByText('Token revoked. It no longer works.').waitFor();
  });

  it('adds a subscription, tries it and deletes it', async () => {
    await follow('Subscriptions');
    await waitForHeading('Subscriptions');
    await follow('Add a subscription');
    await reach('Address');
    await page.keyboard.type('http://127.0.0.1:9/hook');
    await follow('Add subscription');
    await page.locator('#secret').waitFor();
    await follow('Go to the subscription');
    await follow('Send an example');
    await follow('Delete this subscription');
    await page.getByText('The subscription was deleted').waitFor();
  });

  it('filters the audit log, opens a menu, closes it by Escape, and signs out', async () => {
    await follow('Audit log');
    await reach('Person');
    await page.keyboard.type('local');
    await follow('Filter');
    await page.waitForURL(/who=local/);
    await press('Account local');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(false);
    await page.keyboard.press('Enter');
    await follow('Sign out');
    await page
      .getByText(/sign in/i)
      .first()
      .waitFor();
  });
});
