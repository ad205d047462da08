// What people look over, each from its file.

import { auditEntries } from './audit-entries.ts';
import type { Database } from './database.ts';
import { heldHeads } from './held-heads.ts';
import { issueLines } from './issue-lines.ts';
import { projectCounts } from './project-counts.ts';
import type { Reader } from './schema.ts';
import { heldThreads, openedPullRequests } from './shown-threads.ts';
import type { OverviewStore } from './store.ts';
import { runSpending, usage } from './usage.ts';

export function overviewVerbs(database: Database): OverviewStore {
  return {
    issueLines: (filter) => database.read((reader) => issueLines(reader, filter)),
    hasReported: (accountId, projectId) => database.read((reader) => hasReported(reader, accountId, projectId)),
    projectCounts: (projectIds) => database.read((reader) => projectCounts(reader, projectIds)),
    runSpending: (runId) => database.read((reader) => runSpending(reader, runId)),
    usage: (filter) => database.read((reader) => usage(reader, filter)),
    openedPullRequests: (projectIds, limit) => database.read((reader) => openedPullRequests(reader, projectIds, limit)),
    heldThreads: (projectId, limit) => database.read((reader) => heldThreads(reader, projectId, limit)),
    heldHeads: (projectId, limit) => database.read((reader) => heldHeads(reader, projectId, limit)),
    auditEntries: (filter) => database.read((reader) => auditEntries(reader, filter)),
  };
}

async function hasReported(reader: Reader, accountId: string, projectId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('runs')
    .select('id')
    .where('account_id', '=', accountId)
    .where('project_id', '=', projectId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
