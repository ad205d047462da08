// Jobs on pg-boss that were there when their process ended three times or more: one at a time in each process, the least tried first.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openPostgres } from '../contract/postgres-place.ts';
import { migratedDatabase, type TestDatabase } from '../support/postgres.ts';
import { job, patience, plenty, recorder, until } from '../support/queue-samples.ts';

const all = { run: plenty, webhook: plenty };

/** A database with these jobs, each with so many ends of its process behind it. */
async function databaseWith(tries: Readonly<Record<string, number>>): Promise<TestDatabase> {
  const database = await migratedDatabase();
  await using opened = await openPostgres(database.url);
  await opened.enqueue(...Object.keys(tries).map((subject) => job(subject)));
  const claimed = `update causeway_jobs.job set state = 'retry', started_on = now(), retry_count = $2::int - 1
    where singleton_key = $1 and $2::int > 0`;
  for (const [subject, ends] of Object.entries(tries)) await database.query(claimed, [subject, ends]);
  return database;
}

it('run one after the other, the least tried first, while all others run at once', async () => {
  await using database = await databaseWith({ five: 5, three: 3, four: 4, one: 1, two: 2 });
  await using opened = await openPostgres(database.url);
  let now = 0;
  let most = 0;
  const suspects = new Set(['three', 'four', 'five']);
  const { handled, handlers } = recorder(async ({ subject }) => {
    if (!suspects.has(subject)) return;
    now += 1;
    most = Math.max(most, now);
    await sleep(20);
    now -= 1;
  });
  await using worker = opened.queue({ pollMs: 5, suspectMs: 10 }).work(handlers, all);
  await worker.idle(patience());
  expect(most).toBe(1);
  const said = handled.map(({ subject, attempt }) => `${subject} ${attempt}`);
  expect(handled.map(({ subject }) => subject).filter((subject) => suspects.has(subject))).toEqual([
    'three',
    'four',
    'five',
  ]);
  expect(said.toSorted()).toEqual(['five 6', 'four 5', 'one 2', 'three 4', 'two 3']);
});

it('wait until their process has lived for a while, so that kills in quick succession do not use up their tries', async () => {
  await using database = await databaseWith({ often: 4, never: 0 });
  await using opened = await openPostgres(database.url);
  {
    const { handled, handlers } = recorder();
    await using _worker = opened.queue({ pollMs: 5, suspectMs: 60_000 }).work(handlers, all);
    await until(() => handled.length > 0);
    // Time for the other, if it were let through.
    await sleep(150);
    expect(handled.map(({ subject }) => subject)).toEqual(['never']);
  }
  const { handled, handlers } = recorder();
  await using worker = opened.queue({ pollMs: 5, suspectMs: 50 }).work(handlers, all);
  await worker.idle(patience());
  expect(handled.map(({ subject, attempt }) => `${subject} ${attempt}`)).toEqual(['often 5']);
});

it('that fails, or was given back by a worker that stopped, is no more suspect for that', async () => {
  await using database = await databaseWith({ bad: 2 });
  await using opened = await openPostgres(database.url);
  const bad = recorder(() => Promise.reject(new Error('no')));
  {
    await using worker = opened.queue({ pollMs: 5, suspectMs: 60_000 }).work(bad.handlers, all);
    await worker.idle(patience());
  }
  // Two ends and one failure: at once, in a process however young.
  const { handled, handlers } = recorder();
  const now = () => new Date(Date.now() + 60_000);
  await using worker = opened.queue({ now, pollMs: 5, suspectMs: 60_000 }).work(handlers, all);
  await worker.idle(patience());
  expect(handled.map(({ subject, attempt }) => `${subject} ${attempt}`)).toEqual(['bad 4']);
});
