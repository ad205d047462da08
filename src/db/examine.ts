// What the doctor reads of a database: its schema, whether the key opens its secrets, what was given up.

import { statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { toSecretPurpose } from './accounts.ts';
import { listMigrations, readAppliedMigrations } from './migrate.ts';
import type { TableForm } from './migrations/0001-initial.ts';
import type { Reader, Schema } from './schema.ts';
import type { Seal } from './seal.ts';
import { createSqliteDialect, explainSqlite, SQLITE_TABLES } from './sqlite.ts';

export interface Examination {
  /** Migrations that this version has and the database has not: the next start makes them. */
  readonly missing: readonly string[];
  /** Migrations that this version does not know: a newer one made them. */
  readonly newer: readonly string[];
  /** Whether the key opens a secret that is stored; null: none is stored. */
  readonly isKeyRight: boolean | null;
  /** By the mark that holds every process over the database. */
  readonly isPaused: boolean;
  /** Jobs that wait, and those given up after their last try. */
  readonly jobs: { readonly waiting: number; readonly dead: number };
  /** What is damaged, in the engine's words; at most ten lines. */
  readonly damage: readonly string[];
  /** Milliseconds by which the database's clock is ahead of this machine's; 0 where it is the same one. */
  readonly aheadMs: number;
  /** What was not looked at, in words; "" for nothing. */
  readonly unchecked: string;
}

/** Null: there is no schema yet. */
export async function examine(
  kysely: Reader,
  { form, seal }: { readonly form: TableForm; readonly seal: Seal },
): Promise<Omit<Examination, 'damage' | 'aheadMs' | 'unchecked'> | null> {
  const applied = await readAppliedMigrations(kysely, form);
  if (applied.length === 0) return null;
  const known = Object.keys(listMigrations(form));
  const missing = known.filter((name) => !applied.includes(name));
  const newer = applied.filter((name) => !known.includes(name));
  // Of a schema that is not whole nothing more can be asked in one way.
  if (missing.length > 0) {
    return { missing, newer, isKeyRight: null, isPaused: false, jobs: { waiting: 0, dead: 0 } };
  }
  return {
    missing,
    newer,
    isKeyRight: await opens(kysely, seal),
    isPaused: await isPausedForAll(kysely),
    jobs: await jobsOf(kysely),
  };
}

async function opens(kysely: Reader, seal: Seal): Promise<boolean | null> {
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

async function isPausedForAll(kysely: Reader): Promise<boolean> {
  const mark = kysely.selectFrom('service_marks').select('name').where('name', '=', 'paused');
  return (await mark.executeTakeFirst()) !== undefined;
}

async function jobsOf(kysely: Reader): Promise<Examination['jobs']> {
  const rows = await kysely
    .selectFrom('jobs')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
  const count = (state: string) => Number(rows.find((row) => row.state === state)?.count ?? 0);
  return { waiting: count('waiting'), dead: count('dead') };
}

/** About 5 s of reading, in which nothing else of this process goes on: a larger file is checked as a copy. */
const MAX_CHECKED_BYTES = 1024 ** 3;

const MOST_LINES = 10;

/** Null: there is no schema in it yet. The file must exist. Throws `store_unusable` or `store_locked`. */
export async function examineSqlite(file: string, seal: Seal, signal: AbortSignal): Promise<Examination | null> {
  let connection: Sqlite.Database | undefined;
  try {
    connection = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5_000 });
    const kysely = new Kysely<Schema>({ dialect: createSqliteDialect(connection) });
    const found = await examine(kysely, { form: SQLITE_TABLES, seal });
    if (found === null) return null;
    const isSmall = statSync(file).size <= MAX_CHECKED_BYTES;
    const damage = isSmall ? await damageIn(connection, signal) : [];
    const unchecked = isSmall ? '' : 'its pages, since it is larger than 1 GiB';
    return { ...found, damage, aheadMs: 0, unchecked };
  } catch (error) {
    throw explainSqlite(error, file);
  } finally {
    connection?.close();
  }
}

async function damageIn(connection: Sqlite.Database, signal: AbortSignal): Promise<readonly string[]> {
  const names = connection.prepare<[], { name: string }>("select name from sqlite_schema where type = 'table'").all();
  const lines: string[] = [];
  for (const { name } of names) {
    await nextTurn();
    signal.throwIfAborted();
    const said = connection.pragma(`quick_check('${name.replaceAll("'", "''")}')`, { simple: false });
    lines.push(...wordsOf(said).filter((line) => line !== 'ok'));
    if (lines.length >= MOST_LINES) break;
  }
  return lines.slice(0, MOST_LINES);
}

function wordsOf(rows: unknown): readonly string[] {
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown) =>
    typeof row === 'object' && row !== null ? Object.values(row).map(String) : [],
  );
}
