// Proof that we are the App: a short-lived JSON Web Token, signed with the App's private key.
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { CausewayError } from '../../core/errors.ts';

export interface AppKey {
  /** A token that GitHub takes for at least one more minute. */
  jwt(): string;
  /**
   * Takes over GitHub's clock from the Date header of an answer that refused the token. True where it differs from what was
   * believed, so that a token signed now may be taken.
   */
  learnClock(date: string | undefined): boolean;
}

/** GitHub takes no token that says it is from the future, and none that is good for longer than 10 minutes. */
const BACKDATED_S = 60;
const LIFETIME_S = 9 * 60;
const SPARE_S = 60;
const SKEW_MS = 30_000;

/** Throws `usage` where the key is none. */
export function createAppKey(app: {
  readonly appId: number;
  readonly privateKey: string;
  readonly now: () => Date;
}): AppKey {
  const key = rsaKey(app.privateKey);
  let aheadMs = 0;
  let latest = { token: '', expires: 0 };
  return {
    jwt() {
      const now = Math.floor((app.now().getTime() + aheadMs) / 1_000);
      // A clock that was set back must not keep an old token alive either.
      if (now > latest.expires - SPARE_S || now < latest.expires - LIFETIME_S) {
        const expires = now + LIFETIME_S;
        latest = { token: signed({ iat: now - BACKDATED_S, exp: expires, iss: String(app.appId) }, key), expires };
      }
      return latest.token;
    },
    learnClock(date) {
      const told = Date.parse(date ?? '') - app.now().getTime();
      if (!Number.isFinite(told) || Math.abs(told - aheadMs) < SKEW_MS) return false;
      aheadMs = told;
      latest = { token: '', expires: 0 };
      return true;
    },
  };
}

function signed(claims: Readonly<Record<string, number | string>>, key: KeyObject): string {
  const content = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`;
}

function rsaKey(pem: string): KeyObject {
  const key = readKey(pem);
  if (key?.asymmetricKeyType === 'rsa') return key;
  throw new CausewayError(
    'usage',
    'PRIVATE_KEY is not an RSA private key: give the whole .pem file that GitHub made for the App, with its first and last line.',
  );
}

function readKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}
