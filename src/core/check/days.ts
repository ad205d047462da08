// How often a failure was seen on each of the last days, for places that show no pictures.

const DAYS_SHOWN = 30;

const DAY_MS = 24 * 60 * 60_000;
/** Fewer days say nothing that "seen twice before" does not. */
const LEAST_DAYS = 3;
const NONE = '▁';
const BARS = '▂▃▄▅▆▇█';

/** The days (UTC) up to the given time, such as `2026-11-20`, the oldest first. */
export function listDaysUntil(time: Date): readonly string[] {
  return Array.from({ length: DAYS_SHOWN }, (_, at) =>
    new Date(time.getTime() - (DAYS_SHOWN - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  );
}

/**
 * Such as "Last 30 days: `▁▁▃▁▁▁▇…`, seen on 4 of them, at most 6 times a day" for counts a day, the oldest first; "" for a
 * failure of fewer than three days.
 */
export function describeDays(counts: readonly number[]): string {
  const seen = counts.filter((count) => count > 0).length;
  if (seen < LEAST_DAYS) return '';
  const most = Math.max(...counts);
  const bars = counts.map((count) => (count === 0 ? NONE : BARS.charAt(scaleCount(count, most))));
  const times = most === 1 ? 'once a day' : `at most ${most} times a day`;
  return `Last ${counts.length} days: \`${bars.join('')}\`, seen on ${seen} of them, ${times}`;
}

/** The day with the most has the highest bar. */
function scaleCount(count: number, most: number): number {
  return Math.ceil((count / most) * BARS.length) - 1;
}
