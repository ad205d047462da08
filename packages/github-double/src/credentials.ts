// Who calls: reads the Authorization header as GitHub does, App JWTs, installation tokens, tokens of people.
import { createVerify } from 'node:crypto';
import { appOf } from './lookup.ts';
import { type Answer, type ApiCaller, refused } from './route.ts';
import type { App, State } from './state.ts';

/** The caller, or GitHub's refusal. */
export function readCaller(state: State, authorization: string | undefined): ApiCaller | Answer {
  if (authorization === undefined) return { kind: 'none' };
  const token = tokenOf(authorization);
  if (token === null) return badCredentials();
  return token.split('.').length === 3 ? readJwt(state, token) : readToken(state, token);
}

/** From `Bearer`, `token`, or `Basic` with the token as password. */
function tokenOf(authorization: string): string | null {
  const plain = /^(?:bearer|token) +(\S+)$/i.exec(authorization)?.[1];
  if (plain !== undefined) return plain;
  const basic = /^basic +(\S+)$/i.exec(authorization)?.[1];
  if (basic === undefined) return null;
  return Buffer.from(basic, 'base64').toString().split(':')[1] ?? null;
}

/** For `/applications/{client_id}/…`, which take no token: `Basic` with the id and the secret of the App's sign-in. */
export function readClient(state: State, authorization: string | undefined): ApiCaller | Answer {
  const basic = /^basic +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
  const [id, secret] = Buffer.from(basic, 'base64').toString().split(':');
  const app = [...state.apps.values()].find((one) => one.clientId === id && one.clientSecret === secret);
  return app === undefined ? badCredentials() : { kind: 'client', app };
}

function badCredentials(message = 'Bad credentials'): Answer {
  return refused(401, message);
}

function readToken(state: State, value: string): ApiCaller | Answer {
  const token = state.tokens.get(value);
  if (token === undefined) return badCredentials();
  if (token.expiresAt !== null && Date.parse(token.expiresAt) <= state.clock.now().getTime()) return badCredentials();
  if (token.kind === 'user') {
    const account = state.accounts.get(token.userId);
    if (account === undefined) return badCredentials();
    return { kind: 'user', account, app: token.appId === null ? null : (state.apps.get(token.appId) ?? null) };
  }
  const installation = state.installations.get(token.installationId);
  if (installation === undefined) return badCredentials();
  if (installation.suspendedAt !== null) return refused(403, 'This installation has been suspended');
  return { kind: 'installation', app: appOf(state, installation), installation, token };
}

/** RS256, issued by an App's id or client id, valid for at most ten minutes, with a minute for clocks that differ. */
function readJwt(state: State, token: string): ApiCaller | Answer {
  const [head = '', claims = '', signature = ''] = token.split('.');
  const [header, payload] = [decodeTokenPart(head), decodeTokenPart(claims)];
  if (header === null || payload === null || header['alg'] !== 'RS256') {
    return badCredentials('A JSON web token could not be decoded');
  }
  const app = issuer(state, payload['iss']);
  if (app === undefined) return refused(404, 'Integration not found');
  const verifier = createVerify('RSA-SHA256').update(`${head}.${claims}`);
  if (!verifier.verify(app.publicKey, Buffer.from(signature, 'base64url'))) {
    return badCredentials('A JSON web token could not be decoded');
  }
  const complaint = staleness(state, payload);
  return complaint === null ? { kind: 'app', app } : badCredentials(complaint);
}

function issuer(state: State, iss: unknown): App | undefined {
  return [...state.apps.values()].find((app) => String(iss) === String(app.id) || iss === app.clientId);
}

function staleness(state: State, payload: Readonly<Record<string, unknown>>): string | null {
  const [issued, expires] = [Number(payload['iat']), Number(payload['exp'])];
  const now = state.clock.now().getTime() / 1_000;
  if (!Number.isInteger(expires) || expires <= now) {
    return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
  }
  if (expires > now + 660) return "'Expiration time' claim ('exp') is too far in the future";
  if (!Number.isInteger(issued) || issued > now + 60) {
    return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
  }
  return null;
}

function decodeTokenPart(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}
