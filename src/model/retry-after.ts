// How long an endpoint asks to be left alone.

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** More than that is a mistake, or an outage that must be looked at anew. */
const LONGEST_WAIT_MS = 24 * 60 * 60 * 1_000;

/**
 * Milliseconds from `Retry-After` (seconds, also with a fraction, or a date of RFC 9110) or `retry-after-ms` (OpenAI, Azure), at most 24 h;
 * null where neither is there or can be read.
 */
export function readRetryAfter(headers: Headers, now: Date): number | null {
  const milliseconds = decimal(headers.get('retry-after-ms'));
  if (milliseconds !== null) return clamp(milliseconds);
  const header = headers.get('retry-after');
  const seconds = decimal(header);
  if (seconds !== null) return clamp(seconds * 1_000);
  const date = header !== null && HTTP_DATE.test(header.trim()) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? null : clamp(date - now.getTime());
}

function decimal(header: string | null): number | null {
  return header !== null && /^\s*\d{1,15}(\.\d{1,15})?\s*$/.test(header) ? Number(header) : null;
}

function clamp(milliseconds: number): number {
  return Math.ceil(Math.min(Math.max(milliseconds, 0), LONGEST_WAIT_MS));
}
