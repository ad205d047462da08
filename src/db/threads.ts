// Threads as the GitHub side sees them: found by what is known of them there, and kept up to date.
import { type Subject, subjectKey, type Thread } from '../core/thread.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { requestFix, requestFixOfIssue } from './fix-requests.ts';
import type { Reader, ThreadTable, Trx } from './schema.ts';
import type { ThreadStore } from './store.ts';
import { nudgeShown } from './thread-nudges.ts';
import { noteReply, saveThreadRecord } from './thread-records.ts';
import { type Nudge, nudgeThreads, threadFrom } from './thread-rows.ts';

export function threadVerbs(database: Database, enqueuer: Enqueuer): ThreadStore {
  return {
    thread: (id) => database.read((reader) => latest(reader, { id })),
    threadOf: (projectId, subject) => database.read((reader) => latest(reader, keyOf(projectId, subject))),
    threadOfBranch: (projectId, branch) => database.read((reader) => latest(reader, { project_id: projectId, branch })),
    threadOfPullRequest: (projectId, number) =>
      database.read((reader) => latest(reader, { project_id: projectId, pull_request: number })),
    openInvestigationsOf: (threadId) => database.read((reader) => openOf(reader, threadId)),
    requestFix: (threadId, request, now) =>
      database.write((trx) => requestFix(trx, threadId, request, { now, enqueuer })),
    noteReply: (threadId, reply, now) => database.write((trx) => noteReply(trx, threadId, { reply, now, enqueuer })),
    requestFixOfIssue: (issueId, request) =>
      database.write((trx) => requestFixOfIssue(trx, issueId, { ...request, enqueuer })),
    saveThreadRecord: (threadId, record, now) =>
      database.write((trx) => saveThreadRecord(trx, threadId, { record, now, enqueuer })),
    nudgeThread: (threadId, runAt) => database.write((trx) => nudgeThreads(trx, [threadId], { enqueuer, runAt })),
    nudgeThreadsOfRun: (runId, runAt) => database.write((trx) => nudgeThreadsOfRun(trx, runId, { enqueuer, runAt })),
  };
}

type Key = Partial<Pick<ThreadTable, 'id' | 'project_id' | 'subject_key' | 'branch' | 'pull_request'>>;

function keyOf(projectId: string, subject: Subject): Key {
  return { project_id: projectId, subject_key: subjectKey(subject) };
}

async function latest(reader: Reader, key: Key): Promise<Thread | null> {
  const row = await reader
    .selectFrom('threads')
    .selectAll()
    .where((expression) => expression.and(key))
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? threadFrom(row) : null;
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
