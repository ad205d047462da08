// What people look over: Issues by their headline, and how much there is of each project.

import { truncate } from '../core/inert-text.ts';
import type { Conclusion } from '../core/issue.ts';
import { auditEntries } from './audit.ts';
import type { Database } from './database.ts';
import { heldHeads } from './heads.ts';
import { inChunks } from './in-chunks.ts';
import { UNDER_WAY } from './investigations.ts';
import type { Reader } from './schema.ts';
import type { IssueLine, OverviewStore, ProjectCounts } from './store.ts';
import { heldThreads, type LearntLinks, openedPullRequests } from './threads.ts';
import { runSpending, usage } from './usage.ts';

export function createOverviewVerbs(database: Database): OverviewStore {
  return {
    listIssueLines: (filter) => database.read((reader) => issueLines(reader, filter)),
    hasReported: (accountId, projectId) => database.read((reader) => hasReported(reader, accountId, projectId)),
    countByProject: (projectIds) => database.read((reader) => projectCounts(reader, projectIds)),
    readRunSpending: (runId) => database.read((reader) => runSpending(reader, runId)),
    readUsage: (filter) => database.read((reader) => usage(reader, filter)),
    listOpenedPullRequests: (projectIds, limit) =>
      database.read((reader) => openedPullRequests(reader, projectIds, limit)),
    listHeldThreads: (projectId, limit) => database.read((reader) => heldThreads(reader, projectId, limit)),
    listHeldHeads: (projectId, limit) => database.read((reader) => heldHeads(reader, projectId, limit)),
    listAuditEntries: (filter) => database.read((reader) => auditEntries(reader, filter)),
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

const NONE: ProjectCounts = { issues: 0, underWay: 0, openFailures: 0, lastIssueAt: '' };

async function projectCounts(reader: Reader, wanted: readonly string[]): Promise<ReadonlyMap<string, ProjectCounts>> {
  // Once each: an id in two chunks would count double.
  const projectIds = [...new Set(wanted)];
  const counts = new Map<string, ProjectCounts>();
  const note = (id: string, part: Partial<ProjectCounts>) => {
    counts.set(id, { ...(counts.get(id) ?? NONE), ...part });
  };
  for (const { project_id: id, count, last } of await inChunks(projectIds, (some) => issuesOf(reader, some))) {
    note(id, { issues: Number(count), lastIssueAt: last });
  }
  for (const { project_id: id, count } of await inChunks(projectIds, (some) => underWay(reader, some))) {
    note(id, { underWay: (counts.get(id)?.underWay ?? 0) + Number(count) });
  }
  for (const { project_id: id, count } of await inChunks(projectIds, (some) => openFailures(reader, some))) {
    note(id, { openFailures: Number(count) });
  }
  return counts;
}

function issuesOf(reader: Reader, projectIds: readonly string[]) {
  return reader
    .selectFrom('issues')
    .select(({ fn }) => ['project_id', fn.countAll<number>().as('count'), fn.max('created_at').as('last')])
    .where('project_id', 'in', projectIds)
    .groupBy('project_id')
    .execute();
}

/** Of each state for itself, as the index has them: else SQLite would count all that the project ever had. */
function underWay(reader: Reader, projectIds: readonly string[]) {
  return reader
    .selectFrom('investigations')
    .select(({ fn }) => ['project_id', fn.countAll<number>().as('count')])
    .where('project_id', 'in', projectIds)
    .where(UNDER_WAY)
    .groupBy(['state', 'project_id'])
    .execute();
}

function openFailures(reader: Reader, projectIds: readonly string[]) {
  return reader
    .selectFrom('failures')
    .select(({ fn }) => ['project_id', fn.countAll<number>().as('count')])
    .where('project_id', 'in', projectIds)
    .where('state', '=', 'open')
    .groupBy('project_id')
    .execute();
}

type Filter = Parameters<OverviewStore['listIssueLines']>[0];

const LONGEST = 300;

async function issueLines(reader: Reader, filter: Filter): Promise<readonly IssueLine[]> {
  const rows = await linesOf(reader, filter);
  const conclusions = await conclusionsOf(reader, [...new Set(rows.map((row) => row.run_id))]);
  return rows.flatMap((row) => {
    const conclusion = conclusions.get(row.run_id);
    return conclusion ? [lineFrom(row, conclusion)] : [];
  });
}

type Row = Awaited<ReturnType<typeof linesOf>>[number];

/** The page is chosen before anything is joined. */
function linesOf(reader: Reader, filter: Filter) {
  return reader
    .selectFrom('issues')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .select([
      'issues.id',
      'issues.project_id',
      'issues.run_id',
      'issues.same_as',
      'issues.created_at',
      'issues.links',
      'investigations.origin',
      'investigations.reference',
      'investigations.verdict',
    ])
    .where('issues.seq', 'in', () => pageOf(reader, filter))
    .orderBy('issues.seq', 'desc')
    .execute();
}

function pageOf(reader: Reader, { projectId, limit, after }: Filter) {
  const page = reader
    .selectFrom('issues')
    .select('seq')
    .where('project_id', '=', projectId)
    .orderBy('seq', 'desc')
    .limit(limit);
  if (after === undefined) return page;
  return page.where('seq', '<', (last) =>
    last.selectFrom('issues as last').select('last.seq').where('last.id', '=', after),
  );
}

async function conclusionsOf(reader: Reader, runIds: readonly string[]): Promise<ReadonlyMap<string, Conclusion>> {
  const rows = await inChunks(runIds, (some) =>
    reader.selectFrom('runs').select(['id', 'conclusion']).where('id', 'in', some).execute(),
  );
  const read = new Map<string, Conclusion>();
  for (const { id, conclusion } of rows) if (conclusion !== null) read.set(id, JSON.parse(conclusion));
  return read;
}

function lineFrom(row: Row, { problem, rootCause, changeSet, analysis }: Conclusion): IssueLine {
  const learnt: LearntLinks = row.links === null ? {} : JSON.parse(row.links);
  const links = { ...analysis.links, ...learnt };
  return {
    id: row.id,
    projectId: row.project_id,
    origin: row.origin,
    reference: row.reference,
    problem: truncate(problem, LONGEST),
    rootCause: truncate(rootCause, LONGEST),
    outcome: analysis.outcome,
    partial: analysis.partial,
    verdict: row.verdict ?? analysis.verdict,
    confidence: analysis.confidence,
    sameAs: row.same_as,
    hasChange: changeSet.files.length > 0,
    pullRequest: links.pullRequest,
    createdAt: row.created_at,
  };
}
