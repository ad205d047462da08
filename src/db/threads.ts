// Threads: a subject on GitHub with what stands there for it, kept up to date, and the jobs that publish it.

import type { Selectable } from 'kysely';
import type { Issue } from '../core/issue.ts';
import type { NewJob, Urgency } from '../core/queue.ts';
import {
  type CommandReply,
  EMPTY_RECORD,
  type FixRequest,
  type Person,
  type Subject,
  type Thread,
  type ThreadRecord,
  type Trigger,
  toSubjectKey,
} from '../core/thread.ts';
import { onGithub, writeAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { withoutForgotten } from './forgotten-since.ts';
import { inChunks } from './in-chunks.ts';
import type { Reader, ThreadTable, Trx } from './schema.ts';
import type { FixOfIssue, OpenedPullRequest, ThreadStore } from './store.ts';

export function createThreadVerbs(database: Database, enqueuer: Enqueuer): ThreadStore {
  return {
    findThread: (id) => database.read((reader) => latest(reader, { id })),
    findThreadOfSubject: (projectId, subject) => database.read((reader) => latest(reader, keyOf(projectId, subject))),
    findThreadOfBranch: (projectId, branch) =>
      database.read((reader) => latest(reader, { project_id: projectId, branch })),
    findThreadOfPullRequest: (projectId, number) =>
      database.read((reader) => latest(reader, { project_id: projectId, pull_request: number })),
    listOpenInvestigationsOfThread: (threadId) => database.read((reader) => openOf(reader, threadId)),
    requestFix: (threadId, request, now) =>
      database.write((trx) => requestFix(trx, threadId, request, { now, enqueuer })),
    saveCommandReply: (threadId, reply, now) =>
      database.write((trx) => noteReply(trx, threadId, { reply, now, enqueuer })),
    requestFixOfIssue: (issueId, request) =>
      database.write((trx) => requestFixOfIssue(trx, issueId, { ...request, enqueuer })),
    saveThreadRecord: (threadId, record, now) =>
      database.write((trx) => saveThreadRecord(trx, threadId, { record, now, enqueuer })),
    schedulePublish: (threadId, runAt) => database.write((trx) => nudgeThreads(trx, [threadId], { enqueuer, runAt })),
    schedulePublishOfRun: (runId, runAt) => database.write((trx) => nudgeThreadsOfRun(trx, runId, { enqueuer, runAt })),
  };
}

type Key = Partial<Pick<ThreadTable, 'id' | 'project_id' | 'subject_key' | 'branch' | 'pull_request'>>;

function keyOf(projectId: string, subject: Subject): Key {
  return { project_id: projectId, subject_key: toSubjectKey(subject) };
}

async function latest(reader: Reader, key: Key): Promise<Thread | null> {
  const row = await reader
    .selectFrom('threads')
    .selectAll()
    .where((expression) => expression.and(key))
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? toThread(row) : null;
}

async function openOf(reader: Reader, threadId: string): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom('investigations')
    .select('id')
    .where('thread_id', '=', threadId)
    .where('state', 'in', ['queued', 'running'])
    .orderBy('seq')
    .execute();
  return rows.map((row) => row.id);
}

async function nudgeThreadsOfRun(trx: Trx, runId: string, nudge: Nudge): Promise<void> {
  const rows = await trx
    .selectFrom('investigations')
    .select('thread_id')
    .where('run_id', '=', runId)
    .where('state', 'in', ['queued', 'running'])
    .where('thread_id', 'is not', null)
    .execute();
  await nudgeShown(
    trx,
    rows.map((row) => row.thread_id),
    nudge,
  );
}

export function toThread(row: Selectable<ThreadTable>): Thread {
  const subject: Subject = JSON.parse(row.subject);
  const trigger: Trigger = JSON.parse(row.trigger_json);
  const fixRequest: FixRequest | null = row.fix_request === null ? null : JSON.parse(row.fix_request);
  const record: ThreadRecord = JSON.parse(row.record);
  return {
    id: row.id,
    projectId: row.project_id,
    subject,
    investigationId: row.investigation_id,
    trigger,
    fixRequest,
    record,
    createdAt: row.created_at,
  };
}

