// Our own pull request on its live head: green, red, tried again, handed over, and taken out of our hands.

import { describe, expect, it } from 'vitest';
import { CAUSEWAY_APP } from '../../support/causeway-app.ts';
import { FILES, FIXED, type PublishingHouse, publishingHouse, SHOP } from './publishing-house.ts';

const SECOND = 'one\n22\nthree\n';
const SECOND_FIX = {
  files: [{ kind: 'modified', path: 'src/cart.js', before: FIXED, after: SECOND }],
  rootCause: 'Two must be twenty-two.',
} as const;

interface Opened {
  readonly house: PublishingHouse;
  readonly number: number;
  readonly branch: string;
  /** The live head of the pull request. */
  head(): Promise<string>;
  body(): string;
  report(conclusion: 'success' | 'failure', name?: string): Promise<void>;
}

async function opened(house: PublishingHouse): Promise<Opened> {
  await house.ask();
  await house.conclude();
  await house.settle();
  const [pull] = house.pulls();
  const branch = pull!.pull!.headRef;
  const head = () => house.head(branch);
  return {
    ...{ house, number: pull!.number, branch, head },
    body: () => pull!.body ?? '',
    async report(conclusion, name = 'test') {
      const log = `2026-01-01T00:00:00.0000000Z expected 22, got 2 (${name})`;
      await house.double.people.reportWorkflowRun(SHOP, { sha: await head(), jobs: [{ name, conclusion, log }] });
    },
  };
}

/** The text of the report behind the last further attempt. */
async function _attemptText({ store }: PublishingHouse, investigationId: string): Promise<string> {
  const { runId } = (await store.findInvestigation(investigationId))!;
  return (await store.startRun(runId, new Date().toISOString()))!.text;
}

async function attempts(house: PublishingHouse) {
  return (await house.thread()).record.pullRequest?.attempts ?? [];
}

describe('green checks', () => {
  it.each([
    ['opened ready', { draft: false, ready: false }, null],
    ['marked ready', { draft: true, ready: true }, 'success'],
  ] as const)(
    'or no draft at all: %s, it asks people and teams, whatever GitHub says to one of them',
    async (_, how, checks) => {
      await using house = await publishingHouse();
      house.double.people.user('rita');
      house.double.people.grant(SHOP, 'rita', 'write');
      const { pullRequest } = house.setting.config;
      const reviewers = ['nobody', 'rita', 'Octo/back-end', 'others/team'];
      house.setting.config = { ...house.setting.config, pullRequest: { ...pullRequest, ...how, reviewers } };
      const pull = await opened(house);
      if (checks !== null) await pull.report(checks);
      await house.settle();
      await house.settle();
      expect([...house.pulls()[0]!.pull!.reviewerIds]).toEqual([house.double.people.user('rita').id]);
      const asked = house.double.requests.filter(({ path }) => path.endsWith('/requested_reviewers'));
      expect(asked.map(({ body }) => JSON.parse(body))).toEqual([
        { reviewers: ['nobody', 'rita'], team_reviewers: ['back-end'] },
        { reviewers: ['nobody'], team_reviewers: [] },
        { reviewers: ['rita'], team_reviewers: [] },
        { reviewers: [], team_reviewers: ['back-end'] },
      ]);
    },
  );

  it('that never come are not awaited for ever, and still heeded when they do', async () => {
    await using house = await publishingHouse();
    const pull = await opened(house);
    house.advance(600);
    expect(await house.settle()).toEqual({ kind: 'done' });
    expect(house.comments()[0]?.body).toMatch(/next: review .*, without a CI result/);
    expect(pull.body()).toContain('There is no CI result on this commit');
    await pull.report('success');
    expect(await house.settle()).toEqual({ kind: 'done' });
    expect(house.comments()[0]?.body).toContain('its checks pass');
  });

  it('are not said to be none where we may not see them', async () => {
    const { checks: _, ...permissions } = CAUSEWAY_APP.permissions;
    await using house = await publishingHouse({ permissions });
    await opened(house);
    house.advance(1_200);
    expect((await house.settle()).kind).toBe('later');
    expect(house.comments()[0]?.body).toContain('is waiting for its checks');
  });

  it('are waited for as long as one of them runs, and looked at now and then', async () => {
    await using house = await publishingHouse();
    const pull = await opened(house);
    await pull.report('failure');
    await house.double.people.reportCheck(SHOP, { sha: await pull.head(), name: 'slow', conclusion: null });
    const result = await house.settle();
    expect(result.kind === 'later' && Date.parse(result.runAt) - house.deps.now().getTime()).toBeGreaterThan(500_000);
    expect(await attempts(house)).toEqual([]);
    house.advance(4 * 24 * 3_600);
    expect(await house.settle()).toEqual({ kind: 'done' });
  });

  it('do not count where they are our own', async () => {
    await using house = await publishingHouse();
    const pull = await opened(house);
    const ours = { sha: await pull.head(), name: 'Causeway', app: 'causeway', conclusion: 'failure' } as const;
    await house.double.people.reportCheck(SHOP, ours);
    await pull.report('success');
    await house.settle();
    expect((await house.thread()).record.pullRequest?.checks).toBe('green');
  });
});

