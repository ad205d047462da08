// The ledger of a project's failures, and one of them: how often, where, how it stands, and which commit it came with.
import { describe, expect, it } from 'vitest';
import type { CommitRange, Sighting } from '../../src/core/check/failure.ts';
import { EMPTY_EXCERPT } from '../../src/core/check/head.ts';
import { createId } from '../../src/core/ids.ts';
import type { PostedRevert } from '../../src/core/put-back/put-back.ts';
import {
  conclusion,
  finding,
  found,
  inBranch,
  ofActions,
  pullRequest,
  record,
  seenAs,
  sighting,
} from '../support/store-samples.ts';
import { formTo } from './read-page.ts';
import { headingsOf, linkOf, rowsOf, textOf } from './read-text.ts';
import { repository, type WebGround, webGround } from './web-ground.ts';

const [FIRST, SECOND, GREEN] = ['a', 'b', 'c'].map((digit) => digit.repeat(40)) as [string, string, string];
const AT = '2026-11-20T09:00:00.000Z';
const LATER = '2026-11-20T09:30:00.000Z';

function onGithub() {
  return webGround({ repositories: [repository('octo/shop'), repository('octo/other')] });
}

function projectOf({ projects }: WebGround, name = 'octo/shop') {
  return projects.find((project) => project.name === name)!;
}

interface Seen {
  readonly id?: string;
  readonly headline?: string;
  readonly project?: string;
}

async function seen(ground: WebGround, sightings: readonly Sighting[], how: Seen = {}): Promise<string> {
  const id = how.id ?? createId('fal');
  const projectId = projectOf(ground, how.project).id;
  const headline = how.headline ?? 'TypeError: x is undefined';
  await ground.store.recordSightings({ id, projectId, fingerprint: `print of ${id}`, headline }, sightings);
  return id;
}

/** `flaky` of these sightings passed at the same commit. */
async function seenOften(ground: WebGround, headline: string, { times, flaky }: { times: number; flaky: number }) {
  const keys = Array.from({ length: times }, (_, at) => `${headline} ${at}`);
  const id = await seen(
    ground,
    keys.map((key) => sighting(key, { at: AT })),
    { headline },
  );
  await ground.store.markFlaky(id, keys.slice(0, flaky));
  return id;
}

async function closed(ground: WebGround): Promise<void> {
  const green = { sha: GREEN, checks: [ofActions('test')], at: LATER, contained: [{ from: FIRST, to: GREEN }] };
  await ground.store.closeFixedFailures(projectOf(ground).id, green, LATER);
}

function ledgerOf(ground: WebGround, query = ''): Promise<string> {
  return ground.visitor.page(`/projects/${projectOf(ground).id}/failures${query}`);
}

function failureOf(ground: WebGround, id: string): Promise<string> {
  return ground.visitor.page(`/projects/${projectOf(ground).id}/failures/${id}`);
}

