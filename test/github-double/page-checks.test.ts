// Red checks on the page of the double: annotations among the files, buttons, runs and their logs, suggestions, what is folded away.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OpenBrowser, openBrowser } from '../support/browser.ts';
import { ask, installationToken } from './ask.ts';
import type { GithubDouble } from './double.ts';
import { servePage } from './page/serve-page.ts';
import { type Shop, shop } from './shop.ts';
import { startGithubDouble } from './start.ts';

const R = '/repos/octo/shop';
const PAGE = '/octo/shop';
let browser: OpenBrowser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

interface Red extends Shop {
  readonly github: GithubDouble;
  readonly number: number;
  readonly head: string;
}

/** A pull request whose CI is red, with what our App said about it. */
async function redPull(): Promise<Red> {
  const github = await startGithubDouble({ basePath: '/api/v3', page: servePage });
  const at = await shop(github);
  const { people } = github;
  const files = { 'src/price.ts': 'export const price = 1 <\n  two;\n' };
  const head = await people.push('octo/shop', { by: 'ada', branch: 'fix', files });
  const { number } = await people.openPull('octo/shop', { by: 'ada', title: 'Price', head: 'fix' });
  const jobs = [
    { name: 'test', conclusion: 'failure', failedStep: 'Test', log: '\uFEFFtwo <is> not defined\n' },
  ] as const;
  await people.reportWorkflowRun('octo/shop', { sha: head, jobs });
  const token = await installationToken(github, at.installation);
  const body = {
    name: 'Causeway',
    head_sha: head,
    conclusion: 'neutral',
    actions: [{ label: 'Open fix', description: 'Opens a pull request', identifier: 'open_fix' }],
    output: {
      title: 'One cause in your code',
      summary: '`two` is nowhere defined.',
      annotations: [
        {
          path: 'src/price.ts',
          start_line: 2,
          end_line: 2,
          annotation_level: 'failure',
          message: 'two <is> not defined',
        },
      ],
    },
  };
  await ask(github, `POST ${R}/check-runs`, { token, body });
  const suggestion = 'So it says what it is:\n\n```suggestion\n  2;\n```';
  const comments = [{ path: 'src/price.ts', line: 2, side: 'RIGHT', body: suggestion }];
  await ask(github, `POST ${R}/pulls/${number}/reviews`, {
    token,
    body: { event: 'COMMENT', body: 'A fix', comments },
  });
  return { ...at, github, number, head, token };
}

it('shows a check run with its button and its annotation, under the line of the file as well', async () => {
  const { github: double, number } = await redPull();
  await using github = double;
  const { page, faults } = await browser.page();
  await page.goto(`${github.webUrl}${PAGE}/pull/${number}/checks`);
  const ours = page.locator('section.box', { hasText: 'One cause in your code' });
  expect(await ours.locator('.action').innerText()).toBe('Open fix');
  expect(await ours.locator('.annotation').innerText()).toMatch(
    /src\/price\.ts:2[\s\S]*two <is> not defined[\s\S]*two;/,
  );
  await page.goto(`${github.webUrl}${PAGE}/pull/${number}/files`);
  const below = page.locator('tr.added:has-text("two;") + tr.below');
  expect(await below.innerText()).toMatch(
    /Check failure on line 2 in src\/price\.ts[\s\S]*Causeway[\s\S]*two <is> not defined/i,
  );
  expect(faults).toEqual([]);
});

it('shows a run of Actions, its jobs, and the log of one as inert text', async () => {
  const { github: double } = await redPull();
  await using github = double;
  const run = [...github.state.repositories.values()].flatMap((one) => [...one.workflowRuns.values()])[0];
  const { page, faults } = await browser.page();
  await page.goto(`${github.webUrl}${PAGE}/actions/runs/${run?.id}`);
  expect(await page.locator('section.box').innerText()).toMatch(/Attempt 1[\s\S]*test/);
  await page.getByRole('link', { name: 'test' }).click();
  expect(await page.locator('pre.mono', { hasText: 'not defined' }).innerText()).toBe('two <is> not defined');
  expect(faults).toEqual([]);
});

it('shows a suggestion as what goes and what comes, which a person with write commits', async () => {
  const { github: double, number } = await redPull();
  await using github = double;
  const { page, faults } = await browser.page();
  await page.goto(`${github.webUrl}${PAGE}/pull/${number}`);
  const suggestion = page.locator('.suggestion');
  expect(await suggestion.locator('tr.removed').innerText()).toMatch(/2\s+- {2}two;/);
  expect(await suggestion.locator('tr.added').innerText()).toMatch(/2\s+\+ {2}2;/);
  expect(await page.locator('.review').innerText()).toContain('So it says what it is:');
  await page.getByRole('button', { name: 'Commit suggestion' }).click();
  expect(await page.locator('.remark').innerText()).toContain('Outdated');
  expect(await page.getByRole('button', { name: 'Commit suggestion' }).count()).toBe(0);
  const main = await ask(github, `GET ${R}/commits/fix`, { token: github.people.userToken('ada') });
  expect(main.body).toMatchObject({ files: [{ patch: expect.stringContaining('+  2;') }] });
  expect(faults).toEqual([]);
});

it('folds away a review that was marked as resolved', async () => {
  const { github: double, number } = await redPull();
  await using github = double;
  const [review] = github.people.reviews('octo/shop', number);
  if (review === undefined) throw new Error('It was made.');
  github.people.minimise(review, 'RESOLVED');
  const { page } = await browser.page();
  await page.goto(`${github.webUrl}${PAGE}/pull/${number}`);
  expect(await page.getByText('This comment was marked as resolved.').isVisible()).toBe(true);
  expect(await page.locator('.suggestion').isVisible()).toBe(false);
});
