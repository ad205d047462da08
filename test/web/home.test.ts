// The first screen: what needs a person, how things stand, what runs, and what there is to do where nothing was done yet.
import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../src/core/errors.ts';
import type { Fate } from '../../src/core/outcome/outcome.ts';
import {
  acceptance,
  conclusion,
  NOW,
  ofActions,
  pullRequest,
  record,
  recorded,
  SHA,
  sighting,
} from '../support/store-samples.ts';
import { headingsOf, linkOf, rowsOf, textOf } from './read-text.ts';
import { repository, type WebGround, webGround } from './web-ground.ts';

const MODEL = { ...conclusion().analysis, outcome: 'code_fix', confidence: 0.9 } as const;
const MERGED: Fate = {
  kind: 'merged',
  url: 'https://github.com/octo/shop/pull/31',
  at: '2026-11-19T10:00:00.000Z',
  commit: SHA,
};

/** An answer whose pull request is open. */
async function withPullRequest(ground: WebGround, problem: string) {
  const { store, clock } = ground;
  const { issueId, investigationId } = await ground.concluded({ conclusion: { problem, analysis: MODEL } });
  const now = clock.now.toISOString();
  await store.requestFixOfIssue(issueId, { by: { id: 7, login: 'mara' }, threadId: 'thr_1', now });
  const url = 'https://github.com/octo/shop/pull/31';
  await store.saveThreadRecord('thr_1', record({ pullRequest: pullRequest(issueId, { url, checks: 'green' }) }), now);
  return { issueId, investigationId };
}

