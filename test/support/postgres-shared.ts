// One PostgreSQL server for a whole run of vitest, started when the first test asks for it and stopped after the last.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Client } from 'pg';
import { MARK } from './leftover-processes.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** Where tests ask for it: a port of this machine. */
export const BROKER = 'CAUSEWAY_TEST_POSTGRES';

export interface SharedPostgres {
  /** Of a database with the right to make others. */
  readonly url: string;
  /** A database with the schema of today, to be copied; nobody may be connected to it. */
  readonly template: string;
  /** What `create database` is to be told, so that it is quick. */
  readonly how: string;
}

interface Held extends SharedPostgres, AsyncDisposable {}

let stopping: () => Promise<void> = async () => {};

/** For vitest's `globalSetup`. Costs nothing until a test asks. */
export async function setup(): Promise<void> {
  // Of the first project of vitest that comes here; all of them use it.
  if (process.env[BROKER] !== undefined) return;
  let held: Promise<Held> | undefined;
  const broker = createServer((socket) => {
    held ??= holdPostgres(`causeway_template_${(process.env[MARK] ?? `${process.pid}`).replaceAll('-', '_')}`);
    held.then(
      ({ url, template, how }) => socket.end(JSON.stringify({ url, template, how })),
      (error) => socket.end(JSON.stringify({ error: String(error) })),
    );
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(broker, 'listening');
  broker.unref();
  const address = broker.address();
  if (address !== null && typeof address !== 'string') process.env[BROKER] = `${address.port}`;
  stopping = async () => {
    broker.close();
    await (await held?.catch(() => undefined))?.[Symbol.asyncDispose]();
  };
}

export async function teardown(): Promise<void> {
  await stopping();
}

/** That of TEST_DATABASE_URL, or one of our own; with a template that is dropped at the end. */
export async function holdPostgres(template: string): Promise<Held> {
  const given = process.env['TEST_DATABASE_URL'];
  const own: PostgresServer | undefined = given === undefined ? await startPostgres() : undefined;
  const url = given ?? own?.url ?? '';
  const [server] = await onServer<{ version: string }>(url, `select current_setting('server_version_num') as version`);
  await onServer(url, `create database ${template}`);
  // Only now: whoever asks for no database does not wait for the store to be read in.
  const { fillTemplate } = await import('./postgres-template.ts');
  await fillTemplate(databaseAt(url, template));
  return {
    url,
    template,
    // Older ones know no other.
    how: Number(server?.version) < 150_000 ? '' : 'strategy file_copy',
    async [Symbol.asyncDispose]() {
      if (own) await own[Symbol.asyncDispose]();
      else await dropAll(url, template);
    },
  };
}

/** The template, and every database that is named after it. */
async function dropAll(url: string, template: string): Promise<void> {
  const of = 'select datname as name from pg_database where datname = $1 or starts_with(datname, $2)';
  for (const { name } of await onServer<{ name: string }>(url, of, [template, copiesOf(template)]))
    await onServer(url, `drop database ${name} with (force)`);
}

/** How the names of databases begin that are made beside that template. */
export function copiesOf(template: string): string {
  return `${template.replace('_template_', '_test_')}_`;
}

/** The URL of another database of the same server. */
export function databaseAt(url: string, name: string): string {
  const at = new URL(url);
  at.pathname = `/${name}`;
  return at.href;
}

/** On a connection of its own. */
export async function onServer<T extends object>(
  url: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<readonly T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(statement, [...values])).rows;
  } finally {
    await client.end();
  }
}