/** The columns that hold a record. */
export function recordColumns(
  record: ThreadRecord,
): Pick<ThreadTable, 'record' | 'branch' | 'pull_request' | 'pull_request_open' | 'is_held'> {
  const { pullRequest } = record;
  return {
    record: JSON.stringify(record),
    branch: pullRequest?.branch ?? null,
    pull_request: pullRequest?.number ?? null,
    pull_request_open: pullRequest?.state === 'open' ? 1 : 0,
    is_held: record.held === null ? 0 : 1,
  };
}

interface Nudge {
  readonly enqueuer: Enqueuer;
  readonly runAt: string;
  /** Absent: that of whoever asked last in the thread. */
  readonly urgency?: Urgency;
}

/** Enqueues the `publish` jobs of threads, each a group of its own. One that is gone has nothing to show; null stands for an investigation that belongs to none. */
export async function nudgeThreads(
  trx: Trx,
  ids: readonly (string | null)[],
  { enqueuer, runAt, urgency }: Nudge,
): Promise<void> {
  const threads = [...new Set(ids)].filter((id) => id !== null);
  if (threads.length === 0) return;
  const urgencies = await findThreadUrgencies(trx, threads);
  const jobs = threads.flatMap((id): readonly NewJob[] => {
    const usual = urgencies.get(id);
    if (usual === undefined) return [];
    return [{ kind: 'publish', subject: id, group: id, runAt, urgency: urgency ?? usual }];
  });
  await enqueuer.enqueue(trx, jobs);
}

/** How urgent the jobs of each thread are: as urgent as its last trigger. Threads that are gone are left out. */
async function findThreadUrgencies(trx: Trx, ids: readonly string[]): Promise<ReadonlyMap<string, Urgency>> {
  const rows = await trx.selectFrom('threads').select(['id', 'trigger_json']).where('id', 'in', ids).execute();
  const entries = rows.map(({ id, trigger_json: json }): [string, Urgency] => {
    const trigger: Trigger = JSON.parse(json);
    return [id, trigger.kind === 'checks' ? 'automatic' : 'person'];
  });
  return new Map(entries);
}

/** Heads that wait for one thread at a time; older ones have long shown what there was to show. */
const MOST_HEADS = 100;

/** Enqueues the `publish` jobs of threads and the `check-run` jobs of the heads whose findings name them. */
export async function nudgeShown(trx: Trx, threadIds: readonly (string | null)[], nudge: Nudge): Promise<void> {
  await nudgeThreads(trx, threadIds, nudge);
  await nudgeHeads(trx, threadIds, nudge);
}

/** Enqueues the `check-run` jobs alone, each a group of its own, and as urgent as the most urgent of the threads. */
async function nudgeHeads(
  trx: Trx,
  threadIds: readonly (string | null)[],
  { enqueuer, runAt, urgency: wanted }: Nudge,
): Promise<void> {
  const threads = [...new Set(threadIds)].filter((id) => id !== null);
  if (threads.length === 0) return;
  const heads = await trx
    .selectFrom('heads')
    .innerJoin('findings', 'findings.head_id', 'heads.id')
    .select(['heads.id', 'heads.seq'])
    .distinct()
    .where('findings.thread_id', 'in', threads)
    .orderBy('heads.seq', 'desc')
    .limit(MOST_HEADS)
    .execute();
  if (heads.length === 0) return;
  const urgencies = [...(await findThreadUrgencies(trx, threads)).values()];
  const urgency = wanted ?? (urgencies.includes('person') ? 'person' : 'automatic');
  await enqueuer.enqueue(
    trx,
    heads.map(({ id }) => ({ kind: 'check-run', subject: id, group: id, runAt, urgency })),
  );
}

/** Enqueues the `head` job of the newest head of a pull request: somebody asked, which changes what begins there unasked. */
export async function nudgePullRequest(
  trx: Trx,
  { projectId, subject }: { readonly projectId: string; readonly subject: Subject },
  { enqueuer, runAt }: Nudge,
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
  const place = { group: projectId, urgency: 'person' } as const;
  await enqueuer.enqueue(trx, [{ kind: 'head', subject: head.id, runAt, ...place }]);
}

