// Migrations keep the rule by which two versions may run side by side: each only adds.
import { Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { migrationsFor } from '../../src/store/migrations/all.ts';
import { openConnection, SQLITE_TABLES, sqliteDialect } from '../../src/store/sqlite-engine.ts';

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

/** What each migration says to the database, by its name. */
async function statements(): Promise<ReadonlyMap<string, readonly string[]>> {
  const said = new Map<string, string[]>();
  let current: string[] = [];
  await using database = new Kysely<unknown>({
    dialect: sqliteDialect(openConnection(':memory:')),
    log: ({ query }) => void current.push(query.sql),
  });
  for (const [name, { up }] of Object.entries(migrationsFor(SQLITE_TABLES))) {
    current = [];
    said.set(name, current);
    await up(database as Kysely<unknown> as never);
  }
  return said;
}

it('each migration only adds, so that the version before it goes on beside it', async () => {
  const all = [...(await statements())].filter(([name]) => name >= FROM);
  expect(all.flatMap(([name, said]) => said.filter((one) => !isAddition(one)).map((one) => `${name}: ${one}`))).toEqual(
    [],
  );
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

it('additions are known as such, in the form in which they are really said', async () => {
  const said = (await statements()).get('0009-account-area') ?? [];
  expect(said.length).toBeGreaterThan(15);
  expect(said.filter((one) => !isAddition(one))).toEqual([]);
});
