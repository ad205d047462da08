// What mode `observe` held back, and what it costs: for maintainers who have not let Causeway speak yet.
import { describe, expect, it } from 'vitest';
import type { HeadPlace } from '../../src/core/check/head.ts';
import type { Verdict } from '../../src/core/check/verdict.ts';
import { createId } from '../../src/core/ids.ts';
import type { Forecast } from '../../src/core/past.ts';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';
import type { ContextRepository } from '../../src/core/source/context-repository.ts';
import type { Subject, ThreadRecord } from '../../src/core/thread/thread.ts';
import {
  conclusion,
  emptyForecast,
  finding,
  inPullRequest,
  ON_MAIN,
  opening,
  record,
  seenAs,
} from '../support/store-samples.ts';
import { headingsOf, linkOf, linksOf, rowsOf, textOf } from './read-text.ts';
import { repository, type WebGround, webGround } from './web-ground.ts';

const NOW = '2026-11-20T10:00:00.000Z';

function onGithub() {
  return webGround({ repositories: [repository('octo/shop'), repository('octo/other')] });
}

function projectOf({ projects }: WebGround, name = 'octo/shop') {
  return projects.find((project) => project.name === name)!;
}

async function held(ground: WebGround, subject: Subject, text: NonNullable<ThreadRecord['held']>, report = 'boom') {
  const [investigationId, threadId] = [createId('inv'), createId('thr')];
  await ground.store.accept({
    ...{ investigationId, fingerprint: threadId, idempotency: null, now: NOW, thread: opening(threadId, { subject }) },
    report: {
      ...{ projectId: projectOf(ground).id, accountId: ground.visitor.account.id, origin: 'github-issue' },
      ...{ text: report, reference: '', revision: '', callbackUrl: '', fresh: true, isTrusted: true },
      settings: DEFAULT_SETTINGS,
    },
  });
  await ground.store.saveThreadRecord(threadId, record({ held: text }), NOW);
  return investigationId;
}

/** A head with one finding of each verdict, and the check run that it would have had. */
async function heldHead(
  { store }: WebGround,
  head: { readonly projectId: string; readonly sha: string; readonly branch?: string },
  held: { readonly place: HeadPlace | null; readonly verdicts: readonly Verdict[]; readonly text?: string },
) {
  const id = createId('hed');
  await store.ensureHead({ branch: '', ...head, id }, { runAt: NOW, now: NOW });
  const findings = held.verdicts.map((verdict, at) => finding(`fal_${at}`, { verdict }));
  await store.saveHead(id, seenAs('red', { place: held.place, findings }), NOW);
  await store.saveHeadRecord(id, { checkRun: null, held: held.text ?? 'One cause' }, NOW);
}

function observedOf(ground: WebGround): Promise<string> {
  return ground.visitor.page(`/projects/${projectOf(ground).id}/observed`);
}

