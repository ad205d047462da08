// Backfills: what was read of a project's past, how far, and what investigations cost on average.
import type { Selectable } from 'kysely';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { installationName } from './job-places.ts';
import type { BackfillTable, Reader, Trx } from './schema.ts';
import type { Backfill, BackfillStore, Forecast } from './store.ts';

/** How much of the past is read. */
const PAST_MS = 14 * 24 * 60 * 60 * 1_000;

/** Of so many investigations the mean cost is taken. */
const MOST_RUNS = 100;

const MICROS = 1_000_000;

export function backfillVerbs(database: Database): BackfillStore {
  return {
    backfill: (projectId) => database.read((reader) => backfill(reader, projectId)),
    async saveBackfill(saved, now) {
      const { projectId, ...rest } = rowOf(saved, now);
      await database.write((trx) =>
        trx
          .insertInto('backfills')
          .values({ project_id: projectId, ...rest })
          .onConflict((conflict) => conflict.column('project_id').doUpdateSet(rest))
          .execute(),
      );
    },
    meanCost: () => database.read(meanCost),
  };
}

function rowOf({ projectId, state, cursor, calls, checks, since, forecast }: Backfill, now: string) {
  const text = forecast && JSON.stringify(forecast);
  return { projectId, state, cursor, calls, checks, since, forecast: text, changed_at: now };
}

/** The backfill of a project that has none yet, with its job; of one that has, nothing. */
export async function beginBackfill(
  trx: Trx,
  { projectId, installationId }: { readonly projectId: string; readonly installationId: number },
  { enqueuer, now }: { readonly enqueuer: Enqueuer; readonly now: string },
): Promise<void> {
  const since = new Date(Date.parse(now) - PAST_MS).toISOString();
  const begun = await trx
    .insertInto('backfills')
    .values({
      ...{ project_id: projectId, state: 'waiting', cursor: '', calls: 0, checks: 0 },
      ...{ since, forecast: null, changed_at: now },
    })
    .onConflict((conflict) => conflict.column('project_id').doNothing())
    .returning('project_id')
    .executeTakeFirst();
  if (!begun) return;
  const group = installationName(installationId);
  const place = { group, organisation: group, urgency: 'automatic' } as const;
  await enqueuer.enqueue(trx, [{ kind: 'backfill', subject: projectId, runAt: now, ...place }]);
}

async function backfill(reader: Reader, projectId: string): Promise<Backfill | null> {
  const query = reader.selectFrom('backfills').selectAll().where('project_id', '=', projectId);
  const row = await query.executeTakeFirst();
  return row ? backfillFrom(row) : null;
}

function backfillFrom(row: Selectable<BackfillTable>): Backfill {
  const { project_id: projectId, state, cursor, calls, checks, since } = row;
  const forecast: Forecast | null = row.forecast === null ? null : JSON.parse(row.forecast);
  return { projectId, state, cursor, calls, checks, since, forecast };
}

async function meanCost(reader: Reader): Promise<number | null> {
  const newest = reader
    .selectFrom('runs')
    .select('runs.id')
    .where('runs.state', '=', 'ended')
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('costs as cost').select('cost.run_id').whereRef('cost.run_id', '=', 'runs.id')),
    )
    .orderBy('runs.seq', 'desc')
    .limit(MOST_RUNS);
  const row = await reader
    .selectFrom('costs')
    .select(({ fn }) => [fn.sum<number | null>('spent').as('spent'), fn.count<number>('run_id').distinct().as('runs')])
    .where('run_id', 'in', newest)
    .executeTakeFirstOrThrow();
  const runs = Number(row.runs);
  return runs === 0 ? null : Number(row.spent) / runs / MICROS;
}
