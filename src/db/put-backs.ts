// Put-backs: requested reverts of commits that broke a default branch, and the jobs that open and follow them.
import type { Selectable } from 'kysely';
import { type BlamedStep, findBlamedStep } from '../core/check/index.ts';
import { createId } from '../core/ids.ts';
import { NOBODY } from '../core/project/index.ts';
import {
  isPutBackUnderWay,
  type PostedRevert,
  type PutBack,
  type PutBackRequest,
  type PutBackState,
} from '../core/put-back/index.ts';
import type { NewJob } from '../core/queue.ts';
import { toGithubActor, writeAudit } from './audit.ts';
import type { Database, Enqueuer } from './database.ts';
import type { PutBackTable, Reader, Trx } from './schema.ts';
import { toFailure } from './sightings.ts';

/** What became of a request; but for the first, nothing was changed. */
export type RequestedPutBack =
  | { readonly kind: 'requested'; readonly putBack: PutBack }
  /** Somebody has requested it already. `pull`: its open or merged pull request; null: it is being opened, or the same comment came again. */
  | { readonly kind: 'known'; readonly pull: PostedRevert | null }
  /** The failure has ended, or no commit stands out (any more). */
  | { readonly kind: 'none' };

export interface NewPutBack {
  readonly failureId: string;
  /** The commit that the person saw; null: the one of now. */
  readonly sha: string | null;
  readonly request: PutBackRequest;
}

/** A change of what is shown of a put-back enqueues the `check-run` jobs of the heads that show its failure. */
export function createPutBackVerbs(database: Database) {
  const { jobs } = database;
  return {
    /** A person with write access requests it. Of one commit there is one at a time, whichever failure it is for. */
    requestPutBack: (wanted: NewPutBack, now: string): Promise<RequestedPutBack> =>
      database.write((trx) => requestPutBack(trx, jobs, wanted, now)),
    findPutBack: (id: string): Promise<PutBack | null> => database.read((reader) => findNewest(reader, { id })),
    /** The newest of that commit. */
    findPutBackOfCommit: (projectId: string, sha: string): Promise<PutBack | null> =>
      database.read((reader) => findNewest(reader, { project_id: projectId, sha })),
    findPutBackOfBranch: (projectId: string, branch: string): Promise<PutBack | null> =>
      database.read((reader) => findNewest(reader, { project_id: projectId, branch })),
    findPutBackOfPullRequest: (projectId: string, number: number): Promise<PutBack | null> =>
      database.read((reader) => findNewest(reader, { project_id: projectId, pull_request: number })),
    savePutBack: (id: string, state: PutBackState, now: string): Promise<void> =>
      database.write((trx) => savePutBack(trx, jobs, { id, state, now })),
    schedulePutBack: (id: string, runAt: string): Promise<void> =>
      database.write(async (trx) => {
        const found = await findNewest(trx, { id });
        if (found !== null) await enqueuePutBack(trx, jobs, found, runAt);
      }),
  };
}

async function requestPutBack(
  trx: Trx,
  jobs: Enqueuer,
  { failureId, sha, request }: NewPutBack,
  now: string,
): Promise<RequestedPutBack> {
  const row = await trx.selectFrom('failures').selectAll().where('id', '=', failureId).executeTakeFirst();
  const step = row === undefined ? null : findBlamedStep(toFailure(row));
  if (row === undefined || step === null || (sha !== null && sha !== step.sha)) return { kind: 'none' };
  const { project_id: projectId } = row;
  const last = await findNewest(trx, { project_id: projectId, sha: step.sha });
  // GitHub may send a comment again, and what came of it stands.
  if (last !== null && isSameComment(last.request, request)) return { kind: 'known', pull: null };
  const known = last === null ? null : toKnown(last.state);
  if (known !== null) return known;
  const putBack = { id: createId('rev'), projectId, failureId, step, request, createdAt: now };
  await insertPutBack(trx, putBack, now);
  const entry = { at: now, accountId: toGithubActor(request), projectId, subject: failureId };
  await writeAudit(trx, { ...entry, verb: 'revert.requested' });
  await enqueuePutBack(trx, jobs, putBack, now);
  await enqueueCheckRunsOfFailure(trx, jobs, { projectId, failureId, runAt: now });
  return { kind: 'requested', putBack: { ...putBack, state: { kind: 'requested' } } };
}

function isSameComment(one: PutBackRequest, other: PutBackRequest): boolean {
  return one.number !== null && one.number === other.number && one.id === other.id && one.at === other.at;
}

/** Null: a further request may bring another. */
function toKnown(state: PutBackState): Extract<RequestedPutBack, { readonly kind: 'known' }> | null {
  if (state.kind === 'opened') return state.pull.state === 'closed' ? null : { kind: 'known', pull: state.pull };
  return state.kind === 'refused' ? null : { kind: 'known', pull: null };
}

