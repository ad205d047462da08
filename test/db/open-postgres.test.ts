// The store on PostgreSQL as an operator meets it: opening, upgrading, servers that refuse, and one that is restarted.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../src/db/postgres.ts';
import { createSeal } from '../../src/db/seal.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { PATIENCE_MS, until } from '../support/patience.ts';
import { emptyDatabase, migratedDatabase } from '../support/postgres.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { databaseAt, onServer } from '../support/postgres-shared.ts';
import { expectNoRefusedAnswers, LATER_TABLES, storeRefusedAnswers } from '../support/refused-answers.ts';
import { acceptance, ground } from '../support/store-samples.ts';

const open = (url: string, patienceMs = 0) =>
  openPostgresStore({ url, seal: createSeal(Buffer.alloc(32)), enqueuer: createJobTable(), patienceMs });

/** What an operator reads where it cannot be opened. */
async function refusal(url: string): Promise<string> {
  try {
    await using _ = await open(url);
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error('it was opened');
}

describe('a database', () => {
  it('is migrated once by five that start at once', async () => {
    await using place = await emptyDatabase();
    const stores = await Promise.all(Array.from({ length: 5 }, () => open(place.url, PATIENCE_MS)));
    await Promise.all(stores.map((store) => store.checkWritable()));
    await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
    const applied = await place.query<{ name: string }>('select name from kysely_migration order by name');
    expect(applied).toEqual([
      { name: '0001-first-release' },
      { name: '0002-outcomes' },
      { name: '0003-subscriptions' },
      { name: '0004-refused-answers' },
      { name: '0005-requests-of-people' },
    ]);
  });

  it('is migrated under a lock that ends with the transaction, so that no pooled session keeps it', async () => {
    await using place = await emptyDatabase();
    const other = new Client(place.url);
    await other.connect();
    await other.query('begin; select pg_advisory_xact_lock(7206419832)');
    const waiting = () =>
      place.query("select query from pg_stat_activity where datname = current_database() and wait_event = 'advisory'");
    const opening = open(place.url, PATIENCE_MS);
    await expect.poll(waiting).toEqual([{ query: expect.stringContaining('pg_advisory_xact_lock') }]);
    await other.query('commit');
    await other.end();
    await (await opening)[Symbol.asyncDispose]();
  });

  it('of the first release loses the answers that its review had refused', async () => {
    await using place = await migratedDatabase();
    const stored = async () => {
      await using store = await open(place.url);
      return await storeRefusedAnswers(store);
    };
    const ids = await stored();
    for (const table of LATER_TABLES) await place.query(`drop table ${table}`);
    await place.query("delete from kysely_migration where name >= '0004-refused-answers'");
    await using store = await open(place.url);
    await expectNoRefusedAnswers(store, ids);
  });

  it('of the next version is worked with, and of the one after refused', async () => {
    await using place = await migratedDatabase();
    const newer = (name: string) => place.query('insert into kysely_migration values ($1, $2)', [name, '2030-01-01']);
    await newer('9998-next');
    await (await open(place.url))[Symbol.asyncDispose]();
    await newer('9999-after');
    expect(await refusal(place.url)).toMatch(
      /was made by a newer Causeway \(it has "9998-next", "9999-after"\). Start that version or a later one/,
    );
  });

  it('with tables of another program is refused', async () => {
    await using place = await emptyDatabase();
    await place.query('create table accounts (balance int)');
    expect(await refusal(place.url)).toMatch(/cannot be used. It may belong to another program. Name another one/);
  });

  it('that keeps text otherwise than as UTF-8 is refused', async () => {
    await using place = await emptyDatabase();
    const name = `${new URL(place.url).pathname.slice(1)}_latin`;
    await place.query(`create database ${name} encoding 'LATIN1' locale 'C' locale_provider libc template template0`);
    const said = await refusal(databaseAt(place.url, name));
    await place.query(`drop database ${name} with (force)`);
    expect(said).toMatch(/stores text as LATIN1. Create one with UTF8: createdb --encoding=UTF8/);
  });

  it('orders and compares text by its bytes, whatever it was made for', async () => {
    await using place = await migratedDatabase();
    await using store = await open(place.url);
    const source = (name: string) => ({ name, source: { kind: 'path', path: `/srv/${name}` } as const });
    const names = ['b', 'B', 'a-c', 'ab', '_', 'ä'].map((name) => `local/${name}`);
    await store.syncProjects(names.map(source), '2026-11-20T10:00:00.000Z');
    const listed = (await store.listProjects({})).map(({ name }) => name);
    expect(listed).toEqual([...listed].sort());
    expect(listed).toHaveLength(6);
  });

  it('takes NUL in a text as the character that stands for what cannot be shown', async () => {
    await using place = await migratedDatabase();
    await using store = await open(place.url);
    const { investigationId } = acceptance(await ground(store));
    const wanted = acceptance(await ground(store), { text: 'a\0b' });
    await store.accept({ ...wanted, investigationId });
    expect(await place.query('select text from investigations')).toEqual([{ text: 'a\uFFFDb' }]);
  });
});

describe('a server', () => {
  let server: PostgresServer;
  const withUser = (user: string, password: string) => {
    const url = new URL(server.url);
    [url.username, url.password] = [user, password];
    return url.href;
  };
  beforeAll(async () => {
    server = await startPostgres();
    await onServer(server.url, "create role guarded; create role op login password 'right-word' in role guarded");
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('that refuses the password is named without it', async () => {
    const said = await refusal(withUser('op', 'wrong-word'));
    expect(said).toMatch(/^The database postgres on 127.0.0.1:\d+ refused the user or the password. Correct them/);
    expect(said).not.toContain('word-');
    expect(said).not.toContain('wrong');
  });

  it('that lets the user make no table says whose right is missing', async () => {
    expect(await refusal(withUser('op', 'right-word'))).toMatch(
      /does not grant this user the required privileges. Make the user/,
    );
  });

  it('that has no such database says how to make it', async () => {
    expect(await refusal(databaseAt(server.url, 'nowhere'))).toMatch(/does not exist. Create it \(createdb\)/);
  });

  it('that speaks no TLS is not spoken to without', async () => {
    expect(await refusal(`${server.url}?sslmode=verify-full`)).toMatch(
      /could not be reached over TLS as its address requires/,
    );
  });

  it('that has no connection left says what to raise', async () => {
    await onServer(server.url, 'alter role op connection limit 0');
    expect(await refusal(withUser('op', 'right-word'))).toMatch(/has no free connection. Raise max_connections/);
  });

  it('that is not there is named', async () => {
    const url = new URL(server.url);
    url.port = '1';
    expect(await refusal(url.href)).toMatch(
      /127.0.0.1:1 does not answer. Check that the server is running .*\(ECONNREFUSED\)$/,
    );
  });

  it.each(['fast', 'immediate'] as const)(
    'that is restarted (%s) in the midst of verbs loses none and repeats none',
    async (mode) => {
      await onServer(server.url, `create database restarted_${mode}`);
      await using store = await open(databaseAt(server.url, `restarted_${mode}`), PATIENCE_MS);
      let isOver = false;
      let answered = 0;
      const work = async () => {
        while (!isOver) {
          await store.checkWritable();
          answered++;
        }
      };
      const workers = Array.from({ length: 4 }, work);
      await until(() => answered > 10);
      await server.stop(mode);
      const before = answered;
      // Some of its tries fail, which nothing tells.
      await sleep(150);
      await server.start();
      await until(() => answered >= before + 10);
      isOver = true;
      await Promise.all(workers);
      const { url } = server;
      expect(await onServer(databaseAt(url, `restarted_${mode}`), 'select count::int from health_checks')).toEqual([
        { count: answered },
      ]);
    },
  );
});
