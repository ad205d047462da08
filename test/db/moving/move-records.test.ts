// A move from SQLite to PostgreSQL: cut short wherever it may be, in the end the same records are there, and nothing else.
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../../src/db/database.ts';
import { moveRecords } from '../../../src/db/moving/move-records.ts';
import { openMoveSource } from '../../../src/db/moving/source.ts';
import { moveEnded, refuseHalfMoved } from '../../../src/db/moving/target.ts';
import { openPostgresStore } from '../../../src/db/open-postgres.ts';
import { openSqliteStore } from '../../../src/db/open-sqlite.ts';
import { createSeal } from '../../../src/db/seal.ts';
import { createJobTable } from '../../../src/queue/job-table.ts';
import { fillRecords } from '../../support/filled-records.ts';
import { migratedDatabase } from '../../support/postgres.ts';
import { temporaryFolder } from '../../support/service.ts';
import { NOW, other, token } from '../../support/store-samples.ts';

const seal = createSeal(Buffer.alloc(32, 7));

type Rows = readonly Readonly<Record<string, unknown>>[];

describe('a move', () => {
  it('cut short before or after each of its writes goes on, until every record is there once, what waits is due, and what was given up still is', async () => {
    await using place = await ground(5);
    const { file, database, store } = place;
    let died = 0;
    // The seventh write of each life is its last, in turn before and after its commit.
    while (!(await lives(file, dying(store.database, 7, died % 2 === 0)))) died += 1;
    expect(died).toBeGreaterThan(5);
    const source = new Sqlite(file, { readonly: true });
    for (const table of tablesIn(source)) {
      const rows: Rows = source.prepare<[], Record<string, unknown>>(`select * from "${table}"`).all();
      expect([table, sorted(await database.query(`select * from "${table}"`))]).toEqual([table, sorted(rows)]);
    }
    const state = `case state when 'dead' then 'dead' else 'waiting' end as state`;
    const ask = `select kind, subject, group_key, run_at, urgency, organisation, ${state} from jobs`;
    const pending = source.prepare<[], Record<string, unknown>>(ask).all();
    source.close();
    expect(pending.filter((job) => job['state'] === 'dead')).toHaveLength(2);
    expect(pending.length).toBeGreaterThan(7);
    const moved = await database.query<Record<string, unknown>>(
      'select kind, subject, group_key, run_at, urgency, organisation, state from jobs',
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
    expect(await lives(file, store.database)).toBe(true);
    const [account] = await store.accounts();
    expect(await store.signingSecrets(account?.id ?? '', NOW)).toEqual(['whsec_first']);
    await store.addToken(token(account?.id ?? ''), 'another');
    const [row] = await database.query<{ seq: string }>('select seq from tokens');
    expect(Number(row?.seq)).toBeGreaterThan(last ?? 0);
  });

  it('that has begun lets nobody start on its target, and once it has ended everybody', async () => {
    await using place = await ground(1);
    const { file, store } = place;
    const refusal = { code: 'store_unusable', message: expect.stringContaining('run the same "causeway move" again') };
    await refuseHalfMoved(store.database, 'there');
    expect(await lives(file, dying(store.database, 5, true))).toBe(false);
    await expect(refuseHalfMoved(store.database, 'there')).rejects.toMatchObject(refusal);
    expect(await lives(file, store.database)).toBe(true);
    await refuseHalfMoved(store.database, 'there');
    expect(await moveEnded(store.database)).toBe(NOW);
  });

  it('is refused where the target holds anything, or the source was written to since it began', async () => {
    await using place = await ground(1);
    const { file, store } = place;
    expect(await lives(file, dying(store.database, 5, false))).toBe(false);
    const sqlite = await openSqliteStore({ file, seal, enqueuer: createJobTable() });
    await other(sqlite);
    await sqlite[Symbol.asyncDispose]();
    await expect(move(file, store.database)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('the source was written to since'),
    });
    await using full = await ground(1);
    await other(full.store);
    await expect(move(full.file, full.store.database)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('holds records already (accounts)'),
    });
  });

  it('does not end while the source is written to, or another writes to its target', async () => {
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
    await using second = await ground(2);
    expect(await lives(second.file, dying(second.store.database, 9, false))).toBe(false);
    await second.database.query("update accounts set login = 'Somebody else'");
    await expect(move(second.file, second.store.database)).rejects.toMatchObject({
      code: 'store_unusable',
      message: expect.stringMatching(/^The table accounts is not the same/),
    });
    expect(await database.query('select done_at from causeway_move')).toEqual([{ done_at: null }]);
  });

  it('is not begun with a key that does not open every secret', async () => {
    await using place = await ground(1);
    using source = openMoveSource(place.file);
    expect(source.openAll(seal)).toBe(3);
    const wrong = createSeal(Buffer.alloc(32, 8));
    expect(() => source.openAll(wrong)).toThrow(expect.objectContaining({ code: 'store_unusable' }));
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

async function move(file: string, target: Database): Promise<void> {
  using source = openMoveSource(file);
  await moveRecords({ ...parts(target), source });
}

/** Whether it came to its end. */
async function lives(file: string, target: Database): Promise<boolean> {
  try {
    await move(file, target);
    return true;
  } catch (error) {
    if (error instanceof Error && error.message === 'killed') return false;
    throw error;
  }
}

/** The connection of a process that dies at its nth write, before or after the commit. */
function dying(database: Database, at: number, before: boolean): Database {
  let writes = 0;
  return {
    ...database,
    async write(verb) {
      writes += 1;
      if (writes === at && before) throw new Error('killed');
      const result = await database.write(verb);
      if (writes === at) throw new Error('killed');
      return result;
    },
  };
}

function tablesIn(source: Sqlite.Database): readonly string[] {
  const names = source.prepare<[], string>("select name from sqlite_schema where type = 'table'").pluck().all();
  return names.filter((name) => !/^(sqlite_|kysely_|jobs$|job_groups$|job_organisations$|checks$)/.test(name));
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
