// A flaky job is run once more before anything is said, where the repository wants that: once, whatever happens meanwhile.
import type { ActionsRun } from 'causeway-github-double';
import { describe, expect, it } from 'vitest';
import { type RedDesk, redStage, resultOf } from '../../support/github-red-desk.ts';
import { COUPONS, DELIVERY } from '../../support/github-red-model.ts';

const ONCE = 'checks: {rerun: once}\n';
const WORKFLOW = [
  'on: [push, pull_request]',
  'permissions: { contents: read }',
  'jobs:',
  '  test: { runs-on: ubuntu-latest, steps: [{ run: npm test }] }',
  '  lint: { runs-on: ubuntu-latest, steps: [{ run: npm run lint }] }',
  '',
].join('\n');
/** What it runs with the job is harmless. */
const READ = { config: ONCE, workflow: WORKFLOW };

type Desk = Pick<RedDesk, 'name' | 'pull' | 'run'>;

/** The failure passed on two re-runs by people. */
async function makeFlaky(stage: ReturnType<typeof redStage>, desk: Desk): Promise<void> {
  const { people } = stage.double;
  for (const branch of ['first', 'second']) {
    const { sha } = await desk.pull({ branch });
    const run = await desk.run(sha, { test: DELIVERY });
    await people.rerun(desk.name, run, { by: 'mara', jobs: ['test'] });
    await people.finishJob(desk.name, run, 'test', resultOf('success'));
    // What depends on it has begun by then.
    for (const { name, conclusion } of run.attempts.at(-1) ?? []) {
      if (conclusion === null) await people.finishJob(desk.name, run, name, resultOf('success'));
    }
    await stage.rest();
  }
}

