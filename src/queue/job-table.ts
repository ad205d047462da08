// The table of jobs: what is enqueued, claimed, ended and counted, the same on both engines.
import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { ClaimedJob, JobKind, KindDepth, NewJob, Queue, Urgency } from '../core/queue.ts';
import type { Database, Enqueuer, Reader, Schema, Trx } from '../db/index.ts';

type JobRow = Selectable<Schema['jobs']>;

/** A waiting job as a transport receives it. */
export interface ScheduledJob {
  readonly id: string;
  readonly kind: JobKind;
  readonly group: string;
  readonly urgency: Urgency;
  readonly runAt: string;
}

/**
 * What hands out the jobs of the table where the table does not do so itself; kept in step in the same transactions.
 */
export interface JobTransport {
  send(trx: Trx, jobs: readonly ScheduledJob[]): Promise<void>;
  /** The job waits for another moment or with another urgency; one that was just handed out stays as it is. */
  reschedule(trx: Trx, job: ScheduledJob): Promise<void>;
  remove(trx: Trx, kind: JobKind, ids: readonly string[]): Promise<void>;
}

/** What a commit changed. */
interface JobChange {
  /** Kinds of which jobs were enqueued. */
  readonly kinds: ReadonlySet<JobKind>;
  /** Whether jobs were removed, which may be running here. */
  readonly removed: boolean;
}

/** The enqueuer that the store is built with; the queue on the same database must be given the same one. */
export interface JobTable extends Enqueuer {
  readonly transport: JobTransport | null;
  /** `listener` is called after each commit of this process that held jobs. Disposing ends it. */
  onCommit(listener: (change: JobChange) => void): Disposable;
}

/** A job that one worker holds. Once it is claimed again, scheduled again or removed the claim is worth nothing. */
export interface Claim extends ClaimedJob {
  readonly group: string;
  /** Earlier tries that threw an error. */
  readonly failures: number;
}

/** How a claim ends. */
export type ClaimEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'dead' }
  /** The handler requested another time: its tries start again. */
  | { readonly kind: 'later'; readonly runAt: string }
  | { readonly kind: 'failed'; readonly runAt: string }
  /** Not a try: the worker stopped in the middle, or the database was away. Without a moment it stays due. */
  | { readonly kind: 'handed-back'; readonly runAt?: string }
  /** It lost its worker: the engine took it away from one that was silent for too long. */
  | { readonly kind: 'lost' };

/** After this many lost workers a job may be poison: it then runs alone, so that it cannot end others with it. */
export const SUSPECT_LOST = 3;
/** Rows of one insert; SQLite takes 32,766 values a statement. */
const BATCH = 500;
const UNTRIED = { attempts: 0, failures: 0, again_at: null };

