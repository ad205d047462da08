// Proofs of pull requests that are not ours: who asked for which, how far each is, and what CI was started for them.
import type { Selectable } from 'kysely';
import type { Person } from '../core/project/index.ts';
import {
  DAY_MS,
  type ForeignProgress,
  type ForeignProof,
  findForeignState,
  isForeignProofOpen,
  type JudgedDay,
  judgeDay,
} from '../core/proof/index.ts';
import { toGithubActor, writeAudit } from './audit.ts';
import type { Database, Enqueuer } from './database.ts';
import type { ForeignProofTable, Reader, Trx } from './schema.ts';

interface NewForeignProof
  extends Pick<ForeignProof, 'id' | 'projectId' | 'pullRequest' | 'head' | 'commentId' | 'askedAt'> {
  readonly askedBy: Person;
}

/** But for `asked`, nothing was changed. */
export type AskedProof =
  /** `ahead`: the proof of the repository that goes first; null: it is this one's turn. */
  | { readonly kind: 'asked'; readonly proof: ForeignProof; readonly ahead: ForeignProof | null }
  /** One of the same head was asked for before and runs or has proven it, or the same comment asked for it. */
  | { readonly kind: 'running'; readonly proof: ForeignProof; readonly ahead: ForeignProof | null }
  /** The limit of the day is reached. */
  | Extract<JudgedDay, { readonly kind: 'full' }>;

export function createForeignProofVerbs(database: Database) {
  const { jobs } = database;
  return {
    /** A person with write asks for the proof of a pull request's head: enqueues its `prove` job. `limit`: runs of CI in 24 hours. */
    askProof: (asked: NewForeignProof, at: AskedAt): Promise<AskedProof> =>
      database.write((trx) => askProof(trx, jobs, asked, at)),
    findForeignProof: (id: string): Promise<ForeignProof | null> =>
      database.read(async (reader) => {
        const row = await reader.selectFrom('foreign_proofs').selectAll().where('id', '=', id).executeTakeFirst();
        return row ? toForeignProof(row) : null;
      }),
    /** The newest of that pull request. */
    findProofOfPull: (projectId: string, pullRequest: number): Promise<ForeignProof | null> =>
      database.read(async (reader) => {
        const row = await reader
          .selectFrom('foreign_proofs')
          .selectAll()
          .where('project_id', '=', projectId)
          .where('pull_request', '=', pullRequest)
          .orderBy('seq', 'desc')
          .limit(1)
          .executeTakeFirst();
        return row ? toForeignProof(row) : null;
      }),
    /** The same, of those that found their head on the pull request, where there is one. */
    findExaminedProof: (projectId: string, pullRequest: number): Promise<ForeignProof | null> =>
      database.read((reader) => findExamined(reader, projectId, pullRequest)),
    /** Of all projects, or of one: those that may still write something on GitHub, oldest first. */
    listOpenProofs: (projectId?: string): Promise<readonly ForeignProof[]> =>
      database.read(async (reader) => {
        let query = reader.selectFrom('foreign_proofs').selectAll().where('is_open', '=', 1).orderBy('seq');
        if (projectId !== undefined) query = query.where('project_id', '=', projectId);
        return (await query.execute()).map(toForeignProof);
      }),
    /** Ids of the projects where a proof was ever asked for. */
    listProvedProjects: (): Promise<readonly string[]> =>
      database.read(async (reader) => {
        const rows = await reader.selectFrom('foreign_proofs').select('project_id').distinct().execute();
        return rows.map((row) => row.project_id);
      }),
    /** When requested proofs and reverts of the project caused a run of CI since then, ascending; ISO 8601. */
    listCausedRuns: (projectId: string, since: string): Promise<readonly string[]> =>
      database.read((reader) => listCausedRuns(reader, projectId, since)),
    /** The newest of the project whose red half was on GitHub, pushed since then (ISO 8601). */
    findLastPushedProof: (projectId: string, since: string): Promise<ForeignProof | null> =>
      database.read(async (reader) => {
        const rows = await reader
          .selectFrom('foreign_proofs')
          .selectAll()
          .where('project_id', '=', projectId)
          .where('pushed_at', '>=', since)
          .orderBy('seq', 'desc')
          .execute();
        const proofs = rows.map(toForeignProof);
        return proofs.find(({ progress }) => 'posted' in progress && progress.posted !== null) ?? null;
      }),
    /** `pushedAt`: when CI was caused; absent: as before. */
    saveForeignProof: (
      id: string,
      saved: Pick<ForeignProof, 'progress' | 'checkRun'> & { readonly pushedAt?: string },
      now: string,
    ): Promise<void> =>
      database.write(async (trx) => {
        const before = await trx
          .selectFrom('foreign_proofs')
          .select('progress')
          .where('id', '=', id)
          .executeTakeFirst();
        if (before === undefined) return;
        const progress = keepErased(JSON.parse(before.progress), saved.progress);
        await trx
          .updateTable('foreign_proofs')
          .set({
            progress: JSON.stringify(progress),
            check_run: saved.checkRun && JSON.stringify(saved.checkRun),
            is_open: isForeignProofOpen(saved) ? 1 : 0,
            changed_at: now,
            ...(saved.pushedAt !== undefined && { pushed_at: saved.pushedAt }),
          })
          .where('id', '=', id)
          .execute();
      }),
    /** Looks at the newest proof of a pull request that found its head, or at all open ones of the project (null): something happened there. */
    scheduleProofs: (projectId: string, pullRequest: number | null, runAt: string): Promise<void> =>
      database.write(async (trx) => {
        const open = trx.selectFrom('foreign_proofs').select('id').where('project_id', '=', projectId);
        const proofs =
          pullRequest === null
            ? await open.where('is_open', '=', 1).execute()
            : [await findExamined(trx, projectId, pullRequest)].filter((one) => one !== null);
        await jobs.enqueue(
          trx,
          proofs.map(({ id }) => toProveJob(id, projectId, runAt)),
        );
      }),
  };
}

