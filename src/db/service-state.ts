// Marks that every process over the database minds: whether the operator has paused them.
import type { Database } from './database.ts';

type Mark = 'paused';

export async function isMarked(database: Pick<Database, 'read'>, name: Mark): Promise<boolean> {
  const row = await database.read((reader) =>
    reader.selectFrom('service_marks').select('name').where('name', '=', name).executeTakeFirst(),
  );
  return row !== undefined;
}

interface Setting {
  readonly isSet: boolean;
  readonly now: string;
}

/** False where it was so before. */
export function setMark(database: Pick<Database, 'write'>, name: Mark, { isSet, now }: Setting): Promise<boolean> {
  return database.write(async (trx) => {
    const there = await trx.selectFrom('service_marks').select('name').where('name', '=', name).executeTakeFirst();
    if ((there !== undefined) === isSet) return false;
    if (isSet) await trx.insertInto('service_marks').values({ name, set_at: now }).execute();
    else await trx.deleteFrom('service_marks').where('name', '=', name).execute();
    return true;
  });
}
