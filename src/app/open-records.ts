// Store and queue over one engine or the other: the only place that knows which of them it is.
import type { PostgresConfig } from '../config.ts';
import { createHolds, type Holds } from '../core/holds.ts';
import type { Queue } from '../core/queue.ts';
import type { PostgresStore } from '../db/open-postgres.ts';
import { openSqliteStore, type SqliteStore } from '../db/open-sqlite.ts';
import type { Seal } from '../db/seal.ts';
import { takeOwnership } from '../db/single-owner.ts';
import type { Store } from '../db/store.ts';
import type { Log } from '../log.ts';
import { createEmbeddedQueue } from '../queue/embedded-queue.ts';
import { createJobTable } from '../queue/job-table.ts';
import { type Changes, createChanges } from '../services/changes.ts';

/** A SQLite file, `:memory:`, or a PostgreSQL database. */
export type RecordsPlace = string | PostgresConfig;

export interface Records extends AsyncDisposable {
  readonly store: Store;
  readonly queue: Queue;
  readonly changes: Changes;
  /** Whether the operator has paused all processes over the database; over SQLite a file in DATA_DIR says so (see pause.ts). */
  isPaused(): boolean;
  /** Cooldowns of GitHub and of models, as this process has learnt them. */
  readonly holds: Holds;
  /** Whether this process looks after what only one should, such as what comes round. */
  leads(): boolean;
}

/** With the way to its tables, for commands about those. */
export type KeptStore = SqliteStore | PostgresStore;

export interface RecordsOptions {
  readonly database: RecordsPlace;
  readonly seal: Seal;
  readonly log: Log;
  readonly now: () => Date;
  /** Ends the wait for a server of PostgreSQL. */
  readonly signal?: AbortSignal | undefined;
}

/** Brings the schema up to date. The caller owns a SQLite file (see `ownRecords`). */
export async function openRecords(options: RecordsOptions): Promise<Records> {
  const { database } = options;
  if (typeof database === 'string') return await openSqlite(database, options);
  const { openPostgresRecords } = await import('./open-postgres-records.ts');
  return await openPostgresRecords({ ...options, database });
}

/** A SQLite file is one process' until disposed: throws `store_locked` where it is another's. PostgreSQL is everybody's. */
export function ownRecords(database: RecordsPlace): Disposable {
  return typeof database === 'string' ? takeOwnership(database) : { [Symbol.dispose]: () => {} };
}

/** Store alone, for a command beside a running service. */
export async function openStore(options: Omit<RecordsOptions, 'now'>): Promise<KeptStore> {
  const { database, seal } = options;
  if (typeof database === 'string') return openSqliteStore({ file: database, seal, enqueuer: createJobTable() });
  const { openPostgresStoreAlone } = await import('./open-postgres-records.ts');
  return await openPostgresStoreAlone({ ...options, database });
}

async function openSqlite(file: string, { seal, log, now }: RecordsOptions): Promise<Records> {
  const jobs = createJobTable();
  await using opening = new AsyncDisposableStack();
  const store = opening.use(await openSqliteStore({ file, seal, enqueuer: jobs }));
  const queue = createEmbeddedQueue({ database: store.database, jobs, log, now, recovery: 'sole-owner' });
  const opened = opening.move();
  return {
    ...{ store, queue, holds: createHolds(now), changes: createChanges() },
    isPaused: () => false,
    leads: () => true,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
