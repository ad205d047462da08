// A database of the schema before the totals of a month is upgraded: they are the sums of what was there, and of what the version before writes on.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dialect, Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { migrationsFor } from '../../src/db/migrations/all.ts';
import type { TableForm } from '../../src/db/migrations/table-form.ts';
import { POSTGRES_TABLES, postgresDialect } from '../../src/db/postgres-dialect.ts';
import { createPool } from '../../src/db/postgres-pool.ts';
import type { Schema } from '../../src/db/schema.ts';
import { openConnection, SQLITE_TABLES, sqliteDialect } from '../../src/db/sqlite-engine.ts';
import { openPostgres } from '../contract/postgres-place.ts';
import { openSqlite } from '../contract/sqlite-place.ts';
import { emptyDatabase } from '../support/postgres.ts';

const WAITING = `select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
  where datname = current_database() and not granted`;

/** [month, project, reserved, spent] */
type Cost = readonly [month: string, projectId: string, reserved: number, spent: number];
const COSTS: readonly Cost[] = [
  ['2026-10', 'prj_1', 0, 500],
  ['2026-11', 'prj_1', 20, 300],
  ['2026-11', 'prj_1', 0, 40],
  ['2026-11', 'prj_2', 7, 0],
];
const TOTALS = [
  { month: '2026-10', project_id: '', in_use: 500 },
  { month: '2026-10', project_id: 'prj_1', in_use: 500 },
  { month: '2026-11', project_id: '', in_use: 367 },
  { month: '2026-11', project_id: 'prj_1', in_use: 360 },
  { month: '2026-11', project_id: 'prj_2', in_use: 7 },
];

/** The schema and the costs of the version before. */
async function writeBefore(dialect: Dialect, form: TableForm): Promise<void> {
  await using kysely = new Kysely<Schema>({ dialect });
  const provider = { getMigrations: async () => migrationsFor(form) };
  await new Migrator({ db: kysely, provider }).migrateTo('0010-marks');
  for (const [number, [month, project_id, reserved, spent]] of COSTS.entries()) {
    const tokens = { turns: 0, prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0 };
    const row = { run_id: `run_${number}`, month, project_id, reserved, spent, ...tokens };
    await kysely.insertInto('costs').values(row).execute();
  }
}

it('over SQLite they are the sums of the costs that were there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-upgrade-'));
  try {
    const file = join(folder, 'causeway.db');
    await writeBefore(sqliteDialect(openConnection(file)), SQLITE_TABLES);
    await using opened = await openSqlite(file);
    expect((await opened.costTotals()).kept).toEqual(TOTALS);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('over PostgreSQL nothing is missed of what a process of the version before writes meanwhile, or later', async () => {
  await using database = await emptyDatabase();
  await writeBefore(
    postgresDialect(createPool({ url: database.url, connections: 1, statementMs: 0 })),
    POSTGRES_TABLES,
  );
  const before = new Client({ connectionString: database.url });
  await before.connect();
  try {
    const add =
      "insert into costs (run_id, month, project_id, reserved, spent) values ($1, '2026-11', 'prj_2', 0, 1000)";
    await before.query('begin isolation level serializable');
    await before.query(add, ['run_late']);
    const opening = openPostgres(database.url);
    // Until the migration waits for it.
    while ((await database.query(WAITING)).length === 0) await sleep(20);
    await before.query('commit');
    await using opened = await opening;
    const { kept } = await opened.costTotals();
    expect(kept).toEqual(TOTALS.map((one) => ({ ...one, in_use: one.in_use + (grows(one) ? 1_000 : 0) })));
    await before.query(add, ['run_later']);
    await before.query("update costs set spent = spent + 5, reserved = 0 where run_id = 'run_1'");
    const after = await opened.costTotals();
    expect(after.kept).toEqual(after.summed);
    expect(after.kept.find((one) => one.month === '2026-11' && one.project_id === '')?.in_use).toBe(2_352);
  } finally {
    await before.end();
  }
});

function grows({ month, project_id }: (typeof TOTALS)[number]): boolean {
  return month === '2026-11' && project_id !== 'prj_1';
}
