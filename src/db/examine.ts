// What the doctor reads of a database: its schema, whether the key opens its secrets, its jobs, and damage. Nothing is
// written.
import { statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { Kysely, sql } from 'kysely';
import { toSecretPurpose } from './accounts.ts';
import { listMigrations, readAppliedMigrations } from './migrate.ts';
import type { TableForm } from './migrations/0001-initial.ts';
import { createPool, createPostgresDialect, POSTGRES_TABLES, requireUsableServer } from './postgres.ts';
import { explainPostgres } from './postgres-errors.ts';
import type { Reader, Schema } from './schema.ts';
import type { Seal } from './seal.ts';
import { createSqliteDialect, explainSqlite, SQLITE_TABLES } from './sqlite.ts';

export interface Examination {
  /** Migrations that this version has and the database has not: the next start applies them. */
  readonly missing: readonly string[];
  /** Migrations that this version does not know: a newer one applied them. */
  readonly newer: readonly string[];
  /** Whether the key opens a stored secret; null: none is stored. */
  readonly isKeyRight: boolean | null;
  readonly isPaused: boolean;
  /** Jobs given up after their last try. */
  readonly deadJobs: number;
  /** What is damaged, in the engine's words; at most ten lines. */
  readonly damage: readonly string[];
  /** Milliseconds by which the database's clock is ahead of this machine's; 0 on the same machine. */
  readonly aheadMs: number;
  /** What was not examined; "" for nothing. */
  readonly unchecked: string;
}

const MOST_LINES = 10;
/** A larger file is not checked for damage: that blocks this process for about 5 s per GiB. */
const MAX_CHECKED_BYTES = 1024 ** 3;
const STATEMENT_MS = 10_000;

/** Null: there is no schema yet. The file must exist. Throws `store_unusable` or `store_unavailable`. */
export async function examineSqlite(file: string, seal: Seal, signal: AbortSignal): Promise<Examination | null> {
  let connection: Sqlite.Database | undefined;
  try {
    connection = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5_000 });
    const kysely = new Kysely<Schema>({ dialect: createSqliteDialect(connection) });
    const found = await examineSchema(kysely, SQLITE_TABLES, seal);
    if (found === null || statSync(file).size > MAX_CHECKED_BYTES) {
      return found && { ...found, unchecked: 'its pages, since it is larger than 1 GiB' };
    }
    return { ...found, damage: await findDamage(connection, signal) };
  } catch (error) {
    throw explainSqlite(error, file);
  } finally {
    connection?.close();
  }
}

/**
 * On one connection, next to a running service. Null: there is no schema yet. `shown`: its name without the password.
 * Throws `store_unusable`.
 */
export async function examinePostgres(
  { url, shown }: { readonly url: string; readonly shown: string },
  { seal, now }: { readonly seal: Seal; readonly now: () => Date },
): Promise<Examination | null> {
  const pool = createPool({ url, connections: 1, statementMs: STATEMENT_MS });
  const kysely = new Kysely<Schema>({ dialect: createPostgresDialect(pool) });
  try {
    await requireUsableServer(kysely, shown);
    const found = await examineSchema(kysely, POSTGRES_TABLES, seal);
    return found && { ...found, aheadMs: await measureClock(kysely, now) };
  } catch (error) {
    throw explainPostgres(error, shown);
  } finally {
    await kysely.destroy();
  }
}

async function examineSchema(kysely: Reader, form: TableForm, seal: Seal): Promise<Examination | null> {
  const applied = await readAppliedMigrations(kysely, form);
  if (applied.length === 0) return null;
  const known = Object.keys(listMigrations(form));
  const missing = known.filter((name) => !applied.includes(name));
  const newer = applied.filter((name) => !known.includes(name));
  const schema = { missing, newer, damage: [], aheadMs: 0, unchecked: '' };
  // An incomplete schema cannot be queried further.
  if (missing.length > 0) return { ...schema, isKeyRight: null, isPaused: false, deadJobs: 0 };
  const pause = kysely.selectFrom('service_marks').select('name').where('name', '=', 'paused');
  const dead = kysely
    .selectFrom('jobs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', '=', 'dead');
  return {
    ...schema,
    isKeyRight: await isKeyRight(kysely, seal),
    isPaused: (await pause.executeTakeFirst()) !== undefined,
    deadJobs: Number((await dead.executeTakeFirst())?.count ?? 0),
  };
}

async function isKeyRight(kysely: Reader, seal: Seal): Promise<boolean | null> {
  const newest = kysely.selectFrom('signing_secrets').select(['account_id', 'secret']).orderBy('seq', 'desc').limit(1);
  const row = await newest.executeTakeFirst();
  if (!row) return null;
  try {
    seal.open(row.secret, toSecretPurpose(row.account_id));
    return true;
  } catch {
    return false;
  }
}

async function findDamage(connection: Sqlite.Database, signal: AbortSignal): Promise<readonly string[]> {
  const tables = connection.prepare<[], string>("select name from sqlite_schema where type = 'table'").pluck().all();
  const lines: string[] = [];
  for (const table of tables) {
    await nextTurn();
    signal.throwIfAborted();
    const check = connection.prepare<[string], string>('select * from pragma_quick_check(?)').pluck();
    lines.push(...check.all(table).filter((line) => line !== 'ok'));
    if (lines.length >= MOST_LINES) break;
  }
  return lines.slice(0, MOST_LINES);
}

async function measureClock(kysely: Reader, now: () => Date): Promise<number> {
  const before = now().getTime();
  const { rows } = await sql<{ ms: number }>`select extract(epoch from clock_timestamp()) * 1000 as ms`.execute(kysely);
  return Math.round((rows[0]?.ms ?? before) - (before + now().getTime()) / 2);
}
