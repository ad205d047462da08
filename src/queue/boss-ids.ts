// Ids of jobs on pg-boss: UUIDs that rise, so that of jobs of one moment the one that was enqueued first comes first.
import { randomBytes } from 'node:crypto';

/** Milliseconds with 12 bits of counter behind them (UUID version 7); what a process makes rises strictly, also where its clock stands still. */
export function createJobIds(now: () => number = Date.now): () => string {
  let last = 0n;
  return () => {
    const time = BigInt(now()) << 12n;
    last = time > last ? time : last + 1n;
    const hex = last.toString(16).padStart(15, '0');
    const random = randomBytes(8).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(12)}-8${random.slice(1, 4)}-${random.slice(4)}`;
  };
}
