// Who calls: accounts, their tokens and what a token may do.
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { CausewayError } from './errors.ts';
import { randomBase62 } from './ids.ts';
import type { Project } from './project.ts';
import type { Person } from './thread.ts';

export const SCOPES = ['issues:read', 'issues:write', 'projects:read', 'pull-requests:write'] as const;

export type Scope = (typeof SCOPES)[number];

/** What a new token may do unless told otherwise. */
export const DEFAULT_SCOPES: readonly Scope[] = ['issues:read', 'issues:write', 'projects:read'];

export interface Account {
  readonly id: string;
  readonly login: string;
  /** GitHub's number of the person; null for the one local account. */
  readonly githubId: number | null;
}

/** A token as it is listed: never the token itself, of which only a hash is kept. */
export interface TokenRecord {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Projects that the token is bound to; null: all of the account. */
  readonly projectIds: readonly string[] | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

const FORM = /^cwy_[0-9A-Za-z]{36}$/;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A new token; 178 random bits. The caller shows it once and keeps only `hashToken` of it. */
export function createToken(): string {
  const body = randomBase62(30);
  return `cwy_${body}${computeChecksum(body)}`;
}

/** A new signing secret for webhooks: `whsec_` and 24 random bytes (192 bits) in base64, which needs no padding. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
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

export interface Session {
  /** `ses_…`; names it among others, and is not what the browser holds. */
  readonly id: string;
  readonly accountId: string;
  /**
   * When the person proved who they are: what needs a recent sign-in counts from here, and so does the absolute limit.
   */
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

export interface GithubSignIn {
  /** Where the browser is sent. `challenge`: of the verifier, S256. */
  address(request: { readonly state: string; readonly challenge: string; readonly redirectUri: string }): string;
  /**
   * Who the code stands for. The token that GitHub gives for it is used for two questions and handed back; it is kept
   * nowhere. Throws SignInRefused where it is nobody who may sign in, or the code is none, `github_failed` where GitHub
   * gave no answer that can be used.
   */
  person(
    answer: { readonly code: string; readonly verifier: string; readonly redirectUri: string },
    signal: AbortSignal,
  ): Promise<Person>;
}

/** GitHub does not take the code, or the person has nothing here; the message says it to them, with the repair. */
export class SignInRefused extends CausewayError {
  readonly kind: 'code' | 'person';

  constructor(kind: 'code' | 'person', message: string) {
    super('invalid', message);
    this.kind = kind;
  }
}

export const ROLES = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;

export type Role = (typeof ROLES)[number];

export function isAtLeast(role: Role, wanted: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(wanted);
}

/**
 * Until when somebody waits. The signal is asked for only where GitHub is: to make one costs more than to look at a
 * role that is known.
 */
interface Until {
  readonly signal: AbortSignal;
}

/** Local mode: everything. GitHub: what GitHub says, at most 5 minutes ago. */
export interface Permissions {
  /**
   * `none` where the person may not even see it. Throws `github_failed` where GitHub cannot be asked and nothing recent
   * is known.
   */
  roleOf(account: Account, project: Project, until: Until): Promise<Role>;
  /**
   * The last answer, however old it is; `none` where none is remembered. Asks nobody. Absent: nothing is remembered.
   */
  readonly lastRole?: (account: Account, project: Project) => Role;
}
