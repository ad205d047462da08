// One verb, one transaction: the handle through which all of the store and the embedded queue reach the database.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Enqueuer } from './enqueuer.ts';
import type { Reader, Trx } from './schema.ts';

export interface Database {
  /** Runs a verb in a transaction of its own; it is committed, durably, when this resolves. */
  write<T>(verb: (trx: Trx) => Promise<T>): Promise<T>;
  /** Runs one query outside of any transaction. */
  read<T>(query: (reader: Reader) => Promise<T>): Promise<T>;
  /** Waits for what is under way and closes. */
  close(): Promise<void>;
}

/**
 * `explain` turns an engine's error into a CausewayError where it knows the repair, and returns it as it is otherwise.
 * A second engine whose transactions really overlap must run `write` as serializable and repeat it on conflict.
 */
export function createDatabase(options: {
  readonly kysely: Reader;
  readonly enqueuer: Enqueuer;
  readonly explain: (error: unknown) => unknown;
}): Database {
  const { kysely, enqueuer, explain } = options;
  const inside = new AsyncLocalStorage<true>();
  const underWay = new Set<Promise<unknown>>();

  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    // SQLite has one connection: a verb that waits for it inside another's transaction would wait for ever.
    if (inside.getStore()) throw new Error('a verb was called inside the transaction of another; use its trx');
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
      const result = await guarded(() => kysely.transaction().execute((trx) => inside.run(true, () => verb(trx))));
      enqueuer.committed();
      return result;
    },
    read: (query) => guarded(() => query(kysely)),
    async close() {
      await Promise.allSettled(underWay);
      await kysely.destroy();
    },
  };
}
