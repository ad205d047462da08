// When each check of a default branch was green, and at which commits: the newest few of each.
import { checkKey } from '../core/check.ts';
import type { Database } from './database.ts';
import { moment } from './failure-rows.ts';
import type { Reader, Trx } from './schema.ts';
import type { CheckId, Green, NotedGreen } from './store.ts';

/** On a busy branch commits that are not among the forebears of a red one turn green before that is looked at. */
const MOST_GREENS = 20;

/** GitHub tells of every green check: what says nothing new takes no write lock. */
export async function noteGreen(database: Database, projectId: string, green: NotedGreen): Promise<void> {
  const at = moment(green.at);
  const known = await database.read((reader) => lastGreens(reader, projectId, green.check));
  if (known.some((one) => one.sha === green.sha && one.at >= at)) return;
  const oldest = known[MOST_GREENS - 1];
  if (oldest !== undefined && oldest.at >= at) return;
  await database.write((trx) => putGreen(trx, projectId, { ...green, at }));
}

async function putGreen(trx: Trx, projectId: string, { check, sha, at, runId = null }: NotedGreen): Promise<void> {
  const key = checkKey(check);
  await trx
    .insertInto('passing_checks')
    .values({ project_id: projectId, check_key: key, sha, passed_at: at, run_id: runId })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'check_key', 'sha'])
        .doUpdateSet({ passed_at: at, run_id: runId })
        // Somebody else may have noted a newer one since it was looked for.
        .where('passing_checks.passed_at', '<', at),
    )
    .execute();
  const kept = (await lastGreens(trx, projectId, check)).map((green) => green.sha);
  await trx
    .deleteFrom('passing_checks')
    .where('project_id', '=', projectId)
    .where('check_key', '=', key)
    .where('sha', 'not in', kept)
    .execute();
}

export async function lastGreens(reader: Reader, projectId: string, check: CheckId): Promise<readonly Green[]> {
  const rows = await reader
    .selectFrom('passing_checks')
    .select(['sha', 'passed_at', 'run_id'])
    .where('project_id', '=', projectId)
    .where('check_key', '=', checkKey(check))
    .orderBy('passed_at', 'desc')
    .orderBy('sha')
    .limit(MOST_GREENS)
    .execute();
  return rows.map((row) => ({ sha: row.sha, at: row.passed_at, runId: row.run_id }));
}
