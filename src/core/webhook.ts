// A webhook to a caller: its content, state and attempts.

export type WebhookType = 'issue.created' | 'issue.failed';

export type WebhookState = 'pending' | 'delivered' | 'dead' | 'stopped';

export interface Webhook {
  /** `evt_…`; the same for all attempts, so that receivers can drop repeats. */
  readonly id: string;
  readonly type: WebhookType;
  readonly accountId: string;
  readonly investigationId: string;
  readonly url: string;
  readonly state: WebhookState;
  /** Attempts made so far. */
  readonly attempts: number;
  /** Attempts made before it was sent again on request; the schedule counts only later ones. */
  readonly attemptsBefore: number;
  readonly lastError: string;
  readonly createdAt: string;
}

/** How long the previous signing secret still signs after a rotation. */
export const SECRET_OVERLAP_MS = 24 * 60 * 60_000;
