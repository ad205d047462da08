// What came of each attempt at a webhook, and sending it again at somebody's request.
import type { Selectable } from 'kysely';
import { writeAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { NOBODYS } from './job-places.ts';
import type { Reader, Trx, WebhookAttemptTable } from './schema.ts';
import type { AttemptRecord, WebhookAttempt, WebhookStore } from './store.ts';
import { receiverOf } from './webhooks.ts';

type AttemptVerbs = Pick<WebhookStore, 'recordAttempt' | 'attempts' | 'resendWebhook'>;

/** More than these nobody reads; a schedule has ten. */
const MOST_ATTEMPTS = 100;

export function attemptVerbs(database: Database, enqueuer: Enqueuer): AttemptVerbs {
  return {
    recordAttempt: (id, result) => database.write((trx) => recordAttempt(trx, id, result)),
    attempts: (webhookId) => database.read((reader) => attempts(reader, webhookId)),
    resendWebhook: (id, accountId, now) => database.write((trx) => resend(trx, { id, accountId, now, enqueuer })),
  };
}

async function recordAttempt(trx: Trx, id: string, { state, error, at, ms }: AttemptRecord): Promise<void> {
  const webhook = await trx
    .updateTable('webhooks')
    .set((expression) => ({ attempts: expression('attempts', '+', 1), state, last_error: error }))
    .where('id', '=', id)
    .returning('attempts')
    .executeTakeFirst();
  if (!webhook) return;
  const { attempts: number } = webhook;
  const ok = state === 'delivered' ? 1 : 0;
  await trx.insertInto('webhook_attempts').values({ webhook_id: id, number, at, ok, error, ms }).execute();
  await trx
    .deleteFrom('webhook_attempts')
    .where('webhook_id', '=', id)
    .where('number', '<=', number - MOST_ATTEMPTS)
    .execute();
}

async function attempts(reader: Reader, webhookId: string): Promise<readonly WebhookAttempt[]> {
  const rows = await reader
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .orderBy('number', 'desc')
    .execute();
  return rows.map(attemptFrom);
}

function attemptFrom({ number, at, ok, error, ms }: Selectable<WebhookAttemptTable>): WebhookAttempt {
  return { number, at, ok: ok === 1, error, ms };
}

interface Resending {
  readonly id: string;
  readonly accountId: string;
  readonly now: string;
  readonly enqueuer: Enqueuer;
}

/**
 * Whoever asks while an attempt is under way is refused, since the webhook is pending then. Where it has just ended and its job has not,
 * the job runs once more after that: never two attempts at once.
 */
async function resend(trx: Trx, { id, accountId, now, enqueuer }: Resending): Promise<boolean> {
  const webhook = await trx
    .selectFrom('webhooks')
    .innerJoin('investigations', 'investigations.id', 'webhooks.investigation_id')
    .select(['webhooks.account_id', 'webhooks.url', 'webhooks.state', 'investigations.project_id'])
    .where('webhooks.id', '=', id)
    .where('webhooks.account_id', '=', accountId)
    .executeTakeFirst();
  if (!webhook || webhook.state === 'pending') return false;
  await trx
    .updateTable('webhooks')
    .set((expression) => ({ state: 'pending', attempts_before: expression.ref('attempts') }))
    .where('id', '=', id)
    .execute();
  const group = receiverOf({ account_id: accountId, callback_url: webhook.url });
  await enqueuer.enqueue(trx, [{ kind: 'webhook', subject: id, group, runAt: now, ...NOBODYS }]);
  await writeAudit(trx, { at: now, accountId, verb: 'webhook.resent', subject: id, projectId: webhook.project_id });
  return true;
}
