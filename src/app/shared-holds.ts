// Who outside wants to be left alone: known to one process, or over PostgreSQL to every one, as soon as one of them was refused.
import type { Log } from '../log.ts';
import type { Holds } from '../ports/holds.ts';
import type { Database } from '../store/database.ts';
import { holdsAfter, putHold } from '../store/holds.ts';
import { type Notices, tellIn } from '../store/postgres-notices.ts';
import type { Trx } from '../store/schema.ts';

/** A word that gets lost is made up for so soon. */
const LOOK_MS = 2_000;

/** Of one process. */
export function createHolds(now: () => Date): Holds {
  const kept = new Map<string, Date>();
  const until = (name: string): Date | null => {
    const end = kept.get(name);
    if (end !== undefined && end > now()) return end;
    kept.delete(name);
    return null;
  };
  return {
    until,
    hold: (name, end) => void kept.set(name, later(until(name), end)),
    standing: () =>
      [...kept.keys()].flatMap((name) => {
        const end = until(name);
        return end === null ? [] : [{ name, until: end }];
      }),
  };
}

export interface SharedHolds extends Holds, AsyncDisposable {}

export interface SharedHoldsOptions {
  readonly database: Database;
  readonly notices: Notices;
  readonly log: Log;
  readonly now: () => Date;
}

/** Of all processes over a PostgreSQL database. */
export async function openSharedHolds({ database, notices, log, now }: SharedHoldsOptions): Promise<SharedHolds> {
  const own = createHolds(now);
  const writing = new Set<Promise<void>>();
  const look = async () => {
    for (const { name, until } of await holdsAfter(database, now().toISOString())) own.hold(name, until);
  };
  const lookAgain = () =>
    void look().catch((error: unknown) =>
      log.warn({ err: error }, 'it could not be looked up who is to be left alone'),
    );
  const tell = (trx: Trx) => tellIn(trx, 'hold', '');
  await look();
  const timer = setInterval(lookAgain, LOOK_MS);
  const listening = notices.on('hold', lookAgain);
  return {
    ...own,
    hold(name, until) {
      const known = own.until(name);
      own.hold(name, until);
      // Calls that were on their way together are refused together.
      if (known !== null && known >= until) return;
      const write = putHold(database, { name, until }, tell)
        .catch((error: unknown) => log.warn({ err: error }, 'other processes were not told who is to be left alone'))
        .finally(() => writing.delete(write));
      writing.add(write);
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      listening[Symbol.dispose]();
      await Promise.all(writing);
    },
  };
}

/** Those of a house that is not open yet: what calls GitHub and the model is made before it, and asks nobody before. */
export function holdsOf(house: () => { readonly holds: Holds }): Holds {
  return {
    until: (name) => house().holds.until(name),
    hold: (name, until) => house().holds.hold(name, until),
    standing: () => house().holds.standing(),
  };
}

function later(one: Date | null, other: Date): Date {
  return one !== null && one > other ? one : other;
}
