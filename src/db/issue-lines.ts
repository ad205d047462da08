// Issues by their headline: a page of a project's, each conclusion read once, however many callers share it.
import { cutAt } from '../core/inert-text.ts';
import type { Conclusion } from '../core/issue.ts';
import { inChunks } from './in-chunks.ts';
import type { Reader } from './schema.ts';
import type { IssueLine, OverviewStore } from './store.ts';
import type { LearntLinks } from './thread-records.ts';

type Filter = Parameters<OverviewStore['issueLines']>[0];

const LONGEST = 300;

export async function issueLines(reader: Reader, filter: Filter): Promise<readonly IssueLine[]> {
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
    problem: cutAt(problem, LONGEST),
    rootCause: cutAt(rootCause, LONGEST),
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
