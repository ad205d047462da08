// The fence between generations: only the latest that took a run may write to it.
import { CausewayError } from '../core/errors.ts';
import type { Trx } from './schema.ts';
import type { Run } from './store.ts';

/** What a late worker gets for every write: its run was taken over, has ended, or was erased. */
export function leaseLost(runId: string): CausewayError {
  return new CausewayError(
    'lease_lost',
    `The run ${runId} was taken over, has ended or was erased; what this worker found is dropped. Stop working on it.`,
  );
}

/** Throws `lease_lost` where the run was taken over, has ended or was erased. */
export async function requireLease(trx: Trx, run: Run): Promise<void> {
  const row = await trx
    .selectFrom('runs')
    .select('id')
    .where('id', '=', run.id)
    .where('state', '=', 'running')
    .where('generation', '=', run.generation)
    .executeTakeFirst();
  if (!row) throw leaseLost(run.id);
}
