// A database of the schema before checks, or of the first that had them, is upgraded and keeps what is in it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, it } from 'vitest';
import { checkKey } from '../../src/core/check.ts';
import { migrationsFor } from '../../src/db/migrations/all.ts';
import { openConnection, SQLITE_TABLES, sqliteDialect } from '../../src/db/sqlite-engine.ts';
import type { Opened } from '../contract/engine.ts';
import { openSqlite } from '../contract/sqlite-place.ts';
import { ofActions } from '../support/check-store-samples.ts';
import { installation, repository } from '../support/github-store-samples.ts';
import { at, conclusion, NOW } from '../support/store-samples.ts';

const source = {
  ...{ kind: 'github', repositoryId: 1, installationId: 500, url: 'https://github.test/octo/shop.git' },
  ...{ isPrivate: true, isArchived: false, defaultBranch: 'main' },
};

type Insert = (table: string, row: Readonly<Record<string, unknown>>) => void;

/** A file of that schema, with what `write` puts into it. */
async function upgraded(schema: string, write: (insert: Insert) => void, check: (opened: Opened) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-upgrade-'));
  try {
    const file = join(folder, 'causeway.db');
    const kysely = new Kysely<unknown>({ dialect: sqliteDialect(openConnection(file)) });
    const provider = { getMigrations: async () => migrationsFor(SQLITE_TABLES) };
    await new Migrator({ db: kysely, provider }).migrateTo(schema);
    await kysely.destroy();
    const connection = new Sqlite(file);
    write((table, row) => {
      const names = Object.keys(row);
      const marks = names.map((name) => `@${name}`).join(', ');
      connection.prepare(`insert into ${table} (${names.join(', ')}) values (${marks})`).run(row);
    });
    connection.close();
    await using opened = await openSqlite(file);
    await check(opened);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function writeProject(insert: Insert): void {
  const name = { name: 'octo/shop', name_lower: 'octo/shop', place: 'github 1' };
  insert('projects', { id: 'prj_1', ...name, source: JSON.stringify(source), created_at: NOW });
}

/** What the version before checks has written: a project of GitHub with one concluded report. */
function writeReport(insert: Insert): void {
  const about = { account_id: 'acc_1', project_id: 'prj_1', created_at: NOW };
  insert('accounts', { id: 'acc_1', login: 'mona', login_lower: 'mona', github_id: 7, created_at: NOW });
  writeProject(insert);
  const ended = { state: 'ended', generation: 1, step_count: 0, conclusion: JSON.stringify(conclusion()) };
  insert('runs', { ...about, id: 'run_1', fingerprint: 'f', revision: '', fresh: 0, ...ended });
  const outcome = JSON.stringify({ state: 'concluded', issueId: 'iss_1' });
  insert('investigations', {
    ...{ ...about, id: 'inv_1', run_id: 'run_1', origin: 'api', reference: '', text: 'words', callback_url: '' },
    ...{ state: 'concluded', outcome, ended_at: NOW },
  });
  insert('issues', { id: 'iss_1', project_id: 'prj_1', investigation_id: 'inv_1', run_id: 'run_1', created_at: NOW });
}

it('an upgrade from the schema before checks keeps Issues, and reads the past of the projects that are there', async () => {
  await upgraded('0006-github', writeReport, async (opened) => {
    const { store } = opened;
    expect((await store.issue('iss_1'))?.analysis).toMatchObject({ report: 'words', verdict: null });
    expect(await store.backfill('prj_1')).toBeNull();
    await store.syncInstallation(installation(), [repository(1, 'octo/shop')], NOW);
    expect(await store.backfill('prj_1')).toMatchObject({ state: 'waiting', calls: 0 });
    expect((await opened.jobs()).map((job) => job.subject)).toEqual(['prj_1']);
  });
});

it('an upgrade from the schema without runs of greens keeps the greens, and learns of the runs of others', async () => {
  const write = (insert: Insert) => {
    writeProject(insert);
    const key = { project_id: 'prj_1', check_key: checkKey(ofActions('test')) };
    insert('greens', { ...key, sha: 'old', green_at: NOW });
  };
  await upgraded('0007-checks', write, async ({ store }) => {
    await store.noteGreen('prj_1', { check: ofActions('test'), sha: 'new', at: at(5), runId: 7 });
    expect(await store.lastGreens('prj_1', ofActions('test'))).toEqual([
      { sha: 'new', at: at(5), runId: 7 },
      { sha: 'old', at: NOW, runId: null },
    ]);
  });
});
