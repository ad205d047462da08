// A look at the red checks of a pull request: what it finds, what it remembers, and what it begins.
import { describe, expect, it } from 'vitest';
import { ChecksSpent } from '../../src/core/check/check.ts';
import type { Finding } from '../../src/core/check/head.ts';
import {
  BASE,
  CODE_LOG,
  CODE_WORDS,
  DISK_LOG,
  HEAD,
  type HeadGround,
  headGround,
  logOf,
  OTHER_LOG,
  pullRequestPlace,
} from '../support/head-ground.ts';
import { ON_MAIN, at as time } from '../support/store-samples.ts';

const NEXT = 'd'.repeat(40);

async function pullRequest(...changes: Parameters<typeof pullRequestPlace>): Promise<HeadGround> {
  const at = await headGround();
  at.world.places.set(HEAD, pullRequestPlace(...changes));
  return at;
}

function only(findings: readonly Finding[]): Finding {
  expect(findings).toHaveLength(1);
  return findings[0]!;
}

async function investigations(at: HeadGround) {
  return await at.store.listInvestigations({ projectIds: [at.project.id], limit: 200 });
}

/** Each check that was asked for its words. */
function said(at: HeadGround): readonly string[] {
  return at.world.asked.filter((call) => call.startsWith('said '));
}

