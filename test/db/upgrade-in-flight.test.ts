// A database of each earlier schema, with a run in the hands of a process that is gone and a webhook that waits: both go on after the upgrade.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrationsFor } from '../../src/db/migrations/all.ts';
import { openConnection, SQLITE_TABLES, sqliteDialect } from '../../src/db/sqlite-engine.ts';
import { openSqlite } from '../contract/sqlite-place.ts';
import { patience, plenty, recorder } from '../support/queue-samples.ts';
import { conclusion, NOW, started } from '../support/store-samples.ts';

type Row = Readonly<Record<string, string | number | null>>;

const about = { account_id: 'acc_1', project_id: 'prj_1', created_at: NOW };
const job = { group_key: 'prj_1', run_at: NOW, failures: 0, owner: 'gone', lease_until: '2099-01-01T00:00:00.000Z' };
const source = JSON.stringify({ kind: 'path', path: '/srv/app' });
const report = { ...about, origin: 'api', reference: 'r', text: 'old words', callback_url: 'https://e.org/in' };

/** With every column that some schema has; what a schema lacks is left out. */
const ROWS: Readonly<Record<string, Row>> = {
  accounts: { id: 'acc_1', login: 'local', login_lower: 'local', created_at: NOW },
  projects: {
    id: 'prj_1',
    name: 'local/app',
    name_lower: 'local/app',
    source,
    place: source,
    hidden: 0,
    created_at: NOW,
  },
  runs: {
    ...about,
    id: 'run_1',
    fingerprint: 'f',
    revision: '',
    fresh: 0,
    state: 'running',
    generation: 1,
    step_count: 0,
  },
  investigations: {
    ...{ ...report, id: 'inv_1', run_id: 'run_1', state: 'running', outcome: '{"state":"running"}' },
    ...{ is_trusted: 1, settings: '{}' },
  },
};
const JOBS: readonly Row[] = [
  { ...job, id: 'job_1', kind: 'run', subject: 'run_1', state: 'running', attempts: 1, generation: 1 },
  { ...job, id: 'job_2', kind: 'webhook', subject: 'whk_1', state: 'running', attempts: 2, generation: 2 },
];

const SCHEMAS = Object.keys(migrationsFor(SQLITE_TABLES)).filter((name) => name >= '0003');

let folder = '';
let file = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-in-flight-'));
  file = join(folder, 'causeway.db');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** What of a row that schema has room for. */
function insert(database: Sqlite.Database, table: string, row: Row): void {
  const columns = new Set(database.prepare<[], string>(`select name from pragma_table_info('${table}')`).pluck().all());
  const names = Object.keys(row).filter((name) => columns.has(name));
  const marks = names.map((name) => `@${name}`).join(', ');
  database.prepare(`insert into ${table} (${names.join(', ')}) values (${marks})`).run(row);
}

it.each(SCHEMAS)('what was in flight at schema %s goes on', async (schema) => {
  const kysely = new Kysely<unknown>({ dialect: sqliteDialect(openConnection(file)) });
  const provider = { getMigrations: async () => migrationsFor(SQLITE_TABLES) };
  await new Migrator({ db: kysely, provider }).migrateTo(schema);
  await kysely.destroy();
  const before = new Sqlite(file);
  for (const [table, row] of Object.entries(ROWS)) insert(before, table, row);
  for (const row of JOBS) insert(before, 'jobs', row);
  before.close();

  await using opened = await openSqlite(file);
  const { handled, deaths, handlers } = recorder();
  await using worker = opened.queue({}).work(handlers, { run: plenty, webhook: plenty });
  await worker.idle(patience());
  const tries = handled.map(({ subject, attempt }) => `${subject} ${attempt}`);
  expect([tries.toSorted(), deaths]).toEqual([['run_1 2', 'whk_1 3'], []]);
  const run = await started(opened.store, 'run_1');
  expect(run).toMatchObject({ text: 'old words', generation: 2 });
  const [issueId] = await opened.store.conclude(run, conclusion(), NOW);
  expect(await opened.store.issue(issueId ?? '')).toMatchObject({ analysis: { report: 'old words' } });
});
