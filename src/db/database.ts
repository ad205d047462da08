// The handle through which store and queue reach the database: one verb is one transaction, and its jobs are written in
// it.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CausewayError } from '../core/errors.ts';
import type { JobKind, NewJob } from '../core/queue.ts';
import type { Reader, Trx } from './schema.ts';

/** How a verb enqueues the jobs that it causes: in its own transaction, through the queue of either engine. */
export interface Enqueuer {
  enqueue(trx: Trx, jobs: readonly NewJob[]): Promise<void>;
  /** Writes jobs as dead until they are requeued. None of them may exist. */
  enqueueDead(trx: Trx, jobs: readonly NewJob[]): Promise<void>;
  /** Removes jobs in any state; missing ones are skipped. */
  remove(trx: Trx, kind: JobKind, subjects: readonly string[]): Promise<void>;
  /** A transaction was committed; it may have written jobs. */
  notifyCommit(): void;
}

export interface Database {
  readonly jobs: Enqueuer;
  /**
   * Runs a verb in a transaction of its own; it is committed, durably, when this resolves. The verb may run more than
   * once.
   */
  write<T>(verb: (trx: Trx) => Promise<T>): Promise<T>;
  /** Runs one query outside of any transaction. */
  read<T>(query: (reader: Reader) => Promise<T>): Promise<T>;
  /** Makes erased text unreadable on disk too, as far as the engine can. */
  forgetErased(): Promise<void>;
  /**
   * Waits for what is running, and for what starts meanwhile, and closes; later calls are refused as `store_unusable`.
   * `atLast` runs before.
   */
  close(atLast?: () => void): Promise<void>;
}

/** How an engine runs the transaction of a verb, or a query. */
export interface TransactionRunner {
  write<T>(verb: (trx: Trx) => Promise<T>): Promise<T>;
  read<T>(query: () => Promise<T>): Promise<T>;
}

interface DatabaseOptions {
  readonly kysely: Reader;
  readonly enqueuer: Enqueuer;
  /** Turns an engine's error into a CausewayError where it knows the repair, and returns it as it is otherwise. */
  readonly explain: (error: unknown) => unknown;
  /** Absent: the engine runs one transaction at a time. */
  readonly runner?: TransactionRunner;
  readonly forgetErased?: (reader: Reader) => Promise<void>;
}

export function createDatabase({ kysely, enqueuer, explain, runner, forgetErased }: DatabaseOptions): Database {
  const { write: runWrite, read: runRead } = runner ?? createPlainRunner(kysely);
  const inside = new AsyncLocalStorage<true>();
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  async function run<T>(work: () => Promise<T>): Promise<T> {
    // SQLite has one connection, and PostgreSQL a few: a verb that waits for one inside another's transaction would
    // wait for ever.
    if (inside.getStore()) throw new Error('a verb was called inside the transaction of another; use its trx');
    if (isClosed) {
      const message =
        'The store is closed because this process is ending: nothing was written. Try again after its restart.';
      throw new CausewayError('store_unusable', message);
    }
    const promise = work();
    running.add(promise);
    try {
      return await promise;
    } catch (error) {
      throw explain(error);
    } finally {
      running.delete(promise);
    }
  }

  const read = <T>(query: (reader: Reader) => Promise<T>) => run(() => runRead(() => query(kysely)));
  return {
    jobs: enqueuer,
    async write(verb) {
      const result = await run(() => runWrite((trx) => inside.run(true, () => verb(trx))));
      enqueuer.notifyCommit();
      return result;
    },
    read,
    forgetErased: async () => {
      if (forgetErased) await read(forgetErased);
    },
    async close(atLast = () => {}) {
      do {
        await Promise.allSettled(running);
        // A caller that waited for one of them may start the next.
        await nextTurn();
      } while (running.size > 0);
      isClosed = true;
      atLast();
      await kysely.destroy();
    },
  };
}

function createPlainRunner(kysely: Reader): TransactionRunner {
  return { write: (verb) => kysely.transaction().execute(verb), read: (query) => query() };
}

const MOST_VALUES_IN_A_QUERY = 500;

/** Queries about many values in a few queries; the rows of all, in the order of `values`. */
export async function queryInChunks<V, T>(
  values: readonly V[],
  query: (some: readonly V[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const rows: T[] = [];
  for (let from = 0; from < values.length; from += MOST_VALUES_IN_A_QUERY) {
    rows.push(...(await query(values.slice(from, from + MOST_VALUES_IN_A_QUERY))));
  }
  return rows;
}