describe('red checks of a pull request', () => {
  it('of two causes are two findings and two investigations, however many checks there are', async () => {
    await using at = await pullRequest();
    for (let job = 1; job <= 20; job += 1) at.run(`test (${job})`, 'red', { log: job > 8 ? CODE_LOG : OTHER_LOG });
    const { head, result } = await at.look();
    expect(result).toEqual({ kind: 'done' });
    expect(head).toMatchObject({ state: 'red', leftOut: [], endedAt: time(0) });
    expect(head.findings.map(({ excerpt, checks }) => [excerpt.headline, checks.length])).toEqual([
      ["KeyError: 'sum'", 12],
      ['ValueError: till is not empty', 8],
    ]);
    expect(head.findings).toMatchObject([
      { verdict: 'code', standing: 'new', isOwnThread: true, notBegun: null },
      { verdict: 'code', standing: 'new', isOwnThread: true, notBegun: null },
    ]);
    const begun = await investigations(at);
    expect(begun.map(({ id }) => id).toSorted()).toEqual(head.findings.map((one) => one.investigationId!).toSorted());
    const thread = await at.store.findThreadOfSubject(at.project.id, { kind: 'pull_request', number: 5 });
    expect(thread).toMatchObject({
      investigationId: head.findings[0]!.investigationId,
      trigger: { kind: 'checks', by: { login: 'mona' }, role: 'write' },
      fixRequest: null,
    });
    const [first] = await at.store.listFailures([at.project.id], { limit: 10 });
    expect([8, 12]).toContain(first?.hits);
  });

  it('are investigated in the scope that their name points at', async () => {
    await using at = await pullRequest();
    const scope = (name: string) => {
      return { paths: [`packages/${name}/**`], labels: [], owners: [], budget: { run: null }, context: [] };
    };
    const scopes = [scope('api'), scope('web')];
    at.world.rules = { ...at.world.rules, settings: { ...at.world.rules.settings, scopes } };
    at.run('test (web)', 'red', { log: CODE_LOG });
    await at.look();
    const [begun] = await investigations(at);
    const run = await at.store.startRun(begun?.runId ?? '', time(1));
    expect(run?.settings.scopes).toEqual([scope('api'), { ...scope('web'), isNamed: true }]);
  });

  it('are compared with a base that was never judged, unless no call is left for that: then it is red for an unknown reason', async () => {
    const judge = async (isSpent: boolean) => {
      await using at = await pullRequest();
      at.run('test', 'red', { log: CODE_LOG });
      at.run('test', 'red', { sha: BASE, log: OTHER_LOG });
      // The base is read first.
      at.world.before = (verb) => {
        if (isSpent && verb === 'said' && said(at).length === 1)
          throw new ChecksSpent('No call is left today.', new Date(time(90)));
      };
      const { head, result } = await at.look();
      const { verdict, reasons } = only(head.findings);
      return { result, verdict, onBase: reasons.filter(({ code }) => code === 'red_on_base') };
    };
    const onBase = { code: 'red_on_base', check: 'test' };
    const result = { kind: 'done' };
    expect(await judge(false)).toEqual({ result, verdict: 'code', onBase: [{ ...onBase, cause: 'other' }] });
    expect(await judge(true)).toEqual({ result, verdict: 'base_broken', onBase: [{ ...onBase, cause: 'unknown' }] });
  });

  it('lead with an error in what the change touches where the log has others as well', async () => {
    await using at = await pullRequest();
    at.world.changed.set(HEAD, { paths: ['src/till.py'], isCut: false });
    const note = (path: string, line: number, message: string) =>
      ({ ...{ path, line, endLine: line, title: '', message }, level: 'failure' }) as const;
    const annotations = [
      note('src/cart.py', 12, "KeyError: 'sum'"),
      note('src/till.py', 40, 'ValueError: till is not empty'),
    ];
    at.run('test', 'red', { log: CODE_LOG, words: { annotations } });
    expect(only((await at.look()).head.findings)).toMatchObject({
      ...{ verdict: 'code', isTouched: true, excerpt: { headline: 'ValueError: till is not empty' } },
    });
  });

  it('have their test in the ledger where the error only compares values', async () => {
    await using at = await pullRequest();
    const log = ['E       assert 14 == 12', 'FAILED test_cart.py::test_sum - assert 14 == 12', '1 failed in 0.12s'];
    at.run('test', 'red', { log: ['##[group]Run pytest', ...log].join('\n') });
    const { failureId, excerpt } = only((await at.look()).head.findings);
    expect(excerpt.headline).toMatch(/^assert 14 == 12/);
    expect((await at.store.findFailure(failureId))?.headline).toBe('test_cart.py::test_sum: assert 14 == 12');
  });

  it('looked at again cost no words and write nothing', async () => {
    await using at = await pullRequest();
    at.run('test', 'red', { log: CODE_LOG });
    const { head } = await at.look();
    at.seconds = 60;
    at.world.asked.length = 0;
    expect((await at.look()).head).toEqual(head);
    expect(at.world.asked).toEqual(['rules', `place ${HEAD}`, `of ${HEAD}`]);
  });

  it('that are red on the base for the same cause are the base, and are linked to what was begun there', async () => {
    await using at = await pullRequest();
    at.world.places.set(BASE, ON_MAIN);
    at.run('test', 'red', { sha: BASE, log: CODE_LOG });
    const base = only((await at.look(BASE)).head.findings);
    at.run('test', 'red', { log: CODE_LOG });
    const finding = only((await at.look()).head.findings);
    expect(finding).toMatchObject({
      verdict: 'base_broken',
      standing: 'known',
      investigationId: base.investigationId,
      isOwnThread: false,
      notBegun: null,
    });
    expect(await investigations(at)).toHaveLength(1);
  });

  it('are the change where the base has been green since the same failure was seen there', async () => {
    await using at = await pullRequest();
    at.world.places.set(BASE, { kind: 'default', branch: 'main', pushedBy: null });
    at.run('test', 'red', { sha: BASE, log: CODE_LOG });
    await at.look(BASE);
    at.seconds = 60;
    at.run('test', 'green', { sha: BASE });
    at.seconds = 120;
    at.run('test', 'red', { log: CODE_LOG });
    expect(only((await at.look()).head.findings).verdict).toBe('code');
  });

  it('that passed at the same commit are flaky, and no investigation begins', async () => {
    await using at = await pullRequest();
    at.run('test', 'green');
    at.run('test', 'red', { log: CODE_LOG });
    const finding = only((await at.look()).head.findings);
    expect(finding).toMatchObject({ verdict: 'flaky', investigationId: null });
    expect(finding.notBegun).toEqual({ code: 'flaky' });
    expect(await at.store.findFailure(finding.failureId)).toMatchObject({ hits: 1, flakyHits: 1 });
  });

  it('that pass when they are run again were flaky, and the head is green', async () => {
    await using at = await pullRequest();
    at.run('test', 'red', { log: CODE_LOG });
    const { head: red } = await at.look();
    at.run('test', 'green');
    const { head } = await at.look();
    expect(head.state).toBe('green');
    const finding = only(head.findings);
    expect(finding).toMatchObject({ verdict: 'flaky', checks: [{ isRed: false }] });
    expect(finding.investigationId).toBe(red.findings[0]!.investigationId);
    expect(await at.store.findFailure(finding.failureId)).toMatchObject({
      ...{ hits: 1, flakyHits: 1, state: 'open' },
      lastSeen: { verdict: 'flaky' },
    });
    expect(said(at)).toEqual(['said test']);
  });

  it('that are red once more for the same cause keep their verdict and are still new', async () => {
    await using at = await pullRequest();
    at.run('test', 'red', { log: CODE_LOG });
    const { head: first } = await at.look();
    at.seconds = 60;
    at.run('test', 'red', { log: CODE_LOG });
    const finding = only((await at.look()).head.findings);
    const { verdict, reasons, standing, investigationId } = first.findings[0]!;
    expect(finding).toMatchObject({ verdict, reasons, standing, investigationId });
    expect(await at.store.findFailure(finding.failureId)).toMatchObject({ hits: 2 });
  });

  it('that passed in between turn out to be flaky', async () => {
    await using at = await pullRequest();
    at.run('test', 'red', { log: CODE_LOG });
    expect(only((await at.look()).head.findings).verdict).toBe('code');
    at.run('test', 'green');
    at.seconds = 60;
    at.run('test', 'red', { log: CODE_LOG });
    const { head } = await at.look();
    expect(head.state).toBe('red');
    expect(only(head.findings).verdict).toBe('flaky');
    expect(await at.store.findFailure(head.findings[0]!.failureId)).toMatchObject({ hits: 2, flakyHits: 1 });
  });

  it('stay open in the ledger while only the commit of the merge queue is green', async () => {
    await using at = await pullRequest();
    at.run('test', 'red', { log: CODE_LOG });
    const { failureId } = only((await at.look()).head.findings);
    at.world.places.set(NEXT, pullRequestPlace({ isQueue: true }));
    at.run('test', 'green', { sha: NEXT });
    expect((await at.look(NEXT)).head.state).toBe('green');
    expect(await at.store.findFailure(failureId)).toMatchObject({ state: 'open' });
    at.world.places.set(BASE, pullRequestPlace({ sha: BASE }));
    at.run('test', 'green', { sha: BASE });
    await at.look(BASE);
    expect(await at.store.findFailure(failureId)).toMatchObject({ state: 'closed' });
  });

  it('of a full disk are the machine', async () => {
    await using at = await pullRequest();
    at.run('build', 'red', { log: DISK_LOG });
    expect(only((await at.look()).head.findings)).toMatchObject({ verdict: 'infrastructure', investigationId: null });
  });

  it('are shown code first, then what is the machine', async () => {
    await using at = await pullRequest();
    at.run('build', 'red', { log: DISK_LOG });
    at.run('lint', 'red');
    at.run('test', 'red', { log: CODE_LOG });
    const { findings } = (await at.look()).head;
    expect(findings.map(({ verdict }) => verdict)).toEqual(['code', 'inconclusive', 'infrastructure']);
    expect(findings[1]!.notBegun).toEqual({ code: 'uninformative' });
  });

  it('whose log cannot be read say so, and why', async () => {
    await using at = await pullRequest();
    at.run('lint', 'red', { words: { noLog: '`Actions: read` is not granted.' } });
    const { reasons, excerpt } = only((await at.look()).head.findings);
    expect(reasons[0]).toEqual({ code: 'no_log', why: '`Actions: read` is not granted.' });
    expect(reasons).not.toContainEqual({ code: 'says_nothing' });
    expect(excerpt.cut).toBe('`Actions: read` is not granted.');
  });

  it('by commit statuses only count as well, each once', async () => {
    await using at = await pullRequest();
    const title = 'AssertionError: expected 3 to equal 4 in test/total.test.js:9';
    at.run('ci/other', 'red', { app: '', runId: null, title });
    const finding = only((await at.look()).head.findings);
    await at.look();
    expect(finding.checks).toMatchObject([{ name: 'ci/other', runId: null, isRed: true }]);
    expect(await at.store.findFailure(finding.failureId)).toMatchObject({
      hits: 1,
      firstSeen: { key: `status ci/other ${HEAD} ${time(0)}` },
    });
  });

  it('known from another branch are counted and linked to the same investigation', async () => {
    await using at = await pullRequest();
    for (const sha of [HEAD, NEXT]) at.world.changed.set(sha, { paths: ['src/cart.py'], isCut: false });
    at.run('test', 'red', { log: CODE_LOG, words: CODE_WORDS });
    const { head: first } = await at.look();
    at.world.places.set(NEXT, pullRequestPlace({ number: 6, branch: 'other', sha: NEXT }));
    at.run('test', 'red', { sha: NEXT, log: CODE_LOG, words: CODE_WORDS });
    const finding = only((await at.look(NEXT)).head.findings);
    expect(finding).toMatchObject({
      standing: 'known',
      investigationId: first.findings[0]!.investigationId,
      isOwnThread: false,
    });
    expect(await at.store.findFailure(finding.failureId)).toMatchObject({ hits: 2, pullRequests: [6, 5] });
    expect(await investigations(at)).toHaveLength(1);
  });

  it('of the merge queue are investigated at the commit of the pull request', async () => {
    await using at = await pullRequest({ sha: NEXT, isQueue: true });
    at.run('test', 'red', { log: CODE_LOG });
    const { investigationId } = only((await at.look()).head.findings);
    const investigation = await at.store.findInvestigation(investigationId!);
    expect(await at.store.startRun(investigation!.runId, time(1))).toMatchObject({ revision: NEXT, isTrusted: false });
  });

  it('are cleaned of secrets wherever they are kept', async () => {
    await using at = await pullRequest();
    const log = CODE_LOG.replace("'sum'", "'sum' hunter2-hunter2");
    const annotation = { path: 'src/cart.py', line: 12, endLine: 12, level: 'failure', title: '' } as const;
    const annotations = [{ ...annotation, message: 'KeyError hunter2-hunter2' }];
    at.run('test', 'red', { log, annotations: 1, words: { annotations } });
    const { head } = await at.look();
    const finding = only(head.findings);
    const report = await at.reportOf(finding.investigationId);
    expect(report).toContain('[redacted]');
    const failure = await at.store.findFailure(finding.failureId);
    expect(JSON.stringify([head, failure, report])).not.toContain('hunter2');
    expect(finding.places[0]?.message).toContain('[redacted]');
  });
});

