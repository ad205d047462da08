// People with write say whose the red checks of a pull request are: it stands with their name and reason beside what was judged, at every
// commit with the same failure, until somebody says something else.
import { describe, expect, it } from 'vitest';
import { noise } from '../../../packages/redact/test/planted.ts';
import { type RedDesk, redStage } from '../../support/github-red-desk.ts';
import { COUPONS, DELIVERY } from '../../support/github-red-model.ts';
import { makeJobsDue } from '../../support/github-stage.ts';
import { storedRows } from '../../support/records.ts';
import { placesWith } from '../../support/stored-text.ts';

const stage = redStage();

interface ExplainedCauses {
  readonly causes: readonly {
    readonly verdict: string;
    readonly whose: string;
    readonly override: { readonly whose: string; readonly reason: string; readonly by: string } | null;
    readonly lapsed: object | null;
  }[];
}

async function explain({ name }: Pick<RedDesk, 'name'>, sha: string) {
  const api = await stage.api('mara');
  const query = new URLSearchParams({ projectId: name, sha });
  const { causes } = await api.get<ExplainedCauses>(`/api/v1/checks/?${query}`);
  return causes.map(({ verdict, whose, override, lapsed }) => ({
    ...{ verdict, whose, said: override && [override.whose, override.by, override.reason], isLapsed: lapsed !== null },
  }));
}

async function countVerdicts({ name }: Pick<RedDesk, 'name'>) {
  const api = await stage.api('mara');
  const query = new URLSearchParams({ projectId: name });
  const { verdicts } = await api.get<{
    readonly verdicts: readonly { readonly verdict: string; readonly confirmed: number; readonly refuted: number }[];
  }>(`/api/v1/calibration/?${query}`);
  return verdicts.filter(({ confirmed, refuted }) => confirmed + refuted > 0);
}

/** Who said what, oldest first. */
function audited({ name }: Pick<RedDesk, 'name'>) {
  return storedRows<{ readonly verb: string; readonly account_id: string }>(
    stage.dataDir,
    `select verb, account_id from audit join projects on projects.id = audit.project_id
      where projects.name = $1 and verb like 'failure.called%' order by audit.seq`,
    [name],
  );
}

/** A shop that was green before, with a pull request that breaks its coupons. */
async function broken(name: string) {
  const desk = await stage.desk(name, { green: ['test'] });
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  return { desk, number, sha };
}

