// What providers of models want back with their answers, and the tokens that they wrote to their caches.
import type { Kysely } from 'kysely';

/** Added to tables that are written little: a row a turn. The version before leaves both as they are. */
export async function opaqueParts({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('transcript_entries').addColumn('opaque', 'text').execute();
  await schema
    .alterTable('costs')
    .addColumn('cache_write_tokens', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
