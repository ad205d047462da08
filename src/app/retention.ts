// Erases what is older than its retention, at the start and every hour.
import type { House } from './house.ts';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

/** Sweeps until disposed. A sweep that fails is logged and made up for by the next. */
export function startRetention(house: Pick<House, 'store' | 'log' | 'now'>, retentionDays: number): Disposable {
  const sweep = async () => {
    const now = house.now().getTime();
    const before = (ms: number) => new Date(now - ms).toISOString();
    try {
      const erased = await house.store.sweep({
        endedBefore: before(retentionDays * DAY_MS),
        keysBefore: before(DAY_MS),
        now: before(0),
      });
      if (erased > 0) house.log.info({ erased }, 'erased investigations past their retention');
    } catch (error) {
      house.log.error({ err: error }, 'retention sweep failed');
    }
  };
  void sweep();
  const timer = setInterval(sweep, HOUR_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
