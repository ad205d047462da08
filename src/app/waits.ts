// What runs wait for, such as a model out of reach: told to those who look at their thread.
import type { WaitCode } from '../core/reason.ts';
import type { ThreadStore } from '../db/store.ts';
import type { House, Wait } from './house.ts';

export interface Waits {
  readonly onWait: (wait: Wait) => void;
  /** Null: for nothing. */
  readonly waitsFor: (runId: string) => WaitCode | null;
}

const MOST_WAITS = 1_000;

/** Kept in memory: after a restart a run that still waits says so again. */
export function createWaits(
  house: Pick<House, 'log' | 'now'> & { readonly store: Pick<ThreadStore, 'nudgeThreadsOfRun'> },
): Waits {
  const waits = new Map<string, Wait>();
  return {
    onWait: (wait) => {
      const isShown = wait.code === 'disk_full' && waits.get(wait.runId)?.code === wait.code;
      waits.delete(wait.runId);
      waits.set(wait.runId, wait);
      const [oldest] = waits.keys();
      if (waits.size > MOST_WAITS && oldest !== undefined) waits.delete(oldest);
      // Without space it is asked every few seconds, for each run that waits.
      if (isShown) return;
      house.store.nudgeThreadsOfRun(wait.runId, house.now().toISOString()).catch((error: unknown) => {
        house.log.warn({ err: error, run: wait.runId }, 'a thread was not told that its run waits');
      });
    },
    waitsFor: (runId) => {
      const wait = waits.get(runId);
      return wait === undefined || wait.until < house.now() ? null : wait.code;
    },
  };
}
