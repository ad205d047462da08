// Starts programs through a small process: fork(2) takes that one 2 ms, and us 17 with 300 MB of memory, on the event loop.

import { openStartingProcess, type StartingProcess } from './open-starting-process.ts';
import { type Order, type Program, startHere } from './program.ts';

/** It holds 45 MB. */
const IDLE_MS = 60_000;
/** A command that starts one program and ends is done before the small process is ready. */
const SOME = 2;
/** UTF-16 units; what may be too long for the system is refused here, on the spot. */
const MOST_WORDS = 64 * 1024;
/** One after the other. It never ends by itself: whoever ends it will do so again. */
const MOST_LOSSES = 3;

export interface Starter {
  start(order: Order): Program;
}

/** Until the small process is ready, and where there is none, programs are started here; outside of Linux always: nothing is copied there. */
export function createStarter(idleMs: number = IDLE_MS): Starter {
  let small: StartingProcess | null = null;
  let started = 0;
  let losses = 0;

  function onGone(isLost: boolean): void {
    [small, started] = [null, 0];
    losses = isLost ? losses + 1 : 0;
  }

  const isWanted = () => process.platform === 'linux' && started >= SOME && losses < MOST_LOSSES;

  return {
    start(order) {
      started += 1;
      if (small?.canStart && !isLong(order)) return small.start(order);
      if (small === null && isWanted()) {
        small = openStartingProcess(idleMs, onGone);
        if (small === null) losses += 1;
      }
      return startHere(order);
    },
  };
}

function isLong({ args, env }: Order): boolean {
  const words = [...args, ...Object.values(env)];
  return words.reduce((sum, word) => sum + (word?.length ?? 0), 0) > MOST_WORDS;
}
