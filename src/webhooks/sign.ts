// Signatures that prove a webhook is ours, as Standard Webhooks has them (https://github.com/standard-webhooks/standard-webhooks).
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** A new signing secret: `whsec_` and 24 random bytes (192 bits) in base64, which needs no padding. */
export function newSigningSecret(): string {
  return PREFIX + randomBytes(24).toString('base64');
}

export interface SignedMessage {
  /** `evt_…`, the same on every attempt. */
  readonly id: string;
  /** Seconds since 1970 at the attempt; receivers refuse what is more than five minutes off. */
  readonly timestamp: number;
  /** The very bytes that are sent. */
  readonly body: Uint8Array;
  /** `whsec_…`, newest first: one signature each, so that a receiver may hold either during a rotation. */
  readonly secrets: readonly string[];
}

export interface SignatureHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** The three headers of a signed webhook. */
export function signWebhook(message: SignedMessage): SignatureHeaders {
  const signatures = message.secrets.map((secret) => `v1,${signature(message, secret)}`);
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

function signature(message: SignedMessage, secret: string): string {
  const key = Buffer.from(secret.slice(secret.startsWith(PREFIX) ? PREFIX.length : 0), 'base64');
  return createHmac('sha256', key).update(`${message.id}.${message.timestamp}.`).update(message.body).digest('base64');
}
