// A person asks for failed jobs to be run once more, also the author of a pull request from a fork, who can't do it on GitHub: where that may
// end otherwise and can't do harm, once a commit.
import type { ActionsRun } from 'causeway-github-double';
import { describe, expect, it } from 'vitest';
import { type JobEnds, type RedDesk, redStage, resultOf } from '../../support/github-red-desk.ts';
import { COUPONS, DELIVERY } from '../../support/github-red-model.ts';
import { makeJobsDue } from '../../support/github-stage.ts';
import { storedRows } from '../../support/records.ts';

const WORKFLOW = [
  'on: [push, pull_request]',
  'permissions: { contents: read }',
  'jobs:',
  '  test: { runs-on: ubuntu-latest, steps: [{ run: npm test }] }',
  '  lint: { runs-on: ubuntu-latest, steps: [{ run: npm run lint }] }',
  '',
].join('\n');

/** What no failing test has to do with. */
const BESIDE = { 'src/afar.js': 'export const afar = 1;\n' };

type Desk = Awaited<ReturnType<ReturnType<typeof redStage>['desk']>>;

const listReruns = ({ writes }: Pick<RedDesk, 'writes'>) => writes().filter((write) => /\/rerun/.test(write));

describe('with Actions: write', () => {
  const stage = redStage({
    prepare: async ({ app }) => {
      app.permissions = { ...app.permissions, actions: 'write' };
    },
  });

  /** A pull request of a fork whose checks are red, and nothing says why: its base was never seen. */
  async function forked(name: string, options: { workflow?: string; jobs?: JobEnds; config?: string } = {}) {
    const { jobs = { test: COUPONS }, ...shop } = options;
    const desk = await stage.desk(name, { workflow: WORKFLOW, ...shop });
    const { number, sha } = await desk.forkPull(BESIDE);
    const run = await desk.run(sha, jobs);
    return { desk, number, sha, run };
  }

  async function finish(desk: Desk, run: ActionsRun, jobs: JobEnds): Promise<void> {
    stage.double.state.clock.advance(2_000);
    for (const [job, end] of Object.entries(jobs)) {
      await stage.double.people.finishJob(desk.name, run, job, resultOf(end));
    }
    await stage.rest();
  }

  /** What the person got: reactions, and the line of ours that came with them, or "". */
  async function ask(desk: Desk, number: number, by: string, body = '/analyse rerun') {
    const before = desk.comments(number).at(-1)?.text;
    const said = await desk.say(number, by, body);
    const after = desk.comments(number).at(-1)?.text;
    return { reactions: desk.reactions(said), line: after === before ? '' : (after ?? '') };
  }

  it('runs it again for the author of a fork, who hears nothing but 👀, and once a commit', async () => {
    const { desk, number, sha, run } = await forked('corner/author');
    expect(desk.checkRun(sha).title).toMatch(/^Unclear: /);
    expect(await ask(desk, number, 'ola')).toEqual({ reactions: ['eyes'], line: '' });
    expect([run.attempts.length, run.triggeredById]).toEqual([2, stage.double.app.botId]);
    expect(await ask(desk, number, 'ola')).toEqual({ reactions: ['confused'], line: '' });
    await finish(desk, run, { test: COUPONS });
    expect(await ask(desk, number, 'ola')).toEqual({ reactions: ['confused'], line: '' });
    expect(await ask(desk, number, 'per')).toEqual({
      reactions: ['confused'],
      line: expect.stringContaining('a job of this commit was run again before'),
    });
    expect([run.attempts.length, listReruns(desk).length, desk.begun()]).toEqual([2, 1, []]);
  });

  it('says that it was chance where it passes then', async () => {
    const { desk, number, sha, run } = await forked('corner/passes');
    await ask(desk, number, 'ola');
    await finish(desk, run, { test: 'success' });
    expect(desk.checkRun(sha).title).toMatch(/^Flaky: .+ passed on a re-run of this commit$/);
    expect(desk.comments(number)).toEqual([]);
  });

  it('runs all that failed in one run together', async () => {
    const { desk, number, run } = await forked('corner/both', { jobs: { test: COUPONS, lint: DELIVERY } });
    expect((await ask(desk, number, 'ola')).reactions).toEqual(['eyes']);
    expect(run.attempts.at(-1)?.map(({ name, attempt }) => [name, attempt])).toEqual([
      ['test', 2],
      ['lint', 2],
    ]);
    expect(listReruns(desk)).toEqual([expect.stringMatching(/\/runs\/\d+\/rerun-failed-jobs$/)]);
  });

  it('runs nothing again that the change broke, unless somebody with write says that it did not', async () => {
    const desk = await stage.desk('corner/code', { workflow: WORKFLOW, green: ['test'] });
    const { number, sha } = await desk.pull();
    const run = await desk.run(sha, { test: COUPONS });
    expect(desk.checkRun(sha).title).toMatch(/^Your change: /);
    const said = await desk.say(number, 'mara', '/analyse rerun');
    expect(desk.reactions(said)).toEqual(['confused']);
    expect(desk.comments(number).at(-1)?.text).toContain('what fails because of the change, or of its base');
    await desk.say(number, 'mara', '/analyse not-mine the registry was down');
    expect(desk.reactions(await desk.say(number, 'mara', '/analyse rerun'))).toEqual(['eyes']);
    expect(run.attempts.length).toBe(2);
  });

  it.each([
    ['deploys', '  ship: { needs: test, runs-on: ubuntu-latest, environment: shop, steps: [{ run: ship }] }\n', 'ship'],
    [
      'has secrets',
      '  tell: { needs: [test], runs-on: ubuntu-latest, steps: [{ run: "x ${{ secrets.KEY }}" }] }\n',
      'tell',
    ],
  ])('runs nothing again where a job would run with it that %s', async (what, job, name) => {
    const at = `corner/with-${what.replace(/\W/g, '-')}`;
    const { desk, number, run } = await forked(at, { workflow: `${WORKFLOW}${job}` });
    expect(await ask(desk, number, 'ola')).toEqual({ reactions: ['confused'], line: '' });
    const { line } = await ask(desk, number, 'mara');
    expect(line).toMatch(new RegExp(`the job ${name} depends on it and would run as well`));
    expect([run.attempts.length, listReruns(desk)]).toEqual([1, []]);
  });

  it('runs no run again that was started otherwise, nor one of a pull request that adds what deploys', async () => {
    const desk = await stage.desk('corner/events', { workflow: WORKFLOW });
    const hand = await desk.pull({ branch: 'by-hand', files: BESIDE });
    const runs = [await desk.run(hand.sha, { test: COUPONS }, { event: 'workflow_dispatch' })];
    expect((await ask(desk, hand.number, 'mara')).line).toContain('the workflow run was started neither');
    const ship = '  ship: { needs: test, runs-on: ubuntu-latest, environment: shop, steps: [{ run: ship }] }\n';
    const files = { '.github/workflows/ci.yml': `${WORKFLOW}${ship}` };
    const adding = await desk.forkPull(files, { branch: 'adding', title: 'Ship' });
    runs.push(await desk.run(adding.sha, { test: COUPONS }));
    expect(await ask(desk, adding.number, 'ola')).toEqual({ reactions: ['confused'], line: '' });
    const target = await desk.forkPull({ 'A.md': 'a\n' }, { branch: 'target', title: 'Target' });
    runs.push(await desk.run(target.sha, { test: COUPONS }, { event: 'pull_request_target' }));
    expect(await ask(desk, target.number, 'ola')).toEqual({ reactions: ['confused'], line: '' });
    expect([runs.map(({ attempts }) => attempts.length), listReruns(desk)]).toEqual([[1, 1, 1], []]);
  });

  it('runs a push of the same repository again, and only what is a job of Actions', async () => {
    const desk = await stage.desk('corner/apps', { workflow: WORKFLOW });
    const { people } = stage.double;
    const { number, sha } = await desk.pull({ files: BESIDE });
    const other = { sha, name: 'shop tests', app: 'buildhouse', conclusion: 'failure' } as const;
    const output = { title: '1 of 7 tests failed', summary: 'not ok 4 - the till opens\nError: no till' };
    await people.reportCheck(desk.name, { ...other, output });
    await stage.rest();
    expect((await ask(desk, number, 'mara')).line).toContain('none of the failed checks is a job of GitHub Actions');
    const run = await desk.run(sha, { test: DELIVERY }, { event: 'push' });
    expect((await ask(desk, number, 'mara')).reactions).toEqual(['eyes']);
    expect([run.attempts.length, listReruns(desk).length]).toEqual([2, 1]);
  });

  it('does not add to what a person or checks.rerun has run again', async () => {
    const { desk, number, sha, run } = await forked('corner/by-hand');
    await stage.double.people.rerun(desk.name, run, { by: 'mara', jobs: ['test'] });
    await finish(desk, run, { test: COUPONS });
    expect(desk.checkRuns(sha)).toHaveLength(1);
    expect(await ask(desk, number, 'ola')).toEqual({ reactions: ['confused'], line: '' });
    expect([run.attempts.length, listReruns(desk)]).toEqual([2, []]);

    const config = 'checks: {rerun: once}\n';
    const own = await stage.desk('corner/automatic', { config, workflow: WORKFLOW });
    for (const branch of ['first', 'second']) {
      const before = await own.run((await own.pull({ branch })).sha, { test: DELIVERY });
      await stage.double.people.rerun(own.name, before, { by: 'mara', jobs: ['test'] });
      await finish(own, before, { test: 'success' });
    }
    const third = await own.pull({ branch: 'third' });
    const flaky = await own.run(third.sha, { test: DELIVERY });
    await finish(own, flaky, { test: DELIVERY });
    expect([own.checkRun(third.sha).title, flaky.attempts.length]).toEqual([expect.stringMatching(/^Flaky/), 2]);
    expect((await ask(own, third.number, 'mara')).line).toContain('was run again before');
    expect(flaky.attempts.length).toBe(2);
  });

  it('stops an author at three a day, and nobody with write', async () => {
    const { desk, number, run } = await forked('corner/often');
    let last = run;
    const answers: string[][] = [];
    for (const round of [1, 2, 3, 4]) {
      answers.push([...(await ask(desk, number, 'ola')).reactions]);
      if (round === 4) break;
      await finish(desk, last, { test: COUPONS });
      const sha = await stage.double.people.push('ola/often', {
        ...{ by: 'ola', branch: 'afar', files: { 'NOTES.md': `${round}\n` } },
      });
      last = await desk.run(sha, { test: COUPONS });
    }
    expect(answers).toEqual([['eyes'], ['eyes'], ['eyes'], ['confused']]);
    expect((await ask(desk, number, 'mara')).reactions).toEqual(['eyes']);
    expect(listReruns(desk)).toHaveLength(4);
  });

  it('runs nothing for a first contribution that waits for approval, nor before the checks are judged', async () => {
    const { desk, number, sha, run } = await forked('corner/first');
    await stage.double.people.reportWorkflowRun(desk.name, {
      ...{ sha, workflow: 'Docs', event: 'pull_request', jobs: [{ name: 'docs', conclusion: 'action_required' }] },
    });
    await stage.rest();
    expect(await ask(desk, number, 'ola')).toEqual({ reactions: ['confused'], line: '' });
    expect((await ask(desk, number, 'mara')).line).toContain('a maintainer has to approve');
    const waiting = await desk.pull({ branch: 'waiting', files: BESIDE });
    await stage.double.people.startRun(desk.name, { sha: waiting.sha, workflow: 'Slow', jobs: ['slow'] });
    await desk.run(waiting.sha, { test: COUPONS });
    expect((await ask(desk, waiting.number, 'mara')).line).toContain("have not ended or aren't judged");
    expect([run.attempts.length, listReruns(desk)]).toEqual([1, []]);
  });

  it('answers strangers with a reaction, and nobody where it only observes', async () => {
    const { desk, number, run } = await forked('corner/strangers');
    stage.double.people.user('ida');
    expect(await ask(desk, number, 'ida')).toEqual({ reactions: ['confused'], line: '' });
    const issue = stage.double.people.openIssue(desk.name, { by: 'ola', title: 'Prices' }).number;
    expect(await ask(desk, issue, 'ola')).toEqual({ reactions: ['confused'], line: '' });
    expect([run.attempts.length, listReruns(desk)]).toEqual([1, []]);
    const quiet = await forked('corner/observed', { config: 'mode: observe\n' });
    expect(await ask(quiet.desk, quiet.number, 'ola')).toEqual({ reactions: [], line: '' });
    expect([quiet.run.attempts.length, quiet.desk.writes()]).toEqual([1, []]);
  });

  it('runs it once, whatever is delivered again, lost or killed', async () => {
    const { desk, number, run } = await forked('corner/killed');
    stage.double.faults.add({ method: 'POST', path: /\/rerun$/, fault: { kind: 'reset', when: 'after' } });
    stage.double.state.clock.advance(2_000);
    const said = stage.double.people.comment(desk.name, number, { by: 'ola', body: '/analyse rerun' });
    await stage.until('a second attempt', () => run.attempts.length > 1);
    await stage.service()[Symbol.asyncDispose]();
    await makeJobsDue(stage.dataDir);
    await stage.restart();
    await stage.rest();
    expect(desk.reactions(said)).toEqual(['eyes']);
    const { webhooks, app } = stage.double;
    const told = webhooks.deliveries(app.id).find(({ event }) => event === 'issue_comment');
    webhooks.redeliver(told?.id ?? 0);
    await stage.rest();
    await finish(desk, run, { test: COUPONS });
    expect([run.attempts.length, listReruns(desk).length]).toEqual([2, 1]);
    const audit = await storedRows(
      stage.dataDir,
      `select verb from audit join projects on projects.id = audit.project_id
        where projects.name = $1 and verb = 'checks.rerun'`,
      [desk.name],
    );
    expect(audit).toHaveLength(1);
  });
});

describe('without Actions: write', () => {
  const stage = redStage();

  it('names the permission to people with a role, and nothing to its author', async () => {
    const desk = await stage.desk('corner/not-granted', { workflow: WORKFLOW });
    const { number, sha } = await desk.forkPull();
    const run = await desk.run(sha, { test: COUPONS });
    const said = await desk.say(number, 'ola', '/analyse rerun');
    expect([desk.reactions(said), desk.comments(number)]).toEqual([['confused'], []]);
    await desk.say(number, 'mara', '/analyse rerun');
    expect(desk.comments(number).at(-1)?.text).toContain('Actions: write');
    expect(run.attempts.length).toBe(1);
  });
});
