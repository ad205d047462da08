// Usage: what a person sees of investigations, tokens, costs and pull requests, as a page and as a file.
import { describe, expect, it } from 'vitest';
import type { Project } from '../../src/core/project/project.ts';
import type { PostedPullRequest } from '../../src/core/thread/thread.ts';
import type { Run } from '../../src/db/runs.ts';
import { acceptance, accepted, at, opening, pullRequest, record } from '../support/store-samples.ts';
import { contentOf, linksOf, mainOf, rowsOf } from './read-page.ts';
import { repository, type WebGround, webGround } from './web-ground.ts';

const BUDGETS = 'Cost of this month and the budgets';
const PULLS = 'Pull requests, most recently changed first';

/** US dollars that a call of the run has cost. */
async function spend({ store, clock }: WebGround, run: Run, usd: number): Promise<void> {
  const amount = Math.round(usd * 1_000_000);
  const limits = { run: 1e12, repository: 1e12, all: 1e12 };
  const now = clock.now.toISOString();
  await store.reserveMoney(run, { amount, limits, now });
  await store.settleMoney(run, {
    reserved: amount,
    spent: amount,
    tokens: { prompt: 12_000, cached: 9_000, completion: 345 },
    now,
  });
}

async function spent(ground: WebGround, project: Project, usd: number): Promise<void> {
  const { runId } = await ground.accepted({ project });
  const run = await ground.store.startRun(runId, ground.clock.now.toISOString());
  await spend(ground, run!, usd);
}

/** A thread of the project with a pull request on it. */
async function opened(
  ground: WebGround,
  number: number,
  changes: Partial<PostedPullRequest> = {},
  project = ground.projects[0]!,
) {
  const threadId = `thr_${project.id}${number}`;
  const base = { account: ground.visitor.account, project };
  const subject = { kind: 'issue', number } as const;
  await accepted(ground.store, acceptance(base, { thread: opening(threadId, { subject }), fingerprint: threadId }));
  const posted = pullRequest('iss_1', { number, url: `https://github.com/${project.name}/pull/${number}`, ...changes });
  await ground.store.saveThreadRecord(threadId, record({ pullRequest: posted }), at(number));
}

describe('the usage of projects', () => {
  it('says what to do where there is nothing yet, and shows the budgets', async () => {
    await using ground = await webGround();
    const page = await ground.visitor.page('/usage');
    expect(contentOf(page)).toContain('Submit a first report');
    expect(contentOf(page)).toContain('No pull requests yet.');
    expect(rowsOf(page, BUDGETS)).toEqual([['Total (all your projects)', '$0', '$200.00', '$0 of $200.00 0%']]);
    expect(linksOf(page).map(({ href }) => href)).not.toContain('/usage?format=csv');
  });

  it('is listed by month and project, the most expensive first, with sums', async () => {
    await using ground = await webGround({ projects: ['local/app', 'local/shop'] });
    const [app, shop] = ground.projects;
    await spent(ground, app!, 1.5);
    await spent(ground, shop!, 4.5);
    await ground.accepted({ project: shop! });
    await ground.concluded({ project: shop! });
    const page = await ground.visitor.page('/usage');
    expect(rowsOf(page, 'Usage in November 2026, by project')).toEqual([
      ['local/shop', '3 (1 concluded, 1 running, 1 queued)', '1', '12,000', '9,000', '345', '$4.50', '75% 75%'],
      ['local/app', '1 (1 running)', '1', '12,000', '9,000', '345', '$1.50', '25% 25%'],
      ['Total', '4 (1 concluded, 2 running, 1 queued)', '2', '24,000', '18,000', '690', '$6.00', ''],
    ]);
    expect(rowsOf(page, BUDGETS)).toEqual([
      ['Total (all your projects)', '$6.00', '$200.00', '$6.00 of $200.00 3%'],
      ['local/shop', '$4.50', '$25.00', '$4.50 of $25.00 18%'],
      ['local/app', '$1.50', '$25.00', '$1.50 of $25.00 6%'],
    ]);
  });

  it('says in words where a budget is nearly, or wholly, used up', async () => {
    await using ground = await webGround({ projects: ['local/app', 'local/shop'] });
    await spent(ground, ground.projects[0]!, 26);
    await spent(ground, ground.projects[1]!, 20);
    const rows = rowsOf(await ground.visitor.page('/usage'), BUDGETS);
    expect(rows.slice(1).map((cells) => cells[3])).toEqual([
      '$26.00 of $25.00 104% used up',
      '$20.00 of $25.00 80% nearly used up',
    ]);
  });

  it('reaches back six months, the newest first, and this month is what the budgets are about', async () => {
    await using ground = await webGround();
    for (const month of ['05', '06', '11']) {
      ground.clock.now = new Date(`2026-${month}-20T10:00:00.000Z`);
      await spent(ground, ground.projects[0]!, Number(month));
    }
    const again = await ground.signIn('mara', 7, 'admin');
    const page = await again.page('/usage');
    expect([...mainOf(page).matchAll(/<h3[^>]*>([^<]*)/g)].map(([, words]) => words)).toEqual([
      'November 2026',
      'June 2026',
    ]);
    expect(rowsOf(page, BUDGETS)[1]?.slice(0, 2)).toEqual(['local/app', '$11.00']);
  });

  it('contains nothing of projects that the person does not see, not even in sums', async () => {
    await using ground = await webGround({
      repositories: [repository('octo/shop'), repository('octo/app', { isPrivate: false })],
    });
    for (const project of ground.projects) await spent(ground, project, 3);
    await opened(ground, 31, {}, ground.projects.find(({ name }) => name === 'octo/app')!);
    const reader = await ground.signIn('rita', 71, 'read');
    const page = await reader.page('/usage');
    expect(page).not.toContain('octo/app');
    expect(rowsOf(page, BUDGETS).map(([, used]) => used)).toEqual(['$3.00', '$3.00']);
    expect(await (await reader.get('/usage?format=csv')).text()).not.toContain('octo/app');
    const nobody = await ground.signIn('noah', 72, 'none');
    expect(contentOf(await nobody.page('/usage'))).toContain('You have no projects.');
  });
});