describe('with Actions: write', () => {
  const stage = redStage({
    prepare: async ({ app }) => {
      app.permissions = { ...app.permissions, actions: 'write' };
    },
  });

  async function finish(desk: Desk, run: ActionsRun, end: 'success' | typeof DELIVERY): Promise<void> {
    // GitHub's times are whole seconds: an equal end within one would be taken for the first.
    stage.double.state.clock.advance(2_000);
    await stage.double.people.finishJob(desk.name, run, 'test', resultOf(end));
    await stage.rest();
  }

  it('says nothing where it passes then, but for a quiet check run', async () => {
    const desk = await stage.desk('corner/passes', READ);
    await desk.push('main', { files: { CODEOWNERS: '* @mara\n/test/ @corner/tests\n' } });
    await makeFlaky(stage, desk);
    const before = desk.writesBeside();
    const { number, sha } = await desk.pull({ branch: 'third' });
    const run = await desk.run(sha, { test: DELIVERY });
    expect(run.attempts.length).toBe(2);
    expect(run.triggeredById).toBe(stage.double.app.botId);
    expect([desk.checkRuns(sha), desk.comments(number)]).toEqual([[], []]);
    expect(desk.writesBeside().slice(before.length)).toEqual([expect.stringMatching(/actions\/jobs\/\d+\/rerun$/)]);

    await finish(desk, run, 'success');
    expect(desk.checkRun(sha).title).toMatch(/^Flaky: .+ passed on a re-run of this commit$/);
    expect([desk.comments(number), desk.begun().length, run.attempts.length]).toEqual([[], 1, 2]);
    const api = await stage.api('mara');
    const query = `sort=flaky&projectId=${encodeURIComponent(desk.name)}`;
    expect(await api.get(`/api/v1/failures/?${query}`)).toMatchObject([
      {
        flake: {
          ...{ hits: 3, of: 3, test: DELIVERY.test, file: 'test/delivery.test.js', owners: ['@corner/tests'] },
          quarantine: { state: 'proposed', code: expect.stringMatching(/^\/\/ flaky until \d{4}-.*\nit\.skip\(/) },
        },
      },
    ]);
  });

  it('says what it says without, where it fails again, and runs it no third time', async () => {
    const desk = await stage.desk('corner/fails-again', READ);
    await makeFlaky(stage, desk);
    const { number, sha } = await desk.pull({ branch: 'third' });
    const run = await desk.run(sha, { test: DELIVERY });
    await finish(desk, run, DELIVERY);
    expect(desk.checkRun(sha).title).toMatch(/^Flaky: seen 2 times before/);
    expect([desk.comments(number), run.attempts.length]).toEqual([[], 2]);
  });

  it('runs it once where GitHub’s answer is lost, and the service is killed', async () => {
    const desk = await stage.desk('corner/killed', READ);
    await makeFlaky(stage, desk);
    stage.double.faults.add({ method: 'POST', path: /\/rerun$/, fault: { kind: 'reset', when: 'after' } });
    const { sha } = await desk.pull({ branch: 'third' });
    const run = await desk.report(sha, { test: DELIVERY });
    await stage.until('a second attempt', () => run.attempts.length > 1);
    await stage.service()[Symbol.asyncDispose]();
    await stage.restart();
    await stage.double.webhooks.settled();
    await finish(desk, run, DELIVERY);
    expect(desk.checkRun(sha).title).toMatch(/^Flaky/);
    expect([run.attempts.length, desk.writes().filter((write) => write.endsWith('/rerun')).length]).toEqual([2, 1]);
  });

  it('runs nothing where a second job fails, the failure is new, or a fork brought it', async () => {
    const desk = await stage.desk('corner/others', READ);
    await makeFlaky(stage, desk);
    const two = await desk.pull({ branch: 'third' });
    const fresh = await desk.pull({ branch: 'fourth' });
    const fork = await desk.forkPull();
    const runs = [
      await desk.run(two.sha, { test: DELIVERY, lint: COUPONS }),
      await desk.run(fresh.sha, { test: COUPONS }),
      await desk.run(fork.sha, { test: DELIVERY }),
    ];
    expect(runs.map(({ attempts }) => attempts.length)).toEqual([1, 1, 1]);
  });

  it('runs nothing where a job would run with it that deploys, or its workflow is not there', async () => {
    const ship = '  ship: { needs: test, runs-on: ubuntu-latest, environment: shop, steps: [{ run: ship }] }\n';
    for (const [name, workflow] of [
      ['corner/deploys', { workflow: `${WORKFLOW}${ship}` }],
      ['corner/unread', {}],
    ] as const) {
      const desk = await stage.desk(name, { config: ONCE, ...workflow });
      await makeFlaky(stage, desk);
      const { sha } = await desk.pull({ branch: 'third' });
      const run = await desk.run(sha, { test: DELIVERY });
      expect([run.attempts.length, desk.checkRun(sha).title]).toEqual([
        1,
        expect.stringMatching(/^Flaky: seen 2 times/),
      ]);
    }
  });

  it('runs nothing where the repository does not want it', async () => {
    const desk = await stage.desk('corner/off', { workflow: WORKFLOW });
    await makeFlaky(stage, desk);
    const { sha } = await desk.pull({ branch: 'third' });
    const run = await desk.run(sha, { test: DELIVERY });
    expect([run.attempts.length, desk.checkRuns(sha).length]).toEqual([1, 1]);
  });
});

describe('without Actions: write', () => {
  const stage = redStage();

  it('goes on as if it were off, and tells only the operator', async () => {
    const desk = await stage.desk('corner/not-granted', READ);
    await makeFlaky(stage, desk);
    const { sha } = await desk.pull({ branch: 'third' });
    const run = await desk.run(sha, { test: DELIVERY });
    const shown = desk.checkRun(sha);
    expect(shown.title).toMatch(/^Flaky: seen 2 times before/);
    expect([run.attempts.length, shown.words.includes('permission')]).toEqual([1, false]);
    expect(stage.service().output()).toContain('checks.rerun needs the permission Actions: write');
  });
});
