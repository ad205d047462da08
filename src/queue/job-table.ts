// The embedded queue's table, seen from a store's transaction: jobs come and go with the records that they belong to.
import type { Selectable } from 'kysely';
import { newId } from '../core/ids.ts';
import type { JobKind, NewJob } from '../core/queue.ts';
import type { Enqueuer } from '../db/enqueuer.ts';
import type { Schema, Trx } from '../db/schema.ts';
import { earlier } from './earlier.ts';
import { addToGroup, refreshGroup } from './job-groups.ts';
import { moreUrgent } from './urgency.ts';

/** The enqueuer that the store is built with, and where the queue beside it hears of new and removed jobs. */
export interface JobTable extends Enqueuer {
  /** `listener` is called after each commit of this process that held jobs. Disposing ends it. */
  onChange(listener: () => void): Disposable;
}

/** For one process: the store and the queue on it must be given the same one. */
export function createJobTable(): JobTable {
  const listeners = new Set<() => void>();
  let changed = false;
  return {
    async enqueue(trx, jobs) {
      const groups = new Map<string, readonly [JobKind, string]>();
      for (const job of jobs) {
        const group = await enqueueJob(trx, job);
        if (group !== null) groups.set(`${job.kind} ${group}`, [job.kind, group]);
      }
      for (const [kind, group] of groups.values()) await refreshGroup(trx, kind, group);
      changed ||= jobs.length > 0;
    },
    async bury(trx, jobs) {
      for (const job of jobs) {
        if (!(await insertJob(trx, job, 'dead')))
          throw new Error(`the job ${job.kind} of ${job.subject} is there already`);
      }
    },
    async remove(trx, kind, subjects) {
      if (await removeJobs(trx, kind, subjects)) changed = true;
    },
    committed() {
      if (!changed) return;
      changed = false;
      for (const listener of listeners) listener();
    },
    onChange(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}

/**
 * A waiting job is moved to the earlier of its moments, so that nobody who asked is kept waiting by whoever asks for later; a running one
 * runs again after; a dead one is alive again. Nobody makes it less urgent than somebody else has. Returns the group
 * that must be looked at anew: null for none.
 */
async function enqueueJob(trx: Trx, job: NewJob): Promise<string | null> {
  const { kind, subject, group, runAt, organisation } = job;
  // Almost always it is new.
  if (await insertJob(trx, job, 'waiting')) return (await addToGroup(trx, job)) ? null : group;
  const there = await trx
    .selectFrom('jobs')
    .select(['seq', 'state', 'group_key', 'run_at', 'again_at', 'urgency'])
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .executeTakeFirstOrThrow();
  // A dead one is as new.
  const urgency = there.state === 'dead' ? job.urgency : moreUrgent(there.urgency, job.urgency);
  const next = { organisation, urgency, ...afterAsking(there, runAt) };
  await trx.updateTable('jobs').set(next).where('seq', '=', there.seq).execute();
  return there.group_key;
}

function afterAsking(
  { state, run_at, again_at }: Pick<Selectable<Schema['jobs']>, 'state' | 'run_at' | 'again_at'>,
  runAt: string,
) {
  switch (state) {
    case 'running':
      return { again_at: earlier(runAt, again_at) };
    case 'dead':
      return { run_at: runAt, state: 'waiting', attempts: 0, failures: 0 } as const;
    case 'waiting':
      return { run_at: earlier(runAt, run_at) };
  }
}

/** False, and nothing is written, where a job of that kind and subject is there. */
async function insertJob(trx: Trx, job: NewJob, state: 'waiting' | 'dead'): Promise<boolean> {
  const { kind, subject, group, runAt, urgency, organisation } = job;
  const row = {
    id: newId('job'),
    kind,
    subject,
    group_key: group,
    state,
    run_at: runAt,
    attempts: 0,
    failures: 0,
    generation: 0,
    owner: null,
    lease_until: null,
    again_at: null,
    urgency,
    organisation,
  };
  const inserted = await trx
    .insertInto('jobs')
    .values(row)
    .onConflict((conflict) => conflict.columns(['kind', 'subject']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** True where any was there. */
async function removeJobs(trx: Trx, kind: JobKind, subjects: readonly string[]): Promise<boolean> {
  if (subjects.length === 0) return false;
  const removed = await trx
    .deleteFrom('jobs')
    .where('kind', '=', kind)
    .where('subject', 'in', subjects)
    .returning('group_key')
    .execute();
  for (const group of new Set(removed.map((row) => row.group_key))) await refreshGroup(trx, kind, group);
  return removed.length > 0;
}
