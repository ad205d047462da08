// Where the records of a service under test lie: a SQLite file in its data folder, or a PostgreSQL database that belongs to that folder.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { Pool, types } from 'pg';
import type { RecordsPlace } from '../../src/app/records.ts';
import { parsePostgresUrl } from '../../src/config.ts';
import { reusedDatabase, type TestDatabase } from './postgres.ts';

/** `postgres-worker`: PostgreSQL, with one process that answers and one that works. */
const ENGINES = ['sqlite', 'postgres', 'postgres-worker'] as const;
type Engine = (typeof ENGINES)[number];

/** What the services of this run keep their records in, by STORIES_ENGINE; SQLite where it says nothing. */
export function engine(): Engine {
  const named = process.env['STORIES_ENGINE'] ?? 'sqlite';
  const found = ENGINES.find((one) => one === named);
  if (found === undefined) throw new Error(`STORIES_ENGINE is "${named}": say ${ENGINES.join(', ')}.`);
  return found;
}

interface Kept {
  readonly database: TestDatabase;
  /** One connection, kept: what waits looks every few milliseconds. */
  readonly pool: Pool;
  readonly env: Readonly<Record<string, string>>;
}

const kept = new Map<string, Promise<Kept>>();

/** The settings that name the records of that data folder, as an operator would give them; empty over SQLite. */
export async function recordsEnv(dataDir: string): Promise<Readonly<Record<string, string>>> {
  return engine() === 'sqlite' ? {} : (await keptFor(dataDir)).env;
}

/** The same for a house in this process; its file is not made yet. */
export async function recordsPlace(dataDir: string): Promise<RecordsPlace> {
  const { DATABASE_URL: url } = await recordsEnv(dataDir);
  const parsed = url === undefined ? path.join(dataDir, 'causeway.db') : parsePostgresUrl(url);
  if (typeof parsed === 'string' && url !== undefined) throw new Error(parsed);
  return parsed;
}

/** Parameters of a statement are `$1`, `$2`, …. */
type AskRows = <T extends object>(statement: string, values?: readonly string[]) => Promise<readonly T[]>;

export interface OpenRecords extends Disposable {
  readonly rows: AskRows;
}

/** Rows of the records of that data folder, whoever has them open or died over them. Parameters are `$1`, `$2`, …. */
export async function storedRows<T extends object>(
  dataDir: string,
  statement: string,
  values: readonly string[] = [],
): Promise<readonly T[]> {
  using records = openRecords(dataDir);
  return await records.rows<T>(statement, values);
}

/** For who looks again and again: to open SQLite's file and to read its schema takes far longer than to look. */
export function openRecords(dataDir: string): OpenRecords {
  if (engine() !== 'sqlite') {
    const rows: AskRows = async <T extends object>(statement: string, values: readonly string[] = []) =>
      (await (await keptFor(dataDir)).pool.query<T>(statement, [...values])).rows;
    return { rows, [Symbol.dispose]: () => undefined };
  }
  const database = new Sqlite(path.join(dataDir, 'causeway.db'));
  const known = new Map<string, Sqlite.Statement<[Record<string, string>]>>();
  return {
    rows: async <T extends object>(statement: string, values: readonly string[] = []) => {
      const prepared = known.get(statement) ?? database.prepare<[Record<string, string>]>(statement);
      known.set(statement, prepared);
      const named = Object.fromEntries(values.map((value, at) => [`${at + 1}`, value]));
      if (prepared.reader) return prepared.all(named) as readonly T[];
      prepared.run(named);
      return [];
    },
    [Symbol.dispose]: () => void database.close(),
  };
}

/** Ends the databases of that folder and of all folders in it. */
export async function dropRecords(folder: string): Promise<void> {
  for (const [dataDir, opening] of kept) {
    if (dataDir !== folder && !dataDir.startsWith(`${folder}${path.sep}`)) continue;
    kept.delete(dataDir);
    const { pool, database } = await opening;
    await pool.end();
    await database[Symbol.asyncDispose]();
  }
}

function keptFor(dataDir: string): Promise<Kept> {
  const found = kept.get(dataDir) ?? keep();
  kept.set(dataDir, found);
  return found;
}

async function keep(): Promise<Kept> {
  const database = await reusedDatabase();
  const pool = new Pool({
    ...{ connectionString: database.url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true },
    // Counts and sums as SQLite gives them.
    types: { getTypeParser: (oid: number) => (oid === types.builtins.INT8 ? Number : types.getTypeParser(oid)) },
  });
  pool.on('error', () => {});
  const env = { DATABASE_URL: database.url, ENCRYPTION_KEY: randomBytes(32).toString('hex') };
  return { database, pool, env };
}
