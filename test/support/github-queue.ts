// What the service has stored of deliveries, jobs and projects, read as it lies in the file.
import path from 'node:path';
import Sqlite from 'better-sqlite3';

interface StoredJob {
  readonly kind: 'delivery' | 'publish' | 'run' | 'webhook';
  readonly subject: string;
  readonly state: 'waiting' | 'running' | 'dead';
  readonly run_at: string;
}

interface StoredQueue {
  readonly jobs: readonly StoredJob[];
  /** Number of deliveries in each state. */
  readonly deliveries: Readonly<Record<string, number>>;
  /** Names of the projects that are shown. */
  readonly projects: readonly string[];
}

/** Reads the file in `dataDir`, whoever has it open. */
export function storedQueue(dataDir: string): StoredQueue {
  const database = new Sqlite(path.join(dataDir, 'causeway.db'), { readonly: true });
  try {
    const states = database
      .prepare<[], { state: string; count: number }>('SELECT state, count(*) AS count FROM deliveries GROUP BY state')
      .all();
    const projects = database
      .prepare<[], string>('SELECT name FROM projects WHERE hidden_at IS NULL ORDER BY name')
      .pluck();
    return {
      jobs: database.prepare<[], StoredJob>('SELECT kind, subject, state, run_at FROM jobs ORDER BY seq').all(),
      deliveries: Object.fromEntries(states.map(({ state, count }) => [state, count])),
      projects: projects.all(),
    };
  } finally {
    database.close();
  }
}
