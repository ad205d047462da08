// Whether a worker has anything to do: a job that runs, or one whose moment has come.
import type { JobKind } from '../ports/queue.ts';
import type { Database } from '../store/database.ts';

/** Of those kinds; `now`: ISO 8601. */
export async function anyDue(database: Database, kinds: readonly JobKind[], now: string): Promise<boolean> {
  if (kinds.length === 0) return false;
  const row = await database.read((reader) =>
    reader
      .selectFrom('jobs')
      .select('id')
      .where('kind', 'in', kinds)
      .where((or) =>
        or.or([or('state', '=', 'running'), or.and([or('state', '=', 'waiting'), or('run_at', '<=', now)])]),
      )
      .limit(1)
      .executeTakeFirst(),
  );
  return row !== undefined;
}
