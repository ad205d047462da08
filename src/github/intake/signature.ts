// GitHub's signature of a delivery: HMAC-SHA256 of the bytes as they arrived, under one of our secrets.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The one form that GitHub sends; several headers arrive joined by ", " and do not fit. */
const FORM = /^sha256=([0-9a-f]{64})$/;

/** The digest of a well-formed X-Hub-Signature-256; null where it is absent, doubled or malformed. SHA-1 alone is not enough. */
export function readSignature(headers: Headers): Buffer | null {
  const digits = FORM.exec(headers.get('X-Hub-Signature-256') ?? '')?.[1];
  return digits === undefined ? null : Buffer.from(digits, 'hex');
}

/** `secrets`: two during a rotation. All of them are tried, so that the time taken tells nothing. */
export function isSignedByOne(bytes: Uint8Array, signature: Buffer, secrets: readonly string[]): boolean {
  const matches = secrets
    .filter((secret) => secret !== '')
    .map((secret) => timingSafeEqual(createHmac('sha256', secret).update(bytes).digest(), signature));
  return matches.includes(true);
}
