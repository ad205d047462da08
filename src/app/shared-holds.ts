// Who outside wants to be left alone: known to one process, or over PostgreSQL to every one, as soon as one of them was refused.

import { type Hold, type Holds, INTERFACE_HOLDS, stands } from '../core/holds.ts';
import type { Database } from '../db/database.ts';
import { liftHolds, putHold, standingHolds } from '../db/holds.ts';
import { type Notices, tellIn } from '../db/postgres-notices.ts';
import type { Trx } from '../db/schema.ts';
import type { Log } from '../log.ts';
import { lookRepeatedly } from './repeated-look.ts';

/** Of one process. */
export function createHolds(now: () => Date): Holds {
  return holdsIn(new Map(), now);
}

function holdsIn(kept: Map<string, Date>, now: () => Date): Holds {
  const until = (name: string): Date | null => {
    const end = kept.get(name);
    if (end !== undefined && stands({ until: end }, now())) return end;
    kept.delete(name);
    return null;
  };
  return {
    until,
    hold(name, end) {
      if (stands({ until: end }, now())) kept.set(name, later(until(name), end));
    },
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

/** Of the only process over a SQLite file. The interfaces that models want outlive it; limits are learnt again after a restart. */
export async function openOwnHolds({ database, log, now }: Omit<SharedHoldsOptions, 'notices'>): Promise<SharedHolds> {
  const own = createHolds(now);
  const isStored = (name: string) => name.startsWith(INTERFACE_HOLDS);
  for (const { name, until } of await standingHolds(database, now())) if (isStored(name)) own.hold(name, until);
  const writing = new Set<Promise<void>>();
  return {
    ...own,
    hold(name, until) {
      own.hold(name, until);
      if (!isStored(name)) return;
      const written = putHold(database, { name, until }, { now: now(), tell: async () => {} })
        .catch((error: unknown) => log.warn({ err: error }, 'the interface that the model wants could not be stored'))
        .finally(() => writing.delete(written));
      writing.add(written);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(writing);
    },
  };
}

/** Learnt by this process, and perhaps not among what the last look found. */
interface Learnt extends Hold {
  isWritten: boolean;
}

/** Of all processes over a PostgreSQL database: what is written there stands, and nothing else, so that an operator can lift it. */
export async function openSharedHolds({ database, notices, log, now }: SharedHoldsOptions): Promise<SharedHolds> {
  const kept = new Map<string, Date>();
  const own = holdsIn(kept, now);
  const learnt = new Set<Learnt>();
  const writing = new Set<Promise<void>>();
  const look = async () => {
    const written = [...learnt].filter(({ isWritten }) => isWritten);
    const found = await standingHolds(database, now());
    for (const one of learnt) if (written.includes(one) || !stands(one, now())) learnt.delete(one);
    kept.clear();
    for (const { name, until } of [...found, ...learnt]) own.hold(name, until);
  };
  const onFault = (error: unknown) => log.warn({ err: error }, 'it could not be looked up who is to be left alone');
  await look();
  const looks = lookRepeatedly({ look, notices, topic: 'hold', onFault });
  const write = (one: Learnt) =>
    putHold(database, one, { now: now(), tell }).then(
      () => {
        one.isWritten = true;
      },
      (error: unknown) => log.warn({ err: error }, 'other processes were not told who is to be left alone'),
    );
  return {
    ...own,
    hold(name, until) {
      const known = own.until(name);
      own.hold(name, until);
      // Calls that were on their way together are refused together.
      if (!stands({ until }, now()) || (known !== null && known >= until)) return;
      const one = { name, until, isWritten: false };
      learnt.add(one);
      const written = write(one).finally(() => writing.delete(written));
      writing.add(written);
    },
    async [Symbol.asyncDispose]() {
      await looks[Symbol.asyncDispose]();
      await Promise.all(writing);
    },
  };
}

/** Lifts them for every process, and says how many stood: whoever they held back asks again, and is told whether there is a limit. */
export function liftSharedHolds(database: Database, now: Date): Promise<number> {
  return liftHolds(database, { now, tell });
}

const tell = (trx: Trx) => tellIn(trx, 'hold', '');

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
