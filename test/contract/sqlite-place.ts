// The SQLite engine under the contract: real files in a temporary folder.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../src/log.ts';
import { createEmbeddedQueue } from '../../src/queue/embedded-queue.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { openSqliteStore } from '../../src/store/open-sqlite.ts';
import { createSeal } from '../../src/store/seal.ts';
import { conclusion } from '../support/store-samples.ts';
import type { Engine, Opened } from './engine.ts';

export const sqlite: Engine = {
  name: 'SQLite',
  async place() {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-store-'));
    return {
      open: () => openSqlite(join(folder, 'causeway.db')),
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
    };
  },
};

const RECORDS = [
  ...(['runs', 'steps', 'investigations', 'issues', 'webhooks', 'threads', 'jobs', 'job_groups'] as const),
  ...(['heads', 'findings', 'failures', 'sightings', 'greens', 'backfills'] as const),
  ...(['webhook_attempts', 'sessions', 'sign_in_codes', 'sign_in_states'] as const),
] as const;

export async function openSqlite(file: string): Promise<Opened> {
  const jobs = createJobTable();
  const store = await openSqliteStore({ file, seal: createSeal(Buffer.alloc(32, 7)), enqueuer: jobs });
  const { database } = store;
  return {
    store,
    async enqueue(...wanted) {
      await database.write((trx) => jobs.enqueue(trx, wanted));
    },
    async jobs() {
      const rows = await database.read((reader) => reader.selectFrom('jobs').selectAll().orderBy('seq').execute());
      return rows.map((row) => ({ kind: row.kind, subject: row.subject, group: row.group_key, runAt: row.run_at }));
    },
    queue: (options) =>
      createEmbeddedQueue({
        database,
        jobs,
        log: createLog({ level: 'silent' }),
        now: () => new Date(),
        recovery: 'sole-owner',
        ...options,
      }),
    audit: () =>
      database.read((reader) => reader.selectFrom('audit').select(['verb', 'subject']).orderBy('seq').execute()),
    deliveryEnds: () =>
      database.read((reader) =>
        reader.selectFrom('deliveries').select(['id', 'state', 'detail']).orderBy('id').execute(),
      ),
    manyIssues: (projectId, accountId, count) => manyIssues(store.database, { projectId, accountId, count }),
    async recordCounts() {
      const counts: Record<string, number> = {};
      for (const table of RECORDS) {
        const row = await database.read((reader) =>
          reader
            .selectFrom(table)
            .select((e) => e.fn.countAll<number>().as('count'))
            .executeTakeFirstOrThrow(),
        );
        counts[table] = row.count;
      }
      return counts;
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

type Database = Awaited<ReturnType<typeof openSqliteStore>>['database'];

async function manyIssues(
  database: Database,
  { projectId, accountId, count }: { projectId: string; accountId: string; count: number },
): Promise<readonly string[]> {
  const now = '2026-11-20T10:00:00.000Z';
  const ids = Array.from({ length: count }, (_, i) => `iss_many${i}`);
  await database.write(async (trx) => {
    await trx
      .insertInto('runs')
      .values({
        id: 'run_many',
        project_id: projectId,
        account_id: accountId,
        fingerprint: 'many',
        revision: '',
        fresh: 1,
        state: 'ended',
        generation: 1,
        step_count: 0,
        created_at: now,
        sha: null,
        conclusion: JSON.stringify(conclusion()),
        analysed_at: now,
      })
      .execute();
    for (let from = 0; from < count; from += 1000) {
      const part = ids.slice(from, from + 1000);
      await trx
        .insertInto('investigations')
        .values(
          part.map((id) => ({
            id: `inv_${id}`,
            run_id: 'run_many',
            account_id: accountId,
            project_id: projectId,
            origin: 'api' as const,
            reference: '',
            text: 'many',
            callback_url: '',
            state: 'concluded' as const,
            outcome: JSON.stringify({ state: 'concluded', issueId: id }),
            created_at: now,
            ended_at: now,
            is_trusted: 1 as const,
            settings: '{}',
          })),
        )
        .execute();
      await trx
        .insertInto('issues')
        .values(
          part.map((id) => ({
            id,
            project_id: projectId,
            investigation_id: `inv_${id}`,
            run_id: 'run_many',
            same_as: null,
            created_at: now,
          })),
        )
        .execute();
    }
  });
  return ids;
}
