// Investigations as their callers see them.

import { type SqlBool, sql } from 'kysely';
import type { Investigation, InvestigationOutcome, InvestigationState } from '../core/investigation.ts';
import type { Database } from './database.ts';
import type { Reader } from './schema.ts';
import type { InvestigationFilter, InvestigationStore } from './store.ts';

export function createInvestigationVerbs(
  database: Database,
): Pick<InvestigationStore, 'findInvestigation' | 'listInvestigations'> {
  return {
    async findInvestigation(id) {
      const row = await database.read((reader) =>
        withProgress(reader).where('investigations.id', '=', id).executeTakeFirst(),
      );
      return row ? toInvestigation(row) : null;
    },
    listInvestigations: (filter) => database.read((reader) => investigations(reader, filter)),
  };
}

async function investigations(reader: Reader, filter: InvestigationFilter): Promise<readonly Investigation[]> {
  if (filter.projectIds?.length === 0) return [];
  const newest = await pageAmongNewest(reader, filter);
  if (newest?.length === 0) return [];
  const page = withProgress(reader).orderBy('investigations.seq', 'desc');
  const rows = await (newest === null
    ? page.where('investigations.seq', 'in', () => pageOf(reader, filter))
    : withState(page, filter).where('investigations.seq', 'in', newest)
  ).execute();
  // One was erased or moved on meanwhile: a page that is short would pass for the last.
  if (newest !== null && rows.length < newest.length) return await investigations(reader, filter);
  return rows.map(toInvestigation);
}

function withState(page: ReturnType<typeof withProgress>, { state }: InvestigationFilter) {
  return state === undefined ? page : page.where('investigations.state', '=', state);
}

/** Of so few an index gives each its own rows, of which the newest are soon found. */
const FEW_PROJECTS = 8;

/** How many of the newest are looked at: almost always the first of these hold a page. */
const LOOKED_AT = [200, 2_000];

/**
 * The page where it stands among the newest of all projects; null where it may reach further back, or the projects are few. By the index of
 * 1,000 projects all their rows are put in order for the first page: 23 ms for 100,000 of them, which this takes a fiftieth of.
 */
async function pageAmongNewest(reader: Reader, filter: InvestigationFilter): Promise<readonly number[] | null> {
  const { projectIds = [], state, reference, limit } = filter;
  if (projectIds.length <= FEW_PROJECTS) return null;
  const wanted = new Set(projectIds);
  for (const most of LOOKED_AT) {
    const newest = await before(reader, filter)
      .select(['seq', 'project_id', 'state', 'reference'])
      .limit(most)
      .execute();
    const found = newest.filter(
      (row) =>
        wanted.has(row.project_id) &&
        (state === undefined || row.state === state) &&
        (reference === undefined || row.reference === reference),
    );
    if (found.length >= limit || newest.length < most) return found.slice(0, limit).map(({ seq }) => seq);
  }
  return null;
}

/** The page is chosen before anything is joined: over several projects, 100,000 rows would be joined to be sorted. */
function pageOf(reader: Reader, filter: InvestigationFilter) {
  const { projectIds, state, reference, limit } = filter;
  let query = before(reader, filter).select('seq').limit(limit);
  if (projectIds) query = query.where('project_id', 'in', projectIds);
  if (state) query = query.where('state', '=', state);
  // Few have one reference: by the index of a state all of that state would be looked at.
  if (reference !== undefined) query = query.where('reference', '=', reference);
  else if (state) query = query.where(halfOf(state));
  return query;
}

/** Newest first, from the position of the filter on. */
function before(reader: Reader, { after }: Pick<InvestigationFilter, 'after'>) {
  const all = reader.selectFrom('investigations').orderBy('seq', 'desc');
  if (after === undefined) return all;
  return all.where('seq', '<', (last) =>
    last.selectFrom('investigations as last').select('last.seq').where('last.id', '=', after),
  );
}

/** An investigation's progress is the last step of its run. The text, up to 1 MiB, is left where it is. */
function withProgress(reader: Reader) {
  return reader
    .selectFrom('investigations')
    .innerJoin('runs', 'runs.id', 'investigations.run_id')
    .leftJoin('steps', (join) =>
      join.onRef('steps.run_id', '=', 'runs.id').onRef('steps.number', '=', 'runs.step_count'),
    )
    .select([
      'investigations.id',
      'investigations.run_id',
      'investigations.account_id',
      'investigations.project_id',
      'investigations.origin',
      'investigations.reference',
      'investigations.outcome',
      'investigations.created_at',
      'runs.step_count',
      'steps.action',
    ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof withProgress>['executeTakeFirstOrThrow']>>;

function toInvestigation(row: Row): Investigation {
  const outcome: InvestigationOutcome = JSON.parse(row.outcome);
  return {
    id: row.id,
    runId: row.run_id,
    accountId: row.account_id,
    projectId: row.project_id,
    origin: row.origin,
    reference: row.reference,
    outcome,
    progress: { step: row.step_count, action: row.action ?? '' },
    createdAt: row.created_at,
  };
}

/** Queued or running; columns of `investigations` alone may be named `state` where it stands. */
export const UNDER_WAY = sql<SqlBool>`state in ('queued', 'running')`;

const ENDED = sql<SqlBool>`state not in ('queued', 'running')`;

/** What goes without saying of a row in that state. */
function halfOf(state: InvestigationState): typeof UNDER_WAY {
  return state === 'queued' || state === 'running' ? UNDER_WAY : ENDED;
}
