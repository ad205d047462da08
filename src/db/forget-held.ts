// What mode `observe` held back at a head tells of investigations: where one of them is erased, it goes.
import type { HeadRecord } from '../core/head.ts';
import { headRecordColumns } from './head-rows.ts';
import type { Trx } from './schema.ts';

/** To be called while the investigations are still there. The head's `check-run` job makes anew what is left to be shown. */
export async function forgetHeldHeads(trx: Trx, investigationIds: readonly string[]): Promise<void> {
  const rows = await trx
    .selectFrom('heads')
    .select(['id', 'record'])
    .where('is_held', '=', 1)
    .where('id', 'in', (query) =>
      query.selectFrom('findings').select('head_id').where('investigation_id', 'in', investigationIds),
    )
    .execute();
  for (const { id, record } of rows) {
    const known: HeadRecord = JSON.parse(record);
    await trx
      .updateTable('heads')
      .set(headRecordColumns({ ...known, held: null }))
      .where('id', '=', id)
      .execute();
  }
}
