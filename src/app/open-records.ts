// Store and queue over one engine or the other: the only place that knows which of them it is.
import type { PostgresConfig } from '../config.ts';
import { type Changes, createChanges } from '../jobs/changes.ts';
import type { Log } from '../log.ts';
import type { Holds } from '../ports/holds.ts';
import type { Queue } from '../ports/queue.ts';
import type { Store } from '../ports/store.ts';
import { createBossQueue } from '../queue/boss-queue.ts';
import { createEmbeddedQueue } from '../queue/embedded-queue.ts';
import { createJobTable } from '../queue/job-table.ts';
import { type Boss, openBoss } from '../queue/open-boss.ts';
import { refuseHalfMoved } from '../store/moving/target.ts';
import { openPostgresStore, type PostgresStore } from '../store/open-postgres.ts';
import { openSqliteStore, type SqliteStore } from '../store/open-sqlite.ts';
import { openNotices } from '../store/postgres-notices.ts';
import type { Seal } from '../store/seal.ts';
import { requireSessions } from '../store/session-check.ts';
import { takeOwnership } from '../store/single-owner.ts';
import { createHolds, openSharedHolds } from './shared-holds.ts';
import { openSharedPause } from './shared-pause.ts';

/** A SQLite file, `:memory:`, or a PostgreSQL database. */
export type RecordsPlace = string | PostgresConfig;

export interface Records extends AsyncDisposable {
  readonly store: Store;
  readonly queue: Queue;
  readonly changes: Changes;
  /** Whether the operator has paused all processes over the database; over SQLite a file in DATA_DIR says so (see pause.ts). */
  isPaused(): boolean;
  /** Who outside is to be left alone, as any process over the database has learnt. */
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
}

/** Brings the schema up to date. The caller owns a SQLite file (see `ownRecords`). */
export function openRecords(options: RecordsOptions): Promise<Records> {
  const { database } = options;
  return typeof database === 'string' ? openSqlite(database, options) : openPostgres(database, options);
}

/** A SQLite file is one process' until disposed: throws `store_locked` where it is another's. PostgreSQL is everybody's. */
export function ownRecords(database: RecordsPlace): Disposable {
  return typeof database === 'string' ? takeOwnership(database) : { [Symbol.dispose]: () => {} };
}

/** Store alone, for a command beside a running service. */
export async function openStore(options: Omit<RecordsOptions, 'now'>): Promise<KeptStore> {
  const { database, seal } = options;
  if (typeof database === 'string') return openSqliteStore({ file: database, seal, enqueuer: createJobTable() });
  await using opening = new AsyncDisposableStack();
  const { store } = opening.use(await openPostgresParts({ ...options, database }));
  await refuseHalfMoved(store.database, database.shown);
  const opened = opening.move();
  return { ...store, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function openSqlite(file: string, { seal, log, now }: RecordsOptions): Promise<Records> {
  const jobs = createJobTable();
  const store = await openSqliteStore({ file, seal, enqueuer: jobs });
  const queue = createEmbeddedQueue({ database: store.database, jobs, log, now, recovery: 'sole-owner' });
  return {
    ...{ store, queue, changes: createChanges(), holds: createHolds(now) },
    isPaused: () => false,
    leads: () => true,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** What there is over PostgreSQL before anybody works with it. */
export interface PostgresParts extends AsyncDisposable {
  readonly store: PostgresStore;
  readonly boss: Boss;
}

type PostgresOptions = Pick<RecordsOptions, 'seal' | 'log'> & { readonly database: PostgresConfig };

/** Brings both schemas up to date, that of the records and that of the queue. */
export async function openPostgresParts({ database, seal, log }: PostgresOptions): Promise<PostgresParts> {
  const { url } = database;
  await using opening = new AsyncDisposableStack();
  // Disposed last: until its end the store may write jobs.
  const boss = opening.use(await openBoss({ url, log }));
  const store = opening.use(await openPostgresStore({ url, seal, enqueuer: boss.jobs }));
  const opened = opening.move();
  return { store, boss, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function openPostgres(database: PostgresConfig, { seal, log, now }: RecordsOptions): Promise<Records> {
  await using opening = new AsyncDisposableStack();
  const { store, boss } = opening.use(await openPostgresParts({ database, seal, log }));
  await refuseHalfMoved(store.database, database.shown);
  await requireSessions(database.url, database.shown);
  const notices = opening.use(openNotices({ url: database.url, onFault: faultLog(log) }));
  const queue = createBossQueue({ boss, log });
  const changes = createChanges((runId) => notices.tell('changed', runId));
  opening.use(notices.on('changed', changes.heard));
  const { isPaused } = opening.use(await openSharedPause(store.database, notices, log));
  const holds = opening.use(await openSharedHolds({ database: store.database, notices, log, now }));
  const opened = opening.move();
  const { leads } = notices;
  return { store, queue, changes, isPaused, holds, leads, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** One line for each time that it is away, however often it is tried. */
function faultLog(log: Log): (error: unknown) => void {
  let isAway = false;
  return (error) => {
    if (error === null && isAway) log.info('PostgreSQL: what other processes do is heard of again');
    if (error !== null && !isAway) {
      log.warn(
        { err: error },
        'PostgreSQL: what other processes do is not heard of, and looked for every second instead',
      );
    }
    isAway = error !== null;
  };
}
