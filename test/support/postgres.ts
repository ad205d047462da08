// Databases of a real PostgreSQL for tests: each new, each gone when it is disposed.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Pool } from 'pg';
import { BROKER, databaseAt, holdPostgres, onServer, type SharedPostgres } from './postgres-shared.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  /** On a connection of its own. */
  query<T extends object>(statement: string, values?: readonly unknown[]): Promise<readonly T[]>;
}

/** With the schema of today: a copy of a template, about 25 ms. */
export async function migratedDatabase(): Promise<TestDatabase> {
  const { url, template, how } = await shared();
  return newDatabase(url, `template ${template} ${how}`);
}

/** With nothing in it. */
export async function emptyDatabase(): Promise<TestDatabase> {
  const { url, how } = await shared();
  return newDatabase(url, how);
}

async function newDatabase(server: string, how: string): Promise<TestDatabase> {
  const name = `causeway_test_${randomBytes(8).toString('hex')}`;
  admin ??= adminOf(server);
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

/** One connection for the process, without keeping it: each new one costs the server a process. */
let admin: Pool | undefined;

function adminOf(url: string): Pool {
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