describe('what was held back', () => {
  it('is shown as text, by the subject that it would have been posted for', async () => {
    await using ground = await onGithub();
    const comment = '**Cause found** <img src=x>\n\n[a link](https://evil.test) \u202Eend';
    const investigationId = await held(
      ground,
      { kind: 'issue', number: 12 },
      { comment, pullRequest: 'Fix cart\n\nBody' },
      'The cart loses things\n\nSince Monday.',
    );
    const page = await observedOf(ground);
    expect(headingsOf(page)).toEqual([
      ...['1 octo/shop', '2 Held back so far', '2 Cost', '2 Switch it on', '2 What would have been posted'],
      '3 The cart loses things',
    ]);
    expect(textOf(page)).toContain('Switched on, Causeway would have posted 1 comment and 1 pull request here.');
    expect(textOf(page)).toContain('Comment **Cause found** <img src=x> [a link](https://evil.test) end');
    expect(textOf(page)).toContain('Pull request Fix cart Body');
    expect(rowsOf(page)[0]).toEqual(['Issues and reports', '', '1', '1', '']);
    expect(page).not.toContain('<img');
    expect(page).not.toContain('\u202E');
    expect(linkOf(page, '#12')).toBe('https://github.com/octo/shop/issues/12');
    expect(linkOf(page, 'The cart loses things')).toBe(`/investigations/${investigationId}`);
    expect(linksOf(page).filter(({ href }) => href.includes('evil'))).toEqual([]);
  });

  it('leads to pull requests, failures and issues of the API as well', async () => {
    await using ground = await onGithub();
    await held(ground, { kind: 'pull_request', number: 7 }, { comment: 'c', pullRequest: '' });
    await held(ground, { kind: 'failure', failureId: 'fal_1' }, { comment: '', pullRequest: 'p' });
    await held(ground, { kind: 'report', issueId: 'iss_1' }, { comment: '', pullRequest: 'p' });
    const page = await observedOf(ground);
    expect(linkOf(page, '#7')).toBe('https://github.com/octo/shop/pull/7');
    expect(linkOf(page, 'failure of the default branch')).toBe(`/projects/${projectOf(ground).id}/failures/fal_1`);
    expect(linkOf(page, 'issue reported through the API')).toBe('/issues/iss_1');
    expect(page.match(/<summary>(?!<span)/g)).toHaveLength(3);
    expect(textOf(page)).toContain('would have posted 1 comment and 2 pull requests here');
    expect(rowsOf(page).slice(0, 2)).toEqual([
      ['Unclear', '', '1', '1', ''],
      ['Issues and reports', '', '', '1', ''],
    ]);
  });

  it('shows no texts that rest on a repository which the person cannot read', async () => {
    await using ground = await onGithub();
    const texts = { comment: 'The other one says so', pullRequest: 'Taken from there' };
    const investigationId = await held(ground, { kind: 'issue', number: 4 }, texts);
    const found = await ground.store.findInvestigation(investigationId);
    const run = (await ground.store.startRun(found?.runId ?? '', NOW))!;
    const made = conclusion();
    const read: ContextRepository = {
      projectId: 'prj_gone',
      repository: 'octo/gone',
      revision: 'd'.repeat(40),
      ref: '',
      via: 'configuration',
      path: '',
      refused: null,
    };
    await ground.store.conclude(run, { ...made, analysis: { ...made.analysis, context: [read] } }, NOW);
    const page = await observedOf(ground);
    expect(headingsOf(page).at(-1)).toBe('3 This result is withheld.');
    expect(page).not.toContain(texts.comment);
    expect(page).not.toContain(texts.pullRequest);
  });

  it('has the problem as its title, and what it cost', async () => {
    await using ground = await onGithub();
    const investigationId = await held(ground, { kind: 'issue', number: 4 }, { comment: 'c', pullRequest: '' });
    const found = await ground.store.findInvestigation(investigationId);
    const run = (await ground.store.startRun(found?.runId ?? '', NOW))!;
    const limits = { run: 9e6, repository: 9e6, all: 9e6 };
    await ground.store.reserveMoney(run, { amount: 900_000, limits, now: NOW });
    await ground.store.settleMoney(run, { reserved: 900_000, spent: 420_000, now: NOW });
    await ground.store.conclude(run, { ...conclusion(), problem: 'Each price is asked for by itself.' }, NOW);
    const page = await observedOf(ground);
    expect(headingsOf(page).at(-1)).toBe('3 Each price is asked for by itself.');
    expect(textOf(page)).toContain('Comment for issue #4 · $0.42 · 2026-11-20 10:00 UTC');
    expect(rowsOf(page)[0]).toEqual(['Issues and reports', '', '1', '', '$0.42']);
  });
});

