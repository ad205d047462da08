// Dead letters of the embedded queue, alive again.

import type { JobKind } from '../core/queue.ts';
import type { Trx } from '../db/schema.ts';
import { refreshGroup } from './job-groups.ts';

/** All dead jobs of the kind, due at `now` (ISO 8601) with all their tries. Returns how many. */
export async function reviveDead(trx: Trx, kind: JobKind, now: string): Promise<number> {
  const revived = await trx
    .updateTable('jobs')
    .set({ state: 'waiting', run_at: now, attempts: 0, failures: 0 })
    .where('kind', '=', kind)
    .where('state', '=', 'dead')
    .returning('group_key')
    .execute();
  for (const group of new Set(revived.map((row) => row.group_key))) await refreshGroup(trx, kind, group);
  return revived.length;
}