describe('not mine', () => {
  it('stands with person and reason in the first line, the API and the calibration, beside what was judged', async () => {
    const { desk, number, sha } = await broken('corner/not-mine');
    expect(desk.checkRun(sha).title).toMatch(/^Your change: /);
    const before = stage.ourComments(desk.name, number).map(({ body }) => body);
    const said = await desk.say(number, 'mara', '/analyse not-mine The registry is down, see the status page.');
    expect(desk.reactions(said)).toEqual(['eyes']);
    const { title, words, summary } = desk.checkRun(sha);
    expect(title).toBe('Not your change, says mara: “The registry is down, see the status page.”');
    expect(words).toContain('1 check failed, not because of this change.');
    expect(words).toContain(
      'Not your change, says mara: “The registry is down, see the status page.” · nothing to do here',
    );
    expect(words).toMatch(/Judged automatically as: Your change: /);
    expect(summary.mentions).toEqual([]);
    expect(await explain(desk, sha)).toEqual([
      {
        ...{ verdict: 'code', whose: 'not_this_change', isLapsed: false },
        said: ['not_mine', 'mara', 'The registry is down, see the status page.'],
      },
    ]);
    expect(await countVerdicts(desk)).toEqual([{ verdict: 'code', confirmed: 0, refuted: 1 }]);
    expect(stage.ourComments(desk.name, number).map(({ body }) => body)).toEqual(before);
  });

  it('holds at the next commit with the same failure, where nothing begins, and says at another that it no longer does', async () => {
    const { desk, number, sha } = await broken('corner/next');
    await desk.say(number, 'mara', '/analyse not-mine the registry is down');
    const begun = desk.begun().length;
    const second = await desk.push('coupons');
    await desk.run(second, { test: COUPONS });
    expect(desk.checkRun(second).title).toBe('Not your change, says mara: “the registry is down”');
    expect(desk.begun()).toHaveLength(begun);
    const third = await desk.push('coupons');
    await desk.run(third, { test: DELIVERY });
    const shown = desk.checkRun(third);
    expect(shown.title).toMatch(/^Your change: /);
    expect(shown.words).toContain(
      "mara called another failure here not this change's: “the registry is down”. That no longer applies: this is a different failure.",
    );
    expect([desk.begun().length, (await explain(desk, third)).map(({ isLapsed }) => isLapsed)]).toEqual([
      begun + 1,
      [true],
    ]);
    // And back: what was said of it still stands.
    const fourth = await desk.push('coupons');
    await desk.run(fourth, { test: COUPONS });
    expect(desk.checkRun(fourth).title).toBe('Not your change, says mara: “the registry is down”');
    expect(desk.checkRun(sha).words).toContain('A newer commit replaced this one');
  });

  it('begins and posts nothing where it is said while checks still run, nor for one that ends late', async () => {
    const desk = await stage.desk('corner/early', { green: ['test', 'late'] });
    const { number, sha } = await desk.pull({ draft: true });
    await desk.run(sha, { test: COUPONS });
    await desk.say(number, 'mara', '/analyse not-mine known outage');
    stage.double.people.markReady(desk.name, number, 'mara');
    await stage.rest();
    await desk.run(sha, { late: COUPONS }, { workflow: 'Late' });
    const { title, words } = desk.checkRun(sha);
    expect(title).toBe('Not your change, says mara: “known outage”');
    expect(words).toContain('2 checks failed, none because of this change.');
    expect([desk.begun(), desk.comments(number)]).toEqual([[], []]);
  });

  it('is of all red causes, or of those with the check that is quoted first, whichever App reports it', async () => {
    const desk = await stage.desk('corner/named', { green: ['test', 'deliver'] });
    const { number, sha } = await desk.pull();
    await desk.run(sha, { test: COUPONS, deliver: DELIVERY });
    await desk.say(number, 'mara', '/analyse not-mine `Deliver`: the carrier is down');
    expect((await explain(desk, sha)).map(({ whose }) => whose).sort()).toEqual(['not_this_change', 'this_change']);
    expect(desk.checkRun(sha).title).toMatch(/^2 checks failed, 1 because of this change · /);
    await desk.say(number, 'mara', '/analyse not-mine "nothing of that name" is what it says');
    await desk.say(number, 'mara', '/analyse not-mine `lint` the linter is down');
    expect(desk.comments(number).at(-1)?.text).toMatch(
      /no check of that name is red here\. Red are (?:deliver, test|test, deliver)\./,
    );
    const all = await explain(desk, sha);
    expect(all.map(({ said }) => said?.[2])).toEqual(Array(2).fill('"nothing of that name" is what it says'));
    await stage.double.people.reportCheck(desk.name, {
      ...{ sha, name: 'shop tests', app: 'buildhouse', conclusion: 'failure' },
      output: { title: '1 of 7 tests failed', summary: `not ok 4 - the till opens\nError: no till` },
    });
    await stage.rest();
    await desk.say(number, 'mara', '/analyse not-mine "shop tests" the till is not plugged in');
    expect((await explain(desk, sha)).map(({ said }) => said?.[2])).toContain('the till is not plugged in');
  });

  it('is possible on a fork, and comes with no comment', async () => {
    const desk = await stage.desk('corner/fork', { green: ['test'] });
    const { number, sha } = await desk.forkPull();
    await desk.run(sha, { test: COUPONS });
    await desk.say(number, 'mara', '/analyse not-mine it fails for everybody');
    expect(desk.checkRun(sha).title).toBe('Not your change, says mara: “it fails for everybody”');
    expect([desk.begun(), desk.comments(number)]).toEqual([[], []]);
  });

  it('shows no secret, link or mention of its reason, and stores no secret', async () => {
    const { desk, number, sha } = await broken('corner/hostile');
    const secret = ['gh', 'p_', noise(36, 77)].join('');
    const reason = `@corner/all ![x](https://evil.example/x.png) [here](https://evil.example) fixes #1 ${secret}`;
    await desk.say(number, 'mara', `/analyse not-mine ${reason}`);
    const { title, summary, text } = desk.checkRun(sha);
    for (const { mentions, images, links } of [summary, text]) {
      expect([mentions, images, links.filter((link) => link.includes('evil'))]).toEqual([[], [], []]);
    }
    expect(title).toMatch(/^Not your change, says mara: /);
    expect(`${title}${summary.text}`).not.toContain(secret);
    expect(await placesWith(stage.dataDir, secret)).toEqual([]);
  });
});

describe('mine', () => {
  it('needs no reason, refutes what was judged otherwise, and has it looked into as what the change broke is, once', async () => {
    const desk = await stage.desk('corner/mine', { green: ['test'] });
    const { number, sha } = await desk.pull();
    const run = await desk.run(sha, { test: 'success' });
    await stage.double.people.rerun(desk.name, run, { by: 'mara', jobs: ['test'] });
    const log = '##[group]Run npm test\nnpm test\n##[endgroup]\nError: no space left on device\n';
    const end = { conclusion: 'failure', failedStep: 'npm test', log } as const;
    await stage.double.people.finishJob(desk.name, run, 'test', end);
    await stage.rest();
    const [{ verdict } = { verdict: '' }] = await explain(desk, sha);
    expect(['flaky', 'infrastructure']).toContain(verdict);
    await desk.say(number, 'mara', '/analyse mine');
    const { title, words } = desk.checkRun(sha);
    expect(title).toMatch(/^Your change, says mara/);
    expect(words).toContain('1 check failed because of this change.');
    expect(await countVerdicts(desk)).toEqual([{ verdict, confirmed: 0, refuted: 1 }]);
    expect([desk.begun().length, desk.comments(number)]).toEqual([1, []]);
    expect(desk.begun()[0]).toContain('Somebody with write access says that this change broke it.');
    await desk.say(number, 'mara', '/analyse mine after all');
    expect(desk.begun()).toHaveLength(1);
  });

  it('begins nothing for a fork, as nothing begins there unasked', async () => {
    const desk = await stage.desk('corner/mine-fork');
    await desk.run(await desk.tip(), { test: COUPONS });
    const ended = desk.begun().length;
    const fork = await desk.forkPull();
    await desk.run(fork.sha, { test: COUPONS });
    await desk.say(fork.number, 'mara', '/analyse mine');
    expect(desk.checkRun(fork.sha).title).toMatch(/^Your change, says mara/);
    expect(desk.begun()).toHaveLength(ended);
  });
});

