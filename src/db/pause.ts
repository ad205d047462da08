// The operator's pause, as every process over the database reads it.
import type { Database } from './database.ts';

const NAME = 'paused';

export async function isPauseSet(database: Database): Promise<boolean> {
  const row = await database.read((reader) =>
    reader.selectFrom('service_marks').select('name').where('name', '=', NAME).executeTakeFirst(),
  );
  return row !== undefined;
}

/** False if it was so before. */
export function savePause(database: Database, isSet: boolean, now: string): Promise<boolean> {
  return database.write(async (trx) => {
    const known = await trx.selectFrom('service_marks').select('name').where('name', '=', NAME).executeTakeFirst();
    if ((known !== undefined) === isSet) return false;
    if (isSet) await trx.insertInto('service_marks').values({ name: NAME, set_at: now }).execute();
    else await trx.deleteFrom('service_marks').where('name', '=', NAME).execute();
    return true;
  });
}
