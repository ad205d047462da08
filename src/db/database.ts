// One verb, one transaction: the handle through which all of the store and the embedded queue reach the database.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CausewayError } from '../core/errors.ts';
import type { Enqueuer } from './enqueuer.ts';
import type { Attempts } from './postgres-repeat.ts';
import type { Reader, Trx } from './schema.ts';

export interface Database {
  /** Runs a verb in a transaction of its own; it is committed, durably, when this resolves. The verb may run more than once. */
  write<T>(verb: (trx: Trx) => Promise<T>): Promise<T>;
  /** Runs one query outside of any transaction. */
  read<T>(query: (reader: Reader) => Promise<T>): Promise<T>;
  /** Waits for what is under way, also for what begins meanwhile, and closes; whatever comes then is refused as `store_unusable`. `atLast` runs with the connection still open. */
  close(atLast?: () => void): Promise<void>;
}

interface DatabaseOptions {
  readonly kysely: Reader;
  readonly enqueuer: Enqueuer;
  /** Turns an engine's error into a CausewayError where it knows the repair, and returns it as it is otherwise. */
  readonly explain: (error: unknown) => unknown;
  /** How an engine whose transactions overlap keeps each as if it were alone. */
  readonly attempts?: Attempts;
}

export function createDatabase({ kysely, enqueuer, explain, attempts }: DatabaseOptions): Database {
  const { write: transact, read: ask } = attempts ?? once(kysely);
  const inside = new AsyncLocalStorage<true>();
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;

  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    // SQLite has one connection, and PostgreSQL a few: a verb that waits for one inside another's transaction would wait for ever.
    if (inside.getStore()) throw new Error('a verb was called inside the transaction of another; use its trx');
    if (isClosed) throw new CausewayError('store_unusable', CLOSED);
    const promise = work();
    underWay.add(promise);
    try {
      return await promise;
    } catch (error) {
      throw explain(error);
    } finally {
      underWay.delete(promise);
    }
  }

  return {
    async write(verb) {
      const result = await guarded(() => transact((trx) => inside.run(true, () => verb(trx))));
      enqueuer.notifyCommit();
      return result;
    },
    read: (query) => guarded(() => ask(() => query(kysely))),
    async close(atLast = () => {}) {
      do {
        await Promise.allSettled(underWay);
        // Whoever waited for one of them may begin the next.
        await nextTurn();
      } while (underWay.size > 0);
      isClosed = true;
      atLast();
      await kysely.destroy();
    },
  };
}

const CLOSED = 'The store is closed, since this process ends: nothing was written. Ask again when it runs again.';

/** SQLite runs one transaction at a time. */
function once(kysely: Reader): Attempts {
  return { write: (verb) => kysely.transaction().execute(verb), read: (query) => query() };
}
