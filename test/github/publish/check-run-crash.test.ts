// The process dies, or the answer is lost, right after each thing that we do for our check run: in the end there is one, complete.
import { describe, expect, it } from 'vitest';
import type { HeadRecord } from '../../../src/core/head.ts';
import { type CheckRunHouse, checkRunHouse } from './check-run-house.ts';

const DEATH = 'the process has died';

/** A job that dies is claimed again; one that is not sure looks again. */
async function untilItRests(house: CheckRunHouse): Promise<void> {
  for (let tries = 0; tries < 12; tries += 1) {
    try {
      const result = await house.publish();
      const wait = result.kind === 'later' ? Date.parse(result.runAt) - house.deps.now().getTime() : 0;
      if (wait <= 0 || wait > 16_000) return;
      house.house.advance(wait / 1_000 + 0.01);
    } catch (error) {
      if (!(error instanceof Error) || error.message !== DEATH) throw error;
    }
  }
  throw new Error('it does not come to rest');
}

/** It runs, and it has ended. */
async function wholeStory(house: CheckRunHouse): Promise<void> {
  const begun = await house.begun();
  const other = await house.found();
  await house.judged([begun.finding, other]);
  await untilItRests(house);
  await house.concluded(begun);
  await untilItRests(house);
}

async function expectOne(house: CheckRunHouse): Promise<void> {
  expect(house.runs()).toMatchObject([
    {
      ...{ status: 'completed', conclusion: 'neutral', externalId: (await house.head()).id },
      ...{ annotations: [{ path: 'src/cart.js' }], actions: [{ identifier: 'open_fix' }] },
    },
  ]);
  const [run] = house.runs();
  const { record } = await house.head();
  expect(record.isRefused).toBeUndefined();
  expect(record.checkRun).toMatchObject({ id: run?.id, status: 'completed', annotations: 1, buttons: [{}] });
}

/** GitHub's answers to our writes; the one with this number is never seen by us. */
async function dyingAtAnswer(number: number): Promise<number> {
  let count = 0;
  await using house = await checkRunHouse({
    onAnswer: (method, path) => {
      if (method === 'GET' || path.includes('access_tokens')) return;
      count += 1;
      if (count === number) throw new TypeError('fetch failed');
    },
  });
  await wholeStory(house);
  await expectOne(house);
  return count;
}

/** The record is written so often; the time with this number the process dies before it. */
async function dyingAtRecord(number: number): Promise<number> {
  let count = 0;
  await using house = await checkRunHouse();
  const { store } = house.house;
  const dying = async (id: string, record: HeadRecord, now: string): Promise<void> => {
    count += 1;
    if (count === number) throw new Error(DEATH);
    await store.saveHeadRecord(id, record, now);
  };
  Object.assign(house.deps, { store: { ...store, saveHeadRecord: dying } });
  await wholeStory(house);
  await expectOne(house);
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
  it('after any of its writes on GitHub, with its answer', { timeout: 60_000 }, async () => {
    // It is made, and completed.
    expect(await eachOnce(dyingAtAnswer)).toBe(2);
  });

  it('before any of its records', { timeout: 60_000 }, async () => {
    // That one is about to be made, that it was, and what it shows at the end.
    expect(await eachOnce(dyingAtRecord)).toBe(3);
  });
});

describe('GitHub does not answer as it should after it did what it was asked for', () => {
  it.each([
    ['502 to one that is made', { method: 'POST', path: /\/check-runs$/, kind: 'answer' }],
    ['502 to an update', { method: 'PATCH', path: /\/check-runs\/\d+$/, kind: 'answer' }],
    ['nothing to one that is made', { method: 'POST', path: /\/check-runs$/, kind: 'reset' }],
    ['nothing to an update', { method: 'PATCH', path: /\/check-runs\/\d+$/, kind: 'reset' }],
  ] as const)('%s', async (_, { method, path, kind }) => {
    await using house = await checkRunHouse();
    const fault =
      kind === 'answer' ? ({ kind, when: 'after', status: 502 } as const) : ({ kind, when: 'after' } as const);
    house.house.double.faults.add({ method, path, fault });
    await wholeStory(house);
    await expectOne(house);
  });

  it('and the head is none any more when we look again: what was made is brought to its end', async () => {
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

  it('and it was never made: none is made for a head that is none any more', async () => {
    await using house = await checkRunHouse();
    const fault = { kind: 'answer', when: 'before', status: 502 } as const;
    house.house.double.faults.add({ method: 'POST', path: /\/check-runs$/, fault });
    const finding = await house.found();
    await house.judged([finding]);
    expect((await house.publish()).kind).toBe('later');
    await house.judged([finding], { state: 'superseded', place: null });
    expect(await house.publish()).toEqual({ kind: 'done' });
    expect(house.runs()).toEqual([]);
  });

  it('and others stand there under our name: they are not taken for it', async () => {
    await using house = await checkRunHouse();
    const { people, app } = house.house.double;
    await people.reportCheck('octo/shop', {
      sha: house.sha,
      name: 'Causeway',
      app: 'other',
      externalId: (await house.head()).id,
    });
    await people.reportCheck('octo/shop', { sha: house.sha, name: 'Causeway', app: app.slug, externalId: 'thr_old' });
    await house.judged([await house.found()]);
    await untilItRests(house);
    expect(house.runs().map(({ externalId }) => externalId)).toEqual(['thr_old', (await house.head()).id]);
  });
});
