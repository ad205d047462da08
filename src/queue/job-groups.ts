// One row per group with work: how many of its jobs run, and when the next is due. A claim reads these few rows
// instead of the queue: behind 10,000 jobs of a group that is at its limit it still costs two index look-ups.
import { sql } from 'kysely';
import type { JobKind } from '../ports/queue.ts';
import type { Trx } from '../store/schema.ts';

/** Brings a group's row up to date; to be called in every transaction that changes a job of the group. */
export async function refreshGroup(trx: Trx, kind: JobKind, group: string): Promise<void> {
  const jobs = trx.selectFrom('jobs').where('kind', '=', kind).where('group_key', '=', group);
  const running = await jobs
    .where('state', '=', 'running')
    .select((expression) => expression.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const next = await jobs.where('state', '=', 'waiting').select('run_at').orderBy('run_at').limit(1).executeTakeFirst();
  const row = { running: running.count, next_at: next?.run_at ?? null };
  if (row.running === 0 && row.next_at === null) {
    await trx.deleteFrom('job_groups').where('kind', '=', kind).where('group_key', '=', group).execute();
    return;
  }
  await trx
    .insertInto('job_groups')
    .values({ kind, group_key: group, ...row })
    .onConflict((conflict) => conflict.columns(['kind', 'group_key']).doUpdateSet(row))
    .execute();
}

/** Makes all rows anew from the jobs. */
export async function rebuildGroups(trx: Trx): Promise<void> {
  await trx.deleteFrom('job_groups').execute();
  await trx
    .insertInto('job_groups')
    .columns(['kind', 'group_key', 'running', 'next_at'])
    .expression(
      trx
        .selectFrom('jobs')
        .select(({ ref, fn }) => [
          ref('kind').as('kind'),
          ref('group_key').as('group_key'),
          sql<number>`sum(case when state = 'running' then 1 else 0 end)`.as('running'),
          fn.min(sql<string | null>`case when state = 'waiting' then run_at end`).as('next_at'),
        ])
        .where('state', '!=', 'dead')
        .groupBy(['kind', 'group_key']),
    )
    .execute();
}
