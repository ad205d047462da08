// Who holds which job: claiming, keeping, giving back and ending, each refused to all but the last who claimed it.
import type { Selectable } from 'kysely';
import type { ClaimedJob, JobKind } from '../core/queue.ts';
import type { Database } from '../db/database.ts';
import type { Schema, Trx } from '../db/schema.ts';
import { earlier } from './earlier.ts';
import { refreshGroup } from './job-groups.ts';
import { nextTurn, noteTurn } from './next-turn.ts';

type JobRow = Selectable<Schema['jobs']>;

/** A job in the hands of one worker. Once claimed again (or removed) the claim is worth nothing. */
export interface Claim extends ClaimedJob {
  readonly group: string;
  readonly organisation: string;
  readonly generation: number;
  /** Tries before this one whose handler threw. */
  readonly failures: number;
}

interface ClaimRequest {
  readonly kind: JobKind;
  readonly owner: string;
  /** Jobs of one group at a time. */
  readonly perGroup: number;
  /** See `ClaimRequest` of job-source.ts. */
  readonly lastButFor: string | null;
  readonly now: string;
  readonly leaseUntil: string;
}

/** How a claim ends. `runAt`: when the job may run next. */
export type ClaimEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'dead' }
  /** Handled well, to be handled again: its tries start anew. */
  | { readonly kind: 'later'; readonly runAt: string }
  | { readonly kind: 'failed'; readonly runAt: string }
  /** Not a try: the worker stopped in the middle. */
  | { readonly kind: 'handed-back' };

/** The next job in a group below its limit, in the order of `next-turn.ts`; null: none. Counts as a try from here on. */
export async function claim(database: Database, request: ClaimRequest): Promise<Claim | null> {
  // Looking costs no write lock: an idle worker looks twice a second.
  if ((await database.read((reader) => nextTurn(reader, request))) === null) return null;
  return database.write((trx) => claimNext(trx, request));
}

async function claimNext(trx: Trx, request: ClaimRequest): Promise<Claim | null> {
  const { kind, owner, leaseUntil } = request;
  const turn = await nextTurn(trx, request);
  if (turn === null) return null;
  const row = await trx
    .updateTable('jobs')
    .set((expression) => ({
      state: 'running',
      owner,
      lease_until: leaseUntil,
      attempts: expression('attempts', '+', 1),
      generation: expression('generation', '+', 1),
    }))
    .where('seq', '=', (expression) =>
      expression
        .selectFrom('jobs')
        .select('seq')
        .where('kind', '=', kind)
        .where('group_key', '=', turn.group)
        .where('state', '=', 'waiting')
        .where('urgency', '=', turn.urgency)
        .orderBy('run_at')
        .orderBy('seq')
        .limit(1),
    )
    .returningAll()
    .executeTakeFirst();
  if (!row) return null;
  await refreshGroup(trx, kind, row.group_key);
  await noteTurn(trx, kind, turn, request.now);
  const { id, subject, attempts: attempt, failures, generation, group_key: group, organisation } = row;
  return { id, kind, subject, attempt, failures, generation, group, organisation };
}

/** Ends a claim; false where it was lost before. */
export function endClaim(database: Database, held: Claim, end: ClaimEnd): Promise<boolean> {
  return database.write(async (trx) => {
    const row = await trx
      .selectFrom('jobs')
      .selectAll()
      .where('id', '=', held.id)
      .where('generation', '=', held.generation)
      .where('state', '=', 'running')
      .executeTakeFirst();
    if (!row) return false;
    const next = afterEnd(row, end);
    if (next)
      await trx
        .updateTable('jobs')
        .set({ ...FREE, ...next })
        .where('seq', '=', row.seq)
        .execute();
    else await trx.deleteFrom('jobs').where('seq', '=', row.seq).execute();
    await refreshGroup(trx, held.kind, held.group);
    return true;
  });
}

/** What a row holds of its claim, emptied. */
export const FREE = { owner: null, lease_until: null, again_at: null };

const UNTRIED = { attempts: 0, failures: 0 };

/** What becomes of the row; null: it goes. A job asked for again while it ran runs again, with tries of its own. */
function afterEnd(
  row: JobRow,
  end: ClaimEnd,
): Partial<Pick<JobRow, 'state' | 'run_at' | 'attempts' | 'failures'>> | null {
  const again = row.again_at;
  switch (end.kind) {
    case 'done':
      return again === null ? null : { state: 'waiting', run_at: again, ...UNTRIED };
    case 'dead':
      return again === null ? { state: 'dead' } : { state: 'waiting', run_at: again, ...UNTRIED };
    case 'later':
      return { state: 'waiting', run_at: earlier(end.runAt, again), ...UNTRIED };
    case 'failed':
      return { state: 'waiting', run_at: end.runAt, failures: row.failures + 1 };
    case 'handed-back':
      return { state: 'waiting', attempts: row.attempts - 1 };
  }
}
