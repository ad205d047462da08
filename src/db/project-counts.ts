// How much there is of each project: three counts for up to 500 projects at a time.

import { inChunks } from './in-chunks.ts';
import type { Reader } from './schema.ts';
import type { ProjectCounts } from './store.ts';
import { UNDER_WAY } from './under-way.ts';

const NONE: ProjectCounts = { issues: 0, underWay: 0, openFailures: 0, lastIssueAt: '' };

export async function projectCounts(
  reader: Reader,
  wanted: readonly string[],
): Promise<ReadonlyMap<string, ProjectCounts>> {
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
