// Threads: a subject on GitHub with what is posted there for it, and the jobs that publish it.
import type { Selectable } from 'kysely';
import { toSubjectOrigin } from '../core/account/index.ts';
import type { Issue } from '../core/issue/index.ts';
import type { Person } from '../core/project/index.ts';
import { type Proof, toProof } from '../core/proof/index.ts';
import type { NewJob, Urgency } from '../core/queue.ts';
import {
  type CommandReply,
  EMPTY_RECORD,
  type FixRequest,
  listFurther,
  type PostedPullRequest,
  type Subject,
  type Thread,
  type ThreadRecord,
  type Trigger,
  toSubjectKey,
} from '../core/thread/index.ts';
import { toGithubActor, writeAudit } from './audit.ts';
import { type Database, type Enqueuer, queryInChunks } from './database.ts';
import { addEvents } from './events.ts';
import { followPullRequest } from './outcomes.ts';
import type { Reader, ThreadTable, Trx } from './schema.ts';

/** What became of the request for the pull request of an Issue; but for the first, nothing was changed. */
export type FixOfIssue =
  | { readonly kind: 'requested'; readonly thread: Thread }
  | { readonly kind: 'merged'; readonly number: number }
  /**
   * Its thread shows or awaits another analysis. `issueId`: of that one; null: it has none (yet). `merged`: number of
   * the pull request that was merged for the Issue itself; null: none was.
   */
  | {
      readonly kind: 'superseded';
      readonly investigationId: string;
      readonly issueId: string | null;
      readonly merged: number | null;
    }
  /** Requested within the last 10 minutes, and refused for this reason. */
  | { readonly kind: 'withheld'; readonly reason: NonNullable<ThreadRecord['withheld']>['reason'] };

interface IssueFixRequest {
  readonly by: Person;
  /** Of the thread, if it is created. */
  readonly threadId: string;
  readonly now: string;
}

export interface OpenedPullRequest {
  readonly threadId: string;
  readonly projectId: string;
  readonly pullRequest: PostedPullRequest;
  readonly changedAt: string;
}

/** What of `analysis` becomes known after the conclusion: its links, and the proof of its pull request. */
export type LearntLinks = Partial<Pick<Issue['analysis']['links'], 'comment' | 'checkRun' | 'pullRequest'>> & {
  readonly proof?: Proof;
};

