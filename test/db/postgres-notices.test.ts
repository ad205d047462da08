// What processes over one database tell each other, and which of them leads.
import { expect, it } from 'vitest';
import { type Notices, openNotices } from '../../src/db/postgres-notices.ts';
import { emptyDatabase } from '../support/postgres.ts';

const WAIT = { timeout: 20_000 };

it('is heard by the others and not by who said it, also after the connection was lost', async () => {
  await using database = await emptyDatabase();
  await using one = await connected(database.url);
  await using other = await connected(database.url);
  const heard: string[] = [];
  using _own = one.on('changed', (text) => heard.push(`one heard ${text}`));
  using _others = other.on('changed', (text) => heard.push(`other heard ${text}`));
  one.notify('changed', 'run_1');
  await expect.poll(() => heard, WAIT).toEqual(['other heard run_1']);
  await database.query(`select pg_notify('causeway', 'not of ours')`);
  await database.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where pid != pg_backend_pid() and datname = current_database()`);
  await expect
    .poll(() => {
      one.notify('changed', 'run_2');
      return heard.at(-1);
    }, WAIT)
    .toBe('other heard run_2');
});

it('has one leader, and another once that one is gone', async () => {
  await using database = await emptyDatabase();
  const first = await connected(database.url);
  await expect.poll(() => first.isLeader(), WAIT).toBe(true);
  await using second = await connected(database.url);
  // What a session asked last is kept: the leader asks something else from its second round on.
  const asked = `select 1 from pg_stat_activity where datname = current_database() and query like 'select pg_try_advisory_lock%' and state = 'idle'
    and pid not in (select pid from pg_locks where locktype = 'advisory' and granted)`;
  await expect.poll(async () => (await database.query(asked)).length, WAIT).toBe(1);
  expect(second.isLeader()).toBe(false);
  await first[Symbol.asyncDispose]();
  expect(first.isLeader()).toBe(false);
  await expect.poll(() => second.isLeader(), WAIT).toBe(true);
});

async function connected(url: string): Promise<Notices> {
  const there = Promise.withResolvers<void>();
  const notices = openNotices({ url, roundMs: 100, onFault: (error) => error === null && there.resolve() });
  await there.promise;
  return notices;
}
