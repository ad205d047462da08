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

const SQLITE = 'select kind, subject, state, run_at, attempts - failures as ends from jobs order by seq';
const POSTGRES = `
  select regexp_replace(name, '-dead$', '') as kind, singleton_key as subject,
    case when name like '%-dead' then 'dead' when state = 'active' then 'running' else 'waiting' end as state,
    to_char(start_after at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as run_at,
    case when started_on is null then 0
      else retry_count + 1 - (data->>'base')::int - (data->>'failures')::int end as ends
  from causeway_jobs.job order by id`;

/** The oldest first. */
export async function storedJobs(dataDir: string): Promise<readonly StoredJob[]> {
  using records = openRecords(dataDir);
  return await jobsIn(records);
}

/** The oldest first. */
export function jobsIn(records: OpenRecords): Promise<readonly StoredJob[]> {
  return records.rows<StoredJob>(engine() === 'sqlite' ? SQLITE : POSTGRES);
}

/** Whether it runs, is due or was given up. */
export function isUnsettled({ state, run_at: runAt }: StoredJob): boolean {
  return state !== 'waiting' || Date.parse(runAt) <= Date.now();
}

/**
 * Where the embedded queue keeps when a job is due, and the next of an organisation and of a group (queue/job-groups.ts), each with the job that
 * says so: the jobs last, by which the others are known.
 */
const MOMENTS = [
  ...['job_organisations', 'job_groups'].flatMap((table) =>
    ['person', 'automatic'].map((urgency) => momentOf(table, `next_${urgency}_at`, `and urgency = '${urgency}'`)),
  ),
  momentOf('job_groups', 'next_at'),
  `update jobs set run_at = $1 where kind = 'head' and state = 'waiting' and run_at > $1 and run_at <= $2`,
];

/** Of a row that says what its jobs say: one that is wrong stays wrong, and is seen by what does not come about. */
function momentOf(table: string, at: string, which = ''): string {
  const owner = table === 'job_groups' ? 'group_key' : 'organisation';
  return `update ${table} set ${at} = $1 where kind = 'head' and ${at} > $1 and ${at} <= $2 and ${at} = (select min(run_at)
    from jobs where kind = 'head' and state = 'waiting' and jobs.${owner} = ${table}.${owner} ${which})`;
}

/** Makes those heads due that would be by then, as time would. */
export async function hastenHeads(records: OpenRecords, by: Date): Promise<void> {
  const moments = [new Date(), by].map((moment) => moment.toISOString());
  if (engine() === 'sqlite') {
    // At once: between two of them the service would find a job without its group, and look no more.
    await records.rows('begin immediate');
    try {
      for (const statement of MOMENTS) await records.rows(statement, moments);
      await records.rows('commit');
    } catch (error) {
      await records.rows('rollback');
      throw error;
    }
    return;
  }
  await records.rows(
    `update causeway_jobs.job set start_after = $1::timestamptz
      where name = 'head' and state < 'active' and start_after > $1::timestamptz and start_after <= $2::timestamptz`,
    moments,
  );
}

/** Makes all that waits due, as time would; while no service runs. */
export async function makeJobsDue(dataDir: string): Promise<void> {
  const past = "'2000-01-01T00:00:00.000Z'";
  await storedRows(
    dataDir,
    engine() === 'sqlite'
      ? `update jobs set run_at = ${past} where state = 'waiting'`
      : `update causeway_jobs.job set start_after = ${past} where state < 'active' and name not like '%-dead'`,
  );
}
