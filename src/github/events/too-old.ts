// A delivery that tells of something long past: no real one is handled so late, but a body that somebody kept can be sent again.
import type { CausewayAppDeps } from './app-deps.ts';

/**
 * GitHub sends a delivery again for 3 days, and ours is tried for 7 where GitHub names a time; that it was seen is remembered for 30. So
 * whatever is older than this can only be a copy, whose row may be gone.
 */
const OLDEST_MS = 14 * 24 * 60 * 60 * 1_000;

/** `at`: when GitHub says that it happened. */
export function isTooOld({ now, log }: Pick<CausewayAppDeps, 'now' | 'log'>, at: string, delivery: string): boolean {
  if (now().getTime() - Date.parse(at) <= OLDEST_MS) return false;
  log.warn({ delivery, at }, 'a delivery tells of something long past: nothing is done');
  return true;
}
