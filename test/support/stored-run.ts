// What a run has left in the records, read as it lies there.
import { type StoredJob, storedJobs } from './github-stage.ts';
import { storedRows } from './records.ts';

interface StoredRun {
  /** The records of kind `turn`, without those of a second look. */
  readonly turns: number;
  readonly hasEnded: boolean;
  /** Numbers of the steps, in order. */
  readonly steps: readonly number[];
  /** Sums over all runs, in millionths of a US dollar. */
  readonly money: { readonly reserved: number; readonly spent: number };
  /** When each `run` job is due. */
  readonly jobs: readonly Pick<StoredJob, 'state' | 'run_at'>[];
}

const RUNS = 'select run_id from investigations where reference = $1';
const whole = (sum: string) => `cast(coalesce(sum(${sum}), 0) as double precision) as ${sum}`;

/** Of the records of `dataDir`. `reference`: of the report whose run is meant. */
export async function storedRun(dataDir: string, reference: string): Promise<StoredRun> {
  const ask = <T extends object>(statement: string) => storedRows<T>(dataDir, statement, [reference]);
  const entries = await ask<{ entry: string }>(`select entry from transcript_entries where run_id in (${RUNS})`);
  const ended = await ask<{ id: string }>(`select id from runs where state = 'ended' and id in (${RUNS})`);
  const steps = await ask<{ number: number }>(`select number from steps where run_id in (${RUNS}) order by number`);
  const [money] = await storedRows<StoredRun['money']>(
    dataDir,
    `select ${whole('reserved')}, ${whole('spent')} from costs`,
  );
  const jobs = (await storedJobs(dataDir)).filter(({ kind }) => kind === 'run');
  return {
    turns: entries.map(({ entry }) => JSON.parse(entry)).filter(isTurn).length,
    hasEnded: ended.length > 0,
    steps: steps.map(({ number }) => number),
    money: money ?? { reserved: 0, spent: 0 },
    jobs: jobs.map(({ state, run_at }) => ({ state, run_at })),
  };
}

function isTurn({ kind, conversation }: { readonly kind: string; readonly conversation?: string }): boolean {
  return kind === 'turn' && conversation === undefined;
}

/** Recorded turns and steps of the run, now. */
export async function progressOf(
  dataDir: string,
  reference: string,
): Promise<{ readonly turns: number; readonly steps: number }> {
  const [row] = await storedRows<{ turns: string; steps: string }>(
    dataDir,
    `select (select count(*) from transcript_entries where run_id in (${RUNS}) and entry like '{"kind":"turn"%') as turns,
      (select count(*) from steps where run_id in (${RUNS})) as steps`,
    [reference],
  );
  return { turns: Number(row?.turns), steps: Number(row?.steps) };
}
