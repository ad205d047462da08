// Answers that are held open: so many for each account, refused with 429 beyond.
import type { Hold } from '../services/rate-limit.ts';
import type { ApiDeps } from './api-deps.ts';
import { refuse } from './problem.ts';

const RETRY_AFTER_S = 5;

/** Counts one more for the account until it is released. */
export function holdOrRefuse({ limiter }: Pick<ApiDeps, 'limiter'>, accountId: string): Hold {
  return (
    limiter.hold(accountId) ??
    refuse(429, 'Too many answers are held open for this account: close event streams, or wait less.', {
      headers: { 'Retry-After': String(RETRY_AFTER_S) },
    })
  );
}
