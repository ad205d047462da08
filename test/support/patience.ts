// How long tests wait for what must come.
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Half of a test's own limit, so that what never comes is named. The longest wait on a quiet machine takes 15 s (a worker takes over the job
 * of one that is stopped), most take less than one.
 */
export const PATIENCE_MS = 300_000;

export const patience = () => AbortSignal.timeout(PATIENCE_MS);

/** Waits until `condition` holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`never came true: ${condition}`);
    await sleep(5);
  }
}