/** A head that was named wrongly, or too late, says nothing of one that was examined: so far back one is looked for. */
const MOST_PASSED_OVER = 20;

async function findExamined(reader: Reader, projectId: string, pullRequest: number): Promise<ForeignProof | null> {
  const rows = await reader
    .selectFrom('foreign_proofs')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('pull_request', '=', pullRequest)
    .orderBy('seq', 'desc')
    .limit(MOST_PASSED_OVER)
    .execute();
  const proofs = rows.map(toForeignProof);
  return proofs.find((proof) => !isOfAnotherHead(proof)) ?? proofs[0] ?? null;
}

/** Whether it was refused because the head was named wrongly or too late, with nothing left to clean up. */
function isOfAnotherHead({ progress }: ForeignProof): boolean {
  if (progress.phase !== 'ended' || !progress.isTidy || progress.result.kind !== 'refused') return false;
  return progress.result.because.code === 'moved' || progress.result.because.code === 'absent';
}

function toProveJob(id: string, projectId: string, runAt: string) {
  return { kind: 'prove', subject: id, group: projectId, runAt, urgency: 'person' } as const;
}

interface AskedAt {
  readonly now: string;
  readonly limit: number;
  /** Of the pull request now; absent: not known. */
  readonly baseBranch?: string;
}

async function askProof(
  trx: Trx,
  jobs: Enqueuer,
  asked: NewForeignProof,
  { now, limit, baseBranch }: AskedAt,
): Promise<AskedProof> {
  const { projectId, pullRequest, head, askedBy, commentId, askedAt } = asked;
  const before = await trx
    .selectFrom('foreign_proofs')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('pull_request', '=', pullRequest)
    .orderBy('seq', 'desc')
    .execute();
  const same = before.find(
    (row) => (commentId !== null && row.comment_id === commentId) || (row.head === head && isStanding(row, baseBranch)),
  );
  const open = trx
    .selectFrom('foreign_proofs')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('is_open', '=', 1);
  const running = (await open.orderBy('seq').execute())
    .map(toForeignProof)
    .filter(({ progress }) => progress.phase !== 'ended');
  const ahead = running[0] ?? null;
  if (same !== undefined) {
    const proof = toForeignProof(same);
    return { kind: 'running', proof, ahead: ahead?.id === proof.id ? null : ahead };
  }
  const caused = await listCausedRuns(trx, projectId, new Date(Date.parse(now) - DAY_MS).toISOString());
  const waiting = running.filter(({ progress }) => progress.phase === 'asked').length;
  const day = judgeDay({ caused, waiting, limit });
  if (day.kind === 'full') return day;
  const proof: ForeignProof = {
    ...asked,
    progress: { phase: 'asked', run: day.run, ...(ahead !== null && { behind: ahead.pullRequest }) },
    checkRun: null,
    createdAt: now,
    changedAt: now,
  };
  await trx
    .insertInto('foreign_proofs')
    .values({
      ...{ id: asked.id, project_id: projectId, pull_request: pullRequest, head, comment_id: commentId },
      asked_by: JSON.stringify(askedBy),
      asked_at: askedAt,
      asked_by_id: askedBy.id,
      progress: JSON.stringify(proof.progress),
      ...{ is_open: 1, check_run: null, pushed_at: null, created_at: now, changed_at: now },
    })
    .execute();
  await jobs.enqueue(trx, [toProveJob(asked.id, projectId, now)]);
  await writeAudit(trx, {
    at: now,
    accountId: toGithubActor(askedBy),
    verb: 'proof.asked',
    subject: asked.id,
    projectId,
  });
  return { kind: 'asked', proof, ahead };
}

