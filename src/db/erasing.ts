// Erasing investigations with all that hangs on them, and runs that nobody is left of.
import type { Enqueuer } from './enqueuer.ts';
import { forgetHeldHeads } from './forget-held.ts';
import type { Trx } from './schema.ts';
import { recordColumns, threadFrom } from './thread-rows.ts';

/** Erases investigations that have ended, their Issues and undelivered webhooks, and runs (with steps) left without any. */
export async function eraseInvestigations(trx: Trx, ids: readonly string[], enqueuer: Enqueuer): Promise<void> {
  if (ids.length === 0) return;
  await eraseWebhooks(trx, ids, enqueuer);
  await forgetHeldHeads(trx, ids);
  const issues = await trx.selectFrom('issues').select('id').where('investigation_id', 'in', ids).execute();
  // Issues go with their investigation (on delete cascade).
  const erased = await trx
    .deleteFrom('investigations')
    .where('id', 'in', ids)
    .returning(['run_id', 'thread_id'])
    .execute();
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
  await passOn(
    trx,
    issues.map((row) => row.id),
  );
  await forgetThreads(trx, erased);
}

/** What a person wrote to a thread goes with the investigation that it asked for, as does what was made of that. */
async function forgetThreads(trx: Trx, erased: readonly { readonly thread_id: string | null }[]): Promise<void> {
  const ids = [...new Set(erased.map((row) => row.thread_id))].filter((id) => id !== null);
  if (ids.length === 0) return;
  const left = await trx
    .selectFrom('threads')
    .selectAll()
    .where('id', 'in', ids)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('investigations').select('id').whereRef('investigations.id', '=', 'threads.investigation_id'),
        ),
      ),
    )
    .execute();
  for (const row of left) {
    const { trigger, record } = threadFrom(row);
    const forgotten = JSON.stringify({ ...trigger, guidance: '' });
    await trx
      .updateTable('threads')
      .set({ trigger_json: forgotten, ...recordColumns({ ...record, withheld: null, held: null }) })
      .where('id', '=', row.id)
      .execute();
  }
}

/** What would be shown of an erased Issue, whichever of the thread's it was: its job makes it anew. */
export async function forgetShown(trx: Trx, threadId: string, now: string): Promise<void> {
  const row = await trx.selectFrom('threads').selectAll().where('id', '=', threadId).executeTakeFirst();
  if (!row) return;
  const { record } = threadFrom(row);
  await trx
    .updateTable('threads')
    .set({ ...recordColumns({ ...record, held: null }), changed_at: now })
    .where('id', '=', threadId)
    .execute();
}

/** Of those that named an erased Issue as the one they were answered from, the oldest left stands for itself and for the others. */
async function passOn(trx: Trx, erased: readonly string[]): Promise<void> {
  if (erased.length === 0) return;
  const heirs = await trx
    .selectFrom('issues')
    .select((expression) => ['same_as', expression.fn.min('seq').as('seq')])
    .where('same_as', 'in', erased)
    .groupBy('same_as')
    .execute();
  for (const { same_as: gone, seq } of heirs) {
    const heir = trx.updateTable('issues').set({ same_as: null }).where('seq', '=', seq).returning('id');
    const { id } = await heir.executeTakeFirstOrThrow();
    await trx.updateTable('issues').set({ same_as: id }).where('same_as', '=', gone).execute();
  }
}

/** That a webhook was delivered may be known; where to, and how that went, may not: an address can hold a token of the caller's. */
async function eraseWebhooks(trx: Trx, investigationIds: readonly string[], enqueuer: Enqueuer): Promise<void> {
  const rows = await trx
    .updateTable('webhooks')
    .set({ url: '' })
    .where('investigation_id', 'in', investigationIds)
    .returning('id')
    .execute();
  const webhookIds = rows.map((row) => row.id);
  await enqueuer.remove(trx, 'webhook', webhookIds);
  if (webhookIds.length > 0) await trx.deleteFrom('webhook_attempts').where('webhook_id', 'in', webhookIds).execute();
  await trx
    .deleteFrom('webhooks')
    .where('investigation_id', 'in', investigationIds)
    .where('state', '!=', 'delivered')
    .execute();
}
