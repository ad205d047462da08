// What a run has left in the SQLite file, read as it lies there.
import path from 'node:path';
import Sqlite from 'better-sqlite3';

interface StoredRun {
  /** The records of kind `turn`; none are left when the run has ended. */
  readonly turns: number;
  readonly hasEnded: boolean;
  /** Numbers of the steps, in order. */
  readonly steps: readonly number[];
  /** Sums over all runs, in millionths of a US dollar. */
  readonly money: { readonly reserved: number; readonly spent: number };
  /** When each `run` job is due. */
  readonly jobs: readonly { readonly state: string; readonly run_at: string }[];
}

/** Reads the file in `dataDir`, whoever has it open or died over it. `reference`: of the report whose run is meant. */
export function storedRun(dataDir: string, reference: string): StoredRun {
  const database = new Sqlite(path.join(dataDir, 'causeway.db'), { readonly: true });
  try {
    const entries = database
      .prepare<[string], { entry: string }>(
        `select entry from transcript_entries where run_id in
          (select run_id from investigations where reference = ?) order by seq`,
      )
      .all(reference);
    const ended = database
      .prepare<[string], { id: string }>(
        `select id from runs where state = 'ended' and id in
          (select run_id from investigations where reference = ?)`,
      )
      .all(reference);
    const steps = database
      .prepare<[string], { number: number }>(
        `select number from steps where run_id in
          (select run_id from investigations where reference = ?) order by number`,
      )
      .all(reference);
    const money = database
      .prepare<[], StoredRun['money']>(
        'select coalesce(sum(reserved), 0) as reserved, coalesce(sum(spent), 0) as spent from costs',
      )
      .get();
    const jobs = database
      .prepare<[], { state: string; run_at: string }>("select state, run_at from jobs where kind = 'run'")
      .all();
    return {
      turns: entries.filter(({ entry }) => JSON.parse(entry).kind === 'turn').length,
      hasEnded: ended.length > 0,
      steps: steps.map(({ number }) => number),
      money: money ?? { reserved: 0, spent: 0 },
      jobs,
    };
  } finally {
    database.close();
  }
}

export interface Progress extends Disposable {
  /** Recorded turns and steps of the run, now. Turns go when it ends. */
  now(): { readonly turns: number; readonly steps: number };
}

/** Looks at a run again and again while the service works on it. */
export function watchRun(dataDir: string, reference: string): Progress {
  const database = new Sqlite(path.join(dataDir, 'causeway.db'), { readonly: true });
  const runs = 'select run_id from investigations where reference = ?';
  const query = database.prepare<[string, string], { turns: number; steps: number }>(
    `select (select count(*) from transcript_entries where run_id in (${runs}) and entry like '{"kind":"turn"%') as turns,
            (select count(*) from steps where run_id in (${runs})) as steps`,
  );
  return {
    now: () => query.get(reference, reference) ?? { turns: 0, steps: 0 },
    [Symbol.dispose]: () => void database.close(),
  };
}