/** A change of what a thread should show enqueues its `publish` job in the same transaction. */
export function createThreadVerbs(database: Database) {
  const { jobs } = database;
  return {
    findThread: (id: string): Promise<Thread | null> => database.read((reader) => findLatest(reader, { id })),
    findThreadOfSubject: (projectId: string, subject: Subject): Promise<Thread | null> =>
      database.read((reader) => findLatest(reader, { project_id: projectId, subject_key: toSubjectKey(subject) })),
    /** The thread with a pull request from this branch. */
    findThreadOfBranch: (projectId: string, branch: string): Promise<Thread | null> =>
      database.read((reader) => findLatest(reader, { project_id: projectId, branch })),
    findThreadOfPullRequest: (projectId: string, number: number): Promise<Thread | null> =>
      database.read((reader) => findLatest(reader, { project_id: projectId, pull_request: number })),
    /** The thread that the Issue's investigation belongs to. */
    findThreadOfIssue: (issueId: string): Promise<Thread | null> =>
      database.read(async (reader) => {
        const row = await reader
          .selectFrom('issues')
          .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
          .innerJoin('threads', 'threads.id', 'investigations.thread_id')
          .selectAll('threads')
          .where('issues.id', '=', issueId)
          .executeTakeFirst();
        return row ? toThread(row) : null;
      }),
    /** Ids of the investigations of a thread that have not ended, further attempts among them; oldest first. */
    async listOpenInvestigationsOfThread(threadId: string): Promise<readonly string[]> {
      const rows = await database.read((reader) =>
        reader
          .selectFrom('investigations')
          .select('id')
          .where('thread_id', '=', threadId)
          .where('state', 'in', ['queued', 'running'])
          .orderBy('seq')
          .execute(),
      );
      return rows.map((row) => row.id);
    },
    /** A person with write access requests the pull request of a thread: for what the thread had found by then. */
    requestFix: (threadId: string, request: FixRequest, now: string): Promise<void> =>
      database.write((trx) => requestFix(trx, jobs, threadId, { request, now })),
    /** A command in the thread was not carried out: its comment says why. */
    saveCommandReply: (threadId: string, reply: CommandReply, now: string): Promise<void> =>
      database.write(async (trx) => {
        const thread = await findLatest(trx, { id: threadId });
        if (thread === null) return;
        await updateRecord(trx, threadId, { ...thread.record, reply }, now);
        await enqueuePublish(trx, jobs, [threadId], { runAt: now, urgency: 'person' });
      }),
    /**
     * Requests the pull request of an Issue: in its thread, else in a new one of kind `report`. Null: no such Issue.
     */
    requestFixOfIssue: (issueId: string, request: IssueFixRequest): Promise<FixOfIssue | null> =>
      database.write((trx) => requestFixOfIssue(trx, jobs, issueId, request)),
    /** Stores what is on GitHub now, and updates `analysis.links` and `analysis.proof` of the Issues of its investigations. */
    saveThreadRecord: (threadId: string, record: ThreadRecord, now: string): Promise<void> =>
      database.write((trx) => saveThreadRecord(trx, jobs, threadId, { record, now })),
    /** Enqueues the `publish` job: something on GitHub may have changed. */
    schedulePublish: (threadId: string, runAt: string): Promise<void> =>
      database.write((trx) => enqueuePublish(trx, jobs, [threadId], { runAt })),
    /** The same for every thread that waits for the run. */
    schedulePublishOfRun: (runId: string, runAt: string): Promise<void> =>
      database.write(async (trx) => {
        const rows = await trx
          .selectFrom('investigations')
          .select('thread_id')
          .where('run_id', '=', runId)
          .where('state', 'in', ['queued', 'running'])
          .execute();
        await enqueueUpdates(
          trx,
          jobs,
          rows.map((row) => row.thread_id),
          { runAt },
        );
      }),
    /** Pull requests with their state, newest first. */
    listOpenedPullRequests: (projectIds: readonly string[], limit: number): Promise<readonly OpenedPullRequest[]> =>
      database.read((reader) => listOpenedPullRequests(reader, projectIds, limit)),
    /** Threads with something held back (mode `observe`), last changed first. */
    async listHeldThreads(projectId: string, limit: number): Promise<readonly Thread[]> {
      const rows = await database.read((reader) =>
        reader
          .selectFrom('threads')
          .selectAll()
          .where('project_id', '=', projectId)
          .where('is_held', '=', 1)
          .orderBy('changed_at', 'desc')
          .orderBy('seq', 'desc')
          .limit(limit)
          .execute(),
      );
      return rows.map(toThread);
    },
  };
}

export function findThreadById(reader: Reader, id: string): Promise<Thread | null> {
  return findLatest(reader, { id });
}

async function findLatest(
  reader: Reader,
  key: Partial<Pick<ThreadTable, 'id' | 'project_id' | 'subject_key' | 'branch' | 'pull_request'>>,
): Promise<Thread | null> {
  const row = await reader
    .selectFrom('threads')
    .selectAll()
    .where((expression) => expression.and(key))
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? toThread(row) : null;
}

export function toThread(row: Selectable<ThreadTable>): Thread {
  return {
    id: row.id,
    projectId: row.project_id,
    subject: JSON.parse(row.subject),
    investigationId: row.investigation_id,
    trigger: JSON.parse(row.trigger_json),
    fixRequest: row.fix_request === null ? null : JSON.parse(row.fix_request),
    record: JSON.parse(row.record),
    createdAt: row.created_at,
  };
}

/** The columns that hold a record. */
export function toRecordColumns(record: ThreadRecord) {
  const { pullRequest } = record;
  return {
    record: JSON.stringify(record),
    branch: pullRequest?.branch ?? null,
    pull_request: pullRequest?.number ?? null,
    pull_request_open: pullRequest?.state === 'open' ? (1 as const) : (0 as const),
    is_held: record.held === null ? (0 as const) : (1 as const),
  };
}

async function updateRecord(trx: Trx, threadId: string, record: ThreadRecord, now: string): Promise<void> {
  await trx
    .updateTable('threads')
    .set({ ...toRecordColumns(record), changed_at: now })
    .where('id', '=', threadId)
    .execute();
}

interface Schedule {
  readonly runAt: string;
  /** Absent: that of the thread's last trigger. */
  readonly urgency?: Urgency;
}

/** Enqueues the `publish` jobs of threads; ids that are null or of deleted threads are skipped. */
export async function enqueuePublish(
  trx: Trx,
  jobs: Enqueuer,
  ids: readonly (string | null)[],
  { runAt, urgency }: Schedule,
): Promise<void> {
  const usual = await findUrgencies(trx, ids);
  await jobs.enqueue(
    trx,
    [...usual].map(([id, own]): NewJob => {
      return { kind: 'publish', subject: id, group: id, runAt, urgency: urgency ?? own };
    }),
  );
}

