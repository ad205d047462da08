// The jobs of a service under test as they stand in its records, alike over both engines.
import { engine, type OpenRecords, openRecords, storedRows } from './records.ts';

export interface StoredJob {
  readonly kind: 'delivery' | 'publish' | 'run' | 'webhook' | 'head' | 'check-run' | 'backfill';
  readonly subject: string;
  readonly state: 'waiting' | 'running' | 'dead';
  /** When it is due, ISO 8601. */
  readonly run_at: string;
  /** Ends of its process in which it had a part. */
  readonly ends: number;
}

const JOBS = 'select kind, subject, state, run_at, attempts - failures as ends from jobs order by seq';

/** The oldest first. */
export async function storedJobs(dataDir: string): Promise<readonly StoredJob[]> {
  using records = openRecords(dataDir);
  return await jobsIn(records);
}

/** The oldest first. */
export function jobsIn(records: OpenRecords): Promise<readonly StoredJob[]> {
  return records.rows<StoredJob>(JOBS);
}

/** Whether it runs, is due or was given up. */
export function isUnsettled({ state, run_at: runAt }: StoredJob): boolean {
  return state !== 'waiting' || Date.parse(runAt) <= Date.now();
}

/** Makes those heads due that would be by then, as time would. */
export async function hastenHeads(records: OpenRecords, by: Date): Promise<void> {
  const moments = [new Date(), by].map((moment) => moment.toISOString());
  await records.rows(
    `update jobs set run_at = $1 where kind = 'head' and state = 'waiting' and run_at > $1 and run_at <= $2`,
    moments,
  );
  if (engine() === 'sqlite') return;
  await records.rows(
    `update causeway_jobs.job set start_after = $1::timestamptz
      where name = 'head' and state < 'active' and start_after > $1::timestamptz and start_after <= $2::timestamptz`,
    moments,
  );
}

/** Makes all that waits due, as time would; while no service runs. */
export async function makeJobsDue(dataDir: string): Promise<void> {
  const past = "'2000-01-01T00:00:00.000Z'";
  await storedRows(dataDir, `update jobs set run_at = ${past} where state = 'waiting'`);
  if (engine() === 'sqlite') return;
  await storedRows(dataDir, `update causeway_jobs.job set start_after = ${past} where state < 'active'`);
}
