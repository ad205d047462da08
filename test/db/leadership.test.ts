// One process over a PostgreSQL database leads, and another one once that one has ended or was killed.
import { expect, it } from 'vitest';
import { type Leadership, openLeadership } from '../../src/db/leadership.ts';
import { openPostgresStore } from '../../src/db/postgres.ts';
import { createSeal } from '../../src/db/seal.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { until } from '../support/patience.ts';
import { migratedDatabase } from '../support/postgres.ts';

const openStore = (url: string) =>
  openPostgresStore({ url, seal: createSeal(Buffer.alloc(32)), enqueuer: createJobTable() });

it('has one leader, and at once another after its end', async () => {
  await using place = await migratedDatabase();
  await using store = await openStore(place.url);
  // Renewed four times as often; a machine that does other work may be late by that much.
  const open = (): Leadership => openLeadership(store.database, { leaseMs: 8_000, onFault: () => {} });
  const leases = () => place.query<{ set_at: string }>("select set_at from service_marks where name = 'leader'");
  const first = open();
  await expect.poll(() => first.isLeader()).toBe(true);
  await using second = open();
  const [lease] = await leases();
  await until(async () => (await leases())[0]?.set_at !== lease?.set_at);
  expect([first.isLeader(), second.isLeader()]).toEqual([true, false]);
  await first[Symbol.asyncDispose]();
  expect(first.isLeader()).toBe(false);
  await expect.poll(() => second.isLeader()).toBe(true);
});

it('has another leader when the lease of one that was killed is over', async () => {
  await using place = await migratedDatabase();
  await using store = await openStore(place.url);
  const lease = (seconds: number) =>
    `to_char((now() + interval '${seconds} seconds') at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  await place.query(`insert into service_marks (name, holder, set_at) values ('leader', 'killed', ${lease(1)})`);
  await using next = openLeadership(store.database, { leaseMs: 1_000, onFault: () => {} });
  expect(next.isLeader()).toBe(false);
  await expect.poll(() => next.isLeader()).toBe(true);
});