/** Of the threads that exist, as urgent as their last trigger. */
async function findUrgencies(trx: Trx, threadIds: readonly (string | null)[]): Promise<ReadonlyMap<string, Urgency>> {
  const ids = [...new Set(threadIds)].filter((id) => id !== null);
  if (ids.length === 0) return new Map();
  const rows = await trx.selectFrom('threads').select(['id', 'trigger_json']).where('id', 'in', ids).execute();
  return new Map(
    rows.map(({ id, trigger_json }): [string, Urgency] => {
      const trigger: Trigger = JSON.parse(trigger_json);
      return [id, trigger.kind === 'checks' ? 'automatic' : 'person'];
    }),
  );
}

/** Enqueues the `publish` jobs of threads, and the `check-run` jobs of heads with findings that name them. */
export async function enqueueUpdates(
  trx: Trx,
  jobs: Enqueuer,
  threadIds: readonly (string | null)[],
  schedule: Schedule,
): Promise<void> {
  await enqueuePublish(trx, jobs, threadIds, schedule);
  await enqueueCheckRuns(trx, jobs, threadIds, schedule);
}

/** Older heads that name a thread are not updated. */
const MOST_HEADS = 100;

/** As urgent as the most urgent of the threads. */
async function enqueueCheckRuns(
  trx: Trx,
  jobs: Enqueuer,
  threadIds: readonly (string | null)[],
  { runAt, urgency: wanted }: Schedule,
): Promise<void> {
  const urgencies = await findUrgencies(trx, threadIds);
  if (urgencies.size === 0) return;
  const heads = await trx
    .selectFrom('heads')
    .innerJoin('findings', 'findings.head_id', 'heads.id')
    .select(['heads.id', 'heads.seq'])
    .distinct()
    .where('findings.thread_id', 'in', [...urgencies.keys()])
    .orderBy('heads.seq', 'desc')
    .limit(MOST_HEADS)
    .execute();
  const urgency = wanted ?? ([...urgencies.values()].includes('person') ? 'person' : 'automatic');
  await jobs.enqueue(
    trx,
    heads.map(({ id }): NewJob => ({ kind: 'check-run', subject: id, group: id, runAt, urgency })),
  );
}

/**
 * Enqueues the `head` job of the newest head of a pull request: a person's request changes what is started there
 * automatically.
 */
export async function enqueueHeadOfPullRequest(
  trx: Trx,
  jobs: Enqueuer,
  { projectId, subject, runAt }: { readonly projectId: string; readonly subject: Subject; readonly runAt: string },
): Promise<void> {
  if (subject.kind !== 'pull_request') return;
  const head = await trx
    .selectFrom('heads')
    .select('id')
    .where('project_id', '=', projectId)
    .where('pull_request', '=', subject.number)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!head) return;
  await jobs.enqueue(trx, [{ kind: 'head', subject: head.id, group: projectId, runAt, urgency: 'person' }]);
}

async function saveThreadRecord(
  trx: Trx,
  jobs: Enqueuer,
  threadId: string,
  { record: given, now }: { readonly record: ThreadRecord; readonly now: string },
): Promise<void> {
  const stored = await findLatest(trx, { id: threadId });
  if (stored === null) return;
  const { reply } = stored.record;
  const record = { ...removeErasedPeople(given, stored), ...(reply && { reply }) };
  await updateRecord(trx, threadId, record, now);
  await saveLinks(trx, threadId, record);
  const { pullRequest } = record;
  const isChanged =
    pullRequest !== null && toPullRequestState(pullRequest) !== toPullRequestState(stored.record.pullRequest);
  if (isChanged) await followPullRequest(trx, jobs, pullRequest.issueId, now);
  await announcePullRequest(trx, jobs, { ...stored, record }, { before: stored.record.pullRequest, now });
  if (toCheckRunView(record) !== toCheckRunView(stored.record)) {
    await enqueueCheckRuns(trx, jobs, [threadId], { runAt: now });
  }
}

const PULL_REQUEST_EVENTS = {
  open: 'pull_request.opened',
  merged: 'pull_request.merged',
  closed: 'pull_request.closed',
} as const;

