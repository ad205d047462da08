// Store and queue over a PostgreSQL database; loaded where there is one, since its client and its queue are most of 20 MB.
import { createHolds } from '../core/holds.ts';
import type { PostgresConfig } from '../config.ts';
import { openPostgresStore, type PostgresStore } from '../db/open-postgres.ts';
import { explainOpening } from '../db/postgres-errors.ts';
import { openNotices } from '../db/postgres-notices.ts';
import { patiently } from '../db/postgres-repeat.ts';
import { requireSessions } from '../db/session-check.ts';
import type { Log } from '../log.ts';
import { createBossQueue } from '../queue/boss-queue.ts';
import { type Boss, openBoss } from '../queue/open-boss.ts';
import { createChanges } from '../services/changes.ts';
import type { Records, RecordsOptions } from './open-records.ts';
import { openSharedPause } from './shared-pause.ts';

/** What there is over PostgreSQL before anybody works with it. */
export interface PostgresParts extends AsyncDisposable {
  readonly store: PostgresStore;
  readonly boss: Boss;
}

type PostgresOptions = Pick<RecordsOptions, 'seal' | 'log' | 'signal'> & { readonly database: PostgresConfig };

/** How long no server is waited for, in milliseconds, as store and queue wait. */
const PATIENCE_MS = 15_000;

/**
 * Brings both schemas up to date, that of the records and that of the queue; before anything else it is made sure that there are sessions, since
 * both take locks. Throws `store_unusable` or `store_locked` with the repair.
 */
export async function openPostgresParts({ database, seal, log, signal }: PostgresOptions): Promise<PostgresParts> {
  const { url, shown } = database;
  const explained = (error: unknown): never => {
    signal?.throwIfAborted();
    throw explainOpening(error, shown);
  };
  await patiently(PATIENCE_MS, () => requireSessions(url, shown, signal)).catch(explained);
  await using opening = new AsyncDisposableStack();
  // Disposed last: until its end the store may write jobs.
  const boss = opening.use(await openBoss({ url, log }).catch(explained));
  const store = opening.use(await openPostgresStore({ url, seal, enqueuer: boss.jobs }));
  const opened = opening.move();
  return { store, boss, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Store alone, for a command beside running processes. */
export async function openPostgresStoreAlone(options: PostgresOptions): Promise<PostgresStore> {
  await using opening = new AsyncDisposableStack();
  const { store } = opening.use(await openPostgresParts(options));
  const opened = opening.move();
  return { ...store, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Store, queue and what processes tell each other. */
export async function openPostgresRecords(options: PostgresOptions & Pick<RecordsOptions, 'now'>): Promise<Records> {
  const { database, log, now } = options;
  await using opening = new AsyncDisposableStack();
  const { store, boss } = opening.use(await openPostgresParts(options));
  const notices = opening.use(openNotices({ url: database.url, onFault: faultLog(log) }));
  const queue = createBossQueue({ boss, log });
  const changes = createChanges((runId) => notices.tell('changed', runId));
  opening.use(notices.on('changed', changes.heard));
  const { isPaused } = opening.use(await openSharedPause(store.database, notices, log));
  const holds = createHolds(now);
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
