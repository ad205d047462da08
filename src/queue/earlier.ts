// The earlier of two moments, of which the second may be none.

/** Both ISO 8601, in UTC. */
export function earlier(runAt: string, again: string | null): string {
  return again !== null && again < runAt ? again : runAt;
}