export function createJobTable(transport: JobTransport | null = null): JobTable {
  const listeners = new Set<(change: JobChange) => void>();
  // A transaction that rolls back leaves its kinds here, which costs a look for work and nothing else.
  let kinds = new Set<JobKind>();
  let removed = false;
  return {
    transport,
    async enqueue(trx, jobs) {
      const merged = mergeJobs(jobs);
      const missing = new Set(merged);
      for (let at = 0; at < merged.length; at += BATCH) {
        const batch = merged.slice(at, at + BATCH);
        const created = new Set(await insertJobs(trx, batch, 'waiting'));
        const scheduled = batch.filter((job) => created.has(job.id));
        await transport?.send(trx, scheduled);
        for (const job of scheduled) missing.delete(job);
      }
      for (const job of missing) await enqueueAgain(trx, job, transport);
      for (const job of jobs) kinds.add(job.kind);
    },
    async enqueueDead(trx, jobs) {
      const merged = mergeJobs(jobs);
      for (let at = 0; at < merged.length; at += BATCH) {
        const batch = merged.slice(at, at + BATCH);
        const created = await insertJobs(trx, batch, 'dead');
        if (created.length < batch.length) throw new Error('one of the dead jobs exists already');
      }
    },
    async remove(trx, kind, subjects) {
      if (subjects.length === 0) return;
      const rows = await trx
        .deleteFrom('jobs')
        .where('kind', '=', kind)
        .where('subject', 'in', subjects)
        .returning('id')
        .execute();
      if (rows.length === 0) return;
      removed = true;
      const ids = rows.map(({ id }) => id);
      await transport?.remove(trx, kind, ids);
    },
    notifyCommit() {
      if (kinds.size === 0 && !removed) return;
      const change = { kinds, removed };
      kinds = new Set();
      removed = false;
      for (const listener of listeners) listener(change);
    },
    onCommit(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}

type IdentifiedJob = NewJob & { readonly id: string };

/** One job a subject, at the earliest moment and with the highest urgency. */
function mergeJobs(jobs: readonly NewJob[]): readonly IdentifiedJob[] {
  const merged = new Map<string, IdentifiedJob>();
  for (const job of jobs) {
    const key = `${job.kind} ${job.subject}`;
    const before = merged.get(key);
    if (before === undefined) merged.set(key, { ...job, id: randomUUID() });
    else {
      const urgency = chooseUrgency(before.urgency, job.urgency);
      merged.set(key, { ...before, urgency, runAt: chooseEarlier(before.runAt, job.runAt) });
    }
  }
  return [...merged.values()];
}

/** Returns the ids of those that did not exist; nothing is written of the others. */
async function insertJobs(
  trx: Trx,
  jobs: readonly IdentifiedJob[],
  state: 'waiting' | 'dead',
): Promise<readonly string[]> {
  const rows = await trx
    .insertInto('jobs')
    .values(
      jobs.map(({ id, kind, subject, group, urgency, runAt }) => ({
        id,
        kind,
        subject,
        group_key: group,
        urgency,
        state,
        run_at: runAt,
        ...UNTRIED,
      })),
    )
    .onConflict((conflict) => conflict.columns(['kind', 'subject']).doNothing())
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * A waiting job keeps the earlier of its moments, a running one runs once more afterwards, and a dead one is as new.
 */
async function enqueueAgain(trx: Trx, job: IdentifiedJob, transport: JobTransport | null): Promise<void> {
  const row = await trx
    .selectFrom('jobs')
    .selectAll()
    .where('kind', '=', job.kind)
    .where('subject', '=', job.subject)
    .executeTakeFirstOrThrow();
  const urgency = chooseUrgency(row.urgency, job.urgency);
  switch (row.state) {
    case 'running':
      await updateRow(trx, row, { urgency, again_at: chooseEarlier(job.runAt, row.again_at) });
      return;
    case 'dead':
      await schedule(trx, transport, { ...row, ...UNTRIED, urgency: job.urgency, run_at: job.runAt });
      return;
    case 'waiting': {
      const runAt = chooseEarlier(job.runAt, row.run_at);
      if (urgency === row.urgency && runAt === row.run_at) {
        if (transport !== null) await lockRow(trx, row);
        return;
      }
      await updateRow(trx, row, { urgency, run_at: runAt });
      await transport?.reschedule(trx, toScheduled({ ...row, urgency, run_at: runAt }));
    }
  }
}

/**
 * A worker that claims the job at this moment waits for what this transaction writes, or the transaction fails and
 * finds the job running: otherwise the job could run without seeing it. Many transactions may hold the lock, so that
 * equal reports do not wait for each other.
 */
async function lockRow(trx: Trx, { seq }: JobRow): Promise<void> {
  await trx.selectFrom('jobs').select('seq').where('seq', '=', seq).forShare().execute();
}

/** Writes a row as waiting under a new id, which ends every claim of it. */
async function schedule(trx: Trx, transport: JobTransport | null, row: JobRow): Promise<void> {
  const waiting = { ...row, id: randomUUID(), state: 'waiting' as const };
  const { id, state, run_at, urgency, attempts, failures, again_at } = waiting;
  await updateRow(trx, row, { id, state, run_at, urgency, attempts, failures, again_at });
  await transport?.send(trx, [toScheduled(waiting)]);
}

async function updateRow(trx: Trx, { seq }: JobRow, changes: Partial<Omit<JobRow, 'seq'>>): Promise<void> {
  await trx.updateTable('jobs').set(changes).where('seq', '=', seq).execute();
}

function toScheduled({ id, kind, group_key: group, urgency, run_at: runAt }: JobRow): ScheduledJob {
  return { id, kind, group, urgency, runAt };
}

/** A job that a worker is about to claim. */
interface ClaimRequest {
  readonly kind: JobKind;
  readonly perGroup: number;
  /** A job that lost so many workers, or more, is left. */
  readonly maxLost: number;
}

/**
 * Claims the next job that is due in a group below its limit: people's first, then by time. Those that lost workers
 * come last.
 */
export async function claimNextJob(trx: Trx, now: string, request: ClaimRequest): Promise<Claim | null> {
  const row = await findNextJob(trx, now, request);
  return row === null ? null : await claimRow(trx, row);
}

/** Looking costs no write lock. */
export async function hasNextJob(reader: Reader, now: string, request: ClaimRequest): Promise<boolean> {
  return (await findNextJob(reader, now, request)) !== null;
}

async function findNextJob(
  reader: Pick<Reader, 'selectFrom'>,
  now: string,
  request: ClaimRequest,
): Promise<JobRow | null> {
  for (const urgency of ['person', 'automatic'] as const) {
    const row = await createDueQuery(reader, now, request)
      .where('urgency', '=', urgency)
      .where(LOST, '<', SUSPECT_LOST)
      .orderBy('run_at')
      .orderBy('seq')
      .executeTakeFirst();
    if (row) return row;
  }
  if (request.maxLost <= SUSPECT_LOST) return null;
  // The least tried first: a job that only ran next to a poison job is done before that one is tried again.
  const suspects = createDueQuery(reader, now, request)
    .where(LOST, '>=', SUSPECT_LOST)
    .where(LOST, '<', request.maxLost);
  return (await suspects.orderBy('attempts').orderBy('seq').executeTakeFirst()) ?? null;
}

const LOST = sql<number>`attempts - failures`;

/** The jobs of the kind that are due, in groups below their limit. */
function createDueQuery(reader: Pick<Reader, 'selectFrom'>, now: string, { kind, perGroup }: ClaimRequest) {
  return reader
    .selectFrom('jobs')
    .selectAll()
    .where('kind', '=', kind)
    .where('state', '=', 'waiting')
    .where('run_at', '<=', now)
    .where('group_key', 'not in', (expression) =>
      expression
        .selectFrom('jobs')
        .select('group_key')
        .where('state', '=', 'running')
        .where('kind', '=', kind)
        .groupBy('group_key')
        .having((each) => each.fn.countAll(), '>=', perGroup),
    )
    .limit(1);
}

/**
 * Claims a job that a transport delivered. `gone`: it was removed or rescheduled. `not-yet`: its group is at the limit,
 * or it lost too many workers. A job still marked as running has lost its worker and is taken over. PostgreSQL only, in
 * read committed behind a lock of its group: with serializable transactions eight workers conflicted so often that they
 * did 35 jobs a second.
 */
export async function claimJob(
  reader: Reader,
  { id, group }: { readonly id: string; readonly group: string },
  request: ClaimRequest,
): Promise<Claim | 'gone' | 'not-yet'> {
  return await reader
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`${request.kind} ${group}`}, 0))`.execute(trx);
      const row = await trx.selectFrom('jobs').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
      if (!row || row.state === 'dead') return 'gone';
      if (row.attempts - row.failures >= request.maxLost) return 'not-yet';
      const others = await trx
        .selectFrom('jobs')
        .select('id')
        .where('state', '=', 'running')
        .where('kind', '=', row.kind)
        .where('group_key', '=', row.group_key)
        .where('id', '!=', id)
        .limit(request.perGroup)
        .execute();
      return others.length >= request.perGroup ? 'not-yet' : await claimRow(trx, row);
    });
}

async function claimRow(trx: Trx, row: JobRow): Promise<Claim> {
  const claimed = { state: 'running', attempts: row.attempts + 1 } as const;
  await updateRow(trx, row, claimed);
  return toClaim({ ...row, ...claimed });
}

function toClaim({ id, kind, subject, group_key: group, attempts: attempt, failures }: JobRow): Claim {
  return { id, kind, subject, group, attempt, failures };
}

/** Ends the claim of a job that is done, in one statement; false where it was lost, or the job was enqueued again. */
export async function endDone(reader: Reader, { id, attempt }: Claim): Promise<boolean> {
  const row = await reader
    .deleteFrom('jobs')
    .where('id', '=', id)
    .where('attempts', '=', attempt)
    .where('state', '=', 'running')
    .where('again_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Ends a claim; false where it was lost before. A job that was enqueued again while it ran runs again, with tries of
 * its own.
 */
export async function endClaim(
  trx: Trx,
  claim: Claim,
  end: ClaimEnd,
  transport: JobTransport | null,
): Promise<boolean> {
  const row = await findClaimed(trx, claim);
  if (row === null) return false;
  switch (end.kind) {
    case 'done':
      if (row.again_at === null) await trx.deleteFrom('jobs').where('seq', '=', row.seq).execute();
      else await schedule(trx, transport, { ...row, ...UNTRIED, run_at: row.again_at });
      return true;
    case 'dead':
      if (row.again_at === null) await updateRow(trx, row, { state: 'dead' });
      else await schedule(trx, transport, { ...row, ...UNTRIED, run_at: row.again_at });
      return true;
    case 'later':
      await schedule(trx, transport, { ...row, ...UNTRIED, run_at: chooseEarlier(end.runAt, row.again_at) });
      return true;
    case 'failed':
      await schedule(trx, transport, { ...row, again_at: null, run_at: end.runAt, failures: row.failures + 1 });
      return true;
    case 'handed-back':
      await schedule(trx, transport, {
        ...row,
        again_at: null,
        attempts: row.attempts - 1,
        run_at: end.runAt ?? row.run_at,
      });
      return true;
    case 'lost':
      await schedule(trx, transport, { ...row, again_at: null });
      return true;
  }
}

/** The row of a claim that still holds. */
export async function findClaimed(reader: Pick<Reader, 'selectFrom'>, { id, attempt }: Claim): Promise<JobRow | null> {
  const query = reader.selectFrom('jobs').selectAll().where('id', '=', id).where('attempts', '=', attempt);
  return (await query.where('state', '=', 'running').executeTakeFirst()) ?? null;
}

/** Makes every running job claimable: right only where no other process works on this database. */
export async function releaseRunning(trx: Trx): Promise<void> {
  await trx.updateTable('jobs').set({ state: 'waiting' }).where('state', '=', 'running').execute();
}

/** Whether a job of these kinds runs, or is due. */
export async function hasWork(reader: Reader, kinds: readonly JobKind[], now: string): Promise<boolean> {
  if (kinds.length === 0) return false;
  const row = await reader
    .selectFrom('jobs')
    .select('seq')
    .where('kind', 'in', kinds)
    .where(({ eb, or, and }) =>
      or([eb('state', '=', 'running'), and([eb('state', '=', 'waiting'), eb('run_at', '<=', now)])]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The verbs of a queue that need only its table. */
export function createTableVerbs(
  database: Database,
  jobs: JobTable,
  now: () => Date,
): Pick<Queue, 'cancel' | 'requeueDead' | 'countJobs' | 'countJobsByKind' | 'findNextDue'> {
  return {
    cancel: (kind, subject) => database.write((trx) => jobs.remove(trx, kind, [subject])),
    async requeueDead(kind) {
      const runAt = now().toISOString();
      const dead = await database.read((reader) =>
        reader.selectFrom('jobs').selectAll().where('kind', '=', kind).where('state', '=', 'dead').execute(),
      );
      await database.write((trx) =>
        jobs.enqueue(
          trx,
          dead.map(({ subject, group_key: group, urgency }) => ({ kind, subject, group, urgency, runAt })),
        ),
      );
      return dead.length;
    },
    async countJobs() {
      const depths = await countJobs(database, now().toISOString());
      const sum = (state: 'waiting' | 'running' | 'dead') => depths.reduce((total, kind) => total + kind[state], 0);
      return { waiting: sum('waiting'), running: sum('running'), dead: sum('dead') };
    },
    async findNextDue(kinds) {
      const rows = await database.read((reader) =>
        reader
          .selectFrom('jobs')
          .select(({ fn }) => ['state', fn.min('run_at').as('first_due')])
          .where('kind', 'in', [...kinds])
          .where('state', '!=', 'dead')
          .groupBy('state')
          .execute(),
      );
      const due = rows.map(({ state, first_due: first }) => (state === 'running' ? now().toISOString() : first));
      return due.toSorted()[0] ?? null;
    },
    countJobsByKind: (at) => countJobs(database, at),
  };
}

async function countJobs(database: Database, now: string): Promise<readonly KindDepth[]> {
  const rows = await database.read((reader) =>
    reader
      .selectFrom('jobs')
      .select(({ fn }) => ['kind', 'state', fn.countAll<number>().as('count'), fn.min('run_at').as('first_due')])
      .groupBy(['kind', 'state'])
      .execute(),
  );
  const found = new Map<JobKind, KindDepth>();
  for (const { kind, state, count, first_due: first } of rows) {
    const before = found.get(kind) ?? { kind, waiting: 0, running: 0, dead: 0, oldestDue: null };
    const isDue = state === 'waiting' && first <= now;
    found.set(kind, { ...before, [state]: Number(count), ...(isDue && { oldestDue: first }) });
  }
  return [...found.values()];
}

function chooseEarlier(moment: string, other: string | null): string {
  return other !== null && other < moment ? other : moment;
}

function chooseUrgency(one: Urgency, other: Urgency): Urgency {
  return one === 'person' ? one : other;
}
