// Group commit on a real file: durable when it says so, in order, and no fault of one is another's.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createGroupCommit, type GroupCommit } from '../../src/db/group-commit.ts';
import { openSqliteStore } from '../../src/db/open-sqlite.ts';
import type { Trx } from '../../src/db/schema.ts';
import { createSeal } from '../../src/db/seal.ts';
import { createJobTable } from '../../src/queue/job-table.ts';

async function place() {
  await using opening = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'causeway-group-'));
  opening.defer(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'causeway.db');
  const seal = createSeal(Buffer.alloc(32));
  const { database } = opening.use(await openSqliteStore({ file, seal, enqueuer: createJobTable() }));
  await database.write(async (trx) => void (await sql`create table lines (line text unique not null)`.execute(trx)));
  let [tries, commits] = [0, 0];
  const counted: Pick<typeof database, 'write'> = {
    write: async (verb) => {
      tries += 1;
      const value = await database.write(verb);
      commits += 1;
      return value;
    },
  };
  // What another process finds in the file, which is what was committed.
  const other = new Sqlite(file, { readonly: true });
  const lines = other.prepare<[], string>('SELECT line FROM lines ORDER BY rowid').pluck();
  opening.defer(() => void other.close());
  const opened = opening.move();
  return {
    group: createGroupCommit(counted),
    tries: () => tries,
    commits: () => commits,
    /** No room for more pages than there are now, or room again. */
    limit: (isFull: boolean) =>
      database.write(async (trx) => {
        const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(trx);
        const most = isFull ? (rows[0]?.page_count ?? 0) : 1_000_000;
        await sql`pragma max_page_count = ${sql.raw(String(most))}`.execute(trx);
      }),
    committed: () => lines.all(),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function add(group: GroupCommit, line: string, weight = 10): Promise<string> {
  return group.write(weight, async (trx: Trx) => {
    await sql`insert into lines (line) values (${line})`.execute(trx);
    return `wrote ${line}`;
  });
}

const NAMES = Array.from({ length: 200 }, (_, index) => `line ${index}`);

it('each is in the file when it is done, in the order of the calls, many to a commit', async () => {
  await using at = await place();
  const missing: string[] = [];
  const values = await Promise.all(
    NAMES.map(async (name) => {
      const value = await add(at.group, name);
      if (!at.committed().includes(name)) missing.push(name);
      return value;
    }),
  );
  expect(missing).toEqual([]);
  expect(values).toEqual(NAMES.map((name) => `wrote ${name}`));
  expect(at.committed()).toEqual(NAMES);
  expect(at.commits()).toBeLessThan(10);
});

it('one that fails is rejected with its own fault, and the others of its group are written once', async () => {
  await using at = await place();
  await add(at.group, 'line 7');
  const ends = await Promise.allSettled(NAMES.map((name) => add(at.group, name)));
  const rejected = ends.flatMap((end, index) =>
    end.status === 'rejected' ? [[NAMES[index], String(end.reason)]] : [],
  );
  expect(rejected).toEqual([['line 7', expect.stringContaining('UNIQUE')]]);
  expect(at.committed().toSorted()).toEqual(NAMES.toSorted());
  expect(await add(at.group, 'afterwards')).toBe('wrote afterwards');
});

it('whoever writes one thing after the other waits for nobody', async () => {
  await using at = await place();
  let [turns, isOver] = [0, false];
  const counting = (async () => {
    for (; !isOver; turns++) await new Promise((resolve) => setImmediate(resolve));
  })();
  for (const name of NAMES) await add(at.group, name);
  isOver = true;
  await counting;
  expect(at.commits()).toBe(NAMES.length);
  // A millisecond of waiting is a hundred turns of the loop and more.
  expect(turns).toBeLessThan(NAMES.length * 20);
});

it('heavy ones share no commit, and come to an end all the same', async () => {
  await using at = await place();
  const heavy = 3 * 1024 * 1024;
  await Promise.all(NAMES.slice(0, 4).map((name) => add(at.group, name, heavy)));
  expect([at.committed(), at.commits()]).toEqual([NAMES.slice(0, 4), 4]);
});

it('a file without room is told to all of a group after one try, and takes them once it has room', async () => {
  await using at = await place();
  await at.limit(true);
  const long = NAMES.map((name) => `${name} ${'x'.repeat(10_000)}`);
  const ends = await Promise.allSettled(long.map((line) => add(at.group, line)));
  const codes = ends.map((end) => (end.status === 'rejected' ? (end.reason as { code?: string }).code : 'written'));
  expect(new Set(codes)).toEqual(new Set(['store_unusable']));
  expect(at.tries()).toBeLessThan(10);
  await at.limit(false);
  expect(await add(at.group, 'afterwards')).toBe('wrote afterwards');
});
