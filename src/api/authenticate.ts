// Who calls, by bearer token: checked on every request against the store, so that a revocation works at once.
import type { Context } from 'hono';
import { hashToken, isTokenForm, type Scope, type TokenRecord } from '../core/account.ts';

import type { Asking } from '../services/access.ts';
import type { ApiDeps, ApiEnv, Caller } from './api-deps.ts';
import { refuse } from './problem.ts';

type AuthenticateDeps = Pick<ApiDeps, 'store' | 'now' | 'log'>;

const TOUCH_MS = 60_000;
/** The same for every token that opens nothing: a wrong checksum must not read differently from a token that was revoked. */
const WRONG_TOKEN =
  'The token is malformed, unknown, revoked or expired: create a new one and send "Authorization: Bearer cwy_…" once.';
const TOKEN_IN_TEXT = /cwy_[0-9A-Za-z]{36}/;

/** The caller, or a refusal with 401. A token that cannot be one is refused without a database read. */
export async function authenticate(deps: AuthenticateDeps, request: Request): Promise<Caller> {
  if (hasTokenInQuery(request.url)) {
    unauthorized(
      'A token stands in the address, where logs and histories keep it: revoke it, and send a new one in the Authorization header.',
    );
  }
  const header = request.headers.get('Authorization');
  if (header === null) unauthorized('Send the header "Authorization: Bearer <token>".');
  // Two Authorization headers arrive joined by a comma, and so do not match.
  const token = /^Bearer ([^\s,]+)$/.exec(header)?.[1] ?? '';
  const caller = isTokenForm(token) ? await callerOf(deps, hashToken(token)) : null;
  if (caller === null) unauthorized(WRONG_TOKEN);
  await touch(deps, caller.token);
  return caller;
}

/** The caller behind the token as the store knows it now; null where it is unknown, revoked or expired. */
export async function callerOf(deps: Pick<ApiDeps, 'store' | 'now'>, tokenHash: string): Promise<Caller | null> {
  const found = await deps.store.tokenByHash(tokenHash);
  if (found === null || !isValid(found.token, deps.now())) return null;
  return { ...found, tokenHash };
}

/** What the caller may look at goes by this; it ends with the request and with the service. */
export function askingOf(c: Context<ApiEnv>): Asking {
  const { account, token } = c.get('caller');
  let signal: AbortSignal | undefined;
  return {
    account,
    reach: token.projectIds,
    // Made for whoever waits: most answers wait for nobody.
    get signal() {
      signal ??= AbortSignal.any([c.req.raw.signal, c.env.stopping]);
      return signal;
    },
  };
}

export function askingFor({ account, token }: Caller, signal: AbortSignal): Asking {
  return { account, reach: token.projectIds, signal };
}

/** Refuses with 403 where the token lacks the scope. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (!caller.token.scopes.includes(scope)) {
    refuse(403, `The token lacks the scope ${scope}: make one that has it.`);
  }
}

function isValid(token: TokenRecord, now: Date): boolean {
  return token.revokedAt === null && (token.expiresAt === null || Date.parse(token.expiresAt) > now.getTime());
}

/** "Last used" is a hint for people: written once a minute at most, and no reason to fail a request. */
async function touch(deps: AuthenticateDeps, token: TokenRecord): Promise<void> {
  const now = deps.now();
  if (token.lastUsedAt !== null && now.getTime() - Date.parse(token.lastUsedAt) < TOUCH_MS) return;
  try {
    await deps.store.touchToken(token.id, now.toISOString());
  } catch (error) {
    deps.log.warn({ err: error, tokenId: token.id }, 'last use of a token was not written');
  }
}

function hasTokenInQuery(url: string): boolean {
  const start = url.indexOf('?');
  if (start === -1) return false;
  const query = new URLSearchParams(url.slice(start));
  return query.has('access_token') || TOKEN_IN_TEXT.test([...query].flat().join(' '));
}

function unauthorized(detail: string): never {
  refuse(401, detail, { headers: { 'WWW-Authenticate': 'Bearer' } });
}
