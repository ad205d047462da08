// Fewer indexes for what is written most: a report alone in its commit touches 18 tables and indexes where it touched 24.
import { type Kysely, sql } from 'kysely';

/**
 * What nearly every new row would stand in with nothing to say (no thread, no end), holds only the rows that have it; what was read through two
 * indexes, one that begins like both. Those that go are missed by nobody: another that is there begins with the same column. On PostgreSQL nobody
 * writes investigations meanwhile (2.6 s where there are 100,000 of 1.5 kB, load 10; the table of jobs is empty there); on SQLite the first start
 * takes 8 s longer there (load 15).
 */
export async function fewerIndexes({ schema }: Kysely<unknown>): Promise<void> {
  const index = (name: string, columns: readonly string[]) =>
    schema
      .createIndex(`investigations_${name}`)
      .on('investigations')
      .columns([...columns]);
  await index('thread', ['thread_id', 'state', 'seq']).where('thread_id', 'is not', null).execute();
  await index('ended', ['ended_at', 'seq']).where('ended_at', 'is not', null).execute();
  await index('under_way', ['state', 'project_id', 'seq']).where(UNDER_WAY).execute();
  await index('ended_state', ['state', 'seq']).where(NOT_UNDER_WAY).execute();
  await index('ended_of', ['project_id', 'state', 'seq']).where(NOT_UNDER_WAY).execute();
  // Holds all that counting reads, by month and state and of one account in a day.
  await index('made', ['project_id', 'created_at', 'state', 'account_id']).execute();
  await schema
    .createIndex('jobs_running')
    .on('jobs')
    .columns(['state', 'lease_until'])
    .where(sql<boolean>`state = 'running'`)
    .execute();
  for (const gone of GONE) await schema.dropIndex(gone).execute();
}

const UNDER_WAY = sql<boolean>`state in ('queued', 'running')`;
const NOT_UNDER_WAY = sql<boolean>`state not in ('queued', 'running')`;

const GONE = [
  ...['thread_id', 'ended_at', 'state', 'open', 'accepted', 'begun'].map((name) => `investigations_${name}`),
  ...['jobs_group', 'jobs_state', 'job_groups_next'],
];