/**
 * What is proven stays so where the base branch is the same: a further run costs, and on the same head a refusal, such as after the merge, would
 * take its place.
 */
function isStanding(row: Selectable<ForeignProofTable>, baseBranch: string | undefined): boolean {
  const proof = toForeignProof(row);
  const { progress } = proof;
  const plan = 'plan' in progress ? progress.plan : null;
  const isOnto = baseBranch === undefined || plan === null || plan.baseBranch === baseBranch;
  return row.is_open === 1 || (isOnto && findForeignState(proof) === 'proven');
}

async function listCausedRuns(reader: Reader, projectId: string, since: string): Promise<readonly string[]> {
  const pushed = await reader
    .selectFrom('foreign_proofs')
    .select('pushed_at as at')
    .where('project_id', '=', projectId)
    .where('pushed_at', '>=', since)
    .execute();
  // What is being opened may have caused one.
  const reverted = await reader
    .selectFrom('put_backs')
    .select('created_at as at')
    .where('project_id', '=', projectId)
    .where('created_at', '>=', since)
    .where(({ or, eb }) => or([eb('pull_request', 'is not', null), eb('state', 'like', '{"kind":"opening"%')]))
    .execute();
  return [...pushed, ...reverted].flatMap(({ at }) => at ?? []).sort();
}

function toForeignProof(row: Selectable<ForeignProofTable>): ForeignProof {
  const progress: ForeignProgress = JSON.parse(row.progress);
  return {
    id: row.id,
    projectId: row.project_id,
    pullRequest: row.pull_request,
    head: row.head,
    askedBy: row.asked_by === null ? null : JSON.parse(row.asked_by),
    commentId: row.comment_id,
    askedAt: row.asked_at,
    progress,
    checkRun: row.check_run === null ? null : JSON.parse(row.check_run),
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}

/** Of these projects, or what ended before: with their jobs. */
export async function eraseForeignProofs(
  trx: Trx,
  jobs: Enqueuer,
  of: { readonly projectIds: readonly string[] } | { readonly endedBefore: string },
): Promise<void> {
  const query = trx.deleteFrom('foreign_proofs').returning('id');
  const rows = await ('projectIds' in of
    ? query.where('project_id', 'in', of.projectIds)
    : query.where('is_open', '=', 0).where('changed_at', '<', of.endedBefore)
  ).execute();
  await jobs.remove(
    trx,
    'prove',
    rows.map(({ id }) => id),
  );
}

/** Who asked, and whose pull request it is. Returns how many named the person. */
export async function erasePersonFromProofs(trx: Trx, personId: number): Promise<number> {
  const rows = await trx
    .selectFrom('foreign_proofs')
    .selectAll()
    .where(({ or, eb }) =>
      or([eb('asked_by_id', '=', personId), eb('progress', 'like', `%"author":{"id":${personId},%`)]),
    )
    .execute();
  for (const row of rows) {
    const progress = removeAuthor(toForeignProof(row).progress, personId);
    const asked = row.asked_by_id === personId ? { asked_by: null, asked_by_id: null } : {};
    await trx
      .updateTable('foreign_proofs')
      .set({ ...asked, progress: JSON.stringify(progress) })
      .where('id', '=', row.id)
      .execute();
  }
  return rows.length;
}

/** Who was erased while a step ran does not come back with what that step had read before. */
function keepErased(before: ForeignProgress, progress: ForeignProgress): ForeignProgress {
  const isErased = 'plan' in before && before.plan !== null && before.plan.author === null;
  const personId = 'plan' in progress ? progress.plan?.author?.id : undefined;
  return isErased && personId !== undefined ? removeAuthor(progress, personId) : progress;
}

function removeAuthor(progress: ForeignProgress, personId: number): ForeignProgress {
  if (progress.phase === 'asked' || progress.plan?.author?.id !== personId) return progress;
  const plan = { ...progress.plan, author: null };
  return { ...progress, plan };
}