/** What of `analysis.links` is learnt after the conclusion. */
export type LearntLinks = Partial<Pick<Issue['analysis']['links'], 'comment' | 'checkRun' | 'pullRequest'>>;

async function saveThreadRecord(
  trx: Trx,
  threadId: string,
  saved: { readonly record: ThreadRecord; readonly now: string; readonly enqueuer: Enqueuer },
): Promise<void> {
  const { now, enqueuer } = saved;
  const row = await trx.selectFrom('threads').selectAll().where('id', '=', threadId).executeTakeFirst();
  if (!row) return;
  const stored = toThread(row);
  const { reply } = stored.record;
  const record = { ...withoutForgotten(saved.record, stored), ...(reply && { reply }) };
  await trx
    .updateTable('threads')
    .set({ ...recordColumns(record), changed_at: now })
    .where('id', '=', threadId)
    .execute();
  await saveLinks(trx, threadId, record);
  if (shownOf(record) !== shownOf(stored.record)) await nudgeHeads(trx, [threadId], { enqueuer, runAt: now });
}

async function noteReply(
  trx: Trx,
  threadId: string,
  { reply, now, enqueuer }: { readonly reply: CommandReply; readonly now: string; readonly enqueuer: Enqueuer },
): Promise<void> {
  const row = await trx.selectFrom('threads').selectAll().where('id', '=', threadId).executeTakeFirst();
  if (!row) return;
  const record = { ...toThread(row).record, reply };
  await trx
    .updateTable('threads')
    .set({ ...recordColumns(record), changed_at: now })
    .where('id', '=', threadId)
    .execute();
  await nudgeThreads(trx, [threadId], { enqueuer, runAt: now, urgency: 'person' });
}

/** What check runs show of a thread: its pull request, or why there is none. */
function shownOf({ pullRequest, withheld }: ThreadRecord): string {
  const opened = pullRequest && [pullRequest.number, pullRequest.state];
  return JSON.stringify([opened, withheld && [withheld.investigationId, withheld.reason]]);
}

async function saveLinks(trx: Trx, threadId: string, record: ThreadRecord): Promise<void> {
  const issues = await trx
    .selectFrom('issues')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .select(['issues.id', 'issues.investigation_id', 'issues.links'])
    .where('investigations.thread_id', '=', threadId)
    .execute();
  for (const issue of issues) {
    const before: LearntLinks = issue.links === null ? {} : JSON.parse(issue.links);
    const links = JSON.stringify(linksAfter(before, issue, record));
    if (links === (issue.links ?? '{}')) continue;
    await trx.updateTable('issues').set({ links }).where('id', '=', issue.id).execute();
  }
}

/** There is one comment, so that it is the link of one Issue; an earlier pull request stays where it is, closed or merged. */
function linksAfter(
  before: LearntLinks,
  issue: { readonly id: string; readonly investigation_id: string },
  { comment, pullRequest }: ThreadRecord,
): LearntLinks {
  const { comment: _, ...kept } = before;
  return {
    ...(comment?.investigationId === issue.investigation_id && comment.url !== '' && { comment: comment.url }),
    ...kept,
    ...(pullRequest?.issueId === issue.id && { pullRequest: pullRequest.url }),
  };
}

interface Asked {
  readonly by: Person;
  readonly now: string;
  readonly enqueuer: Enqueuer;
}

async function requestFix(
  trx: Trx,
  threadId: string,
  request: FixRequest,
  { now, enqueuer }: Pick<Asked, 'now' | 'enqueuer'>,
): Promise<void> {
  const row = await trx
    .updateTable('threads')
    .set({ fix_request: JSON.stringify(request), changed_at: now })
    .where('id', '=', threadId)
    .returning('project_id')
    .executeTakeFirst();
  if (!row) return;
  const by = { accountId: onGithub(request), projectId: row.project_id };
  await writeAudit(trx, { ...by, at: now, verb: 'fix.requested', subject: threadId });
  await nudgeShown(trx, [threadId], { enqueuer, runAt: now, urgency: 'person' });
}

