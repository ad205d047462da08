// The doctor over a real PostgreSQL: reached, of this version's schema, opened by the key; never migrated, and its password never said.
import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../src/db/postgres.ts';
import { createSeal } from '../../../src/db/seal.ts';
import { createJobTable } from '../../../src/queue/job-table.ts';
import { emptyDatabase, migratedDatabase } from '../../support/postgres.ts';
import { examine } from './doctor-ground.ts';

const KEY = 'ab'.repeat(32);
const found = (url: string, key = KEY, now = () => new Date()) =>
  examine(
    { PATH: process.env['PATH'] ?? '', DATA_DIR: '/nowhere/at/all', DATABASE_URL: url, ENCRYPTION_KEY: key },
    now,
  );

afterEach(() => expect(existsSync('/nowhere')).toBe(false));

describe('the doctor over PostgreSQL', () => {
  it('says whether the key is the right one, and what a schema lacks, without bringing it up to date', async () => {
    await using database = await migratedDatabase();
    const seal = createSeal(Buffer.from(KEY, 'hex'));
    const store = await openPostgresStore({ url: database.url, seal, enqueuer: createJobTable() });
    const now = new Date().toISOString();
    await store.ensureAccount({ login: 'mara', githubId: 1, signingSecret: 'whsec_of-mara', now });
    await store[Symbol.asyncDispose]();
    expect((await found(database.url)).of('database')).toMatch(/^ok: postgres(ql)?:\/\/\S+ answers → $/);
    expect((await found(database.url, 'cd'.repeat(32))).of('database')).toContain(
      'fail: the encryption key does not open',
    );
    await database.query("delete from kysely_migration where name >= '0002'");
    await database.query("update kysely_migration set name = '0000-earlier'");
    expect((await found(database.url)).of('database')).toMatch(
      /fail: .* was made by another version \(it has 0000-earlier\)/,
    );
    expect(await database.query('select name from kysely_migration')).toEqual([{ name: '0000-earlier' }]);
  });

  it('says that this machine’s clock and that of the database are apart, since jobs would begin too late', async () => {
    await using database = await migratedDatabase();
    const { of } = await found(database.url, KEY, () => new Date(Date.now() + 90_000));
    expect(of('database')).toMatch(
      /warn: this machine's clock is (89|90) s ahead of that of the database → Synchronise both clocks by NTP/,
    );
  });

  it('says that the service is paused', async () => {
    await using database = await migratedDatabase();
    expect((await found(database.url)).printed).not.toContain('paused: no model is called');
    await database.query("insert into service_marks (name, set_at) values ('paused', '2026-11-20T10:00:00.000Z')");
    expect((await found(database.url)).printed.split('paused: no model is called')).toHaveLength(2);
  });

  it('takes an empty database for one to come, and says of one that does not answer where it was looked for', async () => {
    await using database = await emptyDatabase();
    expect((await found(database.url)).of('database')).toMatch(/^ok: .* is empty; the first start creates its tables/);
    const away = await found('postgres://causeway:a-secret-word@127.0.0.1:48/causeway');
    expect(away.of('database')).toMatch(
      /fail: failed → The database postgres:\/\/\S*127\.0\.0\.1:48\/causeway does not answer/,
    );
    expect(away.printed).not.toContain('a-secret-word');
  });
});
