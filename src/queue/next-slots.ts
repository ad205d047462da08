// Which slots of a process are filled next: one organisation alone does not take the last one.
import type { LaneLimits } from '../core/queue.ts';
import type { Claim } from './claims.ts';
import type { ClaimRequest } from './job-source.ts';

/**
 * The last slot is asked for by itself, and not for the organisation that has all others: a job of another finds it free, however long an
 * investigation takes. Where a kind has one slot, and where no other organisation is known, all may be one's.
 */
export function nextSlots(
  held: readonly Claim[],
  { concurrency }: Pick<LaneLimits, 'concurrency'>,
): Pick<ClaimRequest, 'free' | 'lastButFor'> {
  const free = concurrency - held.length;
  if (free > 1) return { free: free - 1, lastButFor: null };
  const [only = '', ...others] = new Set(held.map(({ organisation }) => organisation));
  // "" is nobody's: it takes its turn as one more, and keeps nothing free for others.
  return { free, lastButFor: only === '' || others.length > 0 ? null : only };
}
