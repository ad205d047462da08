// What an idle worker of the embedded queue costs: one question for all kinds of jobs, twice a second and after every commit.
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { openSqliteStore } from '../../src/db/open-sqlite.ts';
import { createSeal } from '../../src/db/seal.ts';
import { createLog } from '../../src/log.ts';
import { createEmbeddedSource } from '../../src/queue/embedded-source.ts';
import { JOB_KINDS } from '../../src/queue/job-kinds.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { job } from '../support/queue-samples.ts';
import { temporaryFolder } from '../support/service.ts';

it('asks once for all kinds, and claims only of those that have a job due', async () => {
  await using folder = await temporaryFolder();
  const jobs = createJobTable();
  const file = path.join(folder.path, 'causeway.db');
  await using store = await openSqliteStore({ file, seal: createSeal(Buffer.alloc(32, 7)), enqueuer: jobs });
  let questions = 0;
  const database: Database = {
    ...store.database,
    read: (query) => {
      questions++;
      return store.database.read(query);
    },
  };
  const now = () => new Date('2026-03-01T10:00:00.000Z');
  const log = createLog({ level: 'silent' });
  const times = { leaseMs: 30_000, suspectMs: 0 };
  await using source = createEmbeddedSource({ database, jobs, log, now, recovery: 'sole-owner', ...times }, JOB_KINDS);
  await source.begin();
  const look = async () => {
    questions = 0;
    return { kinds: await source.promising(JOB_KINDS), questions };
  };
  expect(await look()).toEqual({ kinds: [], questions: 1 });
  const put = (made: ReturnType<typeof job>) => database.write((trx) => jobs.enqueue(trx, [made]));
  await put({ ...job('later'), kind: 'head', runAt: '2026-03-01T10:00:01.000Z' });
  await put({ ...job('of nobody'), kind: 'webhook', runAt: '2026-03-01T10:00:00.000Z', urgency: 'automatic' });
  await put({ ...job('of a person'), kind: 'publish', runAt: '2026-03-01T09:00:00.000Z' });
  expect(await look()).toEqual({ kinds: ['publish', 'webhook'], questions: 1 });
  expect(await source.promising(['webhook', 'run'])).toEqual(['webhook']);
});
