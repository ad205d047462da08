// A webhook on its way to a caller: what it says, where it stands, what was tried.

export type WebhookType = 'issue.created' | 'issue.failed';

export type WebhookState = 'pending' | 'delivered' | 'dead' | 'stopped';

export interface Webhook {
  /** `evt_…`; stable over all attempts, so that a receiver can drop repeats. */
  readonly id: string;
  readonly type: WebhookType;
  readonly accountId: string;
  readonly investigationId: string;
  readonly url: string;
  readonly state: WebhookState;
  /** Attempts made so far. */
  readonly attempts: number;
  /** Those of them that were made before somebody had it sent again: the schedule counts what came after. */
  readonly attemptsBefore: number;
  readonly lastError: string;
  readonly createdAt: string;
}

/** During a rotation of the signing secret the one before it signs beside the new one for so long. */
export const SECRET_OVERLAP_MS = 24 * 60 * 60_000;
