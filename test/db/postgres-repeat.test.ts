// Verbs on PostgreSQL take place exactly once: beside each other, and when the connection is lost at any point.
import { describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../src/db/postgres.ts';
import { createSeal } from '../../src/db/seal.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { wireTo } from '../support/cut-connections.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { acceptance, accepted, conclusion, ground, NOW, started } from '../support/store-samples.ts';

const open = (url: string, patienceMs = 15_000) =>
  openPostgresStore({ url, seal: createSeal(Buffer.alloc(32)), enqueuer: createJobTable(), patienceMs });

/** `check` adds one each time that it takes place. */
const CHECKS = 'select count::int from health_checks';

describe('verbs of two processes', () => {
  it('that read what the other writes are repeated until each has had its turn', async () => {
    await using place = await migratedDatabase();
    await using one = await open(place.url);
    await using two = await open(place.url);
    let runs = 0;
    // What serializable alone notices: neither writes the row that it read, and no row is written twice.
    const take = (store: typeof one, id: number) =>
      store.database.write(async (trx) => {
        runs++;
        const rows = await trx.selectFrom('health_checks').select('id').execute();
        await trx.insertInto('health_checks').values({ id, count: rows.length }).execute();
      });
    await Promise.all(Array.from({ length: 10 }, (_, i) => take(i % 2 === 0 ? one : two, i)));
    expect((await place.query<{ count: number }>(`${CHECKS} order by count`)).map(({ count }) => count)).toEqual([
      ...Array(10).keys(),
    ]);
    expect(runs).toBeGreaterThan(10);
  });

  it('say so where their turn never comes', async () => {
    await using place = await migratedDatabase();
    await using one = await open(place.url, 0);
    await using two = await open(place.url);
    await two.checkWritable();
    const losing = one.database.write(async (trx) => {
      await trx.selectFrom('health_checks').select('id').execute();
      await two.checkWritable();
      await trx.updateTable('health_checks').set({ count: 7 }).execute();
    });
    await expect(losing).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(/other writers took precedence for too long. Try again. \(40001\)$/),
    });
  });

  it('are fenced: what a worker writes after its run was taken over is refused, in another process too', async () => {
    await using place = await migratedDatabase();
    await using one = await open(place.url);
    await using two = await open(place.url);
    const base = await ground(one);
    const { runId, investigationId } = await accepted(one, acceptance(base));
    const early = await started(one, runId);
    const late = await started(two, runId);
    await expect(one.conclude(early, conclusion(), NOW)).rejects.toMatchObject({ code: 'lease_lost' });
    await two.conclude(late, conclusion(), NOW);
    expect((await one.findInvestigation(investigationId))?.outcome.state).toBe('concluded');
  });
});

describe('a commit whose answer is lost', () => {
  it('before it was heard is undone, and the verb takes place once', async () => {
    await using place = await migratedDatabase();
    await using wire = await wireTo(place.url);
    await using store = await open(wire.url);
    wire.cutNext('before');
    await store.checkWritable();
    expect(wire.cuts()).toBe(1);
    expect(await place.query(CHECKS)).toEqual([{ count: 1 }]);
  });

  it('after it took place is asked after, and the verb takes place once', async () => {
    await using place = await migratedDatabase();
    await using wire = await wireTo(place.url);
    await using store = await open(wire.url);
    wire.cutNext('after');
    await store.checkWritable();
    expect(wire.cuts()).toBe(1);
    expect(await place.query(CHECKS)).toEqual([{ count: 1 }]);
  });
});
