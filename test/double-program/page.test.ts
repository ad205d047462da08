// The page of the double as people use it, in a real browser: what is written shows as on GitHub, what is pressed happens.

import AxeBuilder from 'axe-core';
import { type GithubDouble, startGithubDouble } from 'causeway-github-double';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenBrowser, openBrowser } from '../support/browser.ts';
import { CAUSEWAY_APP } from '../support/causeway-app.ts';
import { webhookReceiver } from '../support/webhook-receiver.ts';

const REPOSITORY = 'corner/shop';
let browser: OpenBrowser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

async function shop(): Promise<GithubDouble> {
  const double = await startGithubDouble({ basePath: '/api/v3', app: CAUSEWAY_APP, page: true });
  const { people } = double;
  people.organization('corner', { owners: ['nora'] });
  await people.openRepository(REPOSITORY, { files: { 'src/a.js': 'one\ntwo\nthree\n', 'README.md': '# Shop\n' } });
  people.grant(REPOSITORY, 'mara', 'write');
  people.grant(REPOSITORY, 'per', 'triage');
  people.user('ola');
  people.makeLabel(REPOSITORY, 'analyse', { color: '0e8a16' });
  people.openIssue(REPOSITORY, {
    by: 'ola',
    title: 'It <b>breaks</b>',
    body: 'Since **1.3** for @mara\nand `@per`\n\n<script>document.title = "taken"</script>',
  });
  people.install('corner', { by: 'nora' });
  return double;
}

async function openAt(double: GithubDouble, path: string) {
  const { page, faults } = await browser.page();
  await page.goto(`${double.webUrl}${path}`);
  return { page, faults };
}

/** Posts a form as the browser would, and returns the status: 303 where it was done. */
async function post(double: GithubDouble, act: string, fields: Record<string, string>): Promise<number> {
  const body = new URLSearchParams(fields);
  const address = `${double.webUrl}/${REPOSITORY}/-/${act}`;
  return (await fetch(address, { method: 'POST', body, redirect: 'manual' })).status;
}

describe('an issue on the page', () => {
  it('shows its text rendered and inert, and who wrote it', async () => {
    await using double = await shop();
    const { page, faults } = await openAt(double, `/${REPOSITORY}/issues/1`);
    expect(await page.locator('h1').innerText()).toBe('It <b>breaks</b> #1');
    const text = page.locator('.markdown').first();
    expect(await text.locator('strong').innerText()).toBe('1.3');
    expect(await text.locator('.user-mention').allInnerTexts()).toEqual(['@mara']);
    expect(await page.title()).toContain('It <b>breaks</b>');
    expect(await page.locator('.entry header').first().innerText()).toContain('ola');
    expect(faults).toEqual([]);
  });

  it('is labelled, commented, edited and closed by those who may', async () => {
    await using double = await shop();
    const { page } = await openAt(double, `/${REPOSITORY}/issues/1`);
    const label = page.locator('form').filter({ has: page.getByLabel('Label') });
    expect(await label.getByLabel('as').inputValue()).toBe('mara');
    await label.getByLabel('as').selectOption('per');
    await label.getByRole('button', { name: 'Add label' }).click();
    expect(await page.locator('aside .label').allInnerTexts()).toEqual(['analyse']);
    const comment = page.locator('form').filter({ has: page.getByLabel('Comment') });
    await comment.getByLabel('Comment').fill('/analyse\nplease');
    await comment.getByLabel('as').selectOption('mara');
    await comment.getByRole('button', { name: 'Comment' }).click();
    expect(await page.locator('article').last().locator('.markdown').innerText()).toBe('/analyse\nplease');
    const issue = double.people.issue(REPOSITORY, 1);
    expect(issue.labels).toEqual(['analyse']);
    await post(double, '1/edit', { by: 'ola', title: 'New', body: 'Text' });
    await post(double, '1/state', { by: 'ola', act: 'close' });
    expect(issue).toMatchObject({ title: 'New', body: 'Text', state: 'closed' });
  });

  it('is not changed by those who may not', async () => {
    await using double = await shop();
    expect(await post(double, '1/label', { by: 'ola', act: 'add', label: 'analyse' })).toBe(403);
    expect(await post(double, '1/edit', { by: 'per', title: 'x', body: '' })).toBe(403);
    expect(await post(double, 'push', { by: 'per', path: 'a', content: 'b' })).toBe(403);
    expect(await post(double, '1/comment', { by: 'ola', body: ' ' })).toBe(403);
    expect(await post(double, '1/explode', { by: 'nora' })).toBe(404);
    expect(double.people.issue(REPOSITORY, 1)).toMatchObject({ title: 'It <b>breaks</b>', labels: [] });
  });

  it('announces what was pressed to the App', async () => {
    await using receiver = await webhookReceiver();
    await using double = await shop();
    double.app.webhookUrl = receiver.url;
    await post(double, '1/label', { by: 'per', act: 'add', label: 'analyse' });
    const [delivery] = await receiver.received(1);
    expect(JSON.parse(delivery?.body ?? '')).toMatchObject({
      action: 'labeled',
      label: { name: 'analyse' },
      sender: { login: 'per' },
      repository: { full_name: REPOSITORY },
    });
  });

  it('shows by itself what the App writes meanwhile', async () => {
    await using double = await shop();
    double.people.comment(REPOSITORY, 1, {
      by: 'per',
      body: '<details><summary>More</summary>\n\nunfolded\n\n</details>',
    });
    const { page } = await openAt(double, `/${REPOSITORY}/issues/1?view=reader`);
    await page.getByText('More').click();
    const comment = double.people.comment(REPOSITORY, 1, { by: 'mara', body: 'I **see**' });
    double.people.react(comment, 'eyes', 'per');
    await page.locator('article strong', { hasText: 'see' }).waitFor();
    expect(await page.locator('.reactions').innerText()).toContain('1');
    expect(await page.getByText('unfolded').isVisible()).toBe(true);
  });

  it('folds away a comment that was minimised', async () => {
    await using double = await shop();
    double.people.comment(REPOSITORY, 1, { by: 'mara', body: 'Done.' }).minimized = 'RESOLVED';
    const { page } = await openAt(double, `/${REPOSITORY}/issues/1`);
    expect(await page.getByText('This comment was marked as resolved.').isVisible()).toBe(true);
    expect(await page.getByText('Done.').isVisible()).toBe(false);
  });
});