/** Each change of its state, and that it was proven. */
async function announcePullRequest(
  trx: Trx,
  jobs: Enqueuer,
  { projectId, subject, record: { pullRequest } }: Thread,
  { before, now }: { readonly before: PostedPullRequest | null; readonly now: string },
): Promise<void> {
  // Until GitHub has opened it, it has no number.
  if (pullRequest === null || pullRequest.number === 0) return;
  const { number, url, issueId, state, branch, base } = pullRequest;
  const known = before?.number === number ? before : null;
  const proof = toProof(pullRequest.proof, number);
  const isProven = proof?.state === 'proven' && toProof(known?.proof)?.state !== 'proven';
  const types = [
    ...(known?.state === state ? [] : [PULL_REQUEST_EVENTS[state]]),
    ...(isProven ? (['pull_request.proven'] as const) : []),
  ];
  if (types.length === 0) return;
  const issue = trx.selectFrom('issues').select('investigation_id').where('id', '=', issueId);
  const investigationId = (await issue.executeTakeFirst())?.investigation_id ?? '';
  const data = { projectId, issueId, number, url, state, branch, base, proof };
  const about = { projectId, origin: toSubjectOrigin(subject), investigationId, now };
  for (const type of types) await addEvents(trx, jobs, { type, data }, about);
}

function toPullRequestState(posted: PostedPullRequest | null): string {
  return posted === null ? '' : `${posted.issueId} ${posted.number} ${posted.state}`;
}

/** What check runs show of a thread: its pull request, or why there is none. */
function toCheckRunView({ pullRequest, withheld }: ThreadRecord): string {
  const proof = toProof(pullRequest?.proof);
  const opened = pullRequest && [pullRequest.number, pullRequest.state, proof?.state, proof?.failing];
  return JSON.stringify([opened, withheld && [withheld.investigationId, withheld.reason]]);
}

/**
 * A job may hold a record from before a person was erased: the record without people whom the stored thread names
 * nowhere any more.
 */
function removeErasedPeople(record: ThreadRecord, stored: Thread): ThreadRecord {
  const { withheld, pullRequest } = record;
  const known = new Set([
    stored.trigger.by.id,
    stored.fixRequest?.id,
    stored.record.pullRequest?.requestedBy?.id,
    readRequester(stored.record),
  ]);
  const requester = readRequester(record);
  const requestedBy = pullRequest?.requestedBy;
  return {
    ...record,
    withheld: withheld && requester !== null && !known.has(requester) ? { ...withheld, request: '' } : withheld,
    pullRequest: requestedBy && !known.has(requestedBy.id) ? removeRequester(pullRequest) : pullRequest,
  };
}

/** GitHub's number of the person who made the refused request; null: there was no request. */
export function readRequester({ withheld }: ThreadRecord): number | null {
  const number = withheld?.request.split(' ')[0] ?? '';
  return number === '' ? null : Number(number);
}

export function removeRequester({ requestedBy: _, ...pullRequest }: PostedPullRequest): PostedPullRequest {
  return pullRequest;
}

async function saveLinks(trx: Trx, threadId: string, { comment, pullRequest }: ThreadRecord): Promise<void> {
  const issues = await trx
    .selectFrom('issues')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .select(['issues.id', 'issues.investigation_id', 'issues.links'])
    .where('investigations.thread_id', '=', threadId)
    .execute();
  for (const issue of issues) {
    // There is one comment, so it is the link of one Issue.
    const { comment: _, ...kept }: LearntLinks = issue.links === null ? {} : JSON.parse(issue.links);
    const links = JSON.stringify({
      ...(comment?.investigationId === issue.investigation_id && comment.url !== '' && { comment: comment.url }),
      ...(pullRequest === null ? kept : addPullRequest(kept, pullRequest, issue)),
    });
    if (links === (issue.links ?? '{}')) continue;
    await trx.updateTable('issues').set({ links }).where('id', '=', issue.id).execute();
  }
}

/** An earlier pull request keeps its link, closed or merged. */
function addPullRequest(
  known: LearntLinks,
  posted: PostedPullRequest,
  issue: { readonly id: string; readonly investigation_id: string },
): LearntLinks {
  const isFirst = posted.issueId === issue.id;
  const last = listFurther(posted).at(-1);
  const isLast = last === undefined ? isFirst : last === issue.investigation_id;
  if (!isFirst && !isLast) return known;
  const { proof: before, ...links } = { ...known, pullRequest: posted.url };
  const proof = toProof(posted.proof, posted.number) ?? before;
  // The change of the last attempt is what was proven, and not that of the Issue that it began with.
  const isShown = proof !== undefined && (isLast || proof.state !== 'proven');
  return isShown ? { ...links, proof } : links;
}

