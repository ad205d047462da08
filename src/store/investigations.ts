// Investigations as their callers see them.
import type { Investigation, InvestigationOutcome } from '../domain/investigation.ts';
import type { InvestigationFilter, InvestigationStore } from '../ports/store.ts';
import type { Database } from './database.ts';
import type { Reader } from './schema.ts';

export function investigationVerbs(database: Database): Pick<InvestigationStore, 'investigation' | 'investigations'> {
  return {
    async investigation(id) {
      const query = (reader: Reader) => withProgress(reader).where('investigations.id', '=', id).executeTakeFirst();
      const row = await database.read(query);
      return row ? investigationFrom(row) : null;
    },
    investigations: (filter) => database.read((reader) => investigations(reader, filter)),
  };
}

async function investigations(reader: Reader, filter: InvestigationFilter): Promise<readonly Investigation[]> {
  if (filter.projectIds?.length === 0) return [];
  const rows = await withProgress(reader)
    .where('investigations.seq', 'in', () => pageOf(reader, filter))
    .orderBy('investigations.seq', 'desc')
    .execute();
  return rows.map(investigationFrom);
}

/** The page is chosen before anything is joined: over several projects, 100,000 rows would be joined to be sorted. */
function pageOf(reader: Reader, { projectIds, state, reference, limit, after }: InvestigationFilter) {
  let query = reader.selectFrom('investigations').select('seq').orderBy('seq', 'desc').limit(limit);
  if (projectIds) query = query.where('project_id', 'in', projectIds);
  if (state) query = query.where('state', '=', state);
  if (reference !== undefined) query = query.where('reference', '=', reference);
  if (after !== undefined) {
    query = query.where('seq', '<', (last) =>
      last.selectFrom('investigations as last').select('last.seq').where('last.id', '=', after),
    );
  }
  return query;
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

function investigationFrom(row: Row): Investigation {
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
