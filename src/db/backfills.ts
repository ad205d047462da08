// Backfills: how far the failed checks of a project's last 14 days were read, and the forecast that came of them.
import type { Database, Enqueuer } from './database.ts';
import type { Trx } from './schema.ts';

/** What the last 14 days of a project say about what it would have cost. */
export interface Backfill {
  readonly projectId: string;
  readonly state: 'waiting' | 'done';
  /** Where to continue. */
  readonly cursor: string;
  /** Calls to GitHub so far; red checks that were read. */
  readonly calls: number;
  readonly checks: number;
  readonly since: string;
  readonly forecast: Forecast | null;
}

/** For 30 days, from what was seen. */
export interface Forecast {
  readonly redChecks: number;
  /** Distinct failures that an investigation would have been started for. */
  readonly investigations: number;
  readonly usd: number;
}

const PAST_MS = 14 * 24 * 60 * 60 * 1_000;

export function createBackfillVerbs(database: Database) {
  return {
    async findBackfill(projectId: string): Promise<Backfill | null> {
      const row = await database.read((reader) =>
        reader.selectFrom('backfills').selectAll().where('project_id', '=', projectId).executeTakeFirst(),
      );
      if (!row) return null;
      const { state, cursor, calls, checks, since } = row;
      const forecast = row.forecast === null ? null : JSON.parse(row.forecast);
      return { projectId, state, cursor, calls, checks, since, forecast };
    },
    async saveBackfill({ projectId, forecast, ...progress }: Backfill, now: string): Promise<void> {
      const changed = { ...progress, forecast: forecast && JSON.stringify(forecast), changed_at: now };
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
  const progress = { state: 'waiting' as const, cursor: '', calls: 0, checks: 0, since, forecast: null };
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
