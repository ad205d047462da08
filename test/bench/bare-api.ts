// The least that could take the API's place: Hono, a bearer check, and one prepared statement of better-sqlite3 a request.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import Sqlite from 'better-sqlite3';
import { Hono } from 'hono';
import { type ChildServer, startChild, untilStopped } from './child-server.ts';

/** What it has stored, by what it is asked for: the whole text of each answer. */
export interface BareTexts {
  /** By path. */
  readonly texts: ReadonlyMap<string, string>;
  /** Of the list, the newest last. */
  readonly items: readonly string[];
}

/** `file` is made. Whoever has the token may do everything. */
export async function startBareApi(file: string, token: string, { texts, items }: BareTexts): Promise<ChildServer> {
  const database = open(file);
  database.exec('CREATE TABLE reports (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL) STRICT');
  database.exec('CREATE TABLE texts (path TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT');
  database.exec('CREATE TABLE items (seq INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL) STRICT');
  const text = database.prepare('INSERT INTO texts (path, body) VALUES (?, ?)');
  const item = database.prepare('INSERT INTO items (body) VALUES (?)');
  database.transaction(() => {
    for (const [path, body] of texts) text.run(path, body);
    for (const body of items) item.run(body);
  })();
  database.close();
  return await startChild(import.meta.filename, [file, token]);
}

/** How many reports it has kept. */
export function bareReports(file: string): number {
  const database = open(file);
  const count = Number(database.prepare('SELECT count(*) FROM reports').pluck().get());
  database.close();
  return count;
}

function open(file: string): Sqlite.Database {
  const database = new Sqlite(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  return database;
}

async function run([file = '', token = '']: readonly string[]): Promise<void> {
  const database = open(file);
  const insert = database.prepare('INSERT INTO reports (body) VALUES (?)');
  const text = database.prepare<[string], string>('SELECT body FROM texts WHERE path = ?').pluck();
  const page = database.prepare<[number], string>('SELECT body FROM items ORDER BY seq DESC LIMIT ?').pluck();
  const hash = (given: string) => createHash('sha256').update(given).digest();
  const expected = hash(`Bearer ${token}`);
  const app = new Hono();
  app.use(async (c, next) => {
    if (!timingSafeEqual(hash(c.req.header('Authorization') ?? ''), expected)) return c.json({ status: 401 }, 401);
    return await next();
  });
  app.post('/api/v1/issues/', async (c) => {
    const { lastInsertRowid } = insert.run(JSON.stringify(await c.req.json()));
    return c.json({ message: 'accepted' }, 202, { Location: `/api/v1/investigations/${lastInsertRowid}/` });
  });
  const json = { 'Content-Type': 'application/json' };
  app.get('/api/v1/investigations/', (c) => {
    const rows = page.all(Number(c.req.query('limit')));
    return c.body(`[${rows.join(',')}]`, 200, json);
  });
  app.get('*', (c) => {
    const found = text.get(c.req.path);
    return found === undefined ? c.json({ status: 404 }, 404) : c.body(found, 200, json);
  });
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }: AddressInfo) =>
    process.stdout.write(`http://127.0.0.1:${port}\n`),
  );
  await untilStopped();
  server.close();
}

if (process.argv[1] === import.meta.filename) await run(process.argv.slice(2));