async function insertPutBack(
  trx: Trx,
  { id, projectId, failureId, step, request }: Omit<PutBack, 'state' | 'createdAt'>,
  now: string,
): Promise<void> {
  await trx
    .insertInto('put_backs')
    .values({
      id,
      project_id: projectId,
      failure_id: failureId,
      sha: step.sha,
      why: step.why,
      request: JSON.stringify(request),
      ...toStateColumns({ kind: 'requested' }),
      created_at: now,
      changed_at: now,
    })
    .execute();
}

function toStateColumns(state: PutBackState) {
  const pull = state.kind === 'opened' ? state.pull : null;
  return {
    state: JSON.stringify(state),
    branch: pull?.branch ?? null,
    pull_request: pull?.number ?? null,
    is_under_way: isPutBackUnderWay({ state }) ? (1 as const) : (0 as const),
  };
}

function toPutBack(row: Selectable<PutBackTable>): PutBack {
  const step: BlamedStep = { sha: row.sha, why: row.why };
  return {
    id: row.id,
    projectId: row.project_id,
    failureId: row.failure_id,
    step,
    request: JSON.parse(row.request),
    state: JSON.parse(row.state),
    createdAt: row.created_at,
  };
}

async function findNewest(
  reader: Reader,
  key: Partial<Pick<PutBackTable, 'id' | 'project_id' | 'sha' | 'branch' | 'pull_request'>>,
): Promise<PutBack | null> {
  const row = await reader
    .selectFrom('put_backs')
    .selectAll()
    .where((expression) => expression.and(key))
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? toPutBack(row) : null;
}

async function savePutBack(
  trx: Trx,
  jobs: Enqueuer,
  { id, state, now }: { readonly id: string; readonly state: PutBackState; readonly now: string },
): Promise<void> {
  const row = await trx
    .updateTable('put_backs')
    .set({ ...toStateColumns(state), changed_at: now })
    .where('id', '=', id)
    .returning(['project_id', 'failure_id'])
    .executeTakeFirst();
  if (row === undefined) return;
  const { project_id: projectId, failure_id: failureId } = row;
  await enqueueCheckRunsOfFailure(trx, jobs, { projectId, failureId, runAt: now });
}

async function enqueuePutBack(
  trx: Trx,
  jobs: Enqueuer,
  { id, projectId }: Pick<PutBack, 'id' | 'projectId'>,
  runAt: string,
): Promise<void> {
  const job: NewJob = { kind: 'put-back', subject: id, group: projectId, runAt, urgency: 'person' };
  await jobs.enqueue(trx, [job]);
}

/** Failures of the project were closed: what is under way for them may not be needed any more. */
export async function enqueuePutBacksOfProject(
  trx: Trx,
  jobs: Enqueuer,
  projectId: string,
  runAt: string,
): Promise<void> {
  const rows = await trx
    .selectFrom('put_backs')
    .select('id')
    .where('project_id', '=', projectId)
    .where('is_under_way', '=', 1)
    .execute();
  for (const { id } of rows) await enqueuePutBack(trx, jobs, { id, projectId }, runAt);
}

/** Older commits with the failure are not updated. */
const MOST_HEADS = 20;

/** Of the commits of the default branch at which it was seen. */
export async function enqueueCheckRunsOfFailure(
  trx: Trx,
  jobs: Enqueuer,
  { projectId, failureId, runAt }: { readonly projectId: string; readonly failureId: string; readonly runAt: string },
): Promise<void> {
  const seen = trx
    .selectFrom('sightings')
    .select('sha')
    .where('failure_id', '=', failureId)
    .where('is_on_default', '=', 1);
  const heads = await trx
    .selectFrom('heads')
    .select('id')
    .where('project_id', '=', projectId)
    .where('sha', 'in', seen)
    .orderBy('seq', 'desc')
    .limit(MOST_HEADS)
    .execute();
  await jobs.enqueue(
    trx,
    heads.map(({ id }): NewJob => ({ kind: 'check-run', subject: id, group: id, runAt, urgency: 'person' })),
  );
}

/**
 * Nobody is named by it any more: what was not opened yet never will be, and what is on GitHub is written without the name.
 * Returns how many there were.
 */
export async function erasePersonFromPutBacks(trx: Trx, jobs: Enqueuer, id: number, now: string): Promise<number> {
  const rows = await trx.selectFrom('put_backs').selectAll().where('request', 'like', `%"id":${id},%`).execute();
  const own = rows.map(toPutBack).filter(({ request }) => request.id === id);
  for (const putBack of own) {
    const erased = JSON.stringify({ ...putBack.request, ...NOBODY });
    await trx.updateTable('put_backs').set({ request: erased }).where('id', '=', putBack.id).execute();
    await enqueuePutBack(trx, jobs, putBack, now);
  }
  return own.length;
}
