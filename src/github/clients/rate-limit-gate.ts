// Whether GitHub may be called with one credential: after a refusal not before the time that GitHub names, or else a little later each time.
import { GITHUB_HOLDS, type Holds } from '../../core/holds.ts';
import { GithubFailure } from './github-clients.ts';

/** What GitHub counts separately. A secondary limit holds for all of them. */
export type Resource = 'core' | 'graphql' | 'search';

type Headers = Readonly<Record<string, string | number | undefined>>;

/** For a limit that names no time: a minute as GitHub's documentation asks, then twice as long each time. */
const FIRST_BACK_OFF_MS = 60_000;
const LONGEST_BACK_OFF_MS = 30 * 60_000;
/** A clock that is slightly off, or a nonsense header, must make us neither call without a pause nor never again. */
const SHORTEST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 24 * 60 * 60_000;
const REJECTED_MS = 60_000;

/** One for each credential whose limits GitHub counts: an installation, the App, or none. Jobs wait in the queue until `retryAt`. */
export class RateLimitGate {
  readonly #holder: string;
  readonly #holds: Holds;
  readonly #now: () => Date;
  #rejectedUntil = 0;
  #backOffMs = 0;
  #backOffUntil = 0;

  constructor(holder: string, holds: Holds, now: () => Date) {
    this.#holder = holder;
    this.#holds = holds;
    this.#now = now;
  }

  /** Throws `busy`, with the time at which to call again. */
  check(resource: Resource): void {
    const limits = [this.#holds.until(this.#nameOf(null)), this.#holds.until(this.#nameOf(resource))];
    const until = Math.max(...limits.map((limit) => limit?.getTime() ?? 0));
    if (until > this.#now().getTime()) throw closed(new Date(until), describeLimit(new Date(until)));
    if (this.#rejectedUntil <= this.#now().getTime()) return;
    const rejectedUntil = new Date(this.#rejectedUntil);
    const repair = `check APP_ID and PRIVATE_KEY; the next attempt is at ${toMinute(rejectedUntil)} UTC`;
    throw closed(rejectedUntil, `GitHub rejected the credentials of the App: ${repair}.`);
  }

  /** Closes the gate for a refusal with these headers, and says until when. */
  close(headers: Headers, resource: Resource): Date {
    const now = this.#now();
    const wait = readRetryAfter(headers['retry-after'], now);
    const reset = wait === null && isUsedUp(headers) ? readReset(headers) : null;
    const until =
      reset !== null
        ? clampWait(now, reset.getTime() - now.getTime())
        : wait !== null
          ? clampWait(now, wait)
          : this.#backOff();
    // The hourly quota is counted for each resource, a secondary limit for all of them.
    this.#holds.hold(this.#nameOf(reset === null ? null : resource), until);
    return until;
  }

  /** GitHub does not accept the credential itself, so no other call with it is worth a try for a while. */
  reject(): void {
    this.#rejectedUntil = this.#now().getTime() + REJECTED_MS;
  }

  /** GitHub answered: the next back-off starts from the beginning. */
  noteAnswer(): void {
    if (this.#now().getTime() >= this.#backOffUntil) this.#backOffMs = 0;
  }

  /** Refusals of calls that were under way together count once. */
  #backOff(): Date {
    const now = this.#now().getTime();
    if (now >= this.#backOffUntil) {
      this.#backOffMs = Math.min(LONGEST_BACK_OFF_MS, this.#backOffMs * 2 || FIRST_BACK_OFF_MS);
      this.#backOffUntil = now + this.#backOffMs;
    }
    return new Date(this.#backOffUntil);
  }

  #nameOf(resource: Resource | null): string {
    return `${GITHUB_HOLDS}${this.#holder}${resource === null ? '' : ` ${resource}`}`;
  }
}

/** For a person. */
export function describeLimit(until: Date): string {
  return `GitHub's rate limit is used up until ${toMinute(until)} UTC; work continues by itself then.`;
}

/** Whether the hourly quota is used up. */
export function isUsedUp(headers: Headers): boolean {
  return String(headers['x-ratelimit-remaining'] ?? '').trim() === '0';
}

/** When the next hour of the quota begins; null where GitHub does not say. */
export function readReset(headers: Headers): Date | null {
  const reset = Number(headers['x-ratelimit-reset'] ?? Number.NaN) * 1_000;
  return Number.isFinite(reset) ? new Date(reset) : null;
}

/** `Retry-After`, seconds or a date, in milliseconds from now; null where it is absent or unreadable. */
export function readRetryAfter(header: string | number | undefined, now: Date): number | null {
  const text = String(header ?? '').trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const until = Date.parse(text);
  return Number.isNaN(until) ? null : until - now.getTime();
}

function closed(until: Date, message: string): GithubFailure {
  return new GithubFailure({ kind: 'busy', status: null, retryAt: until }, message);
}

function clampWait(now: Date, wait: number): Date {
  return new Date(now.getTime() + Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, wait)));
}

function toMinute(moment: Date): string {
  return moment.toISOString().slice(0, 16).replace('T', ' ');
}
