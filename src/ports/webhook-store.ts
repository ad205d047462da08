// The door to the webhooks that callers wait for: what they say, and how their delivery stands.

import type { Issue } from '../core/issue.ts';
import type { FailureReason } from '../core/reason.ts';
import type { Webhook, WebhookState } from '../core/webhook.ts';

export interface WebhookStore {
  webhook(id: string): Promise<Webhook | null>;
  /** What the webhook says now: the Issue, or the failure; null once it was erased. */
  webhookData(id: string): Promise<Issue | FailedInvestigation | null>;
  /** Newest first. */
  webhooks(accountId: string, limit: number, those?: WebhookFilter): Promise<readonly Webhook[]>;
  /** Counts one attempt, keeps what came of it, and says where the webhook stands after it. */
  recordAttempt(id: string, result: AttemptRecord): Promise<void>;
  /** Attempts, the newest first; at most the last 100 are kept. */
  attempts(webhookId: string): Promise<readonly WebhookAttempt[]>;
  /** Makes its job due now, with the whole schedule before it. False: no such webhook of the account, it is under way already, or what it tells of was erased. */
  resendWebhook(id: string, accountId: string, now: string): Promise<boolean>;
}

export interface WebhookFilter {
  /** Id of one of the account: only what was made before it; nothing where there is no such one (any more). */
  readonly before?: string;
  readonly state?: WebhookState;
}

/** What came of one attempt. */
export interface AttemptRecord {
  readonly state: WebhookState;
  /** "" where it was delivered. */
  readonly error: string;
  readonly at: string;
  /** Milliseconds that the attempt took; 0 where nothing was sent. */
  readonly ms: number;
}

export interface WebhookAttempt {
  /** From 1. */
  readonly number: number;
  readonly at: string;
  readonly ok: boolean;
  readonly error: string;
  readonly ms: number;
}

/** `data` of `issue.failed`. */
export interface FailedInvestigation {
  readonly investigationId: string;
  readonly projectId: string;
  readonly reference: string;
  readonly reason: FailureReason;
}
