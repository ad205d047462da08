// Waits until the process has nothing to do: for what holds up everybody and can wait.
import { setTimeout as wait } from 'node:timers/promises';

const LOOK_EVERY_MS = 500;
/** Share of that time for which the event loop may have been at work. Ten requests a second are less. */
const AT_REST = 0.05;

/** Resolves after half a second in which the event loop had next to nothing to do, or when the signal aborts. Keeps no process alive. */
export async function untilAtRest(signal: AbortSignal): Promise<void> {
  for (let isAtRest = false; !isAtRest && !signal.aborted; ) {
    const before = performance.eventLoopUtilization();
    await wait(LOOK_EVERY_MS, undefined, { ref: false, signal }).catch(() => undefined);
    isAtRest = performance.eventLoopUtilization(before).utilization < AT_REST;
  }
}
