// A move from SQLite to PostgreSQL: the same records are there in the end, or none.
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { moveRecords, openMoveSource, openSecrets, readMoveEnd } from '../../src/db/move.ts';
import { openPostgresStore } from '../../src/db/postgres.ts';
import { createSeal } from '../../src/db/seal.ts';
import { openSqliteStore } from '../../src/db/sqlite.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { fillRecords } from '../support/filled-records.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { temporaryFolder } from '../support/service.ts';
import { NOW, other, token } from '../support/store-samples.ts';

const seal = createSeal(Buffer.alloc(32, 7));

type Rows = readonly Readonly<Record<string, unknown>>[];

describe('a move', () => {
  it('cut short leaves nothing, and repeated every record once; what waits is due, and what was given up still is', async () => {
    await using place = await ground(5);
    const { file, database, store } = place;
    const stop = new AbortController();
    let told = 0;
    const say = () => {
      told += 1;
      if (told === 5) stop.abort(new Error('killed'));
    };
    await expect(move(file, store.database, { say, signal: stop.signal })).rejects.toThrow('killed');
    expect(await database.query('select count(*)::int as count from accounts')).toEqual([{ count: 0 }]);
    expect(await readMoveEnd(store.database)).toBeNull();
    await move(file, store.database);
    expect(await readMoveEnd(store.database)).toBe(NOW);
    const source = new Sqlite(file, { readonly: true });
    for (const table of tablesIn(source)) {
      const rows: Rows = source.prepare<[], Record<string, unknown>>(`select * from "${table}"`).all();
      expect([table, sorted(await database.query(`select * from "${table}"`))]).toEqual([table, sorted(rows)]);
    }
    const state = `case state when 'dead' then 'dead' else 'waiting' end as state`;
    const ask = `select kind, subject, group_key, run_at, urgency, ${state} from jobs`;
    const pending = source.prepare<[], Record<string, unknown>>(ask).all();
    source.close();
    expect(pending.filter((job) => job['state'] === 'dead')).toHaveLength(2);
    expect(pending.length).toBeGreaterThan(7);
    const moved = await database.query<Record<string, unknown>>(
      'select kind, subject, group_key, run_at, urgency, state from jobs',
    );
    expect(sorted(moved)).toEqual(sorted(pending));
  });

  it('leaves numbers that go on where they stood, and secrets that the same key opens', async () => {
    await using place = await ground(1);
    const { file, database, store } = place;
    const sqlite = new Sqlite(file);
    const [last] = sqlite.prepare<[], number>("select seq from sqlite_sequence where name = 'tokens'").pluck().all();
    sqlite.exec('delete from tokens');
    sqlite.close();
    await move(file, store.database);
    const [account] = await store.listAccounts();
    expect(await store.listSigningSecrets(account?.id ?? '', NOW)).toEqual(['whsec_first']);
    await store.addToken(token(account?.id ?? ''), 'another');
    const [row] = await database.query<{ seq: string }>('select seq from tokens');
    expect(Number(row?.seq)).toBeGreaterThan(last ?? 0);
  });

  it('is refused where the target holds anything, or jobs of a killed process run in the source', async () => {
    await using place = await ground(1);
    const { file, store } = place;
    await other(store);
    await expect(move(file, store.database)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('already contains records (accounts)'),
    });
    const sqlite = new Sqlite(file);
    sqlite.exec("update jobs set state = 'running' where seq = (select max(seq) from jobs)");
    sqlite.close();
    await expect(move(file, store.database)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^1 job of the source did not end .* stop it with SIGTERM/),
    });
  });

  it('writes nothing where the source is written to meanwhile', async () => {
    await using place = await ground(2);
    const { file, store, database } = place;
    using source = openMoveSource(file);
    const sqlite = await openSqliteStore({ file, seal, enqueuer: createJobTable() });
    await other(sqlite);
    await sqlite[Symbol.asyncDispose]();
    await expect(moveRecords({ ...parts(store.database), source })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('written to while it was moved'),
    });
    expect(await database.query('select count(*)::int as count from accounts')).toEqual([{ count: 0 }]);
  });

  it('is not begun with a key that does not open every secret', async () => {
    await using place = await ground(1);
    using source = openMoveSource(place.file);
    expect(openSecrets(source, seal)).toBe(3);
    const wrong = createSeal(Buffer.alloc(32, 8));
    expect(() => openSecrets(source, wrong)).toThrow(expect.objectContaining({ code: 'store_unusable' }));
  });
});

/** A SQLite file with records, and an empty PostgreSQL database. */
async function ground(reports: number) {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  const file = path.join(folder.path, 'causeway.db');
  const sqlite = await openSqliteStore({ file, seal, enqueuer: createJobTable() });
  await fillRecords(sqlite, reports);
  await sqlite[Symbol.asyncDispose]();
  buryTwo(file);
  const database = opening.use(await migratedDatabase());
  const store = opening.use(await openPostgresStore({ url: database.url, seal, enqueuer: createJobTable() }));
  const opened = opening.move();
  return { file, database, store, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

function buryTwo(file: string): void {
  const sqlite = new Sqlite(file);
  sqlite.exec(`update jobs set state = 'dead' where seq in (select seq from jobs order by seq limit 2)`);
  sqlite.close();
}

function parts(target: Database) {
  const { signal } = new AbortController();
  return { target, enqueuer: createJobTable(), now: () => new Date(NOW), say: () => {}, signal };
}

async function move(file: string, target: Database, changes: Partial<ReturnType<typeof parts>> = {}): Promise<void> {
  using source = openMoveSource(file);
  await moveRecords({ ...parts(target), ...changes, source });
}

function tablesIn(source: Sqlite.Database): readonly string[] {
  const names = source.prepare<[], string>("select name from sqlite_schema where type = 'table'").pluck().all();
  return names.filter((name) => !/^(sqlite_|kysely_|jobs$|health_checks$|move_state$)/.test(name));
}

function sorted(rows: Rows): readonly string[] {
  const text = (value: unknown) => (value === null ? null : String(value).replaceAll('\0', '\uFFFD'));
  return rows
    .map((row) =>
      JSON.stringify(
        Object.entries(row)
          .map(([name, value]) => [name, text(value)])
          .toSorted(),
      ),
    )
    .toSorted();
}
