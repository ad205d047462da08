// The operator's pause over PostgreSQL: kept in the database, so that one command holds every process on every machine.

import type { Database } from '../db/database.ts';
import { isMarked, setMark } from '../db/marks.ts';
import { type Notices, tellIn } from '../db/postgres-notices.ts';
import type { Trx } from '../db/schema.ts';
import type { Log } from '../log.ts';
import { lookRepeatedly } from './repeated-look.ts';

export interface SharedPause extends AsyncDisposable {
  /** As it was when it was looked at last; what cannot be looked at stays as it was. */
  isPaused(): boolean;
}

export async function openSharedPause(database: Database, notices: Notices, log: Log): Promise<SharedPause> {
  let isPaused = false;
  const look = async () => {
    isPaused = await isMarked(database, 'paused');
  };
  const onFault = (error: unknown) =>
    log.warn({ err: error }, 'it could not be looked up whether the service is paused');
  await look();
  const looks = lookRepeatedly({ look, notices, topic: 'pause', onFault });
  return { isPaused: () => isPaused, [Symbol.asyncDispose]: () => looks[Symbol.asyncDispose]() };
}

/** Sets or lifts it for every process; false where it was so before. */
export function setSharedPause(database: Database, isSet: boolean, now: Date): Promise<boolean> {
  const tell = (trx: Trx) => tellIn(trx, 'pause', '');
  return setMark(database, 'paused', { isSet, now: now.toISOString(), tell });
}
