// Erases much in many small transactions, so that nobody waits for a year's worth.
import type { Database } from './database.ts';
import type { Trx } from './schema.ts';

/** Erased per transaction. */
export const BATCH = 200;

/** `eraseSome` erases up to BATCH and returns how many; it is called until it finds fewer. Returns how many there were. */
export async function inBatches(database: Database, eraseSome: (trx: Trx) => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const erased = await database.write(eraseSome);
    total += erased;
    if (erased < BATCH) return total;
  }
}
