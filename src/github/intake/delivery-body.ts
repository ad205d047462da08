// The raw body of a delivery: its signature, and what it parses to.
import { createHmac, timingSafeEqual } from 'node:crypto';

export type DeliveryPayload = Readonly<Record<string, unknown>>;

/** GitHub's own bodies nest some ten levels. */
const MAX_DEPTH = 64;

/** The digest of a well-formed X-Hub-Signature-256; null where it is absent, doubled (joined by ", ") or malformed. SHA-1 is not enough. */
export function readSignature(headers: Headers): Buffer | null {
  const digits = /^sha256=([0-9a-f]{64})$/.exec(headers.get('X-Hub-Signature-256') ?? '')?.[1];
  return digits === undefined ? null : Buffer.from(digits, 'hex');
}

/** All secrets are tried, so that the time taken reveals nothing. */
export function isSignedByOne(bytes: Uint8Array, signature: Buffer, secrets: readonly string[]): boolean {
  const matches = secrets
    .filter((secret) => secret !== '')
    .map((secret) => timingSafeEqual(createHmac('sha256', secret).update(bytes).digest(), signature));
  return matches.includes(true);
}

/** Null for everything but an object in valid UTF-8 of a sane depth, without a member that reaches a prototype. */
export function parseDelivery(bytes: Uint8Array): { readonly text: string; readonly payload: DeliveryPayload } | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const payload: unknown = JSON.parse(text);
    return isRecord(payload) && isSane(payload, MAX_DEPTH) ? { text, payload } : null;
  } catch {
    return null;
  }
}

export function isRecord(value: unknown): value is DeliveryPayload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSane(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0 || Object.hasOwn(value, '__proto__')) return false;
  return Object.values(value).every((member) => isSane(member, levels - 1));
}
