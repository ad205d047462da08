// What a runner does with a claim of which an engine says that it is lost, at any moment of it.
import { expect, it } from 'vitest';
import { createSeal } from '../../src/db/seal.ts';
import { openSqliteStore } from '../../src/db/sqlite.ts';
import { createLog } from '../../src/log.ts';
import { JobRunner, WORK_TIMES } from '../../src/queue/job-runner.ts';
import { claimNextJob, createJobTable } from '../../src/queue/job-table.ts';
import { patience } from '../support/patience.ts';
import { job, waiting } from '../support/queue-samples.ts';

/** A job `a` that is claimed, and a runner for it. */
async function claimed() {
  const jobs = createJobTable();
  const store = await openSqliteStore({ file: ':memory:', seal: createSeal(Buffer.alloc(32, 7)), enqueuer: jobs });
  const { database } = store;
  await database.write((trx) => jobs.enqueue(trx, [job('a')]));
  const now = () => new Date();
  const request = { kind: 'run', perGroup: 1, maxLost: 1 } as const;
  const claim = await database.write((trx) => claimNextJob(trx, now().toISOString(), request));
  if (claim === null) throw new Error('the job could not be claimed');
  const runner = new JobRunner({ ...WORK_TIMES, database, jobs, log: createLog({ level: 'silent' }), now });
  return {
    ...{ runner, claim },
    cancel: () => database.write((trx) => jobs.remove(trx, 'run', ['a'])),
    states: () => database.read((reader) => reader.selectFrom('jobs').select(['state', 'attempts']).execute()),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

it('a job that was cancelled before its claim had come back from the database is aborted', async () => {
  await using at = await claimed();
  await at.cancel();
  const { reasons, handlers } = waiting();
  void at.runner.run(at.claim, handlers.run, AbortSignal.abort());
  await at.runner.idle([], patience());
  expect(reasons).toMatchObject([{ code: 'cancelled' }]);
  expect(await at.states()).toEqual([]);
});

it('a job that its engine gives to another worker is aborted before that one takes it, and counts as one that lost its worker', async () => {
  await using at = await claimed();
  const lost = new AbortController();
  const { reasons, handlers } = waiting();
  void at.runner.run(at.claim, handlers.run, lost.signal);
  lost.abort();
  await at.runner.idle([], patience());
  expect(reasons).toMatchObject([{ code: 'lease_lost' }]);
  expect(await at.states()).toEqual([{ state: 'waiting', attempts: 1 }]);
});
