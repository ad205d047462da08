// Migrations keep the rule by which two versions may run side by side: each only adds.
import { Kysely, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { migrationsFor } from '../../src/db/migrations/all.ts';
import { openConnection, SQLITE_TABLES, sqliteDialect } from '../../src/db/sqlite-engine.ts';

/** Those before were released while nothing ran side by side. */
const FROM = '0010';

/** What a version that does not know of it need not mind. */
const ADDITIONS = [
  /^create table /,
  /^create (unique )?index /,
  // What it writes must be new to the version before it.
  /^create trigger \w+ after /,
  /^alter table "\w+" add column "\w+" \w+( default .+)?( references .+)?$/,
  /^alter table "\w+" add column "\w+" \w+ default .+ not null$/,
  /^(insert|update|select) /,
];

function isAddition(statement: string): boolean {
  const plain = statement.replaceAll(/\s+/g, ' ').trim();
  return ADDITIONS.some((form) => form.test(plain));
}

interface Index {
  readonly name: string;
  readonly table: string;
  /** Its first column. */
  readonly first: string | null;
  readonly isUnique: 0 | 1;
}

async function indexesOf(database: Kysely<unknown>): Promise<readonly Index[]> {
  const { rows } = await sql<Index>`
    select i.name, t.name as "table", c.name as first, i."unique" as "isUnique"
    from sqlite_master as t, pragma_index_list(t.name) as i, pragma_index_info(i.name) as c
    where t.type = 'table' and c.seqno = 0`.execute(database);
  return rows;
}

/** Whether an index goes that kept nothing unique, and another is there that begins like it. */
function leavesAnother(statement: string, before: readonly Index[], after: readonly Index[]): boolean {
  const gone = before.find(({ name }) => statement === `drop index "${name}"`);
  if (gone === undefined || gone.isUnique === 1) return false;
  return after.some(({ name, table, first }) => name !== gone.name && table === gone.table && first === gone.first);
}

interface Migrated {
  /** What the migration says to the database. */
  readonly said: readonly string[];
  readonly before: readonly Index[];
  readonly after: readonly Index[];
}

/** Each migration by its name. */
async function migrated(): Promise<ReadonlyMap<string, Migrated>> {
  const all = new Map<string, Migrated>();
  let current: string[] = [];
  await using database = new Kysely<unknown>({
    dialect: sqliteDialect(openConnection(':memory:')),
    log: ({ query }) => void current.push(query.sql),
  });
  for (const [name, { up }] of Object.entries(migrationsFor(SQLITE_TABLES))) {
    const before = await indexesOf(database);
    const said: string[] = [];
    current = said;
    await up(database as Kysely<unknown> as never);
    current = [];
    all.set(name, { said, before, after: await indexesOf(database) });
  }
  return all;
}

it('each migration only adds, so that the version before it goes on beside it', async () => {
  const all = [...(await migrated())].filter(([name]) => name >= FROM);
  const others = all.flatMap(([name, { said, before, after }]) =>
    said.filter((one) => !isAddition(one) && !leavesAnother(one, before, after)).map((one) => `${name}: ${one}`),
  );
  expect(others).toEqual([]);
});

it.each([
  'alter table "projects" drop column "hidden"',
  'alter table "runs" add column "place" text not null',
  'alter table "runs" rename to "efforts"',
  'alter table "runs" rename column "sha" to "commit"',
  'drop table "runs"',
  'drop index "runs_equal"',
  'delete from "runs"',
])('%s is no addition', (statement) => {
  expect(isAddition(statement)).toBe(false);
});

describe('an index', () => {
  const gone: Index = { name: 'runs_equal', table: 'runs', first: 'account_id', isUnique: 0 };
  const other: Index = { name: 'runs_alike', table: 'runs', first: 'account_id', isUnique: 0 };

  it('may go where another begins with the same column', () => {
    expect(leavesAnother('drop index "runs_equal"', [gone], [other])).toBe(true);
  });

  it.each([
    ['none is left', gone, []],
    ['that is of another table', gone, [{ ...other, table: 'tokens' }]],
    ['that begins with another column', gone, [{ ...other, first: 'fingerprint' }]],
    ['it kept something unique', { ...gone, isUnique: 1 as const }, [other]],
  ])('stays where %s', (_, before, after) => {
    expect(leavesAnother('drop index "runs_equal"', [before], after)).toBe(false);
  });
});

it('additions are known as such, in the form in which they are really said', async () => {
  const { said = [] } = (await migrated()).get('0009-account-area') ?? {};
  expect(said.length).toBeGreaterThan(15);
  expect(said.filter((one) => !isAddition(one))).toEqual([]);
});
