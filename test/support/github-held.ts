// What would have been posted where Causeway only observes, until the account area shows it: read from the record of the thread.
import type { ThreadRecord } from '../../src/core/thread.ts';
import { storedRows } from './records.ts';

/** Of the `nth` thread that was opened, from 1. */
export async function heldOf(dataDir: string, nth: number): Promise<ThreadRecord['held']> {
  const threads = await storedRows<{ record: string }>(dataDir, 'select record from threads order by seq');
  const record = threads[nth - 1]?.record;
  return record === undefined ? null : (JSON.parse(record) as ThreadRecord).held;
}
