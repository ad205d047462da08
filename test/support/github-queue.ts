// What the service has stored of deliveries, jobs and projects, read as it lies in the records.
import { storedRows } from './records.ts';
import { type StoredJob, storedJobs } from './stored-jobs.ts';

interface StoredQueue {
  readonly jobs: readonly StoredJob[];
  /** Number of deliveries in each state. */
  readonly deliveries: Readonly<Record<string, number>>;
  /** Names of the projects that are shown. */
  readonly projects: readonly string[];
}

/** Reads the records of `dataDir`, whoever has them open. */
export async function storedQueue(dataDir: string): Promise<StoredQueue> {
  const states = await storedRows<{ state: string; count: string }>(
    dataDir,
    'select state, count(*) as count from deliveries group by state',
  );
  const projects = await storedRows<{ name: string }>(
    dataDir,
    'select name from projects where hidden_at is null order by name',
  );
  return {
    jobs: await storedJobs(dataDir),
    deliveries: Object.fromEntries(states.map(({ state, count }) => [state, Number(count)])),
    projects: projects.map(({ name }) => name),
  };
}
