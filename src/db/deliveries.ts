// Deliveries from GitHub: stored sealed with their job, once; wiped when they were handled.

import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import type { Reader, Trx } from './schema.ts';
import type { Seal } from './seal.ts';
import type { Delivery, DeliveryEnd, DeliveryStore, NewDelivery } from './store.ts';

type Times = Parameters<DeliveryStore['acceptDelivery']>[1];

/** Characters; sealing fewer costs less than a question to the database. */
const LONG_BODY = 256 * 1024;

export function createDeliveryVerbs(database: Database, enqueuer: Enqueuer, seal: Seal): DeliveryStore {
  return {
    async acceptDelivery(delivery, times) {
      // Sealing 25 MiB takes its time: a repeated one is known without, and nobody waits for the write lock meanwhile.
      const isLong = delivery.body.length > LONG_BODY;
      if (isLong && (await database.read((reader) => wasSeen(reader, delivery, times)))) return 'repeated';
      const body = seal.seal(delivery.body, bodyPurpose(delivery.id));
      return database.write((trx) => accept(trx, { ...delivery, body }, times, enqueuer));
    },
    findDelivery: (id) => database.read((reader) => waiting(reader, id, seal)),
    async endDelivery(id, end, detail) {
      await database.write((trx) => endDelivery(trx, { id, end, detail }));
    },
    async findSeenDeliveries(ids) {
      if (ids.length === 0) return new Set();
      const rows = await database.read((reader) =>
        reader.selectFrom('deliveries').select('id').where('id', 'in', ids).where('state', '!=', 'failed').execute(),
      );
      return new Set(rows.map((row) => row.id));
    },
  };
}

async function wasSeen(reader: Reader, { id, meaning }: NewDelivery, { meaningSince }: Times): Promise<boolean> {
  const row = await reader
    .selectFrom('deliveries')
    .select('id')
    .where(({ or, and, eb }) =>
      and([
        or([eb('id', '=', id), and([eb('meaning', '=', meaning), eb('received_at', '>=', meaningSince)])]),
        // Its own failed try is no reason against it.
        or([eb('id', '!=', id), eb('state', '!=', 'failed')]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function accept(
  trx: Trx,
  delivery: NewDelivery,
  times: Times,
  enqueuer: Enqueuer,
): Promise<'stored' | 'repeated'> {
  if (await wasSeen(trx, delivery, times)) return 'repeated';
  const { id, event, body, meaning, group, isUrgent, urgency } = delivery;
  const row = { event, body, meaning, group_key: group, state: 'waiting', detail: '', received_at: times.now } as const;
  // Only one that has failed comes this far while it exists.
  await trx
    .insertInto('deliveries')
    .values({ id, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
  const kind = isUrgent ? 'urgent-delivery' : 'delivery';
  await enqueuer.enqueue(trx, [{ kind, subject: id, group, runAt: times.now, urgency }]);
  return 'stored';
}

async function waiting(reader: Reader, id: string, seal: Seal): Promise<Delivery | null> {
  const row = await reader
    .selectFrom('deliveries')
    .select(['event', 'body', 'received_at'])
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .executeTakeFirst();
  if (!row || row.body === null) return null;
  return { id, event: row.event, body: seal.open(row.body, bodyPurpose(id)), receivedAt: row.received_at };
}

/** The first end counts: a dead job's comes after that of a handler which could not say so any more. */
async function endDelivery(
  trx: Trx,
  { id, end, detail }: { readonly id: string; readonly end: DeliveryEnd; readonly detail: string },
): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({ state: end, detail, body: null })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .execute();
}

export function bodyPurpose(id: string): string {
  return `delivery ${id}`;
}
