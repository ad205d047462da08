// What the operator has set for all processes over a database: whether it is, and since when.
import type { Database } from './database.ts';
import type { Trx } from './schema.ts';

export type Mark = 'paused';

export async function isMarked(database: Pick<Database, 'read'>, name: Mark): Promise<boolean> {
  const row = await database.read((reader) =>
    reader.selectFrom('service_marks').select('name').where('name', '=', name).executeTakeFirst(),
  );
  return row !== undefined;
}

interface Setting {
  readonly isSet: boolean;
  readonly now: string;
  /** Tells other processes, in the same transaction. */
  readonly tell: (trx: Trx) => Promise<void>;
}

/** False where it was so before. */
export function setMark(
  database: Pick<Database, 'write'>,
  name: Mark,
  { isSet, now, tell }: Setting,
): Promise<boolean> {
  return database.write(async (trx) => {
    const there = await trx.selectFrom('service_marks').select('name').where('name', '=', name).executeTakeFirst();
    if ((there !== undefined) === isSet) return false;
    if (isSet) await trx.insertInto('service_marks').values({ name, set_at: now }).execute();
    else await trx.deleteFrom('service_marks').where('name', '=', name).execute();
    await tell(trx);
    return true;
  });
}
