// Deliveries from GitHub: stored encrypted with their job, once; erased when they were handled.
import type { Urgency } from '../core/queue.ts';
import type { Database, Enqueuer } from './database.ts';
import type { Reader, Trx } from './schema.ts';
import type { Seal } from './seal.ts';

export interface NewDelivery {
  /** GitHub's X-GitHub-Delivery. */
  readonly id: string;
  /** GitHub's X-GitHub-Event. */
  readonly event: string;
  /** The body as it arrived, valid UTF-8. */
  readonly body: string;
  /** Equal for deliveries with the same meaning. Id and event name do not count, since the signature covers neither. */
  readonly meaning: string;
  /**
   * Deliveries of one group (an issue or pull request, else a repository, person or installation) are handled one after
   * the other, by urgency and arrival.
   */
  readonly group: string;
  /** Handled before all others, such as access that was taken back. */
  readonly isUrgent: boolean;
  readonly urgency: Urgency;
}

export interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly body: string;
  /** ISO 8601 UTC: when it came, or came again after it had failed. */
  readonly receivedAt: string;
}

interface DeliveryTimes {
  readonly now: string;
  readonly meaningSince: string;
}

export type DeliveryStore = ReturnType<typeof createDeliveryVerbs>;

export function createDeliveryVerbs(database: Database, seal: Seal) {
  return {
    /**
     * Stores the delivery and its job, once: `repeated` if its id was seen, or its meaning since `meaningSince`. One
     * that has failed comes again under its own id, with a new body, when a person asks GitHub to redeliver it.
     */
    async acceptDelivery(delivery: NewDelivery, times: DeliveryTimes): Promise<'stored' | 'repeated'> {
      const body = seal.seal(delivery.body, toBodyPurpose(delivery.id));
      return database.write((trx) => acceptDelivery(trx, database.jobs, { ...delivery, body }, times));
    },
    /** To be handled; null: handled before, or unknown. */
    async findDelivery(id: string): Promise<Delivery | null> {
      const row = await database.read((reader) =>
        reader
          .selectFrom('deliveries')
          .select(['event', 'body', 'received_at'])
          .where('id', '=', id)
          .where('state', '=', 'waiting')
          .executeTakeFirst(),
      );
      if (!row || row.body === null) return null;
      return { id, event: row.event, body: seal.open(row.body, toBodyPurpose(id)), receivedAt: row.received_at };
    },
    /**
     * Erases the body; the id is kept. The first end counts. `detail` says why it failed, without secrets; ""
     * otherwise.
     */
    async endDelivery(id: string, end: 'done' | 'failed', detail: string): Promise<void> {
      await database.write((trx) =>
        trx
          .updateTable('deliveries')
          .set({ state: end, detail, body: null })
          .where('id', '=', id)
          .where('state', '=', 'waiting')
          .execute(),
      );
    },
    /** Those of the ids that wait or were handled: failed ones may come again. */
    async findSeenDeliveries(ids: readonly string[]): Promise<ReadonlySet<string>> {
      if (ids.length === 0) return new Set();
      const rows = await database.read((reader) =>
        reader.selectFrom('deliveries').select('id').where('id', 'in', ids).where('state', '!=', 'failed').execute(),
      );
      return new Set(rows.map((row) => row.id));
    },
  };
}

async function acceptDelivery(
  trx: Trx,
  jobs: Enqueuer,
  delivery: NewDelivery,
  times: DeliveryTimes,
): Promise<'stored' | 'repeated'> {
  if (await wasSeen(trx, delivery, times)) return 'repeated';
  const { id, event, body, meaning, group, isUrgent, urgency } = delivery;
  const row = { event, body, meaning, group_key: group, state: 'waiting', detail: '', received_at: times.now } as const;
  // Only one that has failed gets here while it exists.
  await trx
    .insertInto('deliveries')
    .values({ id, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
  const kind = isUrgent ? 'urgent-delivery' : 'delivery';
  await jobs.enqueue(trx, [{ kind, subject: id, group, runAt: times.now, urgency }]);
  return 'stored';
}

async function wasSeen(
  reader: Reader,
  { id, meaning }: NewDelivery,
  { meaningSince }: DeliveryTimes,
): Promise<boolean> {
  const row = await reader
    .selectFrom('deliveries')
    .select('id')
    .where(({ or, and, eb }) =>
      or([
        and([eb('id', '=', id), eb('state', '!=', 'failed')]),
        and([eb('id', '!=', id), eb('meaning', '=', meaning), eb('received_at', '>=', meaningSince)]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export function toBodyPurpose(id: string): string {
  return `delivery ${id}`;
}