describe('red checks', () => {
  it.each([
    ['finds no change', { files: [], analysis: { outcome: 'inconclusive' } }],
    ['would need a person to read it', { analysis: { guards: [{ rule: 'person/large', file: '', reason: 'large' }] } }],
  ] as const)('are handed over where the attempt %s', async (_, ending) => {
    await using house = await publishingHouse();
    const pull = await opened(house);
    const first = await pull.head();
    await pull.report('failure');
    await house.publish();
    await house.conclude({ ...SECOND_FIX, ...ending, base: first });
    expect(await house.settle()).toEqual({ kind: 'done' });
    expect(await pull.head()).toBe(first);
    expect(house.comments(pull.number)).toHaveLength(1);
    expect(await attempts(house)).toMatchObject([{ outcome: 'nothing' }]);
  });
});

describe('a pull request that is no longer ours alone', () => {
  it('keeps a later analysis from opening a rival to it', async () => {
    await using house = await publishingHouse();
    await opened(house);
    house.advance(3_700);
    await house.ask();
    await house.conclude({
      files: [{ kind: 'modified', path: 'src/cart.js', before: FILES['src/cart.js'], after: 'x\n' }],
    });
    await house.settle();
    expect(house.pulls()).toHaveLength(1);
    expect(house.comments()[0]?.body).toContain('is still open');
  });
});

describe('never two open for one subject', () => {
  it('even where the first was never recorded, and somebody has asked anew before it was found', async () => {
    await using house = await publishingHouse();
    await opened(house);
    const { id, record } = await house.thread();
    await house.store.saveThreadRecord(id, { ...record, pullRequest: null }, house.deps.now().toISOString());
    house.advance(3_700);
    await house.ask();
    const files = [{ kind: 'modified', path: 'src/cart.js', before: FILES['src/cart.js'], after: 'x\n' }] as const;
    await house.conclude({ files });
    await house.settle();
    expect(house.pulls()).toHaveLength(1);
    expect((await house.thread()).record.withheld?.reason.code).toBe('earlier_open');
  });
});

describe('on somebody’s pull request', () => {
  async function analysed(prepare: (house: PublishingHouse) => Promise<{ number: number; head: string }>) {
    const house = await publishingHouse();
    const { number, head } = await prepare(house);
    await house.ask({ subject: { kind: 'pull_request', number } });
    await house.conclude({ base: head });
    await house.settle();
    return house;
  }

  it('the fix is a pull request on top of its branch', async () => {
    await using house = await analysed(async ({ double }) => {
      const head = await double.people.push(SHOP, { by: 'wanda', branch: 'mine', files: { 'y.js': 'y\n' } });
      const pull = await double.people.openPull(SHOP, { by: 'wanda', title: 'Mine', head: 'mine' });
      return { number: pull.number, head };
    });
    const [, ours] = house.pulls();
    expect(ours?.pull).toMatchObject({ baseRef: 'mine', isDraft: true });
    expect(house.comments(house.pulls()[0]?.number)).toHaveLength(1);
  });

  it('of a fork nothing is pushed', async () => {
    await using house = await analysed(async ({ double, head }) => {
      await double.people.fork(SHOP, 'wanda');
      await double.people.push('wanda/shop', { by: 'wanda', branch: 'mine', files: { 'y.js': 'y\n' } });
      const wanted = { by: 'wanda', title: 'Mine', head: 'mine', headRepository: 'wanda/shop' };
      return { number: (await double.people.openPull(SHOP, wanted)).number, head: await head() };
    });
    expect(house.pulls()).toHaveLength(1);
    expect((await house.thread()).record.withheld?.reason.code).toBe('fork');
  });
});

describe('a death in between', () => {
  it.each([
    ['of the attempt’s commit', { method: 'POST', path: /\/graphql$/, body: /createCommitOnBranch/ }],
    ['of the hand-over', { method: 'POST', path: /\/issues\/\d+\/comments$/ }],
    ['of the new body', { method: 'PATCH', path: /\/pulls\/\d+$/ }],
  ])('of us and the answer %s makes two of nothing', async (_, where) => {
    await using house = await publishingHouse();
    const pull = await opened(house);
    const first = await pull.head();
    house.double.faults.add({ ...where, fault: { kind: 'answer', when: 'after', status: 502 } });
    await pull.report('failure');
    await house.publish();
    await house.publish();
    expect(await attempts(house)).toHaveLength(1);
    await house.conclude({ ...SECOND_FIX, base: first });
    await house.settle();
    const second = await pull.head();
    expect((await house.thread()).record.pullRequest).toMatchObject({ headSha: second });
    expect(second).not.toBe(first);
    await pull.report('failure');
    expect(await house.settle()).toEqual({ kind: 'done' });
    expect(house.comments(pull.number)).toHaveLength(1);
    expect(await pull.head()).toBe(second);
  });
});
