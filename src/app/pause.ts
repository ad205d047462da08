// The operator's pause: kept in the database, so that it holds over restarts and for every process over that database.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import { isPauseSet, savePause } from '../db/pause.ts';
import type { Log } from '../log.ts';

const LOOK_MS = 1_000;

export interface Pause extends AsyncDisposable {
  /** As of the last look; a look that fails changes nothing. */
  readonly isPaused: () => boolean;
}

/** Looks every second until disposed. */
export async function openPause(database: Database, log: Log): Promise<Pause> {
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
