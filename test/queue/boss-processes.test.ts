// The queue on pg-boss over several processes: what one of them does is seen by the others.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createLog } from '../../src/log.ts';
import { openBoss } from '../../src/queue/open-boss.ts';
import { openPostgres } from '../contract/postgres-place.ts';
import { patience, until } from '../support/patience.ts';
import { emptyDatabase, migratedDatabase } from '../support/postgres.ts';
import { job, plenty, recorder } from '../support/queue-samples.ts';
import { bossProcess } from './boss-process.ts';

const all = { run: plenty, webhook: plenty };
const soon = { pollMs: 500 };

it('is installed once where several open it at once on an empty database', async () => {
  await using database = await emptyDatabase();
  const log = createLog({ level: 'silent' });
  const opened = await Promise.all(Array.from({ length: 4 }, () => openBoss({ url: database.url, log })));
  try {
    const versions = await database.query<{ readonly version: number }>('select version from causeway_jobs.version');
    expect(versions).toHaveLength(1);
    const queues = await database.query<{ readonly name: string }>('select name from causeway_jobs.queue');
    expect(queues.length).toBeGreaterThanOrEqual(8);
  } finally {
    for (const one of opened) await one[Symbol.asyncDispose]();
  }
});

it('a job that is cancelled is aborted in the process that runs it, and gone', async () => {
  await using database = await migratedDatabase();
  await using opened = await openPostgres(database.url);
  await using child = await bossProcess(database.url, { mode: 'hang' });
  await opened.enqueue(job('a'), job('b'));
  // Both: a job that is cancelled before a worker has claimed it is removed without a word.
  await Promise.all([child.said('try a 1'), child.said('try b 1')]);
  await opened.queue({}).cancel('run', 'a');
  await child.said('aborted a cancelled');
  expect(child.lines).not.toContain('aborted b cancelled');
  expect((await opened.jobs()).map((one) => one.subject)).toEqual(['b']);
});

it('a worker that was stopped for longer than its heartbeat is aborted when it goes on, and its late end is refused', async () => {
  await using database = await migratedDatabase();
  await using opened = await openPostgres(database.url);
  await using child = await bossProcess(database.url, { mode: 'late', ...soon });
  await opened.enqueue(job('a'));
  await child.said('try a 1');
  process.kill(child.pid, 'SIGSTOP');
  const gate = Promise.withResolvers<void>();
  const { handled, handlers } = recorder(() => gate.promise);
  const queue = opened.queue(soon);
  await using worker = queue.work(handlers, all);
  // After a heartbeat of 10 s and a look of the supervisor.
  await until(() => handled.length > 0);
  process.kill(child.pid, 'SIGCONT');
  await child.said('aborted a lease_lost');
  // It ends when all that it had to say of its jobs is said.
  await child.kill('SIGTERM');
  expect(await queue.countJobs()).toEqual({ waiting: 0, running: 1, dead: 0 });
  gate.resolve();
  await worker.waitUntilIdle(patience());
  expect(handled.map((one) => one.attempt)).toEqual([2]);
  expect(await opened.jobs()).toEqual([]);
});

it('a database that goes away and comes back costs no job and no second end', async () => {
  await using database = await migratedDatabase();
  await using opened = await openPostgres(database.url);
  const { handled, handlers } = recorder(() => sleep(50));
  await opened.enqueue(...Array.from({ length: 40 }, (_, i) => job(`j${i}`)));
  await using worker = opened.queue({ pollMs: 50 }).work(handlers, all);
  await until(() => handled.length > 10);
  await database.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await worker.waitUntilIdle(patience());
  expect(new Set(handled.map((one) => one.subject)).size).toBe(40);
  expect(handled).toHaveLength(40);
  // It hears of new ones again, too.
  await opened.enqueue(job('late'));
  await until(() => handled.length === 41);
});
