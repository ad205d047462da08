// Looks at a SQLite file beside whoever uses it: never writes, and leaves the event loop its turns.
import { statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { type Examination, examine } from './examine.ts';
import type { Schema } from './schema.ts';
import type { Seal } from './seal.ts';
import { explainSqlite, SQLITE_TABLES, sqliteDialect } from './sqlite-engine.ts';

/** About 5 s of reading, in which nothing else of this process goes on: a larger file is checked as a copy. */
const MAX_CHECKED_BYTES = 1024 ** 3;
const MOST_LINES = 10;

/** Null: there is no schema in it yet. The file must exist. Throws `store_unusable` or `store_locked`. */
export async function examineSqlite(file: string, seal: Seal, signal: AbortSignal): Promise<Examination | null> {
  let connection: Sqlite.Database | undefined;
  try {
    connection = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5_000 });
    const kysely = new Kysely<Schema>({ dialect: sqliteDialect(connection) });
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
