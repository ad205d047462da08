// The header `Retry-After`, as GitHub, build hosts and receivers of webhooks send it.

const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Milliseconds from `now`, by seconds or a date of RFC 9110; 0 for a date that is past, null where the header is absent
 * or cannot be read. May be as long as the sender likes: the caller limits it.
 */
export function readRetryAfter(header: string | number | null | undefined, now: Date): number | null {
  const text = String(header ?? '').trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const date = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}
