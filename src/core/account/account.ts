// Callers: accounts, their tokens, and what a token may do.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { CausewayError } from '../errors.ts';
import { createBase62, createId } from '../ids.ts';
import type { Person, Project, Role } from '../project/index.ts';

export const SCOPES = [
  'issues:read',
  'issues:write',
  'projects:read',
  'pull-requests:write',
  'webhooks:write',
] as const;

export type TokenScope = (typeof SCOPES)[number];

/** The scopes of a new token by default. */
export const DEFAULT_SCOPES: readonly TokenScope[] = ['issues:read', 'issues:write', 'projects:read'];

/** Of a token for a coding agent: it reads, and starts nothing. */
export const READING_SCOPES: readonly TokenScope[] = ['issues:read', 'projects:read'];

export interface Account {
  readonly id: string;
  readonly login: string;
  /** GitHub's number of the person; null for the one local account. */
  readonly githubId: number | null;
}

/** A token as listed; only a hash of the token itself is stored. */
export interface TokenRecord {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** Projects that the token is bound to; null: all of the account. */
  readonly projectIds: readonly string[] | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

/** Of a token that is made now; it expires where that is said, and reaches all projects of the account unless some are named. */
export function createTokenRecord(
  accountId: string,
  now: Date,
  given: Pick<TokenRecord, 'name' | 'scopes'> & Partial<Pick<TokenRecord, 'projectIds' | 'expiresAt'>>,
): TokenRecord {
  const made = { id: createId('tok'), accountId, createdAt: now.toISOString(), lastUsedAt: null, revokedAt: null };
  return { projectIds: null, expiresAt: null, ...given, ...made };
}

const FORM = /^cwy_[0-9A-Za-z]{36}$/;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A new token; 178 random bits. The caller shows it once and keeps only `hashToken` of it. */
export function createToken(): string {
  const body = createBase62(30);
  return `cwy_${body}${computeChecksum(body)}`;
}

/** A new signing secret for webhooks: `whsec_` and 24 random bytes (192 bits) in base64, which needs no padding. */
export function createSigningSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
}

const BEARER = /^bearer[ \t]+/i;

/** What an Authorization header holds after the scheme, whose name has no case; "" for another scheme. */
export function readBearer(header: string): string {
  return BEARER.test(header) ? header.replace(BEARER, '') : '';
}

/** Whether two secrets are equal, in a time that does not depend on where they differ: their hashes have one length. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}

/** Whether the checksum is right: a mistyped or invented token is refused here, without a database read. */
export function isTokenForm(token: string): boolean {
  return FORM.test(token) && computeChecksum(token.slice(4, 34)) === token.slice(34);
}

/** What is stored of a token: SHA-256 in hex. No salt or stretching: 178 random bits cannot be guessed. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

function computeChecksum(body: string): string {
  let rest = crc32(body);
  let out = '';
  for (let i = 0; i < 6; i++) {
    out = DIGITS[rest % 62] + out;
    rest = Math.floor(rest / 62);
  }
  return out;
}

export interface BrowserSession {
  /** `ses_…`; identifies the session in lists. The browser holds a different value. */
  readonly id: string;
  readonly accountId: string;
  /** When the person signed in: the start of the absolute limit and of "recent sign-in". */
  readonly startedAt: string;
  /** To the minute. */
  readonly lastSeenAt: string;
  /** The browser's user agent, at most 200 characters; untrusted. */
  readonly client: string;
}

/** A session ends after this long without use, and in any case after `SESSION_LIFE_MS`. */
export const SESSION_IDLE_MS = 12 * 60 * 60_000;

export const SESSION_LIFE_MS = 7 * 24 * 60 * 60_000;

/** Making a token and showing or rotating the signing secret require a sign-in this recent. */
const RECENT_MS = 30 * 60_000;

export function isSessionAlive({ startedAt, lastSeenAt }: BrowserSession, now: Date): boolean {
  const at = now.getTime();
  return at < Date.parse(startedAt) + SESSION_LIFE_MS && at < Date.parse(lastSeenAt) + SESSION_IDLE_MS;
}

export function isRecent({ startedAt }: BrowserSession, now: Date): boolean {
  return now.getTime() < Date.parse(startedAt) + RECENT_MS;
}

export interface GithubSignIn {
  /** The page to send the browser to. `challenge`: the verifier's, S256. */
  address(request: { readonly state: string; readonly challenge: string; readonly redirectUri: string }): string;
  /**
   * The person who signed in with this code. GitHub's token is used for two questions, then revoked, and never stored.
   * Throws SignInRefused if the code is invalid or the person may not sign in, `github_failed` if GitHub gave no usable
   * answer.
   */
  person(
    answer: { readonly code: string; readonly verifier: string; readonly redirectUri: string },
    signal: AbortSignal,
  ): Promise<Person>;
}

/** The code is invalid or the person may not sign in; the message tells them how to repair it. */
export class SignInRefused extends CausewayError {
  readonly kind: 'code' | 'person';

  constructor(kind: 'code' | 'person', message: string) {
    super('invalid', message);
    this.kind = kind;
  }
}

/** Limits how long a role may take to look up. */
interface Until {
  readonly signal: AbortSignal;
}

/** Local mode allows everything. With GitHub, its answer from at most 5 minutes ago counts. */
export interface Permissions {
  /**
   * `none` if the person may not see the project. Throws `github_failed` if GitHub does not answer and no recent role
   * is known.
   */
  roleOf(account: Account, project: Project, until: Until): Promise<Role>;
  /** The last known role, at any age; `none` if unknown. Makes no call. */
  readonly lastRole?: (account: Account, project: Project) => Role;
}
