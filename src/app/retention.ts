// Erases what is older than its retention, at the start and every hour.
import type { House } from './house.ts';
import { type Recurring, startRecurring } from './recurring.ts';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

/** Sweeps until disposed, in one process over a database. */
export function startRetention(
  house: Pick<House, 'store' | 'log' | 'now' | 'leads'>,
  retentionDays: number,
): Recurring {
  const sweep = async () => {
    const now = house.now().getTime();
    const before = (ms: number) => new Date(now - ms).toISOString();
    const erased = await house.store.sweep({
      endedBefore: before(retentionDays * DAY_MS),
      keysBefore: before(DAY_MS),
      now: before(0),
    });
    if (erased > 0) house.log.info({ erased }, 'erased investigations past their retention');
  };
  const { log, leads: isOurs } = house;
  return startRecurring({ what: 'erasing what is past its retention', everyMs: HOUR_MS, work: sweep, log, isOurs });
}
