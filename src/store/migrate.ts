// Brings the schema up to date, in one transaction; refuses a database that a newer Causeway has made.
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { CausewayError } from '../domain/errors.ts';
import { migrationsFor } from './migrations/all.ts';
import type { TableForm } from './migrations/table-form.ts';
import type { Reader } from './schema.ts';

/** Throws `store_unusable` for a newer schema; an engine's own errors as they are. */
export async function migrate(kysely: Reader, form: TableForm, file: string): Promise<void> {
  const known = migrationsFor(form);
  const unknown = (await appliedMigrations(kysely)).filter((name) => !(name in known));
  if (unknown.length > 0) {
    throw new CausewayError(
      'store_unusable',
      `The database ${file} was made by a newer Causeway (it has "${unknown.join('", "')}"). ` +
        'Start that version or a later one, or restore a backup from before the upgrade.',
    );
  }
  const { error } = await new Migrator({
    db: kysely,
    provider: { getMigrations: async () => known },
  }).migrateToLatest();
  if (error) throw error;
}

async function appliedMigrations(kysely: Reader): Promise<readonly string[]> {
  const tables = await kysely.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === 'kysely_migration')) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(kysely);
  return rows.map((row) => row.name);
}
