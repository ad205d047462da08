// What the contract looks at besides the store's own verbs: the tables themselves, alike on every engine.
import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import type { Trx } from '../../src/db/schema.ts';
import { conclusion } from '../support/store-samples.ts';
import type { Opened } from './engine.ts';

const RECORDS = [
  ...(['runs', 'steps', 'investigations', 'issues', 'webhooks', 'threads', 'jobs'] as const),
  ...([
    'heads',
    'findings',
    'failures',
    'sightings',
    'passing_checks',
    'known_issues',
    'known_ties',
    'known_hits',
    'backfills',
    'outcomes',
    'votes',
  ] as const),
  ...(['overrides', 'reruns', 'put_backs', 'foreign_proofs'] as const),
  ...(['webhook_attempts', 'sessions', 'sign_in_codes', 'sign_in_states'] as const),
] as const;

/** Everything that the store's own verbs write. */
const ALL = [
  ...RECORDS,
  ...([
    'accounts',
    'signing_secrets',
    'tokens',
    'projects',
    'idempotency_keys',
    'subscriptions',
    'audit',
    'transcript_entries',
  ] as const),
  ...(['costs', 'deliveries', 'installations', 'config_notices'] as const),
] as const;

type Inspected = Pick<
  Opened,
  'audit' | 'jobs' | 'endedIn' | 'deliveryEnds' | 'manyIssues' | 'recordCounts' | 'tablesHolding'
>;

export function inspected(database: Database): Inspected {
  return {
    async jobs() {
      const rows = await database.read((reader) => reader.selectFrom('jobs').selectAll().orderBy('seq').execute());
      return rows.map(({ kind, subject, group_key: group, run_at: runAt, urgency }) => ({
        ...{ kind, subject, group, runAt, urgency },
      }));
    },
    async endedIn(subject, times) {
      const lost = { attempts: times, state: 'running' } as const;
      const rows = database.write((trx) => trx.updateTable('jobs').set(lost).where('subject', '=', subject).execute());
      if (times > 0) await rows;
    },
    audit: () =>
      database.read((reader) => reader.selectFrom('audit').select(['verb', 'subject']).orderBy('seq').execute()),
    deliveryEnds: () =>
      database.read((reader) =>
        reader.selectFrom('deliveries').select(['id', 'state', 'detail']).orderBy('id').execute(),
      ),
    manyIssues: (projectId, accountId, count) => manyIssues(database, { projectId, accountId, count }),
    async tablesHolding(text) {
      const holding: string[] = [];
      for (const table of ALL) {
        const rows = await database.read((reader) => reader.selectFrom(table).selectAll().execute());
        if (JSON.stringify(rows).includes(JSON.stringify(text).slice(1, -1))) holding.push(table);
      }
      return holding;
    },
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
  };
}

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
    // By the engine itself: 2 s, where values that are handed over took 9.
    const numbers = sql`with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < ${sql.lit(count - 1)})`;
    await sql`
      insert into investigations (id, run_id, account_id, project_id, origin, reference, text, callback_url, state, outcome, created_at,
        ended_at, is_trusted, settings, guidance)
      ${numbers} select 'inv_iss_many' || n, 'run_many', ${sql.lit(accountId)}, ${sql.lit(projectId)}, 'api', '', 'many', '', 'concluded',
        '{"state":"concluded","issueId":"iss_many' || n || '"}', ${sql.lit(now)}, ${sql.lit(now)}, 1, '{}', '' from numbers`.execute(
      trx,
    );
    await sql`
      insert into issues (id, project_id, investigation_id, run_id, created_at)
      ${numbers} select 'iss_many' || n, ${sql.lit(projectId)}, 'inv_iss_many' || n, 'run_many', ${sql.lit(now)} from numbers`.execute(
      trx,
    );
  });
  return ids;
}

/** Runs the verb in a transaction that fails after it. */
export async function failAfter(database: Database, verb: (trx: Trx) => Promise<void>): Promise<void> {
  const failed = new Error('the rest of the transaction failed');
  try {
    await database.write(async (trx) => {
      await verb(trx);
      throw failed;
    });
  } catch (error) {
    if (error !== failed) throw error;
  }
}
