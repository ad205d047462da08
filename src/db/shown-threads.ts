// What threads have put on GitHub, or would have: pull requests that were opened, and what mode `observe` held back.
import type { Thread, ThreadRecord } from '../core/thread.ts';
import { inChunks } from './in-chunks.ts';
import type { Reader } from './schema.ts';
import type { OpenedPullRequest } from './store.ts';
import { threadFrom } from './thread-rows.ts';

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
  return rows.map(threadFrom);
}
