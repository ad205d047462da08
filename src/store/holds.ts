// Who is to be left alone, and until when: for all processes over a database.
import type { Hold } from '../ports/holds.ts';
import type { Database } from './database.ts';
import type { Trx } from './schema.ts';

/** Writes it down where nothing longer stands. `tell` tells other processes, in the same transaction. */
export function putHold(
  database: Pick<Database, 'write'>,
  { name, until }: Hold,
  tell: (trx: Trx) => Promise<void>,
): Promise<void> {
  const row = { name, until: until.toISOString() };
  return database.write(async (trx) => {
    await trx
      .insertInto('holds')
      .values(row)
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet({ until: row.until }).where('holds.until', '<', row.until),
      )
      .execute();
    await tell(trx);
  });
}

/** Those that end after `now`, an ISO time; few, since each ends by itself. */
export async function holdsAfter(database: Pick<Database, 'read'>, now: string): Promise<readonly Hold[]> {
  const rows = await database.read((reader) =>
    reader.selectFrom('holds').select(['name', 'until']).where('until', '>', now).execute(),
  );
  return rows.map(({ name, until }) => ({ name, until: new Date(until) }));
}

export async function sweepHolds(trx: Trx, now: string): Promise<void> {
  await trx.deleteFrom('holds').where('until', '<', now).execute();
}
