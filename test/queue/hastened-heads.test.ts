// What stories do to the clock of the queue: heads that wait become due, and a row of a group that is wrong stays wrong.
import path from 'node:path';
import { expect, it } from 'vitest';
import type { NewJob } from '../../src/core/queue.ts';
import { openSqliteStore } from '../../src/db/open-sqlite.ts';
import { createSeal } from '../../src/db/seal.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { engine, openRecords } from '../support/records.ts';
import { temporaryFolder } from '../support/service.ts';
import { hastenHeads } from '../support/stored-jobs.ts';

const START = Date.now();
const inSeconds = (seconds: number) => new Date(START + seconds * 1_000).toISOString();

function head(name: string, urgency: NewJob['urgency'], seconds: number): NewJob {
  const runAt = inSeconds(seconds);
  return { kind: 'head', subject: name, group: `of ${name}`, runAt, urgency, organisation: `owner of ${name}` };
}

it.runIf(engine() === 'sqlite')('changes no row of a group that says another moment than its job', async () => {
  await using folder = await temporaryFolder();
  const jobs = createJobTable();
  const file = path.join(folder.path, 'causeway.db');
  await using store = await openSqliteStore({ file, seal: createSeal(Buffer.alloc(32)), enqueuer: jobs });
  const heads = [head('right', 'person', 50), head('wrong', 'automatic', 51), head('later', 'automatic', 90)];
  await store.database.write((trx) => jobs.enqueue(trx, heads));
  using records = openRecords(folder.path);
  await records.rows("update job_groups set next_at = $1, next_automatic_at = $1 where group_key = 'of wrong'", [
    inSeconds(55),
  ]);
  await hastenHeads(records, new Date(START + 60_000));
  const due = (moment: string | null) => (moment !== null && moment <= new Date().toISOString() ? 'due' : moment);
  const moments = async (statement: string) =>
    (await records.rows(statement)).map((row) => Object.values(row).map((moment) => due(moment)));
  expect(await moments('select run_at from jobs order by seq')).toEqual([['due'], ['due'], [inSeconds(90)]]);
  expect(await moments('select next_at, next_person_at, next_automatic_at from job_groups order by group_key')).toEqual(
    [
      [inSeconds(90), null, inSeconds(90)],
      ['due', 'due', null],
      [inSeconds(55), null, inSeconds(55)],
    ],
  );
  expect(
    await moments('select next_person_at, next_automatic_at from job_organisations order by organisation'),
  ).toEqual([
    [null, inSeconds(90)],
    ['due', null],
    [null, 'due'],
  ]);
});
