// Webhooks on their way to callers: what each says now, what came of each attempt, and sending one again.
import type { Selectable } from 'kysely';
import { createId } from '../core/ids.ts';
import type { InvestigationOutcome } from '../core/investigation.ts';
import type { Issue } from '../core/issue.ts';
import type { Webhook, WebhookType } from '../core/webhook.ts';
import { writeAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { findIssueWhere } from './issues.ts';
import type { Reader, Trx, WebhookAttemptTable, WebhookTable } from './schema.ts';
import type { AttemptRecord, FailedInvestigation, WebhookAttempt, WebhookFilter, WebhookStore } from './store.ts';

export function createWebhookVerbs(
  database: Database,
): Pick<WebhookStore, 'findWebhook' | 'readWebhookData' | 'listWebhooks'> {
  return {
    async findWebhook(id) {
      const query = (reader: Reader) =>
        reader.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
      const row = await database.read(query);
      return row ? toWebhook(row) : null;
    },
    readWebhookData: (id) => database.read((reader) => webhookData(reader, id)),
    listWebhooks: (accountId, limit, those = {}) =>
      database.read((reader) => webhooks(reader, { ...those, accountId, limit })),
  };
}

/** An investigation that someone waits for. */
export interface Attached {
  readonly id: string;
  readonly account_id: string;
  readonly project_id: string;
  readonly callback_url: string;
}

/** Writes the webhook and its job, if the caller asked for one. */
export async function announce(
  trx: Trx,
  type: WebhookType,
  to: Attached,
  { enqueuer, now }: { readonly enqueuer: Enqueuer; readonly now: string },
): Promise<void> {
  if (to.callback_url === '') return;
  const id = createId('evt');
  await trx
    .insertInto('webhooks')
    .values({
      id,
      type,
      account_id: to.account_id,
      investigation_id: to.id,
      url: to.callback_url,
      state: 'pending',
      attempts: 0,
      attempts_before: 0,
      last_error: '',
      created_at: now,
    })
    .execute();
  await enqueuer.enqueue(trx, [{ kind: 'webhook', subject: id, group: to.account_id, runAt: now, urgency: 'person' }]);
}

async function webhookData(reader: Reader, id: string): Promise<Issue | FailedInvestigation | null> {
  const row = await reader
    .selectFrom('webhooks')
    .innerJoin('investigations', 'investigations.id', 'webhooks.investigation_id')
    .select([
      'webhooks.type',
      'investigations.id',
      'investigations.project_id',
      'investigations.reference',
      'investigations.outcome',
    ])
    .where('webhooks.id', '=', id)
    .executeTakeFirst();
  if (!row) return null;
  if (row.type === 'issue.created') return findIssueWhere(reader, 'issues.investigation_id', row.id);
  return toFailure(row);
}

function toFailure(row: {
  readonly id: string;
  readonly project_id: string;
  readonly reference: string;
  readonly outcome: string;
}): FailedInvestigation | null {
  const outcome: InvestigationOutcome = JSON.parse(row.outcome);
  if (outcome.state !== 'gave_up' && outcome.state !== 'cancelled') return null;
  const { id: investigationId, project_id: projectId, reference } = row;
  return { investigationId, projectId, reference, reason: outcome.reason };
}

interface Wanted extends WebhookFilter {
  readonly accountId: string;
  readonly limit: number;
}

async function webhooks(reader: Reader, { accountId, limit, before, state }: Wanted): Promise<readonly Webhook[]> {
  const own = reader.selectFrom('webhooks').where('account_id', '=', accountId);
  let page = own.selectAll().orderBy('seq', 'desc').limit(limit);
  if (before !== undefined) page = page.where('seq', '<', own.select('seq').where('id', '=', before));
  if (state !== undefined) page = page.where('state', '=', state);
  return (await page.execute()).map(toWebhook);
}

function toWebhook(row: Selectable<WebhookTable>): Webhook {
  return {
    id: row.id,
    type: row.type,
    accountId: row.account_id,
    investigationId: row.investigation_id,
    url: row.url,
    state: row.state,
    attempts: row.attempts,
    attemptsBefore: row.attempts_before,
    lastError: row.last_error,
    createdAt: row.created_at,
  };
}

type AttemptVerbs = Pick<WebhookStore, 'recordAttempt' | 'listAttempts' | 'resendWebhook'>;

/** More than these nobody reads; a schedule has ten. */
const MOST_ATTEMPTS = 100;

export function createAttemptVerbs(database: Database, enqueuer: Enqueuer): AttemptVerbs {
  return {
    recordAttempt: (id, result) => database.write((trx) => recordAttempt(trx, id, result)),
    listAttempts: (webhookId) => database.read((reader) => attempts(reader, webhookId)),
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
  return rows.map(toAttempt);
}

function toAttempt({ number, at, ok, error, ms }: Selectable<WebhookAttemptTable>): WebhookAttempt {
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
    .select(['webhooks.state', 'investigations.project_id'])
    .where('webhooks.id', '=', id)
    .where('webhooks.account_id', '=', accountId)
    .executeTakeFirst();
  if (!webhook || webhook.state === 'pending') return false;
  await trx
    .updateTable('webhooks')
    .set((expression) => ({ state: 'pending', attempts_before: expression.ref('attempts') }))
    .where('id', '=', id)
    .execute();
  await enqueuer.enqueue(trx, [{ kind: 'webhook', subject: id, group: accountId, runAt: now, urgency: 'person' }]);
  await writeAudit(trx, { at: now, accountId, verb: 'webhook.resent', subject: id, projectId: webhook.project_id });
  return true;
}
