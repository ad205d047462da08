// pg-boss's jobs, seen from a store's transaction: they come and go with the records that they belong to.
import { createHash } from 'node:crypto';
import { type Db, fromKysely, type PgBoss } from 'pg-boss';
import type { JobKind, NewJob } from '../core/queue.ts';
import type { Enqueuer } from '../db/enqueuer.ts';
import { createJobIds } from './boss-ids.ts';
import { type BossStatements, deadQueue, UNTRIED } from './boss-statements.ts';
import { earlier } from './earlier.ts';
import { moreUrgent, priorityOf } from './urgency.ts';

interface Inside {
  readonly boss: PgBoss;
  readonly statements: BossStatements;
}

/** How often a job may end between the look whether it is there and the word that it is wanted again. */
const ROUNDS = 5;

export function createBossJobs(inside: Inside): Enqueuer {
  const newId = createJobIds();
  return {
    async enqueue(trx, jobs) {
      if (jobs.length === 0) return;
      const db = fromKysely(trx);
      for (const [kind, wanted] of byKind(jobs)) await enqueueKind({ ...inside, db, kind, newId }, wanted);
      await db.executeSql(inside.statements.tell, ['added']);
    },
    async bury(trx, jobs) {
      const db = fromKysely(trx);
      for (const [kind, wanted] of byKind(jobs)) {
        const buried = [...wanted.values()].map((job) => ({ ...job, priority: priorityOf(job.urgency) }));
        await buryKind({ ...inside, db, kind }, buried);
      }
    },
    remove: (trx, kind, subjects) => removeJobs({ ...inside, db: fromKysely(trx), kind }, subjects),
    // The database tells every process, this one too.
    committed() {},
  };
}

/** One of a subject, at the earliest moment that was asked for, and as urgent as anybody has it. */
function byKind(jobs: readonly NewJob[]): ReadonlyMap<JobKind, ReadonlyMap<string, NewJob>> {
  const kinds = new Map<JobKind, Map<string, NewJob>>();
  for (const job of jobs) {
    const wanted = kinds.get(job.kind) ?? new Map<string, NewJob>();
    const before = wanted.get(job.subject);
    wanted.set(job.subject, before ? asBoth(before, job) : job);
    kinds.set(job.kind, wanted);
  }
  return kinds;
}

function asBoth(before: NewJob, job: NewJob): NewJob {
  const { organisation } = job;
  const urgency = moreUrgent(before.urgency, job.urgency);
  return { ...before, organisation, urgency, runAt: earlier(before.runAt, job.runAt) };
}

interface InTransaction extends Inside {
  readonly db: Db;
  readonly kind: JobKind;
}

/** See `enqueueJob` of the embedded queue: what waits is moved to the earlier moment, what runs runs again, what is dead is alive. */
async function enqueueKind(
  { boss, statements, db, kind, newId }: InTransaction & { readonly newId: () => string },
  wanted: ReadonlyMap<string, NewJob>,
): Promise<void> {
  await boss.deleteJob(
    deadQueue(kind),
    [...wanted.keys()].map((subject) => deadId(kind, subject)),
    { db },
  );
  let left = [...wanted.values()];
  for (let round = 0; left.length > 0; round++) {
    if (round === ROUNDS) throw new Error(`the ${kind} jobs come and go too fast to be enqueued`);
    const ids = new Map(left.map((job) => [newId(), job]));
    const rows = [...ids].map(([id, { subject, group, runAt, urgency, organisation }]) => ({
      ...{ id, singletonKey: subject, startAfter: runAt, data: UNTRIED, priority: priorityOf(urgency) },
      group: groupOf(group, organisation),
    }));
    const made = (await boss.insert(kind, rows, { db, returnId: true })) ?? [];
    for (const id of made) ids.delete(id);
    if (ids.size === 0) return;
    const there = [...ids.values()].map(({ subject, runAt, urgency, organisation }) => ({
      ...{ subject, run_at: runAt, priority: priorityOf(urgency), organisation },
    }));
    const moved = await db.executeSql(statements.askAgain, [kind, JSON.stringify(there)]);
    const subjects = new Set(moved.rows.map((row: { readonly subject: string }) => row.subject));
    left = [...ids.values()].filter(({ subject }) => !subjects.has(subject));
  }
}

/** Whose turn a job takes stands where pg-boss keeps the tier of a group, which nothing else here uses. */
function groupOf(id: string, organisation: string): { readonly id: string; readonly tier?: string } {
  return organisation === '' ? { id } : { id, tier: organisation };
}

interface Buried extends Pick<NewJob, 'subject' | 'group' | 'organisation'> {
  /** As pg-boss keeps it, see `urgency.ts`. */
  readonly priority: number;
}

/** Where those that are given up lie, see `become` in boss-ends.ts. */
export async function buryKind(
  { boss, db, kind }: Pick<InTransaction, 'boss' | 'db' | 'kind'>,
  jobs: readonly Buried[],
): Promise<void> {
  const dead = jobs.map(({ subject, group, organisation, priority }) => ({
    ...{
      id: deadId(kind, subject),
      singletonKey: subject,
      group: groupOf(group, organisation),
      priority,
      data: UNTRIED,
    },
  }));
  await boss.insert(deadQueue(kind), dead, { db });
}

/** Wherever they stand; who runs one is told. */
export async function removeJobs(
  { boss, statements, db, kind }: InTransaction,
  subjects: readonly string[],
): Promise<void> {
  if (subjects.length === 0) return;
  await db.executeSql(statements.remove, [kind, [...subjects]]);
  await boss.deleteJob(
    deadQueue(kind),
    subjects.map((subject) => deadId(kind, subject)),
    { db },
  );
  await db.executeSql(statements.tell, ['removed']);
}

/** A dead job is found by its subject, without an index for it. Names a place, and keeps no secret. */
function deadId(kind: JobKind, subject: string): string {
  return asUuid(createHash('sha256').update(`${kind} ${subject}`).digest(), 8);
}

function asUuid(bytes: Buffer, version: number): string {
  const hex = bytes.toString('hex');
  return [
    ...[
      hex.slice(0, 8),
      hex.slice(8, 12),
      `${version}${hex.slice(13, 16)}`,
      `8${hex.slice(17, 20)}`,
      hex.slice(20, 32),
    ],
  ].join('-');
}
