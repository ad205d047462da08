// A webhook to a caller or a subscriber: its content, state and attempts.
import type { FailureView } from '../check/index.ts';
import type { Issue } from '../issue/index.ts';
import type { Proof } from '../proof/index.ts';
import type { FailureReason } from '../reason.ts';

export const WEBHOOK_TYPES = [
  'issue.created',
  'issue.failed',
  'failure.opened',
  'failure.closed',
  'failure.regressed',
  'pull_request.opened',
  'pull_request.proven',
  'pull_request.merged',
  'pull_request.closed',
] as const;

export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/**
 * `unchecked`: of a subscription, before it is known whether its account sees the project; it isn't shown until
 * then. `sending`: of a format that must not be sent twice, from before the request until its answer is recorded.
 */
export type WebhookState = 'unchecked' | 'pending' | 'sending' | 'delivered' | 'dead' | 'stopped';

export interface Webhook {
  /** `evt_…`; the same for all attempts, so that receivers can drop repeats. */
  readonly id: string;
  readonly type: WebhookType;
  readonly accountId: string;
  /** "": it is about no investigation. */
  readonly investigationId: string;
  /** Null: the caller's `callbackUrl`. */
  readonly subscriptionId: string | null;
  /** Of a subscription's event; null: a caller's webhook, or an example. */
  readonly projectId: string | null;
  /** Of a subscription only what may be shown of its address. "" after what it is about was erased. */
  readonly url: string;
  readonly isExample: boolean;
  readonly state: WebhookState;
  /** Attempts made so far. */
  readonly attempts: number;
  /** Attempts made before it was sent again on request; the schedule counts only later ones. */
  readonly attemptsBefore: number;
  readonly lastError: string;
  readonly createdAt: string;
}

/** `data` of `issue.failed`. */
export interface FailedInvestigation {
  readonly investigationId: string;
  readonly projectId: string;
  readonly reference: string;
  readonly reason: FailureReason;
}

/** `data` of `pull_request.…`: as it was when that happened. */
export interface PullRequestEvent {
  readonly projectId: string;
  /** The Issue that it implements. */
  readonly issueId: string;
  readonly number: number;
  readonly url: string;
  readonly state: 'open' | 'merged' | 'closed';
  readonly branch: string;
  readonly base: string;
  /** Null: none, or not ended. */
  readonly proof: Proof | null;
}

/** What a webhook says. */
export type WebhookContent =
  | { readonly type: 'issue.created'; readonly data: Issue }
  | { readonly type: 'issue.failed'; readonly data: FailedInvestigation }
  | { readonly type: `failure.${'opened' | 'closed' | 'regressed'}`; readonly data: FailureView }
  | { readonly type: `pull_request.${'opened' | 'proven' | 'merged' | 'closed'}`; readonly data: PullRequestEvent };

/** How long the previous signing secret still signs after a rotation. */
export const SECRET_OVERLAP_MS = 24 * 60 * 60_000;

/** Whether an attempt is still to come, or under way. */
export function isUnderWay(state: WebhookState): boolean {
  return state === 'unchecked' || state === 'pending' || state === 'sending';
}
