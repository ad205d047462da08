// When the service has nothing left to do: everything told is handled, and no work is due now or in the next seconds.
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import type { BenchStage } from './bench-stage.ts';

/** For so long the news of one commit's checks are gathered at most; looks that are due later wait for what never comes here. */
const GATHERED_MS = 10_000;
const LIMIT_MS = 600_000;

const DUE = `SELECT count(*) FROM jobs WHERE state = 'running' OR (state = 'waiting' AND run_at <= ?)
  OR (kind = 'head' AND state = 'waiting' AND run_at <= ?)`;

/** Throws after ten minutes. */
export async function rest(stage: BenchStage): Promise<void> {
  using database = openRecords(stage);
  const due = database.query<number>(DUE, true);
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await wait(50)) {
    await stage.sender.settled();
    const now = Date.now();
    if (due(new Date(now).toISOString(), new Date(now + GATHERED_MS).toISOString())[0] === 0) return;
  }
  throw new Error(`The service found no rest. It said:\n${stage.output()}`);
}

export interface Records extends Disposable {
  /** `isPlucked`: of each row the first column alone. */
  query<Row>(sql: string, isPlucked?: boolean): (...values: readonly string[]) => readonly Row[];
}

/** What the service has written, for reading. */
export function openRecords({ folder }: Pick<BenchStage, 'folder'>): Records {
  const database = new Sqlite(path.join(folder, 'causeway.db'), { readonly: true });
  return {
    query: <Row>(sql: string, isPlucked = false) => {
      const statement = database.prepare<string[], Row>(sql);
      const asked = isPlucked ? statement.pluck() : statement;
      return (...values) => asked.all(...values) as Row[];
    },
    [Symbol.dispose]: () => void database.close(),
  };
}