async function requestFix(
  trx: Trx,
  jobs: Enqueuer,
  threadId: string,
  { request, now }: { readonly request: FixRequest; readonly now: string },
): Promise<void> {
  const row = await trx
    .updateTable('threads')
    .set({ fix_request: JSON.stringify(request), changed_at: now })
    .where('id', '=', threadId)
    .returning('project_id')
    .executeTakeFirst();
  if (!row) return;
  const entry = { at: now, accountId: toGithubActor(request), projectId: row.project_id };
  await writeAudit(trx, { ...entry, verb: 'fix.requested', subject: threadId });
  await enqueueUpdates(trx, jobs, [threadId], { runAt: now, urgency: 'person' });
}

async function requestFixOfIssue(
  trx: Trx,
  jobs: Enqueuer,
  issueId: string,
  request: IssueFixRequest,
): Promise<FixOfIssue | null> {
  const { by, now } = request;
  const issue = await trx
    .selectFrom('issues')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .select(['issues.id', 'issues.project_id', 'issues.investigation_id', 'investigations.thread_id'])
    .where('issues.id', '=', issueId)
    .executeTakeFirst();
  if (!issue) return null;
  const threadId = issue.thread_id ?? (await createReportThread(trx, issue, request));
  const thread = await getThread(trx, threadId);
  const { investigationId, record } = thread;
  const isMerged = record.pullRequest?.state === 'merged' && record.pullRequest.issueId === issueId;
  const merged = isMerged ? record.pullRequest.number : null;
  if (investigationId !== issue.investigation_id) {
    const other = trx.selectFrom('issues').select('id').where('investigation_id', '=', investigationId);
    return { kind: 'superseded', investigationId, issueId: (await other.executeTakeFirst())?.id ?? null, merged };
  }
  if (merged !== null) return { kind: 'merged', number: merged };
  const reason = findFreshRefusal(thread, now);
  if (reason !== null) return { kind: 'withheld', reason };
  await requestFix(trx, jobs, threadId, { request: { ...by, at: now }, now });
  return { kind: 'requested', thread: await getThread(trx, threadId) };
}

async function getThread(trx: Trx, id: string): Promise<Thread> {
  return toThread(await trx.selectFrom('threads').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
}

/** For this long a refusal is repeated instead of asking GitHub again. */
const REFUSED_MS = 10 * 60_000;

function findFreshRefusal({ record, fixRequest, investigationId }: Thread, now: string) {
  const { withheld, pullRequest } = record;
  if (withheld?.investigationId !== investigationId || pullRequest?.state === 'open' || !fixRequest) return null;
  return Date.parse(now) - Date.parse(fixRequest.at) < REFUSED_MS ? withheld.reason : null;
}

/** A thread without a place on GitHub. The caller has checked that the person has write access. */
async function createReportThread(
  trx: Trx,
  issue: { readonly id: string; readonly project_id: string; readonly investigation_id: string },
  { by, threadId: id, now }: IssueFixRequest,
): Promise<string> {
  const { project_id: projectId, investigation_id: investigationId } = issue;
  const subject: Subject = { kind: 'report', issueId: issue.id };
  const trigger: Trigger = { kind: 'api', by, role: 'write', commentId: null, guidance: '', at: now };
  await trx
    .insertInto('threads')
    .values({
      id,
      project_id: projectId,
      investigation_id: investigationId,
      subject_key: toSubjectKey(subject),
      subject: JSON.stringify(subject),
      trigger_json: JSON.stringify(trigger),
      fix_request: null,
      ...toRecordColumns(EMPTY_RECORD),
      created_at: now,
      changed_at: now,
    })
    .execute();
  await trx.updateTable('investigations').set({ thread_id: id }).where('id', '=', investigationId).execute();
  await writeAudit(trx, { at: now, accountId: toGithubActor(by), verb: 'thread.opened', subject: id, projectId });
  return id;
}

async function listOpenedPullRequests(
  reader: Reader,
  projectIds: readonly string[],
  limit: number,
): Promise<readonly OpenedPullRequest[]> {
  const rows = await queryInChunks(projectIds, (some) =>
    reader
      .selectFrom('threads')
      .select(['seq', 'id', 'project_id', 'record', 'changed_at'])
      .where('project_id', 'in', some)
      .where('pull_request', 'is not', null)
      .orderBy('changed_at', 'desc')
      .orderBy('seq', 'desc')
      .limit(limit)
      .execute(),
  );
  const newest = rows.toSorted((a, b) => b.changed_at.localeCompare(a.changed_at) || b.seq - a.seq).slice(0, limit);
  return newest.flatMap((row) => {
    const { pullRequest }: ThreadRecord = JSON.parse(row.record);
    return pullRequest ? [{ threadId: row.id, projectId: row.project_id, pullRequest, changedAt: row.changed_at }] : [];
  });
}
