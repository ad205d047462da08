// What mode `observe` held back, and what it costs: for maintainers who have not let Causeway speak yet.
import { describe, expect, it } from 'vitest';
import type { HeadPlace } from '../../src/core/check/head.ts';
import type { Verdict } from '../../src/core/check/verdict.ts';
import { createId } from '../../src/core/ids.ts';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';
import type { Subject, ThreadRecord } from '../../src/core/thread/thread.ts';
import { emptyForecast, finding, inPullRequest, ON_MAIN, opening, record, seenAs } from '../support/store-samples.ts';
import { headingsOf, linkOf, linksOf, textOf } from './read-text.ts';
import { repository, type WebGround, webGround } from './web-ground.ts';

const NOW = '2026-11-20T10:00:00.000Z';

function onGithub() {
  return webGround({ repositories: [repository('octo/shop'), repository('octo/other')] });
}

function projectOf({ projects }: WebGround, name = 'octo/shop') {
  return projects.find((project) => project.name === name)!;
}

async function held(ground: WebGround, subject: Subject, text: NonNullable<ThreadRecord['held']>, name?: string) {
  const [investigationId, threadId] = [createId('inv'), createId('thr')];
  await ground.store.accept({
    ...{ investigationId, fingerprint: threadId, idempotency: null, now: NOW, thread: opening(threadId, { subject }) },
    report: {
      ...{ projectId: projectOf(ground, name).id, accountId: ground.visitor.account.id, origin: 'github-issue' },
      ...{ text: 'boom', reference: '', revision: '', callbackUrl: '', fresh: true, isTrusted: true },
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
    );
    const page = await observedOf(ground);
    expect(headingsOf(page)).toEqual(['1 octo/shop', '2 Cost', '2 What would have been posted', '3 Issue #12']);
    expect(textOf(page)).toContain('Comment **Cause found** <img src=x> [a link](https://evil.test) end');
    expect(textOf(page)).toContain('Pull request Fix cart Body');
    expect(page).not.toContain('<img');
    expect(page).not.toContain('\u202E');
    expect(linkOf(page, '#12')).toBe('https://github.com/octo/shop/issues/12');
    expect(linkOf(page, 'Investigation')).toBe(`/investigations/${investigationId}`);
    expect(linksOf(page).filter(({ href }) => href.includes('evil'))).toEqual([]);
  });

  it('leads to pull requests, failures and issues of the API as well', async () => {
    await using ground = await onGithub();
    await held(ground, { kind: 'pull_request', number: 7 }, { comment: 'c', pullRequest: '' });
    await held(ground, { kind: 'failure', failureId: 'fal_1' }, { comment: '', pullRequest: 'p' });
    await held(ground, { kind: 'report', issueId: 'iss_1' }, { comment: '', pullRequest: 'p' });
    const page = await observedOf(ground);
    expect(linkOf(page, '#7')).toBe('https://github.com/octo/shop/pull/7');
    expect(linkOf(page, 'A failure of the default branch')).toBe(`/projects/${projectOf(ground).id}/failures/fal_1`);
    expect(linkOf(page, 'An issue reported through the API')).toBe('/issues/iss_1');
    expect(page.match(/<summary>(?!<span)/g)).toHaveLength(3);
    expect(textOf(page)).toContain('3 subjects, most recently changed first.');
  });

  it('says what observing is, and how it is switched on, where there is nothing', async () => {
    await using ground = await onGithub();
    const text = textOf(await observedOf(ground));
    expect(text).toContain('In observe mode Causeway posts nothing');
    expect(text).toContain('mode: observe');
    expect(text).toContain('MAX_MODE=observe');
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
    expect(headingsOf(page).at(-1)).toBe('3 Pull request #31, commit ccccccc');
    expect(linkOf(page, '#31')).toBe('https://github.com/octo/shop/pull/31');
    expect(linkOf(page, 'ccccccc')).toBe(`https://github.com/octo/shop/commit/${sha}`);
    expect(textOf(page)).toContain('3 causes: broken by the change (2), flaky');
    expect(page).toContain(
      '<summary>Check run</summary><pre>1 cause\n\n&lt;img src=x&gt; [a link](https://evil.test) end</pre>',
    );
    expect(textOf(page)).not.toContain('would have posted. To');
    expect(textOf(page)).not.toContain('0 subjects');
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
  it('is what this month was spent, of this project', async () => {
    await using ground = await onGithub();
    expect(textOf(await observedOf(ground))).toContain('This month so far nothing');
    await ground.concluded({ project: projectOf(ground) });
    const { run } = await ground.concluded({ project: projectOf(ground, 'octo/other') });
    expect(run.projectId).not.toBe(projectOf(ground).id);
    expect(textOf(await observedOf(ground))).toContain('This month so far $0 for 1 investigation');
    const { runId } = await ground.accepted({ project: projectOf(ground) });
    const own = (await ground.store.startRun(runId, NOW))!;
    const limits = { run: 9e6, repository: 9e6, all: 9e6 };
    await ground.store.reserveMoney(own, { amount: 900_000, limits, now: NOW });
    await ground.store.settleMoney(own, { reserved: 900_000, spent: 420_000, now: NOW });
    expect(textOf(await observedOf(ground))).toContain('This month so far $0.42 for 2 investigations');
    ground.clock.now = new Date('2026-12-01T00:00:00.000Z');
    const later = await ground.signIn('mona', 7);
    const page = await later.page(`/projects/${projectOf(ground).id}/observed`);
    expect(textOf(page)).toContain('This month so far nothing');
  });

  it('has a forecast once the past was read, and says how far it is before', async () => {
    await using ground = await onGithub();
    expect(textOf(await observedOf(ground))).toContain('not yet known: reading the 14 days before');
    const waiting = { projectId: projectOf(ground).id, state: 'waiting', since: NOW, forecast: null } as const;
    await ground.store.saveBackfill(waiting, NOW);
    expect(textOf(await observedOf(ground))).toContain('not yet known: reading the 14 days before');
    await ground.store.saveBackfill({ ...waiting, state: 'done' }, NOW);
    expect(textOf(await observedOf(ground))).toContain(
      'No forecast: there is no check history, or an earlier version read it.',
    );
    const none = emptyForecast();
    const flaky = { checks: 3, tests: 2, listed: [] };
    const forecast = { ...none, groups: { ...none.groups, flaky }, investigations: 6, usd: 0.9 };
    await ground.store.saveBackfill({ ...waiting, state: 'done', forecast }, NOW);
    expect(textOf(await observedOf(ground))).toContain(
      '3 failed checks: 3 flaky (2 tests); 0 issues labelled; about $0.90',
    );
  });
});
