// The run that a report may join: an equal one that has not ended.
import type { Trx } from './schema.ts';
import { settingsText } from './settings-text.ts';
import type { Acceptance } from './store.ts';

export interface OpenRun {
  readonly id: string;
  readonly state: 'queued' | 'running';
}

/**
 * What is said of the run is said of everyone who joined it: callers whose words are trusted differently, or whose project gave other
 * settings since, do not join each other.
 */
export async function joinableRun(trx: Trx, { report, fingerprint }: Acceptance): Promise<OpenRun | null> {
  if (report.fresh) return null;
  const equal = await trx
    .selectFrom('runs')
    .select(['id', 'state'])
    .where('account_id', '=', report.accountId)
    .where('project_id', '=', report.projectId)
    .where('fingerprint', '=', fingerprint)
    .where('revision', '=', report.revision)
    .where('state', 'in', ['running', 'queued'])
    .where('fresh', '=', 0)
    .execute();
  for (const state of ['running', 'queued'] as const) {
    for (const run of equal) {
      if (run.state === state && (await isFor(trx, { id: run.id, state }, report))) return { id: run.id, state };
    }
  }
  return null;
}

/** Whether somebody waits for the run whose report is trusted like this one, under the same settings. */
async function isFor(trx: Trx, { id, state }: OpenRun, report: Acceptance['report']): Promise<boolean> {
  const row = await trx
    .selectFrom('investigations')
    .select('id')
    .where('run_id', '=', id)
    .where('state', '=', state)
    .where('is_trusted', '=', report.isTrusted ? 1 : 0)
    .where('settings', '=', settingsText(report.settings))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