describe('a secret', () => {
  it('that shows only where an excerpt has lost its colours is not kept', async () => {
    await using at = await pullRequest();
    at.run('test', 'red', { log: CODE_LOG.replace("'sum'", 'hunter2-\u001b[0mhunter2') });
    const { head } = await at.look();
    expect(only(head.findings).excerpt.headline).toBe('KeyError: [redacted]');
    expect(JSON.stringify([head, await at.store.listFailures([at.project.id], { limit: 1 })])).not.toContain('hunter2');
  });
});

const BOT = { isBot: true, author: { id: 9, login: 'dependabot[bot]' } } as const;

describe('no investigation begins automatically', () => {
  it.each([
    ['from a fork', { isFork: true, isTrusted: false }, 'fork'],
    ['that is a draft', { isDraft: true }, 'draft'],
    ['of an author who may not write', { isTrusted: false }, 'untrusted_author'],
    ['of a bot', { isTrusted: false, ...BOT }, 'bot_author'],
    ['of a bot that is a draft', { isTrusted: false, isDraft: true, ...BOT }, 'draft'],
    ['of a bot from a fork', { isTrusted: false, isFork: true, ...BOT }, 'fork'],
  ] as const)('on a pull request %s', async (_, changes, code) => {
    await using at = await pullRequest(changes);
    at.run('test', 'red', { log: CODE_LOG });
    const finding = only((await at.look()).head.findings);
    expect(finding).toMatchObject({ verdict: 'code', investigationId: null });
    expect(finding.notBegun).toEqual({ code });
    expect(await investigations(at)).toEqual([]);
  });

  it('on a draft, but it does once the draft is ready', async () => {
    await using at = await pullRequest({ isDraft: true });
    at.run('test', 'red', { log: CODE_LOG });
    await at.look();
    at.world.places.set(HEAD, pullRequestPlace());
    const finding = only((await at.look()).head.findings);
    expect(finding.notBegun).toBeNull();
    expect(await at.reportOf(finding.investigationId)).toContain(CODE_LOG);
  });

  it('on a branch without a pull request', async () => {
    await using at = await headGround();
    at.world.places.set(HEAD, { kind: 'branch', branch: 'feature' });
    at.run('test', 'red', { log: CODE_LOG });
    expect(only((await at.look()).head.findings).notBegun).toEqual({ code: 'no_pull_request' });
    expect(await investigations(at)).toEqual([]);
  });

  it('for more than five causes of one commit, and never for more when it is looked at again', async () => {
    await using at = await pullRequest();
    for (let cause = 0; cause < 7; cause += 1)
      at.run(`check ${logOf(cause).length} ${cause}`, 'red', { log: logOf(cause) });
    await at.look();
    const { findings } = (await at.look()).head;
    expect(findings).toHaveLength(7);
    expect(findings.filter(({ investigationId }) => investigationId !== null)).toHaveLength(5);
    expect(findings.filter(({ notBegun }) => notBegun?.code === 'commit_limit')).toHaveLength(2);
    expect(at.world.asked.filter((call) => call === 'self').length).toBeLessThanOrEqual(2 + 5);
    expect(await investigations(at)).toHaveLength(5);
  });

  it('for more than twenty in a day, and again the day after', async () => {
    await using at = await headGround();
    const shas = ['1', '2', '3', '4', '5'].map((digit) => digit.repeat(40));
    for (const [number, sha] of shas.entries()) {
      at.world.places.set(sha, pullRequestPlace({ number: number + 1, sha }));
      for (let cause = 0; cause < 5; cause += 1) {
        at.run(`check ${cause}`, 'red', { sha, log: logOf(number * 5 + cause) });
      }
    }
    for (const sha of shas) await at.look(sha);
    expect(await investigations(at)).toHaveLength(20);
    const { head } = await at.look(shas[4]);
    expect(head.findings.map(({ notBegun }) => notBegun?.code)).toEqual(Array(5).fill('daily_limit'));
    at.seconds = 24 * 60 * 60 + 1;
    await at.look(shas[4]);
    expect(await investigations(at)).toHaveLength(25);
  });
});

