// The tables about webhooks as Kysely sees them: how each stands, and what came of each attempt.
import type { WebhookState, WebhookType } from '../core/webhook.ts';
import type { Sequenced } from './schema.ts';

export interface WebhookTable extends Sequenced {
  id: string;
  type: WebhookType;
  account_id: string;
  investigation_id: string;
  url: string;
  state: WebhookState;
  attempts: number;
  /** Those of them that were made before somebody had it sent again. */
  attempts_before: number;
  last_error: string;
  created_at: string;
}

export interface WebhookAttemptTable {
  webhook_id: string;
  /** From 1; what `attempts` of the webhook was after it. */
  number: number;
  at: string;
  ok: 0 | 1;
  error: string;
  ms: number;
}
