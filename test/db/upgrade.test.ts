// A database of the schema before GitHub, with rows in it, is upgraded and keeps them all.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import { migrationsFor } from '../../src/db/migrations/all.ts';
import { createSeal } from '../../src/db/seal.ts';
import { openConnection, SQLITE_TABLES, sqliteDialect } from '../../src/db/sqlite-engine.ts';
import { openSqlite } from '../contract/sqlite-place.ts';
import { patience, plenty, recorder } from '../support/queue-samples.ts';
import { acceptance, accepted, conclusion, NOW, started } from '../support/store-samples.ts';

type Row = Readonly<Record<string, string | number | null>>;

/** What an earlier version has written: one caller with a token, three projects, a concluded report and one in flight. */
function rowsBefore(): Readonly<Record<string, readonly Row[]>> {
  const about = { account_id: 'acc_1', project_id: 'prj_1' };
  const secret = createSeal(Buffer.alloc(32, 7)).seal('whsec_old', 'signing-secret acc_1');
  const run = { ...about, revision: '', fresh: 0, step_count: 0, created_at: NOW };
  const report = { ...about, origin: 'api', reference: 'r', text: 'old words', created_at: NOW };
  const project = (id: string, name: string, source: unknown, hidden: number) => ({
    ...{ id, name, name_lower: name.toLowerCase(), source: JSON.stringify(source), hidden, created_at: NOW },
  });
  return {
    accounts: [{ id: 'acc_1', login: 'Local', login_lower: 'local', created_at: NOW }],
    signing_secrets: [{ account_id: 'acc_1', secret, created_at: NOW }],
    tokens: [{ id: 'tok_1', account_id: 'acc_1', name: 'ci', hash: 'h', scopes: '["issues:read"]', created_at: NOW }],
    projects: [
      project('prj_1', 'local/App', { kind: 'path', path: '/srv/app' }, 0),
      project('prj_2', 'o/r', { kind: 'url', url: 'https://e.org/o/r.git' }, 0),
      project('prj_3', 'local/gone', { kind: 'path', path: '/srv/gone' }, 1),
    ],
    runs: [
      {
        ...{ ...run, id: 'run_done', fingerprint: 'done', state: 'ended', generation: 1 },
        ...{ sha: 'a'.repeat(40), conclusion: JSON.stringify(conclusion()), analysed_at: NOW },
      },
      { ...run, id: 'run_open', fingerprint: 'same', state: 'running', generation: 1 },
    ],
    investigations: [
      {
        ...{ ...report, id: 'inv_done', run_id: 'run_done', callback_url: '', state: 'concluded', ended_at: NOW },
        outcome: JSON.stringify({ state: 'concluded', issueId: 'iss_1' }),
      },
      {
        ...{ ...report, id: 'inv_open', run_id: 'run_open', callback_url: 'https://e.org/in', state: 'running' },
        outcome: '{"state":"running"}',
      },
    ],
    issues: [{ id: 'iss_1', project_id: 'prj_1', investigation_id: 'inv_done', run_id: 'run_done', created_at: NOW }],
    jobs: [
      {
        ...{ id: 'job_1', kind: 'run', subject: 'run_open', group_key: 'prj_1', state: 'running', run_at: NOW },
        ...{ attempts: 1, failures: 0, generation: 1, owner: 'gone', lease_until: '2099-01-01T00:00:00.000Z' },
      },
    ],
    costs: [{ run_id: 'run_done', month: '2026-11', project_id: 'prj_1', reserved: 0, spent: 5 }],
  };
}

describe('an upgrade from the schema before GitHub', () => {
  let folder = '';
  let file = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-upgrade-'));
    file = join(folder, 'causeway.db');
    const kysely = new Kysely<unknown>({ dialect: sqliteDialect(openConnection(file)) });
    const provider = { getMigrations: async () => migrationsFor(SQLITE_TABLES) };
    await new Migrator({ db: kysely, provider }).migrateTo('0005-agent');
    await kysely.destroy();
    const connection = new Sqlite(file);
    for (const [table, rows] of Object.entries(rowsBefore())) {
      for (const row of rows) {
        const names = Object.keys(row);
        const marks = names.map((name) => `@${name}`).join(', ');
        connection.prepare(`insert into ${table} (${names.join(', ')}) values (${marks})`).run(row);
      }
    }
    connection.close();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('keeps accounts, tokens and secrets', async () => {
    await using opened = await openSqlite(file);
    const account = { id: 'acc_1', login: 'Local', githubId: null };
    const wanted = { login: 'local', githubId: null, signingSecret: 'whsec_new', now: NOW };
    expect(await opened.store.ensureAccount(wanted)).toEqual(account);
    expect((await opened.store.tokenByHash('h'))?.account).toEqual(account);
    expect(await opened.store.signingSecrets('acc_1', NOW)).toEqual(['whsec_old']);
  });

  it('keeps projects, shown and hidden, with their ids, and finds them again by their source', async () => {
    await using opened = await openSqlite(file);
    const { store } = opened;
    expect((await store.projects({})).map((project) => project.id)).toEqual(['prj_1', 'prj_2']);
    expect(await store.project('local/gone')).toBeNull();
    expect(await store.hiddenProjects()).toEqual([]);
    const wanted = [
      { name: 'local/App', source: { kind: 'path', path: '/srv/app' } },
      { name: 'o/r', source: { kind: 'url', url: 'https://e.org/o/r.git' } },
      { name: 'local/gone', source: { kind: 'path', path: '/srv/gone' } },
    ] as const;
    const all = await store.syncProjects(wanted, NOW);
    expect(all.map(({ id, name, source }) => ({ id, name, source }))).toEqual([
      { id: 'prj_1', ...wanted[0] },
      { id: 'prj_3', ...wanted[2] },
      { id: 'prj_2', ...wanted[1] },
    ]);
  });

  it('keeps Issues as they were', async () => {
    await using opened = await openSqlite(file);
    const issue = await opened.store.issue('iss_1');
    expect(issue).toMatchObject({ id: 'iss_1', projectId: 'prj_1', problem: conclusion().problem });
    expect(issue?.analysis).toMatchObject({ report: 'old words', links: { comment: null, pullRequest: null } });
    expect(await opened.store.issueIds('prj_1')).toEqual(['iss_1']);
    expect(await opened.store.eraseIssue('iss_1', NOW)).toBe(true);
  });

  it('runs what was in flight, as the trusted report with default settings that it was, and an equal one joins it', async () => {
    await using opened = await openSqlite(file);
    const { store } = opened;
    const account = { id: 'acc_1', login: 'Local', githubId: null };
    const project = (await store.project('prj_1'))!;
    expect(await accepted(store, acceptance({ account, project }))).toMatchObject({ runId: 'run_open', joined: true });
    const { handled, handlers } = recorder();
    await using worker = opened.queue({}).work(handlers, { run: plenty, webhook: plenty });
    await worker.idle(patience());
    expect(handled.map(({ subject, attempt }) => ({ subject, attempt }))).toEqual([
      { subject: 'run_open', attempt: 2 },
    ]);
    const run = await started(store, 'run_open');
    expect(run).toMatchObject({ text: 'old words', isTrusted: true, settings: DEFAULT_SETTINGS, generation: 2 });
    expect(await store.conclude(run, conclusion(), NOW)).toHaveLength(2);
  });
});
