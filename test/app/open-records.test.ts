// Records over one PostgreSQL database in two processes: both see a pause, and only one does the recurring work.
import { expect, it } from 'vitest';
import { openPostgresParts, openRecords, setPaused } from '../../src/app/records.ts';

import { createSeal } from '../../src/db/seal.ts';
import { createLog } from '../../src/log.ts';
import { migratedDatabase } from '../support/postgres.ts';

const log = createLog({ level: 'silent' });
const seal = createSeal(Buffer.alloc(32, 7));

it('has one leader, and pauses both while the operator has paused them', async () => {
  await using place = await migratedDatabase();
  const database = { kind: 'postgres', url: place.url, shown: 'there' } as const;
  const options = { database, seal, log, now: () => new Date() };
  await using one = await openRecords(options);
  await using other = await openRecords(options);
  const paused = [one.isPaused, other.isPaused];
  const parts = await openPostgresParts({ database, seal, log });
  expect(paused.map((is) => is())).toEqual([false, false]);
  expect(await setPaused(parts.store.database, true, new Date())).toBe(true);
  await expect.poll(() => paused.map((is) => is())).toEqual([true, true]);
  expect(await setPaused(parts.store.database, true, new Date())).toBe(false);
  await using third = await openRecords(options);
  expect(third.isPaused()).toBe(true);
  await setPaused(parts.store.database, false, new Date());
  await expect.poll(() => paused.map((is) => is())).toEqual([false, false]);
  await parts[Symbol.asyncDispose]();
  expect([one, other, third].filter((records) => records.leads())).toHaveLength(1);
});

it('over SQLite is one process, which looks after everything', async () => {
  await using records = await openRecords({ database: ':memory:', seal, log, now: () => new Date() });
  expect([records.leads(), records.isPaused()]).toEqual([true, false]);
});
