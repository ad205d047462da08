// The operator's pause over PostgreSQL: kept in the database, so that one command holds every process on every machine.
import type { Log } from '../log.ts';
import type { Database } from '../store/database.ts';
import { isMarked, setMark } from '../store/marks.ts';
import { type Notices, tellIn } from '../store/postgres-notices.ts';
import type { Trx } from '../store/schema.ts';

/** A word that gets lost is made up for so soon. */
const LOOK_MS = 2_000;

export interface SharedPause extends Disposable {
  /** As it was when it was looked at last; what cannot be looked at stays as it was. */
  isPaused(): boolean;
}

export async function openSharedPause(database: Database, notices: Notices, log: Log): Promise<SharedPause> {
  let isPaused = await isMarked(database, 'paused');
  const look = () => {
    isMarked(database, 'paused').then(
      (isSet) => {
        isPaused = isSet;
      },
      (error: unknown) => log.warn({ err: error }, 'it could not be looked up whether the service is paused'),
    );
  };
  const timer = setInterval(look, LOOK_MS);
  const listening = notices.on('pause', look);
  return {
    isPaused: () => isPaused,
    [Symbol.dispose]: () => {
      clearInterval(timer);
      listening[Symbol.dispose]();
    },
  };
}

/** Sets or lifts it for every process; false where it was so before. */
export function setSharedPause(database: Database, isSet: boolean, now: Date): Promise<boolean> {
  const tell = (trx: Trx) => tellIn(trx, 'pause', '');
  return setMark(database, 'paused', { isSet, now: now.toISOString(), tell });
}
