// A database of the schema before the account area is upgraded: what is counted from now on begins at nought, what was held back is found.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, it } from 'vitest';
import { EMPTY_HEAD_RECORD, type HeadRecord } from '../../src/core/head.ts';
import { EMPTY_RECORD, type ThreadRecord } from '../../src/core/thread.ts';
import { migrationsFor } from '../../src/db/migrations/all.ts';
import { openConnection, SQLITE_TABLES, sqliteDialect } from '../../src/db/sqlite-engine.ts';
import { openSqlite } from '../contract/sqlite-place.ts';
import { trigger } from '../support/github-store-samples.ts';
import { NOW } from '../support/store-samples.ts';

/** What the version before has written: a person, a project, three threads, three heads, a webhook that was tried three times, costs. */
function writeBefore(file: string): void {
  const connection = new Sqlite(file);
  const insert = (table: string, row: Readonly<Record<string, unknown>>) => {
    const names = Object.keys(row);
    const marks = names.map((name) => `@${name}`).join(', ');
    connection.prepare(`insert into ${table} (${names.join(', ')}) values (${marks})`).run(row);
  };
  insert('accounts', { id: 'acc_1', login: 'mona', login_lower: 'mona', github_id: 7, created_at: NOW });
  const source = JSON.stringify({ kind: 'path', path: '/srv/app' });
  const names = { name: 'local/app', name_lower: 'local/app', place: 'path /srv/app' };
  insert('projects', { id: 'prj_1', ...names, source, created_at: NOW });
  const thread = (number: number, record: Partial<ThreadRecord>) =>
    insert('threads', {
      ...{ id: `thr_${number}`, project_id: 'prj_1', subject_key: `issue ${number}`, investigation_id: 'inv_1' },
      ...{ subject: JSON.stringify({ kind: 'issue', number }), trigger_json: JSON.stringify(trigger()) },
      ...{ record: JSON.stringify({ ...EMPTY_RECORD, ...record }), pull_request_open: 0 },
      ...{ created_at: NOW, changed_at: NOW },
    });
  thread(1, {});
  thread(2, { held: { comment: 'what would stand there', pullRequest: '' } });
  const reason = 'a report that says "held":{"comment": and nothing else';
  thread(3, { withheld: { investigationId: 'inv_1', reason, request: '' } });
  const head = (number: number, record: HeadRecord) =>
    insert('heads', {
      ...{ id: `hed_${number}`, project_id: 'prj_1', sha: String(number).repeat(40), branch: 'main', state: 'red' },
      ...{ is_red: 1, place: null, left_out: '[]', still_waiting: '[]', ended_at: NOW, record: JSON.stringify(record) },
      ...{ created_at: NOW, changed_at: NOW },
    });
  head(1, EMPTY_HEAD_RECORD);
  head(2, { checkRun: null, held: 'what would stand there' });
  const url = 'https://github.test/runs/"held":"';
  head(3, { checkRun: { id: 1, url, status: 'completed', digest: '', annotations: 0, at: NOW }, held: null });
  const webhook = { id: 'evt_1', type: 'issue.failed', account_id: 'acc_1', investigation_id: 'inv_1', url: '' };
  insert('webhooks', { ...webhook, state: 'delivered', attempts: 3, last_error: '', created_at: NOW });
  insert('costs', { run_id: 'run_1', month: '2026-11', project_id: 'prj_1', reserved: 0, spent: 500_000 });
  insert('audit', { at: NOW, account_id: 'acc_1', verb: 'report.accepted', subject: 'inv_1' });
  connection.close();
}

it('an upgrade from the schema before the account area keeps what was there, and finds what was held back', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-upgrade-'));
  try {
    const file = join(folder, 'causeway.db');
    const kysely = new Kysely<unknown>({ dialect: sqliteDialect(openConnection(file)) });
    const provider = { getMigrations: async () => migrationsFor(SQLITE_TABLES) };
    await new Migrator({ db: kysely, provider }).migrateTo('0007-checks');
    await kysely.destroy();
    writeBefore(file);
    await using opened = await openSqlite(file);
    const { store } = opened;
    expect((await store.heldThreads('prj_1', 10)).map(({ id }) => id)).toEqual(['thr_2']);
    expect((await store.heldHeads('prj_1', 10)).map(({ id }) => id)).toEqual(['hed_2']);
    expect(await store.webhook('evt_1')).toMatchObject({ attempts: 3, attemptsBefore: 0 });
    expect(await store.attempts('evt_1')).toEqual([]);
    expect(await store.runSpending('run_1')).toMatchObject({ spentUsd: 0.5, turns: 0, promptTokens: 0 });
    expect(await store.auditEntries({ accountId: 'acc_1', projectIds: ['prj_1'], limit: 10 })).toEqual([
      { number: 1, at: NOW, who: 'mona', verb: 'report.accepted', subject: 'inv_1', projectId: null },
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
