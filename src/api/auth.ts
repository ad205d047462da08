// Who calls, by bearer token: checked on every request against the store, so that a revocation takes effect at once.
import type { Context, MiddlewareHandler } from 'hono';
import { hashToken, isTokenForm, readBearer, type TokenRecord, type TokenScope } from '../core/account/index.ts';
import type { Asking, Hold } from '../services/index.ts';
import type { ApiDeps, ApiEnv, Caller } from './api-deps.ts';
import { refuse } from './problem.ts';

const TOUCH_MS = 60_000;
/** The same for every token that is refused: a wrong checksum must not read differently from a revoked token. */
const WRONG_TOKEN =
  'The token is malformed, unknown, revoked or expired: create a new one and send "Authorization: Bearer cwy_…" once.';
const TOKEN_IN_TEXT = /cwy_[0-9A-Za-z]{36}/;

/** Checks token, scope and rate, in this order, before anything else of a request is read. */
export function createCallGuard(deps: ApiDeps) {
  return (scope: TokenScope, kind: 'call' | 'creation' = 'call'): MiddlewareHandler<ApiEnv> =>
    async (c, next) => {
      const caller = await authenticate(deps, c.req.raw);
      c.set('caller', caller);
      if (!caller.token.scopes.includes(scope)) {
        refuse(403, `The token lacks the scope ${scope}: make one that has it.`);
      }
      const { allowed, retryAfter, headers } = deps.limiter.take(caller.account.id, kind, deps.now());
      c.set('answerHeaders', headers);
      if (!allowed) {
        refuse(429, `Too many requests: wait ${retryAfter} s.`, { headers: { 'Retry-After': String(retryAfter) } });
      }
      await next();
    };
}

/** The caller, or a refusal with 401; the scope is the door's to check. A token of the wrong form is refused without a database read. */
export async function authenticate(deps: ApiDeps, request: Request): Promise<Caller> {
  if (hasTokenInQuery(request.url)) {
    refuseUnauthorized(
      'The address contains a token, and addresses are kept in logs and histories: revoke it, and send a new one in the Authorization header.',
    );
  }
  const header = request.headers.get('Authorization');
  if (header === null) refuseUnauthorized('Send the header "Authorization: Bearer <token>".');
  // Two Authorization headers arrive joined by a comma, and so have not the form of a token.
  const token = readBearer(header);
  const caller = isTokenForm(token) ? await findCaller(deps, hashToken(token)) : null;
  if (caller === null) refuseUnauthorized(WRONG_TOKEN);
  await recordTokenUse(deps, caller.token);
  return caller;
}

/** The caller of a token as the store knows it now; null where it is unknown, revoked or expired. */
export async function findCaller(deps: ApiDeps, tokenHash: string): Promise<Caller | null> {
  const found = await deps.store.findTokenByHash(tokenHash);
  if (found === null) return null;
  const { revokedAt, expiresAt } = found.token;
  const isValid = revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > deps.now().getTime());
  return isValid ? { ...found, tokenHash } : null;
}

/** What the services need to know about the caller; its signal ends with the request and with the service. */
export function getAsking(c: Context<ApiEnv>): Asking {
  return toAsking(c.get('caller'), AbortSignal.any([c.req.raw.signal, c.env.stopping]));
}

export function toAsking({ account, token }: Caller, signal: AbortSignal): Asking {
  return { account, reach: token.projectIds, signal };
}

/** Counts one more answer that is held open for the account, until it is released; refuses with 429 beyond the limit. */
export function holdOrRefuse({ limiter }: ApiDeps, accountId: string): Hold {
  return (
    limiter.hold(accountId) ??
    refuse(429, 'Too many open connections for this account: close event streams, or use a shorter wait.', {
      headers: { 'Retry-After': '5' },
    })
  );
}

/** "Last used" is a hint for people: written at most once a minute, and never a reason to fail a request. */
async function recordTokenUse(deps: ApiDeps, token: TokenRecord): Promise<void> {
  const now = deps.now();
  if (token.lastUsedAt !== null && now.getTime() - Date.parse(token.lastUsedAt) < TOUCH_MS) return;
  try {
    await deps.store.touchToken(token.id, now.toISOString());
  } catch (error) {
    deps.log.warn({ err: error, tokenId: token.id }, 'the last use of a token was not recorded');
  }
}

function hasTokenInQuery(url: string): boolean {
  const start = url.indexOf('?');
  if (start === -1) return false;
  const query = new URLSearchParams(url.slice(start));
  return query.has('access_token') || TOKEN_IN_TEXT.test([...query].flat().join(' '));
}

function refuseUnauthorized(detail: string): never {
  refuse(401, detail, { headers: { 'WWW-Authenticate': 'Bearer' } });
}
