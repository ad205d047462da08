// What would have been posted where Causeway only observes, until the account area shows it: read from the record of the thread.
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import type { ThreadRecord } from '../../src/domain/thread.ts';

/** Of the `nth` thread that was opened, from 1. */
export function heldOf(dataDir: string, nth: number): ThreadRecord['held'] {
  const database = new Sqlite(path.join(dataDir, 'causeway.db'), { readonly: true });
  try {
    const record = database
      .prepare('SELECT record FROM threads ORDER BY seq LIMIT 1 OFFSET ?')
      .pluck()
      .get(nth - 1);
    return record === undefined ? null : (JSON.parse(String(record)) as ThreadRecord).held;
  } finally {
    database.close();
  }
}
