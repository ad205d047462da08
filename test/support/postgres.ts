// Databases of a real PostgreSQL for tests: each new, each gone when it is disposed.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Pool } from 'pg';
import { BROKER, copiesOf, databaseAt, holdPostgres, onServer, type SharedPostgres } from './postgres-shared.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  /** On a connection of its own. */
  query<T extends object>(statement: string, values?: readonly unknown[]): Promise<readonly T[]>;
}

/** With the schema of today: a copy of a template, 30 ms and more. */
export async function migratedDatabase(): Promise<TestDatabase> {
  const { template, how } = await shared();
  return newDatabase(`template ${template} ${how}`);
}

/**
 * With the schema of today, for whoever leaves that as it is: one that nobody uses any more, its rows deleted. Making and dropping the 600
 * files of a database was three quarters of the processor time of the contract over PostgreSQL: on ext4 without a journal the system looks
 * at every file that was lately deleted before it makes another.
 */
export async function reusedDatabase(): Promise<TestDatabase> {
  const { database, cleaner } = free.pop() ?? (await newReusable());
  emptying ??= emptyingOf(database);
  const statements = await emptying;
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await cleaner.query(statements).then(
        () => free.push({ database, cleaner }),
        () => database[Symbol.asyncDispose](),
      );
    },
  };
}

interface Reusable {
  readonly database: TestDatabase;
  /** Stays connected: a new connection has yet to learn of each of 60 tables before it empties them, 10 ms. */
  readonly cleaner: Pool;
}

const free: Reusable[] = [];

async function newReusable(): Promise<Reusable> {
  const database = await migratedDatabase();
  return { database, cleaner: keptConnection(database.url) };
}

/** What empties a database: all but the tables that hold something in a new one, such as which migrations were made. */
let emptying: Promise<string> | undefined;

/** Fails where we may not leave keys to other tables unchecked, as in a server of somebody else. */
async function emptyingOf(database: TestDatabase): Promise<string> {
  const tables = await database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const looks = tables.map(({ name }) => `select '${name}' as name where not exists (select 1 from ${name})`);
  const empty = await database.query<{ name: string }>(looks.join(' union all '));
  const others = 'datname = current_database() and pid <> pg_backend_pid()';
  return [
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where ${others}`,
    'set session_replication_role = replica',
    ...empty.map(({ name }) => `delete from ${name}`),
  ].join('; ');
}

/** With nothing in it. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return newDatabase((await shared()).how);
}

async function newDatabase(how: string): Promise<TestDatabase> {
  const { url: server, template } = await shared();
  const name = `${copiesOf(template)}${randomBytes(8).toString('hex')}`;
  admin ??= keptConnection(server);
  await admin.query(`create database ${name} ${how}`);
  const url = databaseAt(server, name);
  return {
    url,
    query: (statement, values) => onServer(url, statement, values),
    async [Symbol.asyncDispose]() {
      await admin?.query(`drop database ${name} with (force)`);
    },
  };
}

let admin: Pool | undefined;

/** One connection for the process, without keeping that: each new one costs the server a process. */
function keptConnection(url: string): Pool {
  const pool = new Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  pool.on('error', () => {});
  return pool;
}

let own: Promise<SharedPostgres> | undefined;

/** The server of this run of vitest; outside of one, a server of this process. */
function shared(): Promise<SharedPostgres> {
  own ??= process.env[BROKER] === undefined ? holdPostgres(`causeway_template_${process.pid}`) : asked();
  return own;
}

async function asked(): Promise<SharedPostgres> {
  const answer = JSON.parse(await text(connect(Number(process.env[BROKER]), '127.0.0.1')));
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer;
}
