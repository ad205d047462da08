// Backfills: whether the failed checks of a project's last 14 days were read, and the forecast that came of them.
import type { Forecast } from '../core/past.ts';
import type { Database, Enqueuer } from './database.ts';
import type { Trx } from './schema.ts';

/** The days before a project was known. */
export interface Backfill {
  readonly projectId: string;
  readonly state: 'waiting' | 'done';
  readonly since: string;
  /** Null: not read yet, closed to us, or read by a version whose forecast said something else. */
  readonly forecast: Forecast | null;
}

/** Columns of versions that read page by page; a process of one may still write them during an upgrade. */
const NO_PAGES = { cursor: '', calls: 0, checks: 0 };

const PAST_MS = 14 * 24 * 60 * 60 * 1_000;

export function createBackfillVerbs(database: Database) {
  return {
    async findBackfill(projectId: string): Promise<Backfill | null> {
      const row = await database.read((reader) =>
        reader.selectFrom('backfills').selectAll().where('project_id', '=', projectId).executeTakeFirst(),
      );
      if (!row) return null;
      const { state, since } = row;
      return { projectId, state, since, forecast: parseForecast(row.forecast) };
    },
    async saveBackfill({ projectId, forecast, state, since }: Backfill, now: string): Promise<void> {
      const changed = { state, since, ...NO_PAGES, forecast: forecast && JSON.stringify(forecast), changed_at: now };
      await database.write((trx) =>
        trx
          .insertInto('backfills')
          .values({ project_id: projectId, ...changed })
          .onConflict((conflict) => conflict.column('project_id').doUpdateSet(changed))
          .execute(),
      );
    },
  };
}

function parseForecast(text: string | null): Forecast | null {
  const forecast: Forecast | null = text === null ? null : JSON.parse(text);
  return forecast?.groups === undefined ? null : forecast;
}

/** Creates the backfill of a project with its job, unless it has one. */
export async function startBackfill(
  trx: Trx,
  jobs: Enqueuer,
  {
    projectId,
    installationId,
    now,
  }: { readonly projectId: string; readonly installationId: number; readonly now: string },
): Promise<void> {
  const since = new Date(Date.parse(now) - PAST_MS).toISOString();
  const progress = { state: 'waiting' as const, since, ...NO_PAGES, forecast: null };
  const created = await trx
    .insertInto('backfills')
    .values({ project_id: projectId, ...progress, changed_at: now })
    .onConflict((conflict) => conflict.column('project_id').doNothing())
    .returning('project_id')
    .executeTakeFirst();
  if (!created) return;
  const group = `installation ${installationId}`;
  await jobs.enqueue(trx, [{ kind: 'backfill', subject: projectId, group, runAt: now, urgency: 'automatic' }]);
}