describe('the ledger of failures', () => {
  it('shows each by its headline, with 30 days, and where it was seen', async () => {
    await using ground = await onGithub();
    const id = await seen(ground, [sighting('one', { at: AT }), inBranch('two', 7, { at: LATER, checkName: 'lint' })]);
    const page = await ledgerOf(ground);
    expect(rowsOf(page)).toEqual([
      [...['TypeError: x is undefined lint, test', 'on main', '2'], ...['#7 aaaaaaa', '–', '2026-11-20 09:30 UTC']],
    ]);
    expect(page).toContain('aria-label="2 red checks in 30 days, at most 2 a day"');
    expect(linkOf(page, 'TypeError: x is undefined')).toBe(`/projects/${projectOf(ground).id}/failures/${id}`);
    expect(linkOf(page, '#7')).toBe('https://github.com/octo/shop/pull/7');
  });

  it('shows the open ones first, and the closed ones with what closed them', async () => {
    await using ground = await onGithub();
    await seen(ground, [sighting('one', { at: AT, sha: FIRST })], { headline: 'mended' });
    await closed(ground);
    await seen(ground, [inBranch('two', 9, { at: AT })], { headline: 'merged' });
    await ground.store.closeFailuresOfPullRequest(projectOf(ground).id, 9, LATER);
    await seen(ground, [sighting('three', { at: AT })], { headline: 'still there' });
    const states = async (query: string) =>
      Object.fromEntries(
        rowsOf(await ledgerOf(ground, query)).map(([name = '', state]) => [name.replace(/ test$/, ''), state]),
      );
    expect(await states('')).toEqual({ 'still there': 'on main' });
    expect(await states('?state=closed')).toEqual({
      mended: 'fixed passed on the default branch at ccccccc',
      merged: 'closed its pull requests were closed',
    });
    expect(Object.keys(await states('?state=all'))).toHaveLength(3);
    expect(Object.keys(await states('?state=<x>'))).toEqual(['still there']);
    expect(linkOf(await ledgerOf(ground, '?state=closed'), 'ccccccc')).toBe(
      `https://github.com/octo/shop/commit/${GREEN}`,
    );
    expect(await ledgerOf(ground, '?state=closed')).toMatch(/state=closed" aria-current="true">Closed/);
  });

  it('is titled by the failed test, with the error beside, 30 days and its log', async () => {
    await using ground = await onGithub();
    const projectId = projectOf(ground).id;
    const id = await seen(ground, [
      ...['1', '2'].map((key) => sighting(key, { at: AT, sha: FIRST })),
      sighting('3', { at: '2026-10-01T09:00:00.000Z' }),
    ]);
    await ground.store.ensureHead({ id: 'hed_1', projectId, sha: FIRST, branch: 'main' }, { runAt: AT, now: AT });
    const excerpt = { ...EMPTY_EXCERPT, step: 'npm test', lines: ['expected 3', '<b>got</b> 4'] };
    const tests = ['cart > adds <i>twice</i>', 'cart > removes'];
    const findings = [finding(id, { excerpt: { ...excerpt, tests } })];
    await ground.store.saveHead('hed_1', seenAs('red', { findings }), AT);
    expect(rowsOf(await ledgerOf(ground))[0]?.[0]).toMatch(
      /^cart > adds <i>twice<\/i> and 1 other test TypeError: x is undefined test/,
    );
    const page = await failureOf(ground, id);
    expect(headingsOf(page)).toEqual([...['1 cart > adds <i>twice</i> and 1 other test', '2 Cause', '2 Log']]);
    expect(textOf(page)).toContain('Step npm test expected 3 <b>got</b> 4');
    expect(textOf(page)).toContain('2 red checks in 30 days, at most 2 a day.');
    expect(textOf(page)).toContain('Red checks a day with this failure. 20 Nov: 2');
    expect(page.match(/<rect class="bar"/g)).toHaveLength(1);
    expect(page).not.toContain('<b>got');
  });

  it('names a test once whose error only compares values', async () => {
    await using ground = await onGithub();
    const excerpt = { ...EMPTY_EXCERPT, headline: 'assert 14 == 12', tests: ['test_sum'] };
    const id = await seen(ground, [sighting('1', { at: AT, sha: FIRST })], { headline: 'test_sum: assert 14 == 12' });
    const noted = { id: 'hed_1', projectId: projectOf(ground).id, sha: FIRST, branch: 'main' };
    await ground.store.ensureHead(noted, { runAt: AT, now: AT });
    await ground.store.saveHead('hed_1', seenAs('red', { findings: [finding(id, { excerpt })] }), AT);
    expect(rowsOf(await ledgerOf(ground))[0]?.[0]).toMatch(/^test_sum assert 14 == 12 test/);
  });

  it('names the check of a failure whose error says nothing, and never two failures alike', async () => {
    await using ground = await onGithub();
    const failed = 'Process completed with exit code 1.';
    await seen(ground, [sighting('one', { at: AT, checkName: 'lint' })], { headline: failed });
    await seen(ground, [sighting('two', { at: AT, checkName: 'build' })], { headline: failed });
    await seen(ground, [sighting('three', { at: AT, checkName: 'deploy' })], { headline: '' });
    expect(rowsOf(await ledgerOf(ground)).map(([name]) => name)).toEqual([
      ...['deploy failed', `build failed ${failed}`, `lint failed ${failed}`],
    ]);
  });

  it('names the author of the one commit that a failure came with', async () => {
    await using ground = await onGithub();
    const id = await seen(ground, [sighting('one', { at: AT, sha: SECOND })]);
    const commits = [{ sha: SECOND, author: 'mona', subject: 'Speed up the cart' }];
    await ground.store.saveRange(id, { from: FIRST, to: SECOND, total: 1, commits });
    expect(rowsOf(await ledgerOf(ground))[0]?.[4]).toBe('mona wrote bbbbbbb');
    const shown = textOf(await failureOf(ground, id));
    expect(shown).toContain('The default branch broke with this commit');
    expect(shown).not.toContain('No commit stands out');
  });

  it('names a regression', async () => {
    await using ground = await onGithub();
    const id = await seen(ground, [sighting('one', { at: AT, sha: FIRST })]);
    await closed(ground);
    await seen(ground, [sighting('two', { at: '2026-11-20T09:45:00.000Z', sha: SECOND })], { id });
    expect(rowsOf(await ledgerOf(ground))[0]?.[1]).toBe('regression opened 2 times');
    expect(textOf(await failureOf(ground, id))).toMatch(
      /State regression opened 2 times closed before, 2026-11-20 09:30 UTC/,
    );
  });

  it('ranks the flaky ones by how often they passed without a change, and says over how many', async () => {
    await using ground = await onGithub();
    await seenOften(ground, 'never by chance', { times: 5, flaky: 0 });
    await seenOften(ground, 'often', { times: 4, flaky: 3 });
    await seenOften(ground, 'once of ten', { times: 10, flaky: 1 });
    await seenOften(ground, 'once of two', { times: 2, flaky: 1 });
    const page = await ledgerOf(ground);
    expect(headingsOf(page)).toEqual(['1 octo/shop', '2 Failures', '2 Flaky']);
    expect(
      rowsOf(page)
        .slice(4)
        .map((row) => row.slice(0, 2)),
    ).toEqual([
      ['often', '3 of 4, 75 %'],
      ['once of two', '1 of 2, 50 %'],
      ['once of ten', '1 of 10, 10 %'],
    ]);
    expect(rowsOf(page).find(([name]) => name?.startsWith('often'))?.[1]).toBe(
      'flaky 3 of 4, 75 %, passed on a re-run',
    );
  });

  it('names the owners of a flaky test, and how it can be skipped until a day', async () => {
    await using ground = await onGithub();
    const id = await seenOften(ground, 'often', { times: 3, flaky: 3 });
    const project = projectOf(ground).id;
    const { lastSeen } = (await ground.store.findFailure(id))!;
    await ground.store.ensureHead(
      { id: 'hed_1', projectId: project, sha: lastSeen.sha, branch: 'main' },
      { runAt: AT, now: AT },
    );
    const testFile = { path: 'tests/test_pay.py', owners: ['@octo/pay'] };
    const excerpt = { ...EMPTY_EXCERPT, tests: ['tests/test_pay.py::test_pay'] };
    await ground.store.saveHead('hed_1', seenAs('red', { findings: [finding(id, { excerpt, testFile })] }), AT);
    const [, row] = rowsOf(await ledgerOf(ground));
    expect(row?.slice(1, 5)).toEqual([
      ...['3 of 3, 100 %', '2026-11-20 09:00 UTC', '@octo/pay', 'proposed, until 2026-12-20'],
    ]);
    const page = textOf(await failureOf(ground, id));
    expect(page).toContain('Owner @octo/pay owns tests/test_pay.py');
    expect(page).toContain(
      'To skip tests/test_pay.py::test_pay in tests/test_pay.py until 2026-12-20, write this above the test.',
    );
    expect(page).toContain('@pytest.mark.skip(reason="flaky until 2026-12-20: http');
  });

  it('says what to expect where there is none', async () => {
    await using github = await onGithub();
    await using local = await webGround();
    expect(textOf(await ledgerOf(github))).toContain('No open failures. When a check fails');
    expect(textOf(await ledgerOf(github, '?state=closed'))).toContain('No closed failures.');
    const page = await local.visitor.page(`/projects/${local.projects[0]!.id}/failures`);
    expect(textOf(page)).toContain('this is a local repository');
  });

  it('makes the words of checks inert', async () => {
    await using ground = await onGithub();
    const hostile = '<script>alert(1)</script>\u202Egnp';
    const id = await seen(ground, [sighting('one', { checkName: hostile, branch: hostile })], { headline: hostile });
    for (const page of [await ledgerOf(ground), await failureOf(ground, id)]) {
      expect(page).not.toContain('<script>alert');
      expect(page).not.toContain('\u202E');
      expect(textOf(page)).toContain('<script>alert(1)</script>gnp');
    }
  });
});

describe('putting back what broke the default branch', () => {
  const ONLY: CommitRange = {
    from: FIRST,
    to: SECOND,
    total: 1,
    commits: [{ sha: SECOND, author: 'mona', subject: 'x' }],
  };

  async function broken(ground: WebGround, range = ONLY) {
    const id = await seen(ground, [sighting('one', { sha: SECOND })]);
    await ground.store.saveRange(id, range);
    const page = `/projects/${projectOf(ground).id}/failures/${id}`;
    return { id, page, action: `${page}/revert` };
  }

  it('is a button for people with write, which asks for it once', async () => {
    await using ground = await onGithub();
    const { page, action } = await broken(ground);
    const reader = await ground.signIn('tria', 8, 'triage');
    expect(textOf(await reader.page(page))).toContain(
      "Someone with write access can open GitHub's own revert of bbbbbbb",
    );
    expect((await reader.post(action, { sha: SECOND })).status).toBe(403);
    const writer = await ground.signIn('mona', 7, 'write');
    const form = formTo(await writer.page(page), action);
    expect([form.buttons, form.fields['sha']]).toEqual([['Open revert'], [SECOND]]);
    expect((await writer.post(action, { sha: FIRST })).status).toBe(409);
    for (let time = 0; time < 2; time += 1) expect((await writer.post(action, { sha: SECOND })).status).toBe(303);
    const asked = textOf(await writer.page(page));
    expect(asked).toContain('opening a draft that reverts bbbbbbb');
    expect(asked).not.toContain('Open revert');
    const putBack = await ground.store.findPutBackOfCommit(projectOf(ground).id, SECOND);
    expect(putBack?.request).toMatchObject({ login: 'mona', id: 7, number: null });
  });

  it('shows the draft with its proof, or why there is none with the line for home', async () => {
    await using ground = await onGithub();
    const { id, page } = await broken(ground);
    const request = { id: 7, login: 'mona', at: AT, number: null };
    const made = await ground.store.requestPutBack({ failureId: id, sha: SECOND, request }, AT);
    const putBackId = made.kind === 'requested' ? made.putBack.id : '';
    const home = { sha: SECOND, isMerge: true, files: ['src/<b>.js'], more: 2 };
    const reason = { code: 'conflict', said: '<i>no</i>', home } as const;
    await ground.store.savePutBack(putBackId, { kind: 'refused', reason, isTold: true }, AT);
    const refused = await ground.visitor.page(page);
    expect(textOf(refused)).toContain(`src/<b>.js and 2 more files To revert it yourself: git revert -m 1 ${SECOND}`);
    expect(refused).not.toContain('<i>no</i>');
    expect(textOf(refused)).not.toContain('Open revert');
    const pull: PostedRevert = {
      ...{
        number: 31,
        url: 'https://github.com/octo/shop/pull/31',
        branch: 'revert-12-x',
        headSha: GREEN,
        reverts: 12,
      },
      ...{ state: 'open' as const, isDraft: true, isTaken: false, closedFor: null },
      proof: { kind: 'proven', base: SECOND, checks: [], turned: [] },
    };
    await ground.store.savePutBack(putBackId, { kind: 'opened', pull }, AT);
    expect(textOf(await ground.visitor.page(page))).toContain(
      '#31 open reverts #12. Proven in CI: what failed here passes',
    );
  });

  it('is not shown where several commits may have brought it', async () => {
    await using ground = await onGithub();
    const { page } = await broken(ground, { ...ONLY, total: 2, steps: 2 });
    expect(textOf(await ground.visitor.page(page))).not.toContain('Put it back');
  });
});

describe('one failure', () => {
  const RANGE: CommitRange = {
    ...{ from: FIRST, to: SECOND, total: 22 },
    commits: [
      { sha: SECOND, author: 'mona', subject: 'Speed up <b>cart</b>' },
      { sha: GREEN, author: 'otto', subject: 'Tidy' },
    ],
    likeliest: { sha: GREEN, reason: 'touches src/cart.ts, which the failing lines name' },
  };

  it('shows the commits that it may have come with, the likeliest with its reason', async () => {
    await using ground = await onGithub();
    const id = await seen(ground, [sighting('one')]);
    await ground.store.saveRange(id, RANGE);
    const page = await failureOf(ground, id);
    const text = textOf(page);
    expect(text).toContain('broke with one of 22 commits: aaaaaaa..bbbbbbb');
    expect(text).toContain(
      'ccccccc Tidy otto most likely touches src/cart.ts, which the failing lines name bbbbbbb Speed',
    );
    expect(text).toContain('These are the 2 newest of 22.');
    expect(linkOf(page, 'aaaaaaa..bbbbbbb')).toBe(`https://github.com/octo/shop/compare/${FIRST}...${SECOND}`);
    expect(linkOf(page, 'ccccccc')).toBe(`https://github.com/octo/shop/commit/${GREEN}`);
    expect(text).not.toContain('None of them');
  });

  async function lookedInto(ground: WebGround, failureId: string) {
    const project = projectOf(ground);
    const investigationId = createId('inv');
    const accepted = await ground.store.accept({
      ...{ investigationId, fingerprint: 'f', idempotency: null, now: AT },
      thread: found(failureId, { subject: { kind: 'failure', failureId } }),
      report: {
        ...{ projectId: project.id, accountId: ground.visitor.account.id, origin: 'check-run', text: 'boom' },
        ...{ reference: '', revision: '', callbackUrl: '', fresh: false, isTrusted: true },
        settings: (await ground.deps.settingsOf(project, new AbortController().signal)).investigation,
      },
    });
    if (accepted.kind !== 'accepted') throw new Error('It was not accepted.');
    return { investigationId, run: (await ground.store.startRun(accepted.runId, AT))! };
  }

  it('leads to its investigation while it runs, then to its issue and the pull request', async () => {
    await using ground = await onGithub();
    const id = await seen(ground, [sighting('one')]);
    expect(textOf(await failureOf(ground, id))).toContain('Not investigated since');
    const { investigationId, run } = await lookedInto(ground, id);
    expect(linkOf(await failureOf(ground, id), 'Being investigated')).toBe(`/investigations/${investigationId}`);
    const { analysis } = conclusion();
    const found = { ...analysis, outcome: 'code_fix', confidence: 0.86 } as const;
    const concluded = { ...conclusion({ analysis: found }), rootCause: 'The cart forgets its last item. More.' };
    const [issueId = ''] = await ground.store.conclude(run, concluded, LATER);
    const url = 'https://github.com/octo/shop/pull/31';
    const posted = pullRequest(issueId, { checks: 'red', url });
    await ground.store.saveThreadRecord('thr_1', record({ pullRequest: posted }), LATER);
    const page = await failureOf(ground, id);
    expect(linkOf(page, 'The cart forgets its last item.')).toBe(`/issues/${issueId}`);
    expect(linkOf(page, '#31')).toBe(url);
    expect(textOf(page)).toContain('Pull request #31 open checks failing');
  });

  it('shows no words of an answer without a cause as one', async () => {
    await using ground = await onGithub();
    const id = await seen(ground, [sighting('one')]);
    const { run } = await lookedInto(ground, id);
    const rootCause = "I don't know the cause. Closest match: `src/cart.ts:3`.";
    const { analysis } = conclusion();
    const none = { ...analysis, outcome: 'inconclusive', reason: 'The answer was discarded.' } as const;
    const [issueId = ''] = await ground.store.conclude(run, conclusion({ rootCause, analysis: none }), LATER);
    const page = await failureOf(ground, id);
    expect(textOf(page)).toContain('Cause not found The answer was discarded. What was checked');
    expect(textOf(page)).not.toContain("I don't know");
    expect(linkOf(page, 'What was checked')).toBe(`/issues/${issueId}`);
  });

  it('says how the failing test gets to what a pull request touches, while nothing certain is known', async () => {
    await using ground = await onGithub();
    const seenThere = { at: AT, sha: FIRST, verdict: 'inconclusive' } as const;
    const id = await seen(ground, [inBranch('one', 7, seenThere)]);
    const noted = { id: 'hed_1', projectId: projectOf(ground).id, sha: FIRST, branch: 'topic' };
    await ground.store.ensureHead(noted, { runAt: AT, now: AT });
    const leaning = { to: 'code', path: ['test/flow.test.js', 'src/<b>till.js', 'src/tax.js'] } as const;
    await ground.store.saveHead('hed_1', seenAs('red', { findings: [finding(id, { leaning })] }), AT);
    const page = await failureOf(ground, id);
    expect(textOf(page)).toContain(
      'Probably the change of #7: test/flow.test.js uses src/<b>till.js, which uses src/tax.js, which it touches.',
    );
    expect(page).not.toContain('<b>till');
    const { run } = await lookedInto(ground, id);
    const { analysis } = conclusion();
    await ground.store.conclude(
      run,
      conclusion({ analysis: { ...analysis, outcome: 'code_fix', confidence: 0.9 } }),
      LATER,
    );
    expect(textOf(await failureOf(ground, id))).not.toContain('Probably the change');
  });

  it('says what people said of it and why, pull request by pull request', async () => {
    await using ground = await onGithub();
    const id = await seen(ground, [inBranch('one', 7, { at: AT }), inBranch('two', 8, { at: LATER })]);
    const projectId = projectOf(ground).id;
    expect(textOf(await failureOf(ground, id))).not.toContain('What people said');
    const say = (pullRequest: number, whose: 'mine' | 'not_mine', reason: string) =>
      ground.store.overrideFailures(
        { id: 'hed_1', projectId, pullRequest, failures: [{ failureId: id, checkKeys: [] }] },
        { whose, reason, by: { id: 7, login: 'ada' }, at: AT, commentId: pullRequest },
        AT,
      );
    await say(7, 'not_mine', 'the <b>registry</b> is down');
    await say(8, 'mine', '');
    const page = await failureOf(ground, id);
    expect(textOf(page)).toMatch(
      /What people said ada said it is because of #8 .*ada said it is not because of #7: “the <b>registry<\/b> is down”/,
    );
    expect(page).not.toContain('<b>registry');
    await ground.store.eraseAccount('7', LATER);
    const later = textOf(await failureOf(ground, id));
    expect(later).toContain('Someone with write access said it is not because of #7');
    expect(later).not.toContain('registry');
  });

  it('shows ten lines of its log around the error, and folds the rest', async () => {
    await using ground = await onGithub();
    const projectId = projectOf(ground).id;
    const id = await seen(ground, [sighting('one', { sha: FIRST })], { headline: 'Error: no stock' });
    await ground.store.ensureHead({ id: 'hed_1', projectId, sha: FIRST, branch: 'main' }, { runAt: AT, now: AT });
    const lines = Array.from({ length: 30 }, (_, at) => (at === 20 ? '  Error:  no stock' : `line ${at}`));
    const excerpt = { ...EMPTY_EXCERPT, lines };
    await ground.store.saveHead('hed_1', seenAs('red', { findings: [finding(id, { excerpt })] }), AT);
    const page = await failureOf(ground, id);
    const [shown = ''] = /<pre [^>]*aria-label="Log around the error".*?<\/pre>/s.exec(page) ?? [];
    expect(
      shown
        .replace(/<[^>]*>/g, '')
        .trimEnd()
        .split('\n'),
    ).toEqual([...lines.slice(16, 26)]);
    expect(shown).toContain('<mark>  Error:  no stock</mark>');
    expect(textOf(page)).toContain('16 lines before');
    expect(textOf(page)).toContain('4 lines after');
  });

  it('is absent under another project, and where it is none', async () => {
    await using ground = await onGithub();
    const id = await seen(ground, [sighting('one')], { project: 'octo/other' });
    const base = `/projects/${projectOf(ground).id}/failures`;
    const absent = await (await ground.visitor.get(`${base}/fal_absent`)).text();
    const foreign = await ground.visitor.get(`${base}/${id}`);
    expect([foreign.status, (await foreign.text()) === absent]).toEqual([404, true]);
    expect((await ground.visitor.get(`${base}/iss_1`)).status).toBe(404);
  });
});