describe('a pull request on the page', () => {
  async function withPull(double: GithubDouble): Promise<number> {
    await double.people.push(REPOSITORY, { by: 'mara', branch: 'fix', files: { 'src/a.js': 'one\n2 < 3\nthree\n' } });
    const body = 'Fixes #1';
    return (await double.people.openPull(REPOSITORY, { by: 'mara', title: 'Fix it', body, head: 'fix', draft: true }))
      .number;
  }

  it('shows its state, its checks with their annotations, and its files', async () => {
    await using double = await shop();
    const number = await withPull(double);
    const { pull } = double.people.issue(REPOSITORY, number);
    await double.people.reportCheck(REPOSITORY, {
      sha: pull?.headSha ?? '',
      name: 'lint',
      conclusion: 'failure',
      output: { title: 'One fault', summary: 'See **below**' },
      annotations: [{ path: 'src/a.js', startLine: 2, message: 'no <magic> numbers' }],
    });
    const { page, faults } = await openAt(double, `/${REPOSITORY}/pull/${number}`);
    expect(await page.locator('.state').innerText()).toBe('Draft');
    expect(await page.locator('.meta').innerText()).toContain('wants to merge 1 commit into main from fix');
    expect(await page.getByLabel('Checks').innerText()).toContain('Some checks were not successful');
    await page.getByRole('link', { name: 'Checks' }).click();
    expect(await page.locator('.annotation').innerText()).toMatch(/src\/a\.js:2[\s\S]*no <magic> numbers[\s\S]*2 < 3/);
    await page.getByRole('link', { name: 'Files changed' }).click();
    expect(await page.locator('tr.removed').innerText()).toMatch(/^2\s+-two$/);
    expect(await page.locator('tr.added').innerText()).toMatch(/^\s*2\s+\+2 < 3$/);
    expect(faults).toEqual([]);
  });

  it('shows each of its commits with how its checks ended, so that a proof is seen there', async () => {
    await using double = await shop();
    const number = await withPull(double);
    const report = (conclusion: 'failure' | 'success') =>
      double.people.reportCheck(REPOSITORY, {
        ...{ sha: double.people.issue(REPOSITORY, number).pull?.headSha ?? '', name: 'test', conclusion },
      });
    await report('failure');
    await double.people.push(REPOSITORY, { by: 'mara', branch: 'fix', message: 'Mend it', files: { 'b.js': '1\n' } });
    await report('success');
    const { page } = await openAt(double, `/${REPOSITORY}/pull/${number}`);
    const rows = page.getByLabel('Commits').locator('li');
    const marks = await rows.locator('svg').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
    expect(marks).toEqual(['failure', 'success']);
    expect(await rows.last().innerText()).toContain('Mend it');
  });

  it('gets its CI green or red, and is merged by those with write', async () => {
    await using double = await shop();
    const number = await withPull(double);
    const { page } = await openAt(double, `/${REPOSITORY}/pull/${number}`);
    for (const [outcome, said] of [
      ['red', 'Some checks were not successful'],
      ['green', 'All checks have passed'],
    ] as const) {
      await page.getByLabel('CI', { exact: true }).selectOption(outcome);
      await page.getByRole('button', { name: 'Report' }).click();
      expect(await page.getByLabel('Checks').innerText()).toContain(said);
    }
    expect(await post(double, `${number}/state`, { by: 'per', act: 'merge' })).toBe(403);
    expect(await post(double, `${number}/state`, { by: 'mara', act: 'ready' })).toBe(303);
    expect(await post(double, `${number}/state`, { by: 'mara', act: 'merge' })).toBe(303);
    expect(double.people.issue(REPOSITORY, 1).state).toBe('closed');
    await page.reload();
    expect(await page.locator('.state').innerText()).toBe('Merged');
  });
});

