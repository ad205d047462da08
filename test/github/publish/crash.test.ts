// The process dies, or the answer is lost, right after each single thing that we do on GitHub: in the end there is one of each.
import { describe, expect, it } from 'vitest';
import type { ThreadRecord } from '../../../src/core/thread.ts';
import type { PublishDeps } from '../../../src/github/publish/view.ts';
import { FIXED, type PublishingHouse, publishingHouse, SHOP } from './publishing-house.ts';

/** Facts, a result in their place, a pull request, and the result that names it. */
async function wholeStory(house: PublishingHouse, publish: () => Promise<void>): Promise<void> {
  await house.ask();
  await house.facts();
  await publish();
  house.advance(30);
  await house.conclude();
  await publish();
}

/** A job that dies is claimed again. */
async function untilItRests(house: PublishingHouse): Promise<void> {
  for (let tries = 0; tries < 12; tries += 1) {
    try {
      const result = await house.publish();
      const wait = result.kind === 'later' ? Date.parse(result.runAt) - house.deps.now().getTime() : 0;
      if (wait <= 0 || wait > 16_000) return;
      house.advance(wait / 1_000 + 0.01);
    } catch (error) {
      if (!(error instanceof Error) || error.message !== DEATH) throw error;
    }
  }
  throw new Error('it does not come to rest');
}

const DEATH = 'the process has died';

async function expectOneOfEach(house: PublishingHouse): Promise<void> {
  const branches = (await house.branches()).filter((name) => name.startsWith('causeway/'));
  expect(branches).toHaveLength(1);
  expect(house.pulls()).toHaveLength(1);
  expect(house.comments()).toHaveLength(1);
  expect(house.comments()[0]?.body).toContain(`#${house.pulls()[0]?.number}`);
  expect(house.issue.reactions).toHaveLength(1);
  const opened = await house.deps.source.open(house.project, new AbortController().signal);
  const tree = opened.tree(await house.head(branches[0]));
  const { commits } = await tree.history({}, new AbortController().signal);
  expect(commits).toHaveLength(2);
  const read = await tree.read('src/cart.js', {}, new AbortController().signal);
  expect(read).toMatchObject({ text: FIXED });
  const { record } = await house.thread();
  expect(record).toMatchObject({
    replaced: [],
    comment: { id: house.comments()[0]?.id, shows: 'result' },
    pullRequest: { number: house.pulls()[0]?.number, headSha: await house.head(branches[0]), state: 'open' },
  });
}

/** GitHub's answers to our writes; the one with this number is never seen by us. */
async function dyingAtAnswer(number: number): Promise<number> {
  let count = 0;
  await using house = await publishingHouse({
    onAnswer: (method, path) => {
      if (method === 'GET' || path.includes('access_tokens')) return;
      count += 1;
      if (count === number) throw new TypeError('fetch failed');
    },
  });
  await wholeStory(house, () => untilItRests(house));
  await expectOneOfEach(house);
  return count;
}

/** The record is written so often; the time with this number the process dies before it. */
async function dyingAtRecord(number: number): Promise<number> {
  let count = 0;
  const house = await publishingHouse();
  await using _ = house;
  const save = house.store.saveThreadRecord.bind(house.store);
  const dying = async (id: string, record: ThreadRecord, now: string): Promise<void> => {
    count += 1;
    if (count === number) throw new Error(DEATH);
    await save(id, record, now);
  };
  Object.assign(house.deps as { store: PublishDeps['store'] }, { store: { ...house.store, saveThreadRecord: dying } });
  await wholeStory(house, () => untilItRests(house));
  await expectOneOfEach(house);
  return count;
}

/** Interrupts the first, the second … until there is none left to interrupt. Returns how many there were. */
async function eachOnce(dyingAt: (number: number) => Promise<number>): Promise<number> {
  for (let number = 1; ; number += 1) {
    const count = await dyingAt(number);
    if (count < number) return count;
  }
}

describe('the process dies', () => {
  it('after any of its writes on GitHub, with its answer', { timeout: 120_000 }, async () => {
    // 👀, facts, result, deletion, branch, commit, pull request, edit; and the one question that is asked by POST.
    expect(await eachOnce(dyingAtAnswer)).toBe(9);
  });

  it('before any of its records', { timeout: 120_000 }, async () => {
    expect(await eachOnce(dyingAtRecord)).toBe(6);
  });
});

describe('GitHub answers 502 after it did what it was asked for', () => {
  it.each([
    ['a comment', { method: 'POST', path: /\/issues\/\d+\/comments$/, skip: 0 }],
    ['the comment that replaces it', { method: 'POST', path: /\/issues\/\d+\/comments$/, skip: 1 }],
    ['the deletion of the facts', { method: 'DELETE', path: /\/issues\/comments\// }],
    ['a branch', { method: 'POST', path: /\/git\/refs$/ }],
    ['a commit', { method: 'POST', path: /\/graphql$/, body: /createCommitOnBranch/ }],
    ['a pull request', { method: 'POST', path: /\/pulls$/ }],
    ['an edit', { method: 'PATCH', path: /\/issues\/comments\// }],
  ])('%s', async (_, where) => {
    await using house = await publishingHouse();
    house.double.faults.add({ ...where, fault: { kind: 'answer', when: 'after', status: 502 } });
    await wholeStory(house, () => untilItRests(house));
    await expectOneOfEach(house);
  });
});

describe('between the branch and its commit', () => {
  it('the base moves on, and the branch with it', async () => {
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
});
