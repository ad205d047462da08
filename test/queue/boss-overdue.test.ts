// What a worker over PostgreSQL asks at each look: a second claim is worth its cost only where an automatic job is overdue.
import { expect, it } from 'vitest';
import { createLog } from '../../src/log.ts';
import { openBoss } from '../../src/queue/open-boss.ts';
import { openPostgres } from '../contract/postgres-place.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { job } from '../support/queue-samples.ts';

const HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString();

it('a kind is late for what nobody asked for, and not for people’s jobs that have waited as long', async () => {
  await using database = await migratedDatabase();
  await using opened = await openPostgres(database.url);
  await using boss = await openBoss({ url: database.url, log: createLog({ level: 'silent' }) });
  const look = () => boss.ask(boss.statements.promising, [['run'], null]);
  await opened.enqueue(job('p', { runAt: HOUR_AGO }));
  expect(await look()).toMatchObject([{ due: true, late: null }]);
  await opened.enqueue(job('a', { urgency: 'automatic', runAt: HOUR_AGO }));
  expect(await look()).toMatchObject([{ due: true, late: true }]);
});