describe('what needs a person', () => {
  it('is nothing, in words, where everything is well', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    await ground.concluded();
    expect(textOf(await ground.visitor.page('/'))).toContain('Nothing needs you: no red default branch');
  });

  it('is a red default branch, by the commit that most likely broke it', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const { id } = ground.projects[0]!;
    await recorded(ground.store, id, [sighting('one')]);
    const commits = [{ sha: SHA, author: 'mara', subject: 'Fold totals' }];
    await ground.store.saveRange('fal_1', { from: 'b'.repeat(40), to: SHA, total: 1, commits });
    const page = await ground.visitor.page('/');
    expect(headingsOf(page)).toContain('2 Red default branches 1');
    expect(linkOf(page, 'TypeError of fal_1')).toBe(`/projects/${id}/failures/fal_1`);
    expect(textOf(page)).toContain(
      'main is red TypeError of fal_1 since aaaaaaa Fold totals (mara) · last red 2026-11-20 10:00 UTC',
    );
    expect(textOf(page)).toContain('Default branch red');
  });

  it.each(['flaky', 'infrastructure'] as const)('is no red default branch where that is %s', async (verdict) => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    await recorded(ground.store, ground.projects[0]!.id, [sighting('one', { verdict })]);
    const text = textOf(await ground.visitor.page('/'));
    expect(text).toContain('Nothing needs you: no red default branch');
    expect(text).not.toContain('Default branch red');
  });

  it('counts a branch once, however many failures break it, the last seen first', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const { id } = ground.projects[0]!;
    await recorded(ground.store, id, [sighting('one', { at: '2026-11-18T10:00:00.000Z' })], 'fal_1');
    const again = [sighting('two', { at: '2026-11-01T10:00:00.000Z' }), sighting('three')];
    await recorded(ground.store, id, again, 'fal_2');
    const page = await ground.visitor.page('/');
    expect(headingsOf(page)).toContain('2 Red default branches 1');
    expect(textOf(page)).toMatch(
      /main is red TypeError of fal_2 last red 2026-11-20 10:00 UTC main is red TypeError of fal_1 last red 2026-11-18 10:00 UTC/,
    );
  });

  it('is a webhook that no receiver took', async () => {
    await using ground = await webGround();
    const { store, visitor, clock } = ground;
    await store.accept(
      acceptance(
        { account: visitor.account, project: ground.projects[0]! },
        { callbackUrl: 'https://caller.test/hook' },
      ),
    );
    const [investigation] = await store.listInvestigations({ limit: 1 });
    const run = (await store.startRun(investigation!.runId, NOW))!;
    await store.conclude(run, conclusion(), NOW);
    const [webhook] = await store.listWebhooks(visitor.account.id, 1);
    expect(textOf(await visitor.page('/'))).not.toContain('could not be delivered');
    await store.recordAttempt(webhook!.id, {
      ...{ at: clock.now.toISOString(), error: '404', ms: 5, state: 'dead' },
    });
    const page = await visitor.page('/');
    expect(linkOf(page, '1 webhook could not be delivered')).toBe('/account/deliveries?state=dead');
  });

  it('is none of an archived repository, which nobody can mend', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop', { isArchived: true })] });
    await recorded(ground.store, ground.projects[0]!.id, [sighting('one')]);
    expect(textOf(await ground.visitor.page('/'))).toContain('Nothing needs you: no red default branch');
  });

  it('is an open pull request, by the problem that it solves', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const { issueId } = await withPullRequest(ground, 'Totals are wrong');
    const page = await ground.visitor.page('/');
    expect(headingsOf(page)).toContain('2 Pull requests to review 1');
    expect(linkOf(page, 'Totals are wrong')).toBe('https://github.com/octo/shop/pull/31');
    expect(linkOf(page, 'the answer')).toBe(`/issues/${issueId}`);
    expect(textOf(page)).toContain('pull request #31 · checks passing');
  });

  it('is a question, in its words, until the report is answered again', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const ask = {
      problem: 'It fails for guests',
      analysis: { ...MODEL, outcome: 'needs_information' as const, questions: ['Which version?'] },
    };
    const { issueId } = await ground.concluded({ reference: 'octo/shop#5', conclusion: ask });
    const page = await ground.visitor.page('/');
    expect(linkOf(page, 'It fails for guests')).toBe(`/issues/${issueId}#questions`);
    expect(textOf(page)).toContain('It fails for guests Which version? ·');
    await ground.concluded({ reference: 'octo/shop#5', conclusion: { problem: 'Fixed', analysis: MODEL } });
    expect(textOf(await ground.visitor.page('/'))).not.toContain('Questions that wait');
  });

  it('is a settings file with an error, unless GitHub does not say', async () => {
    const problem = '.github/causeway.yml, line 3: "modes" is no key.';
    await using ground = await webGround({
      repositories: [repository('octo/shop')],
      configuration: { values: [], problem, url: '', mode: null, yaml: '' },
    });
    await ground.concluded();
    const page = await ground.visitor.page('/');
    expect(linkOf(page, 'The settings file has an error')).toBe(`/projects/${ground.projects[0]!.id}/settings`);
    expect(textOf(page)).toContain(problem);
    await using silent = await webGround({
      repositories: [repository('octo/shop')],
      configuration: new CausewayError('github_failed', 'no answer'),
    });
    expect((await silent.visitor.get('/')).status).toBe(200);
  });

  it('is only what the person may act on', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    await withPullRequest(ground, 'Totals are wrong');
    const reader = await ground.signIn('rita', 11, 'read');
    const nobody = await ground.signIn('nora', 13, 'none');
    expect(textOf(await reader.page('/'))).not.toContain('Pull requests to review');
    expect(await nobody.page('/')).not.toContain('Totals are wrong');
  });
});

