// Erasing investigations with all that hangs on them, and runs that nobody is left of.
import type { Enqueuer } from './enqueuer.ts';
import type { Trx } from './schema.ts';

/** Erases investigations that have ended, their Issues and undelivered webhooks, and runs (with steps) left without any. */
export async function eraseInvestigations(trx: Trx, ids: readonly string[], enqueuer: Enqueuer): Promise<void> {
  if (ids.length === 0) return;
  const undelivered = await trx
    .deleteFrom('webhooks')
    .where('investigation_id', 'in', ids)
    .where('state', '!=', 'delivered')
    .returning('id')
    .execute();
  await enqueuer.remove(
    trx,
    'webhook',
    undelivered.map((row) => row.id),
  );
  // Issues go with their investigation (on delete cascade).
  const erased = await trx.deleteFrom('investigations').where('id', 'in', ids).returning('run_id').execute();
  const left = await trx
    .deleteFrom('runs')
    .where('id', 'in', [...new Set(erased.map((row) => row.run_id))])
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('investigations').select('id').whereRef('investigations.run_id', '=', 'runs.id'))),
    )
    .returning('id')
    .execute();
  await enqueuer.remove(
    trx,
    'run',
    left.map((row) => row.id),
  );
}
