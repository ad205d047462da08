// What the service has stored of deliveries, jobs and projects, read as it lies in the records.
import { openRecords } from './records.ts';
import { jobsIn, type StoredJob } from './stored-jobs.ts';

interface StoredQueue {
  readonly jobs: readonly StoredJob[];
  /** Number of deliveries in each state. */
  readonly deliveries: Readonly<Record<string, number>>;
  /** Names of the projects that are shown. */
  readonly projects: readonly string[];
}

/** Reads the records of `dataDir`, whoever has them open. */
export async function storedQueue(dataDir: string): Promise<StoredQueue> {
  using records = openRecords(dataDir);
  const states = await records.rows<{ state: string; count: string }>(
    'select state, count(*) as count from deliveries group by state',
  );
  const projects = await records.rows<{ name: string }>(
    'select name from projects where hidden_at is null order by name',
  );
  return {
    jobs: await jobsIn(records),
    deliveries: Object.fromEntries(states.map(({ state, count }) => [state, Number(count)])),
    projects: projects.map(({ name }) => name),
  };
}
