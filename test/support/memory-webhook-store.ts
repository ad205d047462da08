// Webhooks in memory, for tests of what delivers them.

import type { FailedInvestigation, Webhook, WebhookContent } from '../../src/core/account/webhook.ts';
import type { Issue } from '../../src/core/issue/issue.ts';
import type { Store } from '../../src/db/store.ts';
import type { WebhookAttempt, WebhookStore } from '../../src/db/webhooks.ts';

type Besides =
  | ('listSigningSecrets' | 'openSubscription' | 'disableSubscription')
  | ('findProject' | 'findIssue' | 'findInvestigation' | 'listStepSources');

/** Of callers' webhooks: there is no subscription in it. */
export interface MemoryWebhookStore extends WebhookStore, Pick<Store, Besides> {
  add(webhook: Webhook, data: Issue | FailedInvestigation): void;
  /** Forgets what the webhook says, as deleting the Issue does. */
  erase(id: string): void;
  /** Secrets that sign from now on, newest first. */
  signWith(...secrets: string[]): void;
}

export function memoryWebhookStore(): MemoryWebhookStore {
  const webhooks = new Map<string, Webhook>();
  const data = new Map<string, WebhookContent>();
  const attempts = new Map<string, readonly WebhookAttempt[]>();
  let secrets: readonly string[] = [];
  return {
    add: (webhook, says) => {
      webhooks.set(webhook.id, webhook);
      data.set(webhook.id, { type: webhook.type, data: says } as WebhookContent);
    },
    erase: (id) => {
      data.delete(id);
    },
    signWith: (...next) => {
      secrets = next;
    },
    listSigningSecrets: async () => secrets,
    openSubscription: async () => null,
    disableSubscription: async () => undefined,
    markSending: async () => true,
    dropWebhook: async (id) => void webhooks.delete(id),
    findProject: async () => null,
    findIssue: async () => null,
    findInvestigation: async () => null,
    listStepSources: async () => [],
    findWebhook: async (id) => webhooks.get(id) ?? null,
    readWebhookContent: async (id) => data.get(id) ?? null,
    listWebhooks: async (accountId, limit, { before, state } = {}) => {
      const own = [...webhooks.values()].reverse().filter((webhook) => webhook.accountId === accountId);
      const older = before === undefined ? own : own.slice(own.findIndex(({ id }) => id === before) + 1 || own.length);
      return older.filter((webhook) => state === undefined || webhook.state === state).slice(0, limit);
    },
    recordAttempt: async (id, { state, error, at, ms }) => {
      const webhook = webhooks.get(id);
      if (webhook === undefined) return;
      const number = webhook.attempts + 1;
      webhooks.set(id, { ...webhook, state, lastError: error, attempts: number });
      attempts.set(id, [{ number, at, ok: state === 'delivered', error, ms }, ...(attempts.get(id) ?? [])]);
    },
    listAttempts: async (id) => attempts.get(id) ?? [],
    resendWebhook: async (id, accountId) => {
      const webhook = webhooks.get(id);
      if (webhook?.accountId !== accountId || webhook.state === 'pending' || !data.has(id)) return false;
      webhooks.set(id, { ...webhook, state: 'pending', attemptsBefore: webhook.attempts });
      return true;
    },
  };
}
