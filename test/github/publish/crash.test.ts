// The process dies, or the answer is lost, after each single thing that we do on GitHub: in the end there is one of each.
import { expect, it } from 'vitest';
import type { JobResult } from '../../../src/core/queue.ts';
import type { Store } from '../../../src/db/store.ts';
import { type CheckRunHouse, checkRunHouse } from './check-run-house.ts';
import { FIXED, type PublishingHouse, publishingHouse, SHOP } from './publishing-house.ts';

const DEATH = 'the process has died';

/** Claims the job again after each death, until it waits for something else. */
async function untilDone(house: PublishingHouse, publish: () => Promise<JobResult>): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    try {
      const result = await publish();
      const wait = result.kind === 'later' ? Date.parse(result.runAt) - house.deps.now().getTime() : 0;
      if (wait <= 0 || wait > 16_000) return;
      house.advance(wait / 1_000 + 0.01);
    } catch (error) {
      if (!(error instanceof Error) || error.message !== DEATH) throw error;
    }
  }
  throw new Error('the job does not end');
}

/** Loses the answer to every write, up to twice for each address. */
function losingAnswers() {
  const lost: string[] = [];
  const onAnswer = (method: string, path: string) => {
    const write = `${method} ${path}`;
    if (method === 'GET' || path.includes('access_tokens') || lost.filter((one) => one === write).length === 2) return;
    lost.push(write);
    throw new TypeError('fetch failed');
  };
  return { lost, onAnswer };
}

/** Dies before every other record. */
function dyingAtRecords(store: Store): { readonly store: Store; readonly deaths: () => number } {
  let saves = 0;
  const die = () => {
    saves += 1;
    if (saves % 2 === 1) throw new Error(DEATH);
  };
  const dying: Store = {
    ...store,
    saveThreadRecord: async (...args) => {
      die();
      await store.saveThreadRecord(...args);
    },
    saveHeadRecord: async (...args) => {
      die();
      await store.saveHeadRecord(...args);
    },
  };
  return { store: dying, deaths: () => Math.ceil(saves / 2) };
}

async function publishFix(house: PublishingHouse): Promise<void> {
  await house.ask();
  await house.facts();
  await untilDone(house, house.publish);
  house.advance(30);
  await house.conclude();
  await untilDone(house, house.publish);
}

async function expectOneOfEach(house: PublishingHouse): Promise<void> {
  const branches = (await house.branches()).filter((name) => name.startsWith('causeway/'));
  expect([branches.length, house.pulls().length, house.comments().length]).toEqual([1, 1, 1]);
  expect(house.comments()[0]?.body).toContain(`#${house.pulls()[0]?.number}`);
  expect(house.issue.reactions).toHaveLength(1);
  const opened = await house.deps.source.open(house.project, new AbortController().signal);
  const tree = opened.tree(await house.head(branches[0]));
  expect((await tree.history({}, new AbortController().signal)).commits).toHaveLength(2);
  expect(await tree.read('src/cart.js', {}, new AbortController().signal)).toMatchObject({ text: FIXED });
  expect((await house.thread()).record).toMatchObject({
    replaced: [],
    comment: { id: house.comments()[0]?.id, shows: 'result' },
    pullRequest: { number: house.pulls()[0]?.number, headSha: await house.head(branches[0]), state: 'open' },
  });
}

it('makes one comment and one pull request whatever answer is lost', async () => {
  const { lost, onAnswer } = losingAnswers();
  await using house = await publishingHouse({ onAnswer });
  await publishFix(house);
  await expectOneOfEach(house);
  // 👀, facts, result, deletion, branch, commit, pull request, edit.
  expect(lost.length).toBeGreaterThanOrEqual(8);
});

it('makes one comment and one pull request when it dies before its records', async () => {
  await using house = await publishingHouse();
  const dying = dyingAtRecords(house.store);
  Object.assign(house.deps, { store: dying.store });
  await publishFix(house);
  await expectOneOfEach(house);
  expect(dying.deaths()).toBeGreaterThanOrEqual(6);
});

it('moves its branch along where the base moves on before the commit', async () => {
  await using house = await publishingHouse();
  house.double.faults.add({
    ...{ method: 'POST', path: /\/graphql$/, body: /createCommitOnBranch/ },
    fault: { kind: 'answer', when: 'before', status: 502 },
  });
  await house.ask();
  await house.conclude();
  expect((await house.publish()).kind).toBe('later');
  await house.double.people.push(SHOP, { by: 'wanda', files: { 'src/other.js': 'y\n' } });
  await house.settle();
  const branches = (await house.branches()).filter((name) => name.startsWith('causeway/'));
  expect(branches).toHaveLength(1);
  const opened = await house.deps.source.open(house.project, new AbortController().signal);
  const tree = opened.tree(await house.head(branches[0]));
  expect(await tree.read('src/other.js', {}, new AbortController().signal)).toMatchObject({ text: 'y\n' });
});

/** Shown while the investigation runs, and completed after it. */
async function showCheckRun(house: CheckRunHouse): Promise<void> {
  const begun = await house.begun();
  const other = await house.found();
  await house.judged([begun.finding, other]);
  await untilDone(house.house, house.publish);
  await house.concluded(begun);
  await untilDone(house.house, house.publish);
}

async function expectOneCheckRun(house: CheckRunHouse): Promise<void> {
  expect(house.runs()).toMatchObject([
    {
      ...{ status: 'completed', conclusion: 'neutral', externalId: (await house.head()).id },
      ...{ annotations: [{ path: 'src/cart.js' }], actions: [{ identifier: 'open_fix' }] },
    },
  ]);
  const { record } = await house.head();
  expect(record.isRefused).toBeUndefined();
  expect(record.checkRun).toMatchObject({
    id: house.runs()[0]?.id,
    status: 'completed',
    annotations: 1,
    buttons: [{}],
  });
}

it('makes one check run whatever answer is lost', async () => {
  const { lost, onAnswer } = losingAnswers();
  await using house = await checkRunHouse({ onAnswer });
  await showCheckRun(house);
  await expectOneCheckRun(house);
  expect(lost.length).toBeGreaterThanOrEqual(2);
});

it('makes one check run when it dies before its records', async () => {
  await using house = await checkRunHouse();
  const dying = dyingAtRecords(house.house.store);
  Object.assign(house.deps, { store: dying.store });
  await showCheckRun(house);
  await expectOneCheckRun(house);
  expect(dying.deaths()).toBeGreaterThanOrEqual(3);
});

it('completes a check run whose answer was lost where the commit has been replaced by then', async () => {
  await using house = await checkRunHouse();
  const fault = { kind: 'answer', when: 'after', status: 502 } as const;
  house.house.double.faults.add({ method: 'POST', path: /\/check-runs$/, fault });
  const begun = await house.begun();
  await house.judged([begun.finding]);
  expect((await house.publish()).kind).toBe('later');
  await house.judged([], { state: 'superseded', place: null });
  await house.publish();
  expect(house.runs()).toMatchObject([{ status: 'completed' }]);
});

it('takes no check run for its own that another App or another head has made', async () => {
  await using house = await checkRunHouse();
  const { people, app } = house.house.double;
  const { id: externalId } = await house.head();
  await people.reportCheck(SHOP, { sha: house.sha, name: 'Causeway', app: 'other', externalId });
  await people.reportCheck(SHOP, { sha: house.sha, name: 'Causeway', app: app.slug, externalId: 'thr_old' });
  await house.judged([await house.found()]);
  await untilDone(house.house, house.publish);
  expect(house.runs().map((run) => run.externalId)).toEqual(['thr_old', externalId]);
});
