// Brings the schema up to date, in one transaction; refuses a database that a newer Causeway has made.
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { CausewayError } from '../core/errors.ts';
import { makeCommitMarks, sweepCommitMarks } from './commit-marks.ts';
import { migrationsFor } from './migrations/all.ts';
import type { TableForm } from './migrations/table-form.ts';
import type { Reader } from './schema.ts';

interface Wanted {
  readonly form: TableForm;
  /** Names the database to people. */
  readonly place: string;
  /** Migrations that the database may have besides ours; see migrations/all.ts. */
  readonly mayBeAheadBy: number;
}

/** Throws `store_unusable` for a newer schema; an engine's own errors as they are. */
export async function migrate(kysely: Reader, { form, place, mayBeAheadBy }: Wanted): Promise<void> {
  const known = migrationsFor(form);
  const applied = await appliedMigrations(kysely, form);
  const unknown = applied.filter((name) => !(name in known));
  const isComplete = applied.length - unknown.length === Object.keys(known).length;
  if (unknown.length > (isComplete ? mayBeAheadBy : 0)) throw newer(place, unknown);
  if (isComplete) return;
  const { error } = await new Migrator({
    db: kysely,
    provider: { getMigrations: async () => known },
  }).migrateToLatest();
  if (error) throw error;
}

function newer(place: string, unknown: readonly string[]): CausewayError {
  return new CausewayError(
    'store_unusable',
    `The database ${place} was made by a newer Causeway (it has "${unknown.join('", "')}"). ` +
      'Start that version or a later one, or restore a backup from before the upgrade.',
  );
}

/** Many processes may start at once, on many machines: one migrates, and to the others it is done. */
const LOCK = 7_206_419_832;

/** As `migrate`, on PostgreSQL: under a lock that ends with the transaction. One of the session could stay with a pooler, and nobody would migrate. */
export async function migrateOnce(kysely: Reader, wanted: Wanted): Promise<void> {
  await kysely.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${LOCK})`.execute(trx);
    // First: where no table may be made, Kysely would ask once more in the transaction that failed, and tell of that instead.
    await makeCommitMarks(trx);
    await migrate(trx, wanted);
    await sweepCommitMarks(trx);
  });
}

/** Kysely would list every table with its columns to find this one: 7 ms of processor time at each start over PostgreSQL. */
async function appliedMigrations(kysely: Reader, form: TableForm): Promise<readonly string[]> {
  const { rows: tables } = await form.tableNamed('kysely_migration').execute(kysely);
  if (tables.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(kysely);
  return rows.map((row) => row.name);
}