/** Null: no such Issue. */
async function requestFixOfIssue(
  trx: Trx,
  issueId: string,
  request: Asked & { readonly threadId: string },
): Promise<FixOfIssue | null> {
  const issue = await trx
    .selectFrom('issues')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .select(['issues.id', 'issues.project_id', 'issues.investigation_id', 'investigations.thread_id'])
    .where('issues.id', '=', issueId)
    .executeTakeFirst();
  if (!issue) return null;
  const threadId = issue.thread_id ?? (await threadOfReport(trx, issue, request));
  const thread = await threadBy(trx, threadId);
  if (thread.investigationId !== issue.investigation_id) return supersededBy(trx, thread);
  const reason = freshRefusal(thread, request.now);
  if (reason !== null) return { kind: 'withheld', reason };
  await requestFix(trx, threadId, { ...request.by, at: request.now }, request);
  return { kind: 'requested', thread: await threadBy(trx, threadId) };
}

async function threadBy(trx: Trx, id: string): Promise<Thread> {
  return toThread(await trx.selectFrom('threads').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
}

async function supersededBy(trx: Trx, { investigationId }: Thread): Promise<FixOfIssue> {
  const query = trx.selectFrom('issues').select('id').where('investigation_id', '=', investigationId);
  const newer = await query.executeTakeFirst();
  return { kind: 'superseded', investigationId, issueId: newer?.id ?? null };
}

/** So long a refusal is worth telling instead of asking GitHub the same again. */
const REFUSED_MS = 10 * 60_000;

function freshRefusal({ record, fixRequest, investigationId }: Thread, now: string): string | null {
  const { withheld, pullRequest } = record;
  if (withheld?.investigationId !== investigationId || pullRequest?.state === 'open' || fixRequest === null)
    return null;
  return Date.parse(now) - Date.parse(fixRequest.at) < REFUSED_MS ? withheld.reason : null;
}

/** A thread without a place of its own on GitHub. Who asks has write, or would not have come this far. */
async function threadOfReport(
  trx: Trx,
  issue: { readonly id: string; readonly project_id: string; readonly investigation_id: string },
  { by, threadId: id, now }: Asked & { readonly threadId: string },
): Promise<string> {
  const subject: Subject = { kind: 'report', issueId: issue.id };
  const trigger: Trigger = { kind: 'api', by, role: 'write', commentId: null, guidance: '', at: now };
  await trx
    .insertInto('threads')
    .values({
      ...{ id, project_id: issue.project_id, investigation_id: issue.investigation_id },
      ...{
        subject_key: toSubjectKey(subject),
        subject: JSON.stringify(subject),
        trigger_json: JSON.stringify(trigger),
      },
      ...{ fix_request: null, ...recordColumns(EMPTY_RECORD), created_at: now, changed_at: now },
    })
    .execute();
  await trx.updateTable('investigations').set({ thread_id: id }).where('id', '=', issue.investigation_id).execute();
  const { project_id: projectId } = issue;
  await writeAudit(trx, { at: now, accountId: onGithub(by), verb: 'thread.opened', subject: id, projectId });
  return id;
}

export async function openedPullRequests(
  reader: Reader,
  projectIds: readonly string[],
  limit: number,
): Promise<readonly OpenedPullRequest[]> {
  const rows = await inChunks(projectIds, (some) => openedIn(reader, some, limit));
  const newest = [...rows].sort((a, b) => b.changed_at.localeCompare(a.changed_at) || b.seq - a.seq).slice(0, limit);
  return newest.flatMap((row) => {
    const { pullRequest }: ThreadRecord = JSON.parse(row.record);
    return pullRequest ? [{ threadId: row.id, projectId: row.project_id, pullRequest, changedAt: row.changed_at }] : [];
  });
}

/** The page is chosen from the index before a record is read. */
function openedIn(reader: Reader, projectIds: readonly string[], limit: number) {
  const page = reader
    .selectFrom('threads')
    .select('seq')
    .where('project_id', 'in', projectIds)
    .where('pull_request', 'is not', null)
    .orderBy('changed_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit);
  return reader
    .selectFrom('threads')
    .select(['seq', 'id', 'project_id', 'record', 'changed_at'])
    .where('seq', 'in', () => page)
    .execute();
}

export async function heldThreads(reader: Reader, projectId: string, limit: number): Promise<readonly Thread[]> {
  const rows = await reader
    .selectFrom('threads')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('is_held', '=', 1)
    .orderBy('changed_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toThread);
}
