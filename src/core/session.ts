// A session: a person who signed in to the account area with one browser.

export interface Session {
  /** `ses_…`; names it among others, and is not what the browser holds. */
  readonly id: string;
  readonly accountId: string;
  /** When the person proved who they are: what needs a recent sign-in counts from here, and so does the absolute limit. */
  readonly startedAt: string;
  /** Kept to the minute. */
  readonly lastSeenAt: string;
  /** What the browser says of itself, at most 200 characters: outside text. */
  readonly client: string;
}

/** Unused for so long, a session ends; after so long it ends however much it is used. */
export const SESSION_IDLE_MS = 12 * 60 * 60_000;
export const SESSION_LIFE_MS = 7 * 24 * 60 * 60_000;
/** Making a token and seeing or rotating the secret ask for a sign-in not older than this. */
const RECENT_MS = 30 * 60_000;

export function isSessionAlive({ startedAt, lastSeenAt }: Session, now: Date): boolean {
  const at = now.getTime();
  return at < Date.parse(startedAt) + SESSION_LIFE_MS && at < Date.parse(lastSeenAt) + SESSION_IDLE_MS;
}

export function isRecent({ startedAt }: Session, now: Date): boolean {
  return now.getTime() < Date.parse(startedAt) + RECENT_MS;
}
