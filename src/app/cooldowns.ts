// The operator's pause, and who outside wants no calls for now: kept in the database, looked at every second by each process over it.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Hold, type Holds, stands } from '../core/holds.ts';
import type { Database } from '../db/database.ts';
import { liftHolds, putHold, standingHolds } from '../db/holds.ts';
import { isMarked, setMark } from '../db/marks.ts';
import type { Log } from '../log.ts';

const LOOK_MS = 1_000;
/** Other processes look by themselves. */
const tell = async () => {};

export interface SharedState extends AsyncDisposable {
  /** As it was when it was looked at last; what cannot be looked at stays as it was. */
  readonly isPaused: () => boolean;
  readonly holds: Holds;
}

export interface SharedStateOptions {
  readonly database: Database;
  readonly log: Log;
  readonly now: () => Date;
}

/** Learnt by this process, and perhaps not among what the last look found. */
interface Learnt extends Hold {
  isWritten: boolean;
}

/** What is written in the database counts, and nothing else, so that an operator can lift it for every process. */
export async function openSharedState({ database, log, now }: SharedStateOptions): Promise<SharedState> {
  let isPaused = false;
  let own = createHolds(now);
  const learnt = new Set<Learnt>();
  const writing = new Set<Promise<void>>();
  const look = async () => {
    const written = [...learnt].filter((one) => one.isWritten);
    isPaused = await isMarked(database, 'paused');
    const found = await standingHolds(database, now());
    for (const one of learnt) if (written.includes(one) || !stands(one, now())) learnt.delete(one);
    own = createHolds(now);
    for (const { name, until } of [...found, ...learnt]) own.hold(name, until);
  };
  const write = async (one: Learnt) => {
    try {
      await putHold(database, one, { now: now(), tell });
      one.isWritten = true;
    } catch (error) {
      log.warn({ err: error }, 'a rate limit could not be stored for the other processes');
    }
  };
  await look();
  const stop = new AbortController();
  const looks = lookRepeatedly(look, log, stop.signal);
  return {
    isPaused: () => isPaused,
    holds: {
      until: (name) => own.until(name),
      standing: () => own.standing(),
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
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all([looks, ...writing]);
    },
  };
}

/** One look at a time, however slow the database is. */
async function lookRepeatedly(look: () => Promise<void>, log: Log, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    await look().catch((error: unknown) => log.warn({ err: error }, 'failed to load the pause and the rate limits'));
  }
}

/** Of one process. */
export function createHolds(now: () => Date): Holds {
  const kept = new Map<string, Date>();
  const findUntil = (name: string): Date | null => {
    const until = kept.get(name);
    if (until !== undefined && stands({ until }, now())) return until;
    kept.delete(name);
    return null;
  };
  return {
    until: findUntil,
    hold(name, until) {
      const known = findUntil(name);
      if (stands({ until }, now()) && (known === null || until > known)) kept.set(name, until);
    },
    standing: () =>
      [...kept.keys()].flatMap((name) => {
        const until = findUntil(name);
        return until === null ? [] : [{ name, until }];
      }),
  };
}

/** Those of services that are not open yet: the clients of GitHub and the model are made before them, and call nobody before. */
export function deferHolds(services: () => { readonly holds: Holds }): Holds {
  return {
    until: (name) => services().holds.until(name),
    hold: (name, until) => services().holds.hold(name, until),
    standing: () => services().holds.standing(),
  };
}

/** Sets or lifts the pause for every process over the database; false where it was so before. */
export function setPaused(database: Database, isSet: boolean, now: Date): Promise<boolean> {
  return setMark(database, 'paused', { isSet, now: now.toISOString(), tell });
}

/** Lifts all rate limits for every process, and returns how many there were: the next call shows whether there still is one. */
export function liftAllHolds(database: Database, now: Date): Promise<number> {
  return liftHolds(database, { now, tell });
}
