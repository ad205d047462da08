// A thread as a row, and the job that brings what stands on GitHub up to it.
import type { Selectable } from 'kysely';
import type { NewJob, Urgency } from '../core/queue.ts';
import type { FixRequest, Subject, Thread, ThreadRecord, Trigger } from '../core/thread.ts';
import type { Enqueuer } from './enqueuer.ts';
import { placesOfThreads } from './job-places.ts';
import type { ThreadTable, Trx } from './schema.ts';

export function threadFrom(row: Selectable<ThreadTable>): Thread {
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

export interface Nudge {
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
  const places = await placesOfThreads(trx, threads);
  const jobs = threads.flatMap((id): readonly NewJob[] => {
    const place = places.get(id);
    if (!place) return [];
    return [{ kind: 'publish', subject: id, group: id, runAt, ...place, ...(urgency && { urgency }) }];
  });
  await enqueuer.enqueue(trx, jobs);
}
