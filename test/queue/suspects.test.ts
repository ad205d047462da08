// Jobs that were there when their process ended three times or more: one at a time, the least tried first, and nobody waits for them.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openSqlite } from '../contract/sqlite-place.ts';
import { job, patience, plenty, recorder } from '../support/queue-samples.ts';
import { temporaryFolder } from '../support/service.ts';

/** A file with these jobs, each with so many ends of its process behind it. */
async function fileWith(folder: string, tries: Readonly<Record<string, number>>): Promise<string> {
  const file = path.join(folder, 'causeway.db');
  await using opened = await openSqlite(file);
  await opened.enqueue(...Object.keys(tries).map((subject) => job(subject)));
  const database = new Sqlite(file);
  const set = database.prepare("update jobs set attempts = ?, generation = ?, state = 'running' where subject = ?");
  for (const [subject, ends] of Object.entries(tries)) set.run(ends, ends, subject);
  database.close();
  return file;
}

it('run one after the other, the least tried first, while all others run at once', async () => {
  await using folder = await temporaryFolder();
  const file = await fileWith(folder.path, { five: 5, three: 3, four: 4, one: 1, two: 2 });
  await using opened = await openSqlite(file);
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
  await using worker = opened.queue({ pollMs: 5, suspectMs: 10 }).work(handlers, { run: plenty, webhook: plenty });
  await worker.idle(patience());
  expect(most).toBe(1);
  const subjects = handled.map(({ subject }) => subject);
  expect(subjects.filter((subject) => suspects.has(subject))).toEqual(['three', 'four', 'five']);
  expect(subjects.toSorted()).toEqual(['five', 'four', 'one', 'three', 'two']);
});

it('that fails, and is to be tried again, lets the next one go meanwhile', async () => {
  await using folder = await temporaryFolder();
  const file = await fileWith(folder.path, { bad: 3, good: 4 });
  await using opened = await openSqlite(file);
  const { handled, handlers } = recorder(async ({ subject }) => {
    if (subject === 'bad') throw new Error('no');
  });
  await using worker = opened.queue({ pollMs: 5, suspectMs: 10 }).work(handlers, { run: plenty, webhook: plenty });
  await worker.idle(patience());
  expect(handled.map(({ subject }) => subject)).toEqual(['bad', 'good']);
});

it('waits until its process has lived for a while, so that kills in quick succession do not use up its tries', async () => {
  await using folder = await temporaryFolder();
  const file = await fileWith(folder.path, { often: 4, never: 0 });
  for (let life = 0; life < 3; life++) {
    await using opened = await openSqlite(file);
    const { handled, handlers } = recorder();
    await using _worker = opened
      .queue({ pollMs: 5, suspectMs: 60_000 })
      .work(handlers, { run: plenty, webhook: plenty });
    await sleep(150);
    expect(handled.map(({ subject }) => subject)).not.toContain('often');
  }
  await using opened = await openSqlite(file);
  const { handled, handlers } = recorder();
  await using worker = opened.queue({ pollMs: 5, suspectMs: 50 }).work(handlers, { run: plenty, webhook: plenty });
  await worker.idle(patience());
  expect(handled.map(({ subject, attempt }) => `${subject} ${attempt}`)).toContain('often 5');
});
