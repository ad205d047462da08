// What the headers of an answer say of GitHub's limits.

type Headers = Readonly<Record<string, string | number | undefined>>;

/** Whether the hour is used up. */
export function isSpent(headers: Headers): boolean {
  return String(headers['x-ratelimit-remaining'] ?? '').trim() === '0';
}

/** When a new hour begins; null where that is not said. */
export function resetOf(headers: Headers): Date | null {
  const reset = Number(headers['x-ratelimit-reset'] ?? Number.NaN) * 1_000;
  return Number.isFinite(reset) ? new Date(reset) : null;
}

/** `Retry-After`, seconds or a date, as milliseconds from now; null where there is none that can be read. */
export function waitOf(header: string | number | undefined, now: Date): number | null {
  const text = String(header ?? '').trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const until = Date.parse(text);
  return Number.isNaN(until) ? null : until - now.getTime();
}
