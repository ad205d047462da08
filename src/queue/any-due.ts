// Whether a worker has anything to do: a job that runs, or one whose moment has come.

import type { JobKind } from '../core/queue.ts';
import type { Database } from '../db/database.ts';
import { dueKinds } from './due-kinds.ts';
import { RUNNING } from './running.ts';

/** Of those kinds; `now`: ISO 8601. */
export async function anyDue(database: Database, kinds: readonly JobKind[], now: string): Promise<boolean> {
  if (kinds.length === 0) return false;
  const running = await database.read((reader) => reader.selectFrom('jobs').select('kind').where(RUNNING).execute());
  return running.some(({ kind }) => kinds.includes(kind)) || (await dueKinds(database, kinds, now)).length > 0;
}
