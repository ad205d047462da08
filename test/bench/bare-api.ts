// The least that could take the API's place: Hono, a bearer check, and one prepared statement of better-sqlite3 a request.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import Sqlite from 'better-sqlite3';
import { Hono } from 'hono';
import { type ChildServer, startChild, untilStopped } from './child-server.ts';

export interface BareRecords {
  /** By path, the whole text of each answer, as it is stored. */
  readonly texts: ReadonlyMap<string, string>;
  /** A database of ours: the list is read from its rows. */
  readonly filled?: string;
}

/** `file` is made. Whoever has the token may do everything. */
export async function startBareApi(
  file: string,
  token: string,
  { texts, filled = '' }: BareRecords,
): Promise<ChildServer> {
  const database = open(file);
  database.exec('CREATE TABLE reports (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL) STRICT');
  database.exec('CREATE TABLE texts (path TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT');
  const text = database.prepare('INSERT INTO texts (path, body) VALUES (?, ?)');
  database.transaction(() => {
    for (const [path, body] of texts) text.run(path, body);
  })();
  database.close();
  return await startChild(import.meta.filename, [file, token, filled]);
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

interface Listed {
  readonly id: string;
  readonly project_id: string;
  readonly outcome: string;
  readonly created_at: string;
  readonly reference: string | null;
  readonly step_count: number;
  readonly action: string | null;
}

/** Asks for the newest, with the step that the run of each has come to. */
function newestOf(filled: string): (limit: number) => readonly unknown[] {
  const newest = open(filled).prepare<[number], Listed>(`
    SELECT i.id, i.project_id, i.outcome, i.created_at, i.reference, r.step_count, s.action FROM investigations i
    JOIN runs r ON r.id = i.run_id LEFT JOIN steps s ON s.run_id = r.id AND s.number = r.step_count
    ORDER BY i.seq DESC LIMIT ?`);
  return (limit) =>
    newest.all(limit).map((row) => {
      const { state, issueId = null, reason = null } = JSON.parse(row.outcome);
      return {
        ...{ id: row.id, projectId: row.project_id, state },
        ...{ progress: { step: row.step_count, action: row.action ?? '' }, issueId, reason },
        ...{ createdAt: row.created_at, reference: row.reference },
      };
    });
}

async function run([file = '', token = '', filled = '']: readonly string[]): Promise<void> {
  const database = open(file);
  const insert = database.prepare('INSERT INTO reports (body) VALUES (?)');
  const text = database.prepare<[string], string>('SELECT body FROM texts WHERE path = ?').pluck();
  const newest = filled === '' ? () => [] : newestOf(filled);
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
  app.get('/api/v1/investigations/', (c) => c.body(JSON.stringify(newest(Number(c.req.query('limit')))), 200, json));
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