describe('who says it', () => {
  it('is somebody with write, with a reason, where a check is red; others learn why not, and strangers nothing', async () => {
    const { desk, number, sha } = await broken('corner/who');
    const before = desk.checkRun(sha).title;
    const answers: string[] = [];
    for (const [by, body] of [
      ['per', '/analyse not-mine because'],
      ['mara', '/analyse not-mine'],
    ] as const) {
      const said = await desk.say(number, by, body);
      expect(desk.reactions(said)).toEqual(['confused']);
      answers.push(desk.comments(number).at(-1)?.text ?? '');
    }
    expect(answers[0]).toContain('need write access');
    expect(answers[1]).toContain('Say why, so that others can rely on it');
    const writes = desk.writes().length;
    expect(desk.reactions(await desk.say(number, 'ola', '/analyse not-mine because'))).toEqual([]);
    expect([desk.checkRun(sha).title, desk.writes().length, await audited(desk)]).toEqual([before, writes, []]);
    // Once it is carried out, nothing says any more that it was not; what others were told stays.
    const refused = desk.comments(number);
    await desk.say(number, 'nora', '/analyse mine');
    expect(desk.comments(number)).toEqual(refused);
    await desk.say(number, 'mara', '/analyse not-mine the registry is down');
    const told = desk.comments(number).at(-1)?.text ?? '';
    expect(told).toContain('For @mara: /analyse not-mine was accepted.');
    expect(told).not.toContain('Say why');
    const issue = stage.double.people.openIssue(desk.name, { by: 'mara', title: 'Prices' }).number;
    await desk.say(issue, 'mara', '/analyse not-mine because');
    expect(desk.comments(issue).at(-1)?.text).toContain('No check is red here');
  });

  it('is whoever said it last, and both are in the audit; what arrives again changes nothing', async () => {
    const { desk, number, sha } = await broken('corner/both');
    const { webhooks, app } = stage.double;
    await desk.say(number, 'mara', '/analyse not-mine the registry is down');
    const first = webhooks.deliveries(app.id).find(({ event }) => event === 'issue_comment');
    await desk.say(number, 'nora', '/analyse mine I forgot to change the fixture');
    expect(desk.checkRun(sha).title).toBe('Your change, says nora: “I forgot to change the fixture”');
    webhooks.redeliver(first?.id ?? 0);
    await stage.rest();
    expect(desk.checkRun(sha).title).toMatch(/^Your change, says nora/);
    const people = stage.double.people;
    expect(await audited(desk)).toEqual([
      { verb: 'failure.called_not_mine', account_id: `github ${people.user('mara').id}` },
      { verb: 'failure.called_mine', account_id: `github ${people.user('nora').id}` },
    ]);
    expect(await countVerdicts(desk)).toEqual([{ verdict: 'code', confirmed: 1, refuted: 0 }]);
    await desk.say(number, 'mara', '/analyse not-mine it was the registry after all');
    expect(desk.checkRun(sha).title).toMatch(/^Not your change, says mara: “it was the registry after all”/);
  });
});

describe('a service that is killed', () => {
  it.each([
    ['reaction', /\/reactions$/],
    ['check run', /\/check-runs\/\d+$/],
  ])('between its record and the %s says it once when it is back', async (what, path) => {
    const { desk, number, sha } = await broken(`corner/killed-${what.replace(' ', '-')}`);
    const method = what === 'reaction' ? 'POST' : 'PATCH';
    stage.double.faults.add({ method, path, fault: { kind: 'reset', when: 'before' } });
    stage.double.state.clock.advance(2_000);
    const said = stage.double.people.comment(desk.name, number, { by: 'mara', body: '/analyse not-mine an outage' });
    await stage.until('what was said', async () => (await audited(desk)).length > 0);
    await stage.service()[Symbol.asyncDispose]();
    await makeJobsDue(stage.dataDir);
    stage.double.faults.clear();
    await stage.restart();
    await stage.double.webhooks.settled();
    await stage.rest();
    expect(desk.checkRun(sha).title).toBe('Not your change, says mara: “an outage”');
    expect([desk.reactions(said), (await audited(desk)).length]).toEqual([['eyes'], 1]);
  });
});
