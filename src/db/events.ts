// Writes the webhooks of a change with their jobs, in the transaction of that change: of the caller, and of each
// subscription that chose it; and removes them with their subscription.

import type { SubscriptionOrigin, WebhookContent, WebhookState, WebhookType } from '../core/account/index.ts';
import { createId } from '../core/ids.ts';
import { writeAudit } from './audit.ts';
import type { Enqueuer } from './database.ts';
import type { SubscriptionTable, Trx, WebhookTable } from './schema.ts';

export interface WebhookJob {
  readonly id: string;
  readonly accountId: string;
  readonly now: string;
}

export async function enqueueWebhook(trx: Trx, jobs: Enqueuer, { id, accountId, now }: WebhookJob): Promise<void> {
  await jobs.enqueue(trx, [{ kind: 'webhook', subject: id, group: accountId, runAt: now, urgency: 'person' }]);
}

/** Writes the webhook and its job if the caller wants one. */
export async function addWebhook(
  trx: Trx,
  jobs: Enqueuer,
  investigation: { readonly id: string; readonly account_id: string; readonly callback_url: string },
  { type, now }: { readonly type: WebhookType; readonly now: string },
): Promise<void> {
  const { id: investigationId, account_id: accountId, callback_url: url } = investigation;
  if (url === '') return;
  await insertWebhook(trx, jobs, { type, account_id: accountId, investigation_id: investigationId, url }, { now });
}

type NewWebhook = Pick<WebhookTable, 'type' | 'account_id' | 'investigation_id' | 'url'> & {
  readonly subscription_id?: string;
  readonly project_id?: string | null;
  readonly event?: string | null;
  readonly is_example?: 1;
};

/** Returns its id. */
export async function insertWebhook(
  trx: Trx,
  jobs: Enqueuer,
  webhook: NewWebhook,
  { now, state = 'pending' }: { readonly now: string; readonly state?: WebhookState },
): Promise<string> {
  const id = createId('evt');
  const none = { attempts: 0, attempts_before: 0, last_error: '' };
  await trx
    .insertInto('webhooks')
    .values({ id, ...webhook, ...none, state, created_at: now })
    .execute();
  await enqueueWebhook(trx, jobs, { id, accountId: webhook.account_id, now });
  return id;
}

interface Event {
  readonly projectId: string;
  readonly origin: SubscriptionOrigin;
  /** It is erased with that; "": with nothing but its project. */
  readonly investigationId: string;
  /** Whether it repeats for one more caller what another caller's event said: not sent to a channel of people. */
  readonly isRepeat?: boolean;
  readonly now: string;
}

/** `data`: as it is now; of an Issue and a failed investigation none, since what they say is read when it is sent. */
type EventContent =
  | { readonly type: 'issue.created' | 'issue.failed' }
  | Exclude<WebhookContent, { readonly type: 'issue.created' | 'issue.failed' }>;

/** Whether their accounts (still) see the project is checked before anything is shown or sent. */
export async function addEvents(
  trx: Trx,
  jobs: Enqueuer,
  content: EventContent,
  { projectId, origin, investigationId, isRepeat = false, now }: Event,
): Promise<void> {
  const subscriptions = await trx
    .selectFrom('subscriptions')
    .select(['id', 'account_id', 'types', 'origins', 'format', 'address'])
    .where(({ or, eb }) => or([eb('project_id', '=', projectId), eb('project_id', 'is', null)]))
    .where('disabled_at', 'is', null)
    .orderBy('seq')
    .execute();
  const event = 'data' in content ? JSON.stringify(content.data) : null;
  for (const subscription of subscriptions.filter((one) => isChosen(one, content.type, origin))) {
    if (isRepeat && subscription.format !== 'standard') continue;
    const { id, account_id, address: url } = subscription;
    const about = { type: content.type, project_id: projectId, investigation_id: investigationId, event };
    await insertWebhook(trx, jobs, { ...about, account_id, subscription_id: id, url }, { now, state: 'unchecked' });
  }
}

function isChosen(
  subscription: Pick<SubscriptionTable, 'types' | 'origins'>,
  type: WebhookType,
  origin: SubscriptionOrigin,
): boolean {
  const types: readonly string[] = JSON.parse(subscription.types);
  const origins: readonly string[] = JSON.parse(subscription.origins);
  return types.includes(type) && origins.includes(origin);
}

export interface SubscriptionAct {
  readonly id: string;
  readonly accountId: string;
  readonly now: string;
}

/** False: no such subscription of the account. */
export async function eraseSubscription(
  trx: Trx,
  jobs: Enqueuer,
  { id, accountId, now }: SubscriptionAct,
): Promise<boolean> {
  const row = await trx
    .deleteFrom('subscriptions')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returning('project_id')
    .executeTakeFirst();
  if (!row) return false;
  await removeUndelivered(trx, jobs, [id]);
  const entry = { at: now, accountId, verb: 'subscription.deleted', subject: id } as const;
  await writeAudit(trx, { ...entry, ...(row.project_id !== null && { projectId: row.project_id }) });
  return true;
}

/** What was delivered, or failed, stays on record. */
export async function removeUndelivered(trx: Trx, jobs: Enqueuer, subscriptionIds: readonly string[]): Promise<void> {
  const removed = await trx
    .deleteFrom('webhooks')
    .where('subscription_id', 'in', subscriptionIds)
    .where('state', 'in', ['unchecked', 'pending', 'sending'])
    .returning('id')
    .execute();
  await jobs.remove(
    trx,
    'webhook',
    removed.map(({ id }) => id),
  );
}
