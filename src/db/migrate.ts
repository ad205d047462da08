// Brings the schema up to date, in one transaction; refuses a database that another version of Causeway has made.
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { CausewayError } from '../core/errors.ts';
import type { Database } from './database.ts';
import type { TableForm } from './migrations/0001-initial.ts';
import { createTables } from './migrations/0001-initial.ts';
import { createOutcomeTables } from './migrations/0002-outcomes.ts';
import { createSubscriptionTables } from './migrations/0003-subscriptions.ts';
import { discardRefusedAnswers } from './migrations/0004-refused-answers.ts';
import { createRequestTables } from './migrations/0005-requests-of-people.ts';
import { makeCommitMarks, sweepCommitMarks } from './postgres-errors.ts';
import type { Reader } from './schema.ts';

/**
 * All migrations, by name, in the form of one engine. There is no way down: a downgrade is refused.
 *
 * On PostgreSQL processes of two versions run side by side while one replaces the other, so each migration after the
 * first only adds, in ways that the version before it need not know: a table, an index, a column that may be null or
 * has a default. What is to go, or to mean something else, goes with the release after the one that has stopped using
 * it, and a release brings one migration at most: a process works with a schema that is one ahead of its own, and
 * refuses one that is further.
 */
export function listMigrations(form: TableForm): Record<string, Migration> {
  return {
    '0001-first-release': { up: (database) => createTables(database, form) },
    '0002-outcomes': { up: (database) => createOutcomeTables(database, form) },
    '0003-subscriptions': { up: (database) => createSubscriptionTables(database, form) },
    '0004-refused-answers': { up: discardRefusedAnswers },
    '0005-requests-of-people': { up: (database) => createRequestTables(database, form) },
  };
}

/** The first migrations of development versions, whose records no version reads any more. */
const BEFORE_RELEASE = ['0001-accounts-and-projects', '0001-initial'];

interface WantedTable {
  readonly form: TableForm;
  /** Names the database to people. */
  readonly place: string;
  /** Migrations that the database may have besides ours; see `migrationsFor`. */
  readonly mayBeAheadBy: number;
}

/** Throws `store_unusable` for another version's schema; an engine's own errors as they are. */
export async function migrate(kysely: Reader, { form, place, mayBeAheadBy }: WantedTable): Promise<void> {
  const known = listMigrations(form);
  const applied = await readAppliedMigrations(kysely, form);
  if (BEFORE_RELEASE.some((name) => applied.includes(name))) throw toBeforeRelease(place);
  const unknown = applied.filter((name) => !(name in known));
  const isComplete = applied.length - unknown.length === Object.keys(known).length;
  if (unknown.length > (isComplete ? mayBeAheadBy : 0)) throw toNewer(place, unknown);
  if (isComplete) return;
  const { error } = await new Migrator({
    db: kysely,
    provider: { getMigrations: async () => known },
  }).migrateToLatest();
  if (error) throw error;
}

function toBeforeRelease(place: string): CausewayError {
  return new CausewayError(
    'store_unusable',
    `The database ${place} was made by a version from before the first release, which this version cannot read: ` +
      'name another, empty one (DATA_DIR or DATABASE_URL), or move this one away.',
  );
}

function toNewer(place: string, unknown: readonly string[]): CausewayError {
  return new CausewayError(
    'store_unusable',
    `The database ${place} was made by a newer Causeway (it has "${unknown.join('", "')}"). ` +
      'Start that version or a later one, or restore a backup from before the upgrade.',
  );
}

/** Many processes may start at once, on many machines: one migrates, and to the others it is done. */
const LOCK = 7_206_419_832;

/**
 * As `migrate`, on PostgreSQL: under a lock that ends with the transaction. A session's lock could stay with a pooler,
 * and no process would migrate.
 */
export async function migrateUnderLock(kysely: Reader, wanted: WantedTable): Promise<void> {
  await kysely.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${LOCK})`.execute(trx);
    // First: where no table may be made, Kysely would query once more in the transaction that failed, and report that
    // instead.
    await makeCommitMarks(trx);
    await migrate(trx, wanted);
    await sweepCommitMarks(trx);
  });
}

/** Names of the migrations that were made; none where there is no schema yet. */
export async function readAppliedMigrations(kysely: Reader, form: TableForm): Promise<readonly string[]> {
  const { rows: tables } = await form.findTable('kysely_migration').execute(kysely);
  if (tables.length === 0) return [];
  return (await readSteps(kysely)).map(({ name }) => name);
}

/**
 * Names of the migrations that some process has made since that moment, in their order, and how many there are in all.
 */
export async function listNewMigrations(
  database: Pick<Database, 'read'>,
  moment: Date,
): Promise<{ readonly made: readonly string[]; readonly all: number }> {
  const steps = await database.read(readSteps);
  const made = steps.filter(({ timestamp }) => Date.parse(timestamp) >= moment.getTime()).map(({ name }) => name);
  return { made, all: steps.length };
}

/** All of them, in their order. */
export async function readMigrations(database: Pick<Database, 'read'>): Promise<readonly string[]> {
  return (await database.read(readSteps)).map(({ name }) => name);
}

interface MigrationStep {
  readonly name: string;
  readonly timestamp: string;
}

async function readSteps(reader: Reader): Promise<readonly MigrationStep[]> {
  return (await sql<MigrationStep>`select name, timestamp from kysely_migration order by name`.execute(reader)).rows;
}
