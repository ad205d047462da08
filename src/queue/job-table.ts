// The embedded queue's table, seen from a store's transaction: jobs come and go with the records that they belong to.
import { newId } from '../domain/ids.ts';
import type { JobKind, NewJob } from '../ports/queue.ts';
import type { Enqueuer } from '../store/enqueuer.ts';
import type { Trx } from '../store/schema.ts';
import { earlier } from './claims.ts';
import { refreshGroup } from './job-groups.ts';

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
        groups.set(`${job.kind} ${group}`, [job.kind, group]);
      }
      for (const [kind, group] of groups.values()) await refreshGroup(trx, kind, group);
      changed ||= jobs.length > 0;
    },
    async bury(trx, jobs) {
      for (const job of jobs) await insertJob(trx, job, 'dead');
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
 * runs again after; a dead one is alive again. Returns the job's group.
 */
async function enqueueJob(trx: Trx, { kind, subject, group, runAt }: NewJob): Promise<string> {
  const there = await trx
    .selectFrom('jobs')
    .select(['seq', 'state', 'group_key', 'run_at', 'again_at'])
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .executeTakeFirst();
  if (!there) await insertJob(trx, { kind, subject, group, runAt }, 'waiting');
  else if (there.state === 'running') {
    await trx
      .updateTable('jobs')
      .set({ again_at: earlier(runAt, there.again_at) })
      .where('seq', '=', there.seq)
      .execute();
  } else {
    const next =
      there.state === 'dead'
        ? ({ run_at: runAt, state: 'waiting', attempts: 0, failures: 0 } as const)
        : { run_at: earlier(runAt, there.run_at) };
    await trx.updateTable('jobs').set(next).where('seq', '=', there.seq).execute();
  }
  return there?.group_key ?? group;
}

async function insertJob(trx: Trx, { kind, subject, group, runAt }: NewJob, state: 'waiting' | 'dead'): Promise<void> {
  await trx
    .insertInto('jobs')
    .values({
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
    })
    .execute();
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
