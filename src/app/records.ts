// Store and queue over one engine or the other: the only place that knows which of them it is.

import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresConfig } from '../config.ts';
import { untilAborted } from '../core/abortable.ts';
import { createHolds, type Holds } from '../core/holds.ts';
import type { Queue } from '../core/queue.ts';
import {
  type Database,
  explainOpening,
  isPauseSet,
  openLeadership,
  openPostgresStore,
  openSqliteStore,
  type PostgresStore,
  type Seal,
  type SqliteStore,
  type Store,
  savePause,
  takeOwnership,
} from '../db/index.ts';

import type { Log } from '../log.ts';
import { type Boss, createBossQueue, createEmbeddedQueue, createJobTable, openBoss } from '../queue/index.ts';
import { type Changes, createChanges } from '../services/index.ts';

/** A SQLite file, `:memory:`, or a PostgreSQL database. */
export type RecordsPlace = string | PostgresConfig;

export interface Records extends AsyncDisposable {
  readonly store: Store;
  readonly queue: Queue;
  readonly changes: Changes;
  /** Whether the operator has paused all processes over the database. */
  readonly isPaused: () => boolean;
  /** Rate limits of GitHub and of models, as this process has learnt them. */
  readonly holds: Holds;
  /** Whether this process does the recurring work that only one may do. */
  readonly leads: () => boolean;
}

/** With access to its tables, for commands about those. */
export type KeptStore = SqliteStore | PostgresStore;

interface RecordsOptions {
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
  return typeof database === 'string'
    ? await openSqlite(database, options)
    : await openPostgres({ ...options, database });
}

/**
 * A SQLite file belongs to one process until disposed: throws `store_locked` where another has it. PostgreSQL takes
 * many.
 */
export function openOwnRecords(database: RecordsPlace): Disposable {
  return typeof database === 'string' ? takeOwnership(database) : { [Symbol.dispose]: () => {} };
}

/** Only the store, for a command while a service runs. */
export async function openStore(options: Omit<RecordsOptions, 'now'>): Promise<KeptStore> {
  const { database, seal } = options;
  if (typeof database === 'string') return await openSqliteStore({ file: database, seal, enqueuer: createJobTable() });
  await using opening = new AsyncDisposableStack();
  const { store } = opening.use(await openPostgresParts({ ...options, database }));
  const opened = opening.move();
  return { ...store, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function openSqlite(file: string, { seal, log, now }: RecordsOptions): Promise<Records> {
  const jobs = createJobTable();
  await using opening = new AsyncDisposableStack();
  const store = opening.use(await openSqliteStore({ file, seal, enqueuer: jobs }));
  const { database } = store;
  const isPaused = file === ':memory:' ? () => false : opening.use(await openPause(database, log)).isPaused;
  const queue = createEmbeddedQueue({ database, jobs, log, now });
  const opened = opening.move();
  return {
    store,
    queue,
    isPaused,
    holds: createHolds(now),
    changes: createChanges(),
    leads: () => true,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** What there is over PostgreSQL before anything works with it. */
interface PostgresParts extends AsyncDisposable {
  readonly store: PostgresStore;
  readonly boss: Boss;
}

type PostgresOptions = Omit<RecordsOptions, 'now' | 'database'> & { readonly database: PostgresConfig };

/** Updates both schemas, of the records and of the queue. Throws `store_unusable`, `store_unavailable` or `store_locked` with the repair. */
export async function openPostgresParts({ database, seal, log, signal }: PostgresOptions): Promise<PostgresParts> {
  const { url, shown } = database;
  const explain = (error: unknown): never => {
    signal?.throwIfAborted();
    throw explainOpening(error, shown);
  };
  await using opening = new AsyncDisposableStack();
  // Disposed last: until its end the store may write jobs.
  const boss = opening.use(await untilAborted(openBoss({ url, log }), signal ?? NEVER).catch(explain));
  const store = opening.use(await openPostgresStore({ url, seal, enqueuer: boss.jobs }));
  const opened = opening.move();
  return { store, boss, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function openPostgres(options: PostgresOptions & Pick<RecordsOptions, 'now'>): Promise<Records> {
  const { log, now } = options;
  await using opening = new AsyncDisposableStack();
  const { store, boss } = opening.use(await openPostgresParts(options));
  const { isLeader: leads } = opening.use(openLeadership(store.database, { onFault: createFaultLog(log) }));
  const queue = createBossQueue({ boss, database: store.database, log });
  const { isPaused } = opening.use(await openPause(store.database, log));
  const opened = opening.move();
  return {
    store,
    queue,
    changes: createChanges(),
    isPaused,
    holds: createHolds(now),
    leads,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const NEVER = new AbortController().signal;

function createFaultLog(log: Log): (error: unknown) => void {
  return (error) => {
    if (error === null) log.info('PostgreSQL answers again');
    else log.warn({ err: error }, 'PostgreSQL does not answer; recurring work waits');
  };
}

const LOOK_MS = 1_000;

interface Pause extends AsyncDisposable {
  /** As of the last look; a look that fails changes nothing. */
  readonly isPaused: () => boolean;
}

/** Looks every second until disposed. */
async function openPause(database: Database, log: Log): Promise<Pause> {
  let isPaused = await isPauseSet(database);
  const stop = new AbortController();
  const looks = (async () => {
    for (;;) {
      await sleep(LOOK_MS, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
      if (stop.signal.aborted) return;
      try {
        isPaused = await isPauseSet(database);
      } catch (error) {
        log.warn({ err: error }, 'failed to load the pause');
      }
    }
  })();
  return {
    isPaused: () => isPaused,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await looks;
    },
  };
}

/** Sets or lifts the pause for every process over the database; false where it was so before. */
export function setPaused(database: Database, isSet: boolean, now: Date): Promise<boolean> {
  return savePause(database, isSet, now.toISOString());
}