describe('the pages around', () => {
  it('list repositories, files, issues and pull requests, and lead from one to the other', async () => {
    await using double = await shop();
    const { page, faults } = await openAt(double, '/');
    await page.getByRole('link', { name: REPOSITORY }).click();
    await page.getByRole('link', { name: 'src/a.js' }).click();
    expect(await page.locator('tr#L2').innerText()).toMatch(/2\s+two/);
    const content = page.getByLabel('Content');
    expect(await content.inputValue()).toBe('one\ntwo\nthree\n');
    await content.fill('one\n2\nthree\n');
    await page.getByRole('button', { name: 'Push' }).click();
    expect(page.url()).toBe(`${double.webUrl}/${REPOSITORY}/pull/2`);
    expect(double.people.issue(REPOSITORY, 2)).toMatchObject({ pull: { headRef: 'a-change', baseRef: 'main' } });
    // A second change of the file is not pushed onto the first one's branch.
    await page.goto(`${double.webUrl}/${REPOSITORY}/blob/main/src/a.js`);
    expect(await page.getByLabel('Branch').inputValue()).toBe('a-change-2');
    await page.getByRole('link', { name: /^Issues/ }).click();
    await page.getByRole('link', { name: 'It <b>breaks</b>' }).click();
    expect(page.url()).toBe(`${double.webUrl}/${REPOSITORY}/issues/1`);
    expect(faults).toEqual([]);
  });

  it('take an issue and a push, with its pull request', async () => {
    await using double = await shop();
    await post(double, 'issues', { by: 'ola', title: 'Second', body: 'x', label: '' });
    expect(double.people.issue(REPOSITORY, 2)).toMatchObject({ title: 'Second', labels: [] });
    const fields = { by: 'mara', branch: 'change', path: 'b.txt', content: 'b\r\n', message: 'Add b', pull: 'yes' };
    expect(await post(double, 'push', fields)).toBe(303);
    expect(double.people.issue(REPOSITORY, 3)).toMatchObject({ title: 'Add b', pull: { headRef: 'change' } });
    const { page } = await openAt(double, `/${REPOSITORY}/pull/3/files`);
    expect(await page.locator('tr.added').allInnerTexts()).toEqual([expect.stringMatching(/^\s*1\s+\+b$/)]);
  });

  it('show nothing to press to a reader, and what is not there as 404', async () => {
    await using double = await shop();
    const { page } = await openAt(double, `/${REPOSITORY}/issues/1?view=reader`);
    expect(await page.locator('form').count()).toBe(0);
    expect((await fetch(`${double.webUrl}/${REPOSITORY}/issues/9`)).status).toBe(404);
    const elsewhere = await page.goto(`${double.webUrl}/nora`);
    expect(elsewhere?.status()).toBe(404);
  });

  it('can be used without seeing them', async () => {
    await using double = await shop();
    double.people.comment(REPOSITORY, 1, { by: 'mara', body: '- [ ] one\n\n```diff\n-a\n+b\n```' });
    const { page } = await openAt(double, `/${REPOSITORY}/issues/1`);
    await page.evaluate(AxeBuilder.source);
    const found = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
    const { violations } = found as { violations: readonly { id: string; impact: string }[] };
    expect(
      violations.filter(({ impact }) => impact === 'critical' || impact === 'serious').map(({ id }) => id),
    ).toEqual([]);
  });
});
