// Signatures of webhooks, as Standard Webhooks has them (https://github.com/standard-webhooks/standard-webhooks).
import { Webhook } from 'standardwebhooks';

export interface SignedMessage {
  /** `evt_…`, the same on every attempt. */
  readonly id: string;
  /** Seconds since 1970 at the attempt; receivers refuse what is more than five minutes off. */
  readonly timestamp: number;
  /** The bytes that are sent: UTF-8. */
  readonly body: Buffer;
  /** `whsec_…`, newest first: one signature each, so that a receiver may hold either during a rotation. */
  readonly secrets: readonly string[];
}

/** The three headers of a signed webhook. */
export function signWebhook({ id, timestamp, body, secrets }: SignedMessage): Readonly<Record<string, string>> {
  const sentAt = new Date(timestamp * 1_000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body)).join(' '),
  };
}