describe('the line that switches it on', () => {
  const inMode = (mode: 'observe' | 'comment' | 'fix', isCapped = false) =>
    webGround({
      repositories: [repository('octo/shop')],
      configuration: { values: [], problem: '', url: '', mode: { mode, isCapped }, yaml: '' },
    });
  const lineOf = (page: string) => /<code id="line">([^<]*)<\/code>/.exec(page)?.[1];

  it('is one to be copied, in mode observe', async () => {
    await using ground = await inMode('observe');
    const page = await observedOf(ground);
    expect(headingsOf(page)).toContain('2 Switch it on');
    expect(lineOf(page)).toBe('mode: comment');
    expect(page).toContain('data-copy="line"');
    expect(textOf(page)).toContain('In observe mode Causeway posts nothing, and this is the mode here.');
    expect(textOf(page)).not.toContain('MAX_MODE');
  });

  it("says that the operator's limit holds it back all the same", async () => {
    await using ground = await inMode('observe', true);
    const page = await observedOf(ground);
    expect(lineOf(page)).toBe('mode: comment');
    expect(textOf(page)).toContain("The operator's MAX_MODE=observe holds everything back until it is raised");
  });

  it('is the way back where it is on', async () => {
    await using ground = await inMode('comment');
    const page = await observedOf(ground);
    expect(headingsOf(page)).toContain('2 It is on: mode comment');
    expect(lineOf(page)).toBe('mode: observe');
    expect(textOf(page)).toContain('It opens no pull requests in this mode.');
    expect(textOf(page)).toContain('MAX_MODE=observe');
  });

  it('is there where GitHub does not say what the mode is', async () => {
    await using ground = await webGround({
      repositories: [repository('octo/shop')],
      configuration: new Error('GitHub does not answer'),
    });
    expect(lineOf(await observedOf(ground))).toBe('mode: comment');
  });
});

describe('a check run that was held back', () => {
  it('is shown as text, by the place and the commit that it would have stood at', async () => {
    await using ground = await onGithub();
    const projectId = projectOf(ground).id;
    const text = '1 cause\n\n<img src=x> [a link](https://evil.test) \u202Eend';
    const sha = 'c'.repeat(40);
    await heldHead(ground, { projectId, sha }, { place: inPullRequest(31), verdicts: ['code', 'flaky', 'code'], text });
    const page = await observedOf(ground);
    expect(headingsOf(page).at(-1)).toBe('3 TypeError: x is undefined');
    expect(textOf(page)).toContain('Check run on pull request #31, commit ccccccc · broken by the change (2), flaky');
    expect(linkOf(page, '#31')).toBe('https://github.com/octo/shop/pull/31');
    expect(linkOf(page, 'ccccccc')).toBe(`https://github.com/octo/shop/commit/${sha}`);
    expect(page).toContain(
      '<summary>Check run</summary><pre>1 cause\n\n&lt;img src=x&gt; [a link](https://evil.test) end</pre>',
    );
    expect(rowsOf(page)).toEqual([
      ['Broken by the change', '2', '', '', ''],
      ['Flaky', '1', '', '', ''],
    ]);
    expect(textOf(page)).toContain('would have posted 1 check run here');
  });

  it('is only about this project', async () => {
    await using ground = await onGithub();
    const text = 'would stand elsewhere';
    const sha = 'd'.repeat(40);
    await heldHead(
      ground,
      { projectId: projectOf(ground, 'octo/other').id, sha },
      { place: ON_MAIN, verdicts: ['code'], text },
    );
    expect(await observedOf(ground)).not.toContain(text);
  });
});