describe('what is read of a flood', () => {
  it('is 40 checks; the rest of a matrix goes with its siblings', async () => {
    await using at = await pullRequest();
    for (let job = 0; job < 60; job += 1) at.run(`ci / test (${job})`, 'red', { log: CODE_LOG });
    const { head } = await at.look();
    expect(only(head.findings).checks).toHaveLength(60);
    expect(head.leftOut).toEqual([]);
    expect(said(at)).toHaveLength(40);
    for (let job = 0; job < 30; job += 1) at.run(`more (${job})`, 'red', { log: CODE_LOG });
    expect((await at.look()).head.leftOut).toHaveLength(30);
    expect(said(at)).toHaveLength(40);
  });

  it('is something of each kind; what has no sibling is left out and said so', async () => {
    await using at = await pullRequest();
    for (let job = 0; job < 45; job += 1) at.run(`matrix (${job})`, 'red', { log: CODE_LOG });
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    for (const letter of letters) at.run(`one-${letter}`, 'red', { log: OTHER_LOG });
    for (const letter of letters) at.run(`two-${letter}`, 'red', { log: OTHER_LOG });
    const { head } = await at.look();
    expect(said(at)).toHaveLength(40);
    expect(head.findings.map(({ checks }) => checks.length)).toEqual([45, 39]);
    expect(head.leftOut).toHaveLength(13);
    expect(head.leftOut[0]).toMatchObject({ name: 'two-n', reason: expect.stringContaining('40') });
  });
});
