// Heads whose check run mode `observe` held back.
import type { Head } from '../core/head.ts';
import { headRows, headsFrom } from './head-rows.ts';
import type { Reader } from './schema.ts';

/** The page is chosen from the index before a record is read. */
export async function heldHeads(reader: Reader, projectId: string, limit: number): Promise<readonly Head[]> {
  const page = reader
    .selectFrom('heads as held')
    .select('held.seq')
    .where('held.project_id', '=', projectId)
    .where('held.is_held', '=', 1)
    .orderBy('held.seq', 'desc')
    .limit(limit);
  return headsFrom(
    await headRows(reader)
      .where('heads.seq', 'in', () => page)
      .execute(),
  );
}