describe('what it costs', () => {
  it('is what this month was spent, of this project, against its budget', async () => {
    await using ground = await onGithub();
    expect(headingsOf(await observedOf(ground))).not.toContain('2 Cost');
    await ground.concluded({ project: projectOf(ground) });
    const { run } = await ground.concluded({ project: projectOf(ground, 'octo/other') });
    expect(run.projectId).not.toBe(projectOf(ground).id);
    expect(rowsOf(await observedOf(ground))).toEqual([['This month so far for 1 investigation', '$0', '0 %']]);
    const { runId } = await ground.accepted({ project: projectOf(ground) });
    const own = (await ground.store.startRun(runId, NOW))!;
    const limits = { run: 9e6, repository: 9e6, all: 9e6 };
    await ground.store.reserveMoney(own, { amount: 900_000, limits, now: NOW });
    await ground.store.settleMoney(own, { reserved: 900_000, spent: 420_000, now: NOW });
    expect(rowsOf(await observedOf(ground))).toEqual([['This month so far for 2 investigations', '$0.42', '2 %']]);
    ground.clock.now = new Date('2026-12-01T00:00:00.000Z');
    const later = await ground.signIn('mona', 7);
    const page = await later.page(`/projects/${projectOf(ground).id}/observed`);
    expect(headingsOf(page)).not.toContain('2 Cost');
  });

  it('has a forecast once the past was read, and says how far it is before', async () => {
    await using ground = await onGithub();
    const reading = 'Reading the 14 days before Causeway was installed.';
    expect(textOf(await observedOf(ground))).toContain(reading);
    const waiting = { projectId: projectOf(ground).id, state: 'waiting', since: NOW, forecast: null } as const;
    await ground.store.saveBackfill(waiting, NOW);
    expect(textOf(await observedOf(ground))).toContain(reading);
    await ground.store.saveBackfill({ ...waiting, state: 'done' }, NOW);
    expect(textOf(await observedOf(ground))).toContain(
      'No forecast: there is no check history, or an earlier version read it.',
    );
    await ground.store.saveBackfill({ ...waiting, state: 'done', forecast: forecast() }, NOW);
    const page = await observedOf(ground);
    expect(textOf(page)).toContain(
      'In the 14 days before it was installed, Causeway would have classified 8 failed checks and analysed 1 labelled issue, for about $0.60.',
    );
    expect(rowsOf(page)).toEqual([
      ['Broken by the change', '4', 'up to 2', 'up to 1', '$0.45'],
      ['Flaky (2 tests)', '3', '', '', ''],
      ['Not read', '1', '', '', ''],
      ['Labelled issues (1)', '', 'up to 1', 'up to 1', '$0.15'],
      ['This month so far nothing was investigated', '$0', '0 %'],
      ['A month like those days an estimate, at about $0.15 an investigation', '$1.29', '5 %'],
    ]);
    expect(page).toContain('aria-label="Failed checks: 4 Broken by the change, 3 Flaky, 1 Not read"');
    expect(textOf(page)).toContain("Flaky (3) KeyError: 'sum' test on #9");
    expect(linkOf(page, "KeyError: 'sum'")).toBe('https://github.com/octo/shop/actions/runs/1');
    expect(linkOf(page, 'Crash on start')).toBe('https://github.com/octo/shop/issues/5');
  });

  it('shows a forecast that an older version stored, without the counts that it did not make', async () => {
    await using ground = await onGithub();
    const none = emptyForecast();
    const groups = { ...none.groups, flaky: { checks: 3, tests: 2, listed: [] } };
    const done = { projectId: projectOf(ground).id, state: 'done', since: NOW } as const;
    await ground.store.saveBackfill({ ...done, forecast: { ...none, groups, investigations: 6, usd: 0.9 } }, NOW);
    expect(rowsOf(await observedOf(ground))[0]).toEqual(['Flaky (2 tests)', '3', '–', '–', '–']);
  });
});

/** Of everything something: 8 failed checks, of which one was not read, and a labelled issue. */
function forecast(): Forecast {
  const nothing = { investigations: 0, comments: 0, pullRequests: 0 };
  const none = { checks: 0, tests: 0, listed: [], answers: nothing };
  const url = 'https://github.com/octo/shop/actions/runs/1';
  const seen = { name: 'test', branch: 'topic', pullRequest: 9, headline: "KeyError: 'sum'", noLog: '', url };
  const issue = { number: 5, title: 'Crash \u202Eon start', url: 'https://github.com/octo/shop/issues/5' };
  return emptyForecast({
    groups: {
      ...{ base_broken: none, infrastructure: none, inconclusive: none },
      code: { ...none, checks: 4, answers: { investigations: 3, comments: 2, pullRequests: 1 } },
      flaky: { ...none, checks: 3, tests: 2, listed: [seen] },
    },
    ...{ unreadChecks: 1, investigations: 4, usd: 0.6 },
    issues: { labels: ['analyse'], opened: 2, labelled: [issue] },
  });
}