describe('how things stand', () => {
  it('says whether the default branch is green, what runs, what it cost and whether it was right', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const { store, clock, projects } = ground;
    const now = clock.now.toISOString();
    await store.recordPassingCheck(projects[0]!.id, { sha: SHA, at: now, check: ofActions('test') });
    const { issueId } = await ground.concluded({ conclusion: { analysis: MODEL } });
    const { id = '' } = (await store.findOutcomeOfIssue(issueId)) ?? {};
    await store.saveLook(id, { fate: MERGED, reactions: null, now });
    const { runId } = await ground.accepted();
    const run = (await store.startRun(runId, now))!;
    await store.reserveMoney(run, { amount: 500_000, limits: { run: 1e9, repository: 1e9, all: 1e9 }, now });
    await store.settleMoney(run, { reserved: 500_000, spent: 120_000, now });
    expect(textOf(await ground.visitor.page('/'))).toContain(
      'Default branch green Investigations 1 running Cost this month $0.12 of $200.00 budget Answers rated right 1 of 1',
    );
  });

  it('calls a branch unknown that failed since its last pass, though only by chance', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const { id } = ground.projects[0]!;
    const check = ofActions('test');
    expect(textOf(await ground.visitor.page('/'))).toContain('Default branch no checks seen yet');
    await ground.store.recordPassingCheck(id, { sha: SHA, at: '2026-11-19T10:00:00.000Z', check });
    await recorded(ground.store, id, [sighting('one', { verdict: 'flaky' })]);
    expect(textOf(await ground.visitor.page('/'))).toContain('Default branch unknown');
    await ground.store.recordPassingCheck(id, { sha: SHA, at: '2026-11-20T11:00:00.000Z', check });
    expect(textOf(await ground.visitor.page('/'))).toContain('Default branch green');
  });

  it('names no budget that projects pay from which the person does not see', async () => {
    await using ground = await webGround({
      repositories: [repository('octo/open', { isPrivate: false }), repository('octo/shop')],
    });
    const reader = await ground.signIn('rita', 11, 'read');
    expect(textOf(await ground.visitor.page('/'))).toContain('Cost this month $0 of $200.00 budget');
    expect(textOf(await reader.page('/'))).toContain('Cost this month $0 Answers');
  });

  it('has a line of 30 days for each project, with words for those who listen', async () => {
    await using ground = await webGround({ repositories: [repository('octo/open'), repository('octo/shop')] });
    await recorded(ground.store, ground.projects[1]!.id, [sighting('one'), sighting('two')]);
    const page = await ground.visitor.page('/');
    expect(rowsOf(page).map((cells) => [cells[0], cells[1], cells[2], cells[3]])).toEqual([
      ['octo/open private', 'no checks seen', '0', 'quiet'],
      ['octo/shop private', 'red', '1', '2 red checks'],
    ]);
    expect(page).toContain('aria-label="2 red checks in 30 days"');
  });
});

describe('the search', () => {
  it('finds projects by name, issues and failures by their words, of what the person sees alone', async () => {
    await using ground = await webGround({ repositories: [repository('octo/basket'), repository('octo/shop')] });
    const [, shop] = ground.projects;
    await ground.concluded({ project: shop!, conclusion: { problem: 'The BASKET is empty' } });
    await recorded(ground.store, shop!.id, [sighting('one', { checkName: 'basket tests' })]);
    const page = await ground.visitor.page('/search?q=basket');
    expect(headingsOf(page)).toEqual(['1 Search', '2 Projects', '2 Issues', '2 Failures']);
    expect(linkOf(page, 'octo/basket')).toBe(`/projects/${ground.projects[0]!.id}`);
    expect(textOf(page)).toContain('The BASKET is empty');
    expect(page).toContain('name="q" value="basket"');
    const nobody = await ground.signIn('nora', 13, 'none');
    expect(textOf(await nobody.page('/search?q=basket'))).toContain('No results for “basket”.');
  });

  it.each(['<script>alert(1)</script>', '%', "'", 'a'.repeat(5_000)])('takes %s as text', async (words) => {
    await using ground = await webGround();
    await ground.concluded();
    const page = await ground.visitor.page(`/search?q=${encodeURIComponent(words)}`);
    expect(page).not.toContain('<script>alert');
    expect(textOf(page)).toContain('No results for');
  });
});

describe('the first report', () => {
  it('is suggested where nothing was submitted yet, with a button', async () => {
    await using ground = await webGround();
    const page = await ground.visitor.page('/');
    expect(textOf(page)).toContain('Submit your first report');
    expect(linkOf(page, 'New report')).toBe(`/projects/${ground.projects[0]!.id}/reports/new`);
  });

  it('is started from the list, for one of several projects', async () => {
    await using ground = await webGround({ repositories: [repository('octo/open'), repository('octo/shop')] });
    await ground.concluded();
    const page = await ground.visitor.page('/');
    for (const { id, name } of ground.projects) {
      expect(linkOf(page, `New report for ${name}`)).toBe(`/projects/${id}/reports/new`);
    }
    const reader = await ground.signIn('rita', 11, 'read');
    expect(await reader.page('/')).not.toContain('/reports/new');
  });

  it('is not suggested to a person who may only read', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const reader = await ground.signIn('rita', 11, 'read');
    const text = textOf(await reader.page('/'));
    expect(text).toContain('octo/shop');
    expect(text).not.toContain('first report');
  });
});
