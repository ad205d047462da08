// The door to the webhooks that callers wait for: what they say, and how their delivery stands.
import type { FailureReason } from '../domain/errors.ts';
import type { Issue } from '../domain/issue.ts';
import type { Webhook, WebhookState } from '../domain/webhook.ts';

export interface WebhookStore {
  webhook(id: string): Promise<Webhook | null>;
  /** What the webhook says now: the Issue, or the failure; null once it was erased. */
  webhookData(id: string): Promise<Issue | FailedInvestigation | null>;
  /** Newest first. */
  webhooks(accountId: string, limit: number): Promise<readonly Webhook[]>;
  /** Counts one attempt and says where the webhook stands after it. */
  recordAttempt(id: string, result: { readonly state: WebhookState; readonly error: string }): Promise<void>;
}

/** `data` of `issue.failed`. */
export interface FailedInvestigation {
  readonly investigationId: string;
  readonly projectId: string;
  readonly reference: string;
  readonly reason: FailureReason;
}
