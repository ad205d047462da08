// What callers were told before a kill, and whether the file still says so after it: read from a copy, so that the service itself has to recover.
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Sqlite from 'better-sqlite3';

/** Everything that was acknowledged. Keys of reports lead to the investigation that was named. */
export interface Ledger {
  readonly reports: Map<string, string>;
  readonly cancelled: Set<string>;
  /** Investigations whose Issue somebody began to delete: they may be there or not. */
  readonly going: Set<string>;
  /** Issues of which it was answered that they are deleted. */
  readonly deleted: Set<string>;
  /** Hashes of tokens that were shown. */
  readonly tokens: Set<string>;
  readonly revoked: Set<string>;
  /** Ids that GitHub gave its deliveries. */
  readonly deliveries: Set<string>;
}

export function emptyLedger(): Ledger {
  return {
    reports: new Map(),
    ...{ cancelled: new Set(), going: new Set(), deleted: new Set() },
    ...{ tokens: new Set(), revoked: new Set(), deliveries: new Set() },
  };
}

export interface Losses {
  readonly integrity: readonly string[];
  /** What was acknowledged and is not so, in words. */
  readonly lost: readonly string[];
  /** Keys of which there is more than one. */
  readonly doubled: readonly string[];
}

export const NO_LOSSES: Losses = { integrity: ['ok'], lost: [], doubled: [] };

/** Of a service that is dead: `causeway.db` and its log in `dataDir` are copied and read. */
export async function lossesIn(dataDir: string, ledger: Ledger): Promise<Losses> {
  const folder = await mkdtemp(path.join(tmpdir(), 'causeway-ledger-'));
  try {
    for (const name of ['causeway.db', 'causeway.db-wal']) {
      await copyFile(path.join(dataDir, name), path.join(folder, name)).catch(() => {});
    }
    const database = new Sqlite(path.join(folder, 'causeway.db'));
    try {
      return read(database, ledger);
    } finally {
      database.close();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

function read(database: Sqlite.Database, ledger: Ledger): Losses {
  const texts = (query: string) => database.prepare<[], string>(query).pluck().all();
  const missing = (what: string, wanted: Iterable<string>, query: string) => {
    const there = new Set(texts(query));
    return [...wanted].filter((one) => !there.has(one)).map((one) => `${what} ${one}`);
  };
  const reports = [...ledger.reports.values()].filter((id) => !ledger.going.has(id));
  const returned = texts('SELECT id FROM issues').filter((id) => ledger.deleted.has(id));
  return {
    integrity: [...texts('PRAGMA integrity_check'), ...texts('PRAGMA foreign_key_check')],
    lost: [
      ...missing('report', reports, 'SELECT id FROM investigations'),
      ...missing('cancelled', ledger.cancelled, "SELECT id FROM investigations WHERE state = 'cancelled'"),
      ...returned.map((id) => `deleted ${id}`),
      ...missing('token', ledger.tokens, 'SELECT hash FROM tokens'),
      ...missing('revoked', ledger.revoked, 'SELECT id FROM tokens WHERE revoked_at IS NOT NULL'),
      ...missing('delivery', ledger.deliveries, 'SELECT id FROM deliveries'),
    ],
    doubled: [
      ...texts('SELECT reference FROM investigations GROUP BY reference HAVING count(*) > 1'),
      ...texts("SELECT name FROM tokens WHERE name != 'first start' GROUP BY name HAVING count(*) > 1"),
      ...texts('SELECT investigation_id FROM issues GROUP BY investigation_id HAVING count(*) > 1'),
      ...texts('SELECT meaning FROM deliveries GROUP BY meaning HAVING count(*) > 1'),
    ],
  };
}
