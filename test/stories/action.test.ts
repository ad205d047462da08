// The action over the GitHub double, each job a process of its own that knows nothing of the one before.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ActionsStage, FIX_PERMISSIONS, makeAppToken, openActionsStage } from '../support/actions-runner.ts';
import { BESIDE_THE_BUG, CHANGED_TESTS, minutesAgo, resultOf } from '../support/github-red-desk.ts';
import { BASKET, COUPONS, DELIVERY, type RedModel, redModel } from '../support/github-red-model.ts';
import { openShop, reportBug } from '../support/github-shop.ts';
import { PRICES } from '../support/model-service.ts';
import { temporaryFolder } from '../support/service.ts';

let stage: ActionsStage;
let model: RedModel;
beforeAll(async () => {
  model = await redModel();
  stage = await openActionsStage(model.env);
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** GitHub's times are whole seconds: within one, nobody has seen what came before. */
const later = () => stage.double.state.clock.advance(2_000);
const find = (name: string) => stage.double.repository(name);
const allow = (name: string) => {
  find(name).actionsMayOpenPulls = true;
};

async function openLabelled(name: string): Promise<number> {
  await openShop(stage.double, { name });
  const number = await reportBug(stage.double, { name });
  stage.double.people.label(name, number, 'analyse', 'mara');
  return number;
}

async function openRed(name: string): Promise<{ readonly number: number; readonly sha: string }> {
  const { people } = stage.double;
  await openShop(stage.double, { name });
  const sha = await people.push(name, { by: 'mara', branch: 'coupons', files: CHANGED_TESTS });
  const { number } = await people.openPull(name, { by: 'mara', title: 'Coupons', head: 'coupons' });
  await people.reportWorkflowRun(name, { sha, jobs: [{ name: 'test', ...resultOf(COUPONS) }] });
  return { number, sha };
}

const pullsOf = (name: string) =>
  stage.double.people.pulls(name).filter(({ authorId }) => authorId === stage.actions.botId);
const checkRunsOf = (name: string) => [...find(name).checkRuns.values()].filter((run) => run.name === 'Causeway');
const branchesOf = async (name: string) =>
  (await stage.double.git(name, 'for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads')).split('\n');

describe('a label on an issue', () => {
  it('is answered by one comment, summary and outputs, and by a draft where Actions may open one', async () => {
    const name = 'corner/labelled';
    const number = await openLabelled(name);
    allow(name);
    const job = await stage.job('issues', name);
    expect(job.code, job.log).toBe(0);
    const [comment, ...more] = stage.ourComments(name, number);
    expect(more).toEqual([]);
    expect(comment?.body).toContain('Cause found, with a fix');
    expect(comment?.body).not.toContain('is waiting for its checks');
    const [pull, ...others] = pullsOf(name);
    expect(others).toEqual([]);
    expect(pull?.pull?.isDraft).toBe(true);
    expect(job.outputs).toMatchObject({
      outcome: 'code_fix',
      'issue-url': `${stage.double.webUrl}/${name}/issues/${number}#issuecomment-${comment?.id}`,
      'pull-request': `${stage.double.webUrl}/${name}/pull/${pull?.number}`,
    });
    expect(Number(job.outputs['confidence'])).toBeGreaterThan(0.5);
    expect(job.summary).toContain('The discount is looked up under the code as it was typed');
    expect(job.summary).toContain('```diff');
    expect(job.summary.match(/The discount is looked up under the code as it was typed/g)).toHaveLength(1);
    expect(job.summary).not.toMatch(/\bstep \d/);
    for (const text of [job.log, job.summary, job.outputFile, comment?.body, pull?.body]) {
      expect(text).not.toContain(job.token);
    }

    // Again, by a job that remembers nothing: one comment, and no second pull request.
    later();
    const again = await stage.job('issues', name);
    expect(again.code, again.log).toBe(0);
    expect(stage.ourComments(name, number)).toHaveLength(1);
    expect(pullsOf(name)).toHaveLength(1);
    expect(await branchesOf(name)).toHaveLength(2);
  });

  it('leaves no branch where Actions may open no pull requests, and names the setting', async () => {
    const name = 'corner/forbidden';
    const number = await openLabelled(name);
    const job = await stage.job('issues', name);
    expect(job.code, job.log).toBe(0);
    const [comment] = stage.ourComments(name, number);
    expect(comment?.body).toContain('Allow GitHub Actions to create and approve pull requests');
    expect(comment?.body).toContain('```diff');
    expect(job.summary).toContain('Allow GitHub Actions to create and approve pull requests');
    // Nothing is wrong that its log would have to warn of.
    expect(job.log).not.toMatch(/warn|GithubFailure|CausewayError/);
    expect(pullsOf(name)).toEqual([]);
    expect(await branchesOf(name)).toEqual(['main']);
  });

  it('is answered with the token of an App as that App', async () => {
    const name = 'corner/of-app';
    const number = await openLabelled(name);
    const job = await stage.job('issues', name, { token: makeAppToken(stage, name) });
    expect(job.code, job.log).toBe(0);
    const own = stage.double.app.botId;
    const by = stage.double.people.comments(name, number).map(({ authorId }) => authorId);
    expect(by).toEqual([own]);
    expect(stage.double.people.pulls(name).map(({ authorId }) => authorId)).toEqual([own]);
  });

  it('is answered once where the first job was killed in the middle', async () => {
    const name = 'corner/killed';
    const number = await openLabelled(name);
    allow(name);
    const { asked, release } = model.hold(`Repository ${name} at commit`);
    const killed = await stage.job('issues', name, { killedWhen: asked });
    expect(killed.code).toBeNull();
    release();
    const job = await stage.job('issues', name);
    expect(job.code, job.log).toBe(0);
    const [comment, ...more] = stage.ourComments(name, number);
    expect(more).toEqual([]);
    expect(comment?.body).toContain('Cause found, with a fix');
    expect(pullsOf(name)).toHaveLength(1);
  });

  it('writes nothing in mode observe, and says it in the summary', async () => {
    const name = 'corner/observed';
    const number = await openLabelled(name);
    const job = await stage.job('issues', name, { with: { mode: 'observe' } });
    expect(job.code, job.log).toBe(0);
    expect(stage.ourComments(name, number)).toEqual([]);
    expect(find(name).issues.get(number)?.reactions ?? []).toEqual([]);
    expect(job.summary).toContain('The discount is looked up under the code as it was typed');
    expect(job.outputs).toMatchObject({ outcome: 'code_fix', 'issue-url': '' });
    expect(job.log).toMatch(/^Cause and fix · confidence \d+ %\.$/m);
  });

  it('is answered by a search where there is no model, with no confidence', async () => {
    const name = 'corner/searched';
    await openLabelled(name);
    const job = await stage.job('issues', name, { env: { MODEL: '', OPENAI_API_KEY: '', OPENAI_BASE_URL: '' } });
    expect(job.code, job.log).toBe(0);
    expect(job.outputs).toMatchObject({ outcome: 'facts_only', confidence: '' });
    expect(job.log).toMatch(/^Facts only · no model was used\. http:\S+$/m);
  });
});

describe('commands', () => {
  it('of a person with write open the draft at once, and what GitHub dropped is answered too', async () => {
    const name = 'corner/commands';
    await openShop(stage.double, { name });
    allow(name);
    const number = await reportBug(stage.double, { name });
    later();
    const vote = stage.double.people.comment(name, number, { by: 'per', body: '/analyse right' });
    later();
    const fix = stage.double.people.comment(name, number, { by: 'mara', body: '/analyse fix' });
    const job = await stage.job('issue_comment', name);
    expect(job.code, job.log).toBe(0);
    expect(pullsOf(name)).toHaveLength(1);
    const reactions = (to: typeof fix) => to.reactions.map(({ content }) => content);
    expect([reactions(vote), reactions(fix)]).toEqual([['confused'], ['eyes']]);
    const [comment, ...more] = stage.ourComments(name, number);
    expect(more).toEqual([]);
    const [pull] = pullsOf(name);
    expect(comment?.body).toContain(`review [#${pull?.number}]`);
    expect(comment?.body).toContain('Opened at once, as `/analyse fix` asks');
  });

  it("open the draft of a stranger's report, which a label alone does not", async () => {
    const name = 'corner/by-stranger';
    await openShop(stage.double, { name });
    allow(name);
    stage.double.people.user('ola');
    const number = await reportBug(stage.double, { name, by: 'ola' });
    stage.double.people.label(name, number, 'analyse', 'mara');
    const label = await stage.job('issues', name);
    expect(label.code, label.log).toBe(0);
    expect(pullsOf(name)).toEqual([]);
    expect(stage.ourComments(name, number)[0]?.body).toContain('/analyse fix');
    later();
    stage.double.people.comment(name, number, { by: 'mara', body: '/analyse fix' });
    const fix = await stage.job('issue_comment', name);
    expect(fix.code, fix.log).toBe(0);
    expect(pullsOf(name)).toHaveLength(1);
    expect(stage.ourComments(name, number)).toHaveLength(1);
  });

  it('with thanks below the answer start no second analysis, and the answer stays', async () => {
    const name = 'corner/thanked';
    const number = await openLabelled(name);
    const first = await stage.job('issues', name);
    expect(first.code, first.log).toBe(0);
    const [answer] = stage.ourComments(name, number);
    later();
    stage.double.people.comment(name, number, { by: 'mara', body: '/analyse please look again, thanks' });
    const job = await stage.job('issue_comment', name);
    expect(job.code, job.log).toBe(0);
    expect(job.summary).not.toContain('Cause found');
    const [comment, ...more] = stage.ourComments(name, number);
    expect([comment?.id, more]).toEqual([answer?.id, []]);
    expect(comment?.body).toContain('Cause found, with a fix');
    expect(comment?.body).toContain('There is an answer already, so nothing was started.');
    expect(comment?.body).toContain('`/analyse retry <hint>`');
    expect(comment?.body).not.toContain('/analyse right');
  });

  it('that GitHub dropped for a label are answered by the job of the label', async () => {
    const name = 'corner/dropped-for-label';
    await openShop(stage.double, { name });
    allow(name);
    stage.double.people.user('ola');
    const number = await reportBug(stage.double, { name, by: 'ola' });
    later();
    const fix = stage.double.people.comment(name, number, { by: 'mara', body: '/analyse fix' });
    later();
    stage.double.people.label(name, number, 'analyse', 'mara');
    const job = await stage.job('issues', name);
    expect(job.code, job.log).toBe(0);
    expect(fix.reactions.map(({ content }) => content)).toEqual(['eyes']);
    expect(pullsOf(name)).toHaveLength(1);
    expect(stage.ourComments(name, number)).toHaveLength(1);
  });

  it('of a stranger start nothing', async () => {
    const name = 'corner/stranger';
    await openShop(stage.double, { name });
    const number = await reportBug(stage.double, { name });
    stage.double.people.comment(name, number, { by: 'ola', body: '/analyse fix' });
    const job = await stage.job('issue_comment', name);
    expect(job.code, job.log).toBe(0);
    expect(job.log).toContain('from somebody with triage or more');
    expect(stage.ourComments(name, number)).toEqual([]);
    expect(await branchesOf(name)).toEqual(['main']);
  });
});

describe('a red run of another workflow', () => {
  it('gets one check run without buttons, which tells the command; that opens the draft', async () => {
    const name = 'corner/red';
    const { number, sha } = await openRed(name);
    allow(name);
    const job = await stage.job('workflow_run', name);
    expect(job.code, job.log).toBe(0);
    const [run, ...more] = checkRunsOf(name);
    expect(more).toEqual([]);
    expect(run).toMatchObject({ headSha: sha, appId: stage.actions.id, conclusion: 'neutral', actions: [] });
    expect(run?.output.summary).toContain('comment `/analyse fix` to open a pull request');
    expect(job.outputs).toMatchObject({ verdict: 'code', outcome: 'code_fix' });
    // What GitHub shows there.
    for (const part of [run?.output.title, run?.output.summary, run?.output.text])
      expect(job.summary).toContain(part ?? '?');
    expect(job.summary).toMatch(/^Check run: <http\S+>$/m);

    const again = await stage.job('workflow_run', name);
    expect(again.code, again.log).toBe(0);
    expect(checkRunsOf(name)).toHaveLength(1);

    later();
    stage.double.people.comment(name, number, { by: 'mara', body: '/analyse fix' });
    const fix = await stage.job('issue_comment', name);
    expect(fix.code, fix.log).toBe(0);
    expect(pullsOf(name).map(({ pull }) => pull?.baseRef)).toEqual(['coupons']);
  });

  it('on the default branch gets one pull request, however often it is red', async () => {
    const name = 'corner/main-red';
    const { people } = stage.double;
    await openShop(stage.double, { name });
    allow(name);
    const passed = (await stage.double.tip(name)) ?? '';
    await people.reportWorkflowRun(name, {
      sha: passed,
      at: minutesAgo(6),
      jobs: [{ name: 'test', conclusion: 'success', log: 'ok\n' }],
    });
    for (const files of [BESIDE_THE_BUG, { 'NOTES.md': 'More.\n' }]) {
      later();
      const sha = await people.push(name, { by: 'mara', files });
      await people.reportWorkflowRun(name, { sha, jobs: [{ name: 'test', ...resultOf(COUPONS) }] });
      const job = await stage.job('workflow_run', name);
      expect(job.code, job.log).toBe(0);
    }
    const [pull, ...more] = pullsOf(name);
    expect(more).toEqual([]);
    expect(checkRunsOf(name).map(({ output }) => output.summary?.includes(`[#${pull?.number}]`))).toEqual([true, true]);
  });

  it('is not looked at where it is a run of the same workflow, whatever that is called', async () => {
    const name = 'corner/own-run';
    await openRed(name);
    const payload = structuredClone(await stage.newest('workflow_run', name)) as { workflow_run: { path: string } };
    payload.workflow_run.path = '.github/workflows/causeway.yml';
    const job = await stage.job('workflow_run', name, { payload });
    expect(job.log).toContain('a run of this workflow itself');
    expect(checkRunsOf(name)).toEqual([]);
  });

  it('of a fork is answered here, and nothing of the fork is written to', async () => {
    const name = 'corner/forked';
    const { people } = stage.double;
    await openShop(stage.double, { name });
    const fork = await people.fork(name, 'ola');
    const from = `ola/${fork.name}`;
    const sha = await people.push(from, { by: 'ola', branch: 'afar', files: CHANGED_TESTS });
    const { number } = await people.openPull(name, { by: 'ola', title: 'Afar', head: 'afar', headRepository: from });
    await people.reportWorkflowRun(name, { sha, jobs: [{ name: 'test', ...resultOf(COUPONS) }] });
    const job = await stage.job('workflow_run', name);
    expect(job.code, job.log).toBe(0);
    expect(checkRunsOf(name).map(({ headSha }) => headSha)).toEqual([sha]);
    expect(pullsOf(name)).toEqual([]);
    expect(await stage.double.tip(from, 'afar')).toBe(sha);
    later();
    people.comment(name, number, { by: 'ola', body: '/analyse fix' });
    expect((await stage.job('issue_comment', name)).code).toBe(0);
    expect(stage.ourComments(name, number)).toEqual([]);
  });
});

describe('started by hand', () => {
  const dispatch = async (name: string, inputs: Readonly<Record<string, string>>, by = 'mara') => {
    const unfilled = { issue: '', run: '', report: '' };
    stage.double.people.dispatch(name, {
      by,
      workflow: '.github/workflows/causeway.yml',
      inputs: { ...unfilled, ...inputs },
    });
    return await stage.job('workflow_dispatch', name);
  };

  it('for an issue that has no label does what the label does', async () => {
    const name = 'corner/named-issue';
    await openShop(stage.double, { name });
    allow(name);
    const number = await reportBug(stage.double, { name });
    // Long after the issue was last touched: it is the start by hand that is new.
    const issue = stage.double.people.issue(name, number);
    issue.updatedAt = '2026-01-05T10:00:00Z';
    const job = await dispatch(name, { issue: String(number) });
    expect(job.code, job.log).toBe(0);
    const [comment, ...more] = stage.ourComments(name, number);
    expect(more).toEqual([]);
    expect(comment?.body).toContain('Cause found, with a fix');
    expect(pullsOf(name)).toHaveLength(1);
    expect(job.outputs).toMatchObject({ outcome: 'code_fix', 'pull-request': expect.stringContaining('/pull/') });
  });

  it('for a pull request does what /analyse on it does', async () => {
    const name = 'corner/named-pull';
    const { number } = await openRed(name);
    allow(name);
    const job = await dispatch(name, { issue: String(number) });
    expect(job.code, job.log).toBe(0);
    expect(stage.ourComments(name, number)[0]?.body).toContain('Cause found, with a fix');
    expect(job.outputs).toMatchObject({ outcome: 'code_fix' });
    expect(pullsOf(name)).toEqual([]);
  });

  it('for a failed run, by its number or address, does what its end does', async () => {
    const name = 'corner/named-run';
    const { sha } = await openRed(name);
    const [run] = [...find(name).workflowRuns.values()];
    const job = await dispatch(name, { run: String(run?.id) });
    expect(job.code, job.log).toBe(0);
    expect(checkRunsOf(name)).toMatchObject([{ headSha: sha, conclusion: 'neutral', actions: [] }]);
    expect(job.outputs).toMatchObject({ verdict: 'code', outcome: 'code_fix' });
    const address = `${stage.double.webUrl}/${name}/actions/runs/${run?.id}`;
    const again = await dispatch(name, { run: `${address}/job/1` });
    expect(again.code, again.log).toBe(0);
    expect(checkRunsOf(name)).toHaveLength(1);

    const other = await dispatch(name, { run: address.replace(name, 'corner/labelled') });
    expect([other.code, other.log]).toEqual([0, expect.stringContaining('a run of corner/labelled, not of')]);
    const none = await dispatch(name, { run: '4' });
    expect([none.code, none.log]).toEqual([0, expect.stringContaining('has no run 4')]);
    const own = { sha, workflow: 'Causeway', jobs: ['causeway'] };
    const going = await stage.double.people.startRun(name, own);
    const early = await dispatch(name, { run: String(going.id) });
    expect([early.code, early.log]).toEqual([0, expect.stringContaining('has not ended')]);
    await stage.double.people.finishJob(name, going, 'causeway', { conclusion: 'failure' });
    const itself = await dispatch(name, { run: String(going.id) });
    expect([itself.code, itself.log]).toEqual([0, expect.stringContaining('a run of this workflow itself')]);
    expect(checkRunsOf(name)).toHaveLength(1);
  });

  it('for a report is answered in the summary and the outputs, and nowhere else', async () => {
    const name = 'corner/told';
    await openShop(stage.double, { name });
    const report = 'A coupon typed in lower case crashes the shop.';
    const job = await dispatch(name, { report });
    expect(job.code, job.log).toBe(0);
    expect(job.summary).toContain('The discount is looked up under the code as it was typed');
    expect(job.summary).toContain('```diff');
    expect(job.outputs).toMatchObject({ outcome: 'code_fix', 'issue-url': '', 'pull-request': '' });
    expect(await branchesOf(name)).toEqual(['main']);
    expect(find(name).issues.size).toBe(0);
  });

  it('by somebody who may no longer write starts nothing', async () => {
    const name = 'corner/no-longer';
    await openShop(stage.double, { name });
    const number = await reportBug(stage.double, { name });
    stage.double.people.grant(name, 'mara', 'read');
    for (const inputs of [{ issue: String(number) }, { report: 'It is broken.' }]) {
      const job = await dispatch(name, inputs);
      expect([job.code, job.log]).toEqual([0, expect.stringContaining('No analysis was started')]);
    }
    expect(stage.ourComments(name, number)).toEqual([]);
    expect(model.begun(name)).toEqual([]);
  });

  it('with nothing filled in says what the last 14 days would have been, and so does the first run in observe', async () => {
    const name = 'corner/foretold';
    const { number, sha } = await openRed(name);
    const sentence = '1 failed check: 1 unclear; 0 issues labelled; about $0.15';
    const job = await dispatch(name, {});
    expect([job.code, job.log]).toEqual([0, expect.stringContaining(`The last 14 days of ${name}: ${sentence}.`)]);
    expect(job.summary).toContain(`**${sentence}.**`);
    expect(job.summary).toMatch(new RegExp(`\\[test\\]\\(http\\S+\\) on #${number}: \`TypeError`));
    const first = await stage.job('workflow_run', name, { with: { mode: 'observe' }, env: { GITHUB_RUN_NUMBER: '1' } });
    expect([first.code, first.summary]).toEqual([0, expect.stringContaining(`**${sentence}.**`)]);
    const second = await stage.job('workflow_run', name, {
      with: { mode: 'observe' },
      env: { GITHUB_RUN_NUMBER: '2' },
    });
    expect([second.code, second.summary]).toEqual([0, expect.not.stringContaining('The last 14 days')]);
    expect([stage.ourComments(name, number), checkRunsOf(name), sha.length]).toEqual([[], [], 40]);
  });

  it('where GitHub has no more calls is no failure of the project: it ends with 0, and says when to run it again', async () => {
    const name = 'corner/looked-back-late';
    await openRed(name);
    const fault = { kind: 'primary_limit', resetInSeconds: 1_800 } as const;
    stage.double.faults.add({ path: /\/actions\/runs\?/, times: 9, fault });
    const job = await dispatch(name, {});
    stage.double.faults.clear();
    expect(job.code, job.log).toBe(0);
    expect(job.summary).toMatch(
      /could not read GitHub\.\*\* GitHub's rate limit is used up until .* UTC; run it again then\./,
    );
  });

  it('with too much or something else says what it takes', async () => {
    const name = 'corner/filled-wrong';
    await openShop(stage.double, { name });
    const absent = await dispatch(name, { issue: '99' });
    expect([absent.code, absent.log]).toEqual([0, expect.stringContaining(`${name} has no issue 99`)]);
    const wrong = [
      [{ issue: '1', report: 'It is broken.' }, 'Give one of issue, run and report, not issue and report.'],
      [{ issue: '#1' }, 'issue is not a number: give the number alone, such as 12.'],
      [{ run: 'the last' }, 'run is no workflow run: give its number, or its address'],
      [{ report: `${'x'.repeat(1_048_576)}y` }, 'report is larger than 1 MiB'],
    ] as const;
    for (const [inputs, said] of wrong) {
      const job = await dispatch(name, inputs);
      expect([job.code, job.log]).toEqual([1, expect.stringContaining(said)]);
    }
  });
});

describe('few calls left', () => {
  /** GitHub says so in the answer to the first such read. */
  const leaveFew = (path: RegExp, times = 1) =>
    stage.double.faults.add({
      ...{ method: 'GET', path, times },
      fault: {
        kind: 'altered',
        alter: (answer) => ({ ...answer, headers: { ...answer.headers, 'x-ratelimit-remaining': '60' } }),
      },
    });
  afterEach(() => stage.double.faults.clear());

  it('in the middle of the red checks: what was found is written, and what was not read is named', async () => {
    const name = 'corner/few-red';
    const { people } = stage.double;
    await openShop(stage.double, { name });
    allow(name);
    const sha = await people.push(name, { by: 'mara', branch: 'coupons', files: CHANGED_TESTS });
    await people.openPull(name, { by: 'mara', title: 'Coupons', head: 'coupons' });
    const jobs = [
      { name: 'basket', ...resultOf(BASKET) },
      { name: 'delivery', ...resultOf(DELIVERY) },
      { name: 'test', ...resultOf(COUPONS) },
    ];
    await people.reportWorkflowRun(name, { sha, jobs });
    // Two are read at a time, the newest first.
    leaveFew(/\/actions\/jobs\/\d+\/logs/);
    const job = await stage.job('workflow_run', name);
    expect(job.code, job.log).toBe(0);
    const [run, ...more] = checkRunsOf(name);
    expect(more).toEqual([]);
    expect(run?.conclusion).toBe('neutral');
    expect(run?.output.summary).toContain('The discount is looked up under the code as it was typed');
    for (const text of [run?.output.summary, job.summary]) {
      expect(text).toMatch(/Not read: .*logs of jobs/);
      expect(text).toContain('so the log was not read');
      expect(text).toContain('basket');
    }
    // Neither the base nor the change was read.
    expect(job.outputs).toMatchObject({
      verdict: 'inconclusive',
      outcome: 'code_fix',
      'issue-url': expect.stringContaining('/'),
    });
  });

  it('in the middle of an issue: it is analysed without its comments, and the answer says so', async () => {
    const name = 'corner/few-issue';
    const number = await openLabelled(name);
    allow(name);
    stage.double.people.comment(name, number, { by: 'mara', body: 'It began last week.' });
    leaveFew(new RegExp(`/issues/${number}$`));
    const job = await stage.job('issues', name);
    expect(job.code, job.log).toBe(0);
    const [comment, ...more] = stage.ourComments(name, number);
    expect(more).toEqual([]);
    expect(pullsOf(name)).toHaveLength(1);
    for (const text of [comment?.body, job.summary]) {
      expect(text).toContain('The discount is looked up under the code as it was typed');
      expect(text).toContain('Not read: comments');
    }
  });

  it('from the first on: nothing is said of the commit, but that it was not read', async () => {
    const name = 'corner/few-first';
    await openRed(name);
    leaveFew(/./, 1_000);
    const job = await stage.job('workflow_run', name);
    expect(job.code, job.log).toBe(0);
    expect(checkRunsOf(name)).toEqual([]);
    for (const text of [job.log, job.summary]) {
      expect(text).toMatch(/Not read: .*fewer than 100 .*Run it again in an hour/);
      expect(text).not.toContain('no check that counts failed');
    }
  });
});

it('what one run may cost is kept to in a job, and the answer says what it came to', async () => {
  const name = 'corner/poor';
  const number = await openLabelled(name);
  allow(name);
  await using folder = await temporaryFolder();
  const prices = path.join(folder.path, 'prices.json');
  await writeFile(prices, JSON.stringify({ 'test-model': PRICES }));
  const job = await stage.job('issues', name, { env: { MODEL_PRICES: prices, BUDGET_RUN: '0.01' } });
  expect(job.code, job.log).toBe(0);
  expect(model.begun(name)).toEqual([]);
  const [comment] = stage.ourComments(name, number);
  for (const text of [comment?.body, job.summary]) expect(text).toMatch(/budget of .{0,2}\$0\.01.? is too small/);
  expect(job.outputs).toMatchObject({ outcome: 'facts_only', confidence: '' });
  expect(job.log).not.toContain('null');
  expect(pullsOf(name)).toEqual([]);
});

describe('a set-up that is wrong', () => {
  it('such as a permission too few ends with 1 and its name, with the answer in the summary', async () => {
    const name = 'corner/too-few';
    await openLabelled(name);
    const few = { ...FIX_PERMISSIONS, issues: 'read', pull_requests: 'read' } as const;
    const label = await stage.job('issues', name, { permissions: few, with: { mode: 'comment' } });
    expect(label.code, label.log).toBe(1);
    expect(label.log).toContain('issues: write');
    expect(label.summary).toContain('The discount is looked up under the code as it was typed');
    const red = 'corner/too-few-red';
    await openRed(red);
    const run = await stage.job('workflow_run', red, { permissions: { ...FIX_PERMISSIONS, checks: 'read' } });
    expect(run.code, run.log).toBe(1);
    expect(run.log).toContain('checks: write');
    // Jobs of Dependabot have a token that only reads, whatever the workflow says.
    const bot = await stage.job('workflow_run', red, {
      permissions: {
        contents: 'read',
        checks: 'read',
        actions: 'read',
        issues: 'read',
        pull_requests: 'read',
        statuses: 'read',
      },
      env: { GITHUB_ACTOR: 'dependabot[bot]' },
    });
    expect(bot.code, bot.log).toBe(0);
  });

  it('such as a model without its key ends with 1 before anything is asked', async () => {
    const name = 'corner/keyless';
    await openLabelled(name);
    const job = await stage.job('issues', name, {
      env: { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' },
      with: { model: 'gpt-5.6' },
    });
    expect(job.code, job.log).toBe(1);
    expect(job.log).toContain('MODEL is set without a key.');
    expect(job.log).toContain('secrets.OPENAI_API_KEY');
  });

  it('ends with 1 and the repair', async () => {
    const name = 'corner/wrong';
    await openLabelled(name);
    const none = await stage.job('issues', name, { env: { INPUT_TOKEN: '' } });
    expect(none.code, none.log).toBe(1);
    expect(none.log).toContain('INPUT_TOKEN is missing');
    const person = stage.double.people.userToken('mara');
    const own = await stage.job('issues', name, { token: person });
    expect(own.code, own.log).toBe(1);
    expect(own.log).toContain("The token is mara's own");
    expect(own.log).not.toContain(person);
    const mode = await stage.job('issues', name, { with: { mode: 'everything' } });
    expect(mode.code, mode.log).toBe(1);
    expect(mode.log).toContain('everything');
  });
});
