// A database of the schema before turns: its jobs keep their places, and the version before may go on writing beside this one.
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, it } from 'vitest';
import { migrationsFor } from '../../src/db/migrations/all.ts';
import { openConnection, SQLITE_TABLES, sqliteDialect } from '../../src/db/sqlite-engine.ts';
import { openSqlite } from '../contract/sqlite-place.ts';
import { clock, job, patience, recorder, runLimits } from '../support/queue-samples.ts';
import { temporaryFolder } from '../support/service.ts';
import { at } from '../support/store-samples.ts';

/** As the version before writes them: no word of urgency or organisation. */
function writeAsBefore(file: string, subject: string, group: string, runAt: string): void {
  const connection = new Sqlite(file);
  connection
    .prepare(
      `insert into jobs (id, kind, subject, group_key, state, run_at, attempts, failures, generation)
       values (?, 'run', ?, ?, 'waiting', ?, 0, 0, 0)`,
    )
    .run(`job_${subject}`, subject, group, runAt);
  connection
    .prepare(
      `insert into job_groups (kind, group_key, running, next_at) values ('run', ?, 0, ?)
       on conflict (kind, group_key) do update set running = excluded.running, next_at = excluded.next_at`,
    )
    .run(group, runAt);
  connection.close();
}

it('what waited before goes on as people’s, before automatic jobs, and so does what the version before writes meanwhile', async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, 'causeway.db');
  const kysely = new Kysely<unknown>({ dialect: sqliteDialect(openConnection(file)) });
  const provider = { getMigrations: async () => migrationsFor(SQLITE_TABLES) };
  await new Migrator({ db: kysely, provider }).migrateTo('0010-marks');
  await kysely.destroy();
  writeAsBefore(file, 'first', 'a', at(-30));
  writeAsBefore(file, 'second', 'b', at(-20));

  await using opened = await openSqlite(file);
  const { now } = clock();
  const { handled, handlers } = recorder();
  const work = async (recovery: 'lease' | 'sole-owner') => {
    await using worker = opened.queue({ now, recovery }).work(handlers, runLimits(1, 1));
    await worker.idle(patience());
    return handled.splice(0).map(({ subject }) => subject);
  };
  await opened.enqueue(job('unasked', { urgency: 'automatic', organisation: 'octo', group: 'c', runAt: at(-40) }));
  // Nothing is counted anew: the step itself has put them in their places.
  expect(await work('lease')).toEqual(['first', 'second', 'unasked']);

  await opened.enqueue(job('unasked', { urgency: 'automatic', organisation: 'octo', group: 'c', runAt: at(-40) }));
  writeAsBefore(file, 'meanwhile', 'd', at(-10));
  expect((await opened.jobs()).at(-1)).toEqual(job('meanwhile', { group: 'd', runAt: at(-10) }));
  expect(await work('sole-owner')).toEqual(['meanwhile', 'unasked']);
});