describe('the file of usage', () => {
  it('has the same figures, a row for each project and month', async () => {
    await using ground = await webGround();
    await spent(ground, ground.projects[0]!, 1.25);
    const answer = await ground.visitor.get('/usage?format=csv');
    expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('Content-Disposition')).toBe('attachment; filename="usage.csv"');
    expect([answer.headers.get('Cache-Control'), answer.headers.get('X-Content-Type-Options')]).toEqual([
      'no-store',
      'nosniff',
    ]);
    expect(await answer.text()).toBe(
      'month,project,queued,running,concluded,gave_up,cancelled,turns,prompt_tokens,cached_tokens,completion_tokens,cost_usd,cache_write_tokens,second_look_turns,second_look_cost_usd\r\n' +
        '2026-11,local/app,0,1,0,0,0,1,12000,9000,345,1.250000,0,0,0.000000\r\n',
    );
  });

  it.each([
    ['=1+1', `"'=1+1"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"'=1"`],
    ['\u200b-2', `"'-2"`],
    ['a,"b"', '"a,""b"""'],
  ])('has no cell that a spreadsheet would run: %s', async (name, cell) => {
    await using ground = await webGround({ projects: [name] });
    await ground.accepted();
    expect(await (await ground.visitor.get('/usage?format=csv')).text()).toContain(`\r\n2026-11,${cell},1,0,`);
  });
});

describe('what became of pull requests', () => {
  it('lists each, last changed first, with a link', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    await opened(ground, 1, { state: 'merged', checks: 'green' });
    await opened(ground, 2, { state: 'closed', checks: 'moved' });
    await opened(ground, 3, { state: 'open', checks: 'red' });
    const page = await ground.visitor.page('/usage');
    expect(contentOf(page)).toContain('1 merged, 1 open, 1 closed without a merge.');
    expect(rowsOf(page, PULLS).map((cells) => cells.slice(0, 3))).toEqual([
      ['octo/shop#3', 'open', 'failing'],
      ['octo/shop#2', 'closed without a merge', 'taken over'],
      ['octo/shop#1', 'merged', 'passing'],
    ]);
    expect(linksOf(page)).toContainEqual({ href: 'https://github.com/octo/shop/pull/3', words: 'octo/shop#3' });
  });

  it.each([
    'javascript:alert(1)//github.com',
    'http://github.com/octo/shop/pull/1',
    'https://github.com.evil.example/octo/shop/pull/1',
    'https://github.com@evil.example/',
    '',
  ])("is no link where its address is not of the project's GitHub: %s", async (url) => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    await opened(ground, 1, { url });
    const page = await ground.visitor.page('/usage');
    expect(rowsOf(page, PULLS)[0]?.[0]).toBe('octo/shop#1');
    expect(linksOf(page).filter(({ words }) => words === 'octo/shop#1')).toEqual([]);
  });
});
