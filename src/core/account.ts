// Who calls: accounts, their tokens and what a token may do.

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
