// Which steps of the schema were taken lately, for those who asked for them.
import { sql } from 'kysely';
import type { Database } from './database.ts';

/** Names of the migrations that some process has made since that moment, in their order, and how many there are in all. */
export async function migratedSince(
  database: Pick<Database, 'read'>,
  moment: Date,
): Promise<{ readonly made: readonly string[]; readonly all: number }> {
  const { rows } = await database.read((reader) =>
    sql<{ name: string; timestamp: string }>`select name, timestamp from kysely_migration order by name`.execute(
      reader,
    ),
  );
  const made = rows.filter(({ timestamp }) => Date.parse(timestamp) >= moment.getTime()).map(({ name }) => name);
  return { made, all: rows.length };
}

/** All of them, in their order. */
export async function migrationsOf(database: Pick<Database, 'read'>): Promise<readonly string[]> {
  return (await steps(database)).map(({ name }) => name);
}

interface Step {
  readonly name: string;
  readonly timestamp: string;
}

async function steps(database: Pick<Database, 'read'>): Promise<readonly Step[]> {
  const ask = sql<Step>`select name, timestamp from kysely_migration order by name`;
  return (await database.read((reader) => ask.execute(reader))).rows;
}
