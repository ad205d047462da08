// What the worker's log says of jobs that end while others are put in: nothing, since nobody has taken them away.
import path from 'node:path';
import { expect, it } from 'vitest';
import type { JobHandler } from '../../src/core/queue.ts';
import { createSeal } from '../../src/db/seal.ts';
import { openSqliteStore } from '../../src/db/sqlite.ts';
import { createLog } from '../../src/log.ts';
import { createEmbeddedQueue } from '../../src/queue/embedded-queue.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { patience } from '../support/patience.ts';
import { job, plenty } from '../support/queue-samples.ts';
import { temporaryFolder } from '../support/service.ts';

it('a job that has just ended is not told of as taken away', async () => {
  await using folder = await temporaryFolder();
  const jobs = createJobTable();
  const file = path.join(folder.path, 'causeway.db');
  await using store = await openSqliteStore({ file, seal: createSeal(Buffer.alloc(32, 7)), enqueuer: jobs });
  const { database } = store;
  const lines: string[] = [];
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } });
  const queue = createEmbeddedQueue({ database, jobs, log, now: () => new Date() });
  const put = (subject: string) => database.write((trx) => jobs.enqueue(trx, [job(subject)]));
  const ended: string[] = [];
  const handler: JobHandler = {
    handle: async ({ subject }) => {
      ended.push(subject);
      // Written as the job ends: the worker looks at its leases then.
      if (ended.length < 200) void put(`${subject}-${ended.length}`);
      return { kind: 'done' };
    },
    dead: async () => {},
  };
  for (const subject of ['a', 'b', 'c', 'd']) await put(subject);
  {
    await using worker = queue.work({ run: handler }, { run: plenty });
    await worker.waitUntilIdle(patience());
  }
  expect(ended.length).toBeGreaterThanOrEqual(200);
  expect(lines.filter((line) => line.includes('taken away'))).toEqual([]);
});
