// Usage: what a person sees of investigations, tokens, costs and pull requests, as a page and as a file.
import { describe, expect, it } from 'vitest';
import type { Project } from '../../src/core/project/project.ts';
import type { PostedPullRequest } from '../../src/core/thread/thread.ts';
import type { Run } from '../../src/db/runs.ts';
import { acceptance, accepted, at, conclusion, opening, pullRequest, record } from '../support/store-samples.ts';
import { contentOf, linksOf, mainOf, rowsOf, wordsOf } from './read-page.ts';
import { repository, type WebGround, webGround } from './web-ground.ts';

const NOVEMBER = 'Usage in November 2026, by project';
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

/** Each number with its words. */
function tilesOf(page: string): readonly string[] {
  const tiles = /<ul class="tiles">.*?<\/ul>/s.exec(page)?.[0] ?? '';
  return [...tiles.matchAll(/<li>(.*?)<\/li>/gs)].map(([, tile = '']) => wordsOf(tile));
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
    expect(contentOf(page)).toContain('Limits: $1.00 per investigation, $25.00 per repository per month.');
    expect(tilesOf(page)[0]).toBe('$0 of $200.00 spent');
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
    expect(rowsOf(page, NOVEMBER)).toEqual([
      ['local/shop', '3 (1 concluded, 1 running, 1 queued)', '$4.50', '$4.50', '18 % of $25.00'],
      ['local/app', '1 (1 running)', '$1.50', '–', '6 % of $25.00'],
      ['Total', '4 (1 concluded, 2 running, 1 queued)', '$6.00', '$6.00', '3 % of $200.00'],
    ]);
    expect(rowsOf(page, 'Tokens in November 2026, by project')).toEqual([
      ['local/shop', '1', '12,000', '9,000', '345'],
      ['local/app', '1', '12,000', '9,000', '345'],
      ['Total', '2', '24,000', '18,000', '690'],
    ]);
  });

  it('says what this month has cost a day and an answer, and what it brought', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const days: readonly (readonly [day: string, usd: number])[] = [
      ['2026-10-31', 7],
      ['2026-11-03', 1.5],
      ['2026-11-18', 2.5],
    ];
    for (const [day, usd] of days) {
      ground.clock.now = new Date(`${day}T10:00:00.000Z`);
      await spent(ground, ground.projects[0]!, usd);
    }
    const { analysis } = conclusion();
    const fix = { analysis: { ...analysis, outcome: 'code_fix', confidence: 0.9 } as const };
    const { issueId } = await ground.concluded({ conclusion: fix });
    const vote = { personId: 9, source: 'command', vote: 'right', why: '', at: at(0) } as const;
    await ground.store.recordVote(issueId, vote, at(0));
    await ground.concluded();
    await opened(ground, 4, { state: 'merged' });
    await opened(ground, 5, { state: 'open' });
    const page = await (await ground.signIn('mara', 7, 'admin')).page('/usage');
    expect(tilesOf(page)).toEqual([
      ...['$4.00 of $200.00 spent', '$2.00 per answer, 2 answers', '1 pull request merged'],
      '1 of 1 rated answers was right',
    ]);
    expect(contentOf(page)).toContain('Cost a day. 3 Nov: $1.50, 18 Nov: $2.50. The budget allows $6.67 a day.');
    expect(page.match(/<rect class="bar"/g)).toHaveLength(2);
  });

  it("says what of the cost can't be dated, and what second reviews were of it", async () => {
    await using ground = await webGround();
    const [project] = ground.projects;
    const now = ground.clock.now.toISOString();
    const paid = { spent: 250_000, tokens: { prompt: 1, cached: 0, completion: 1 }, now };
    await ground.store.addCommandCost({ id: 'run_1', projectId: project!.id }, { ...paid, isSecondLook: true });
    const page = contentOf(await ground.visitor.page('/usage'));
    expect(page).toContain('Includes $0.25 for second reviews (1 turn).');
    expect(page).toContain("$0.25 of deleted investigations and commands can't be dated.");
  });

  it('says in words where a budget is nearly, or wholly, used up', async () => {
    await using ground = await webGround({ projects: ['local/app', 'local/shop'] });
    await spent(ground, ground.projects[0]!, 26);
    await spent(ground, ground.projects[1]!, 20);
    const rows = rowsOf(await ground.visitor.page('/usage'), NOVEMBER);
    expect(rows.slice(0, 2).map((cells) => cells[4])).toEqual([
      ...['104 % of $25.00 used up', '80 % of $25.00 nearly used up'],
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
    const heads = [...mainOf(page).matchAll(/<h[23][^>]*>([^<]*)/g)].map(([, words]) => words);
    expect(heads).toEqual(['November 2026', 'Pull requests', 'Earlier months', 'June 2026']);
    expect(rowsOf(page, NOVEMBER)[0]?.slice(0, 3)).toEqual(['local/app', '1 (1 running)', '$11.00']);
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
    expect(rowsOf(page, NOVEMBER).map(([, , used]) => used)).toEqual(['$3.00', '$3.00']);
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
    await opened(ground, 4, { state: 'merged', checks: 'waiting' });
    const page = await ground.visitor.page('/usage');
    expect(contentOf(page)).toContain('2 merged, 1 open, 1 closed without a merge.');
    expect(rowsOf(page, PULLS).map((cells) => cells.slice(0, 3))).toEqual([
      ['octo/shop#4 Its issue was deleted.', 'merged', '–'],
      ['octo/shop#3 Its issue was deleted.', 'open', 'failing'],
      ['octo/shop#2 Its issue was deleted.', 'closed without a merge', 'taken over'],
      ['octo/shop#1 Its issue was deleted.', 'merged', 'passing'],
    ]);
    expect(page).not.toContain('iss_');
    expect(linksOf(page)).toContainEqual({ href: 'https://github.com/octo/shop/pull/3', words: 'octo/shop#3' });
  });

  it('titles each by the problem of its issue', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const { issueId } = await ground.concluded({ conclusion: { problem: 'Coupon codes in lower case are refused' } });
    await opened(ground, 3, { issueId });
    const page = await ground.visitor.page('/usage');
    expect(rowsOf(page, PULLS)[0]?.[0]).toBe('Coupon codes in lower case are refusedocto/shop#3');
    const words = 'Coupon codes in lower case are refused';
    expect(linksOf(page)).toContainEqual({ href: `/issues/${issueId}`, words });
    expect(contentOf(page)).not.toContain('iss_');
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
    expect(rowsOf(page, PULLS)[0]?.[0]).toBe('octo/shop#1 Its issue was deleted.');
    expect(linksOf(page).filter(({ words }) => words === 'octo/shop#1')).toEqual([]);
  });
});
