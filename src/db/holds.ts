// Who is to be left alone, and until when: for all processes over a database.
import { type Hold, LONGEST_HOLD_MS } from '../core/holds.ts';
import type { Database } from './database.ts';
import type { Trx } from './schema.ts';

interface Writing {
  readonly now: Date;
  /** Tells other processes, in the same transaction. */
  readonly tell: (trx: Trx) => Promise<void>;
}

/** Writes it down where nothing longer stands; what is further away than anybody asks for is written over. */
export function putHold(
  database: Pick<Database, 'write'>,
  { name, until }: Hold,
  { now, tell }: Writing,
): Promise<void> {
  const row = { name, until: until.toISOString() };
  return database.write(async (trx) => {
    await trx
      .insertInto('holds')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet({ until: row.until })
          .where(({ eb }) => eb('holds.until', '<', row.until).or('holds.until', '>', farthest(now))),
      )
      .execute();
    await tell(trx);
  });
}

/** Those that stand; few, since each ends by itself. */
export async function standingHolds(database: Pick<Database, 'read'>, now: Date): Promise<readonly Hold[]> {
  const rows = await database.read((reader) =>
    reader
      .selectFrom('holds')
      .select(['name', 'until'])
      .where('until', '>', now.toISOString())
      .where('until', '<=', farthest(now))
      .execute(),
  );
  return rows.map(({ name, until }) => ({ name, until: new Date(until) }));
}

/** Lifts all that are not over, however far away, and says how many. */
export function liftHolds(database: Pick<Database, 'write'>, { now, tell }: Writing): Promise<number> {
  return database.write(async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom('holds')
      .where('until', '>', now.toISOString())
      .executeTakeFirstOrThrow();
    await tell(trx);
    return Number(numDeletedRows);
  });
}

/** Also what is too far away to be believed: it would begin to hold a day before its end. */
export async function sweepHolds(trx: Trx, now: string): Promise<void> {
  await trx
    .deleteFrom('holds')
    .where(({ eb }) => eb('until', '<', now).or('until', '>', farthest(new Date(now))))
    .execute();
}

function farthest(now: Date): string {
  return new Date(now.getTime() + LONGEST_HOLD_MS).toISOString();
}
