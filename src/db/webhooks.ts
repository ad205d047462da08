// Webhooks to callers and subscribers: what each says now, what came of each attempt, and sending one again.
import type { Selectable } from 'kysely';
import {
  createExample,
  type FailedInvestigation,
  isUnderWay,
  type Webhook,
  type WebhookContent,
  type WebhookState,
} from '../core/account/index.ts';
import type { InvestigationOutcome } from '../core/report/index.ts';
import { writeAudit } from './audit.ts';
import type { Database, Enqueuer } from './database.ts';
import { enqueueWebhook, type WebhookJob } from './events.ts';
import { findIssueWhere } from './investigations.ts';
import type { Reader, Trx, WebhookTable } from './schema.ts';

export interface WebhookFilter {
  /** Id of one of the account's webhooks: only those created before it; none if there is no such webhook. */
  readonly before?: string;
  readonly state?: WebhookState;
}

/** What came of one attempt. */
export interface AttemptRecord {
  readonly state: Exclude<WebhookState, 'unchecked' | 'sending'>;
  /** "" if it was delivered. */
  readonly error: string;
  readonly at: string;
  /** Duration in milliseconds; 0 if nothing was sent. */
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

export type WebhookStore = ReturnType<typeof createWebhookVerbs>;

/** Older attempts are deleted; a schedule has ten. */
const MOST_ATTEMPTS = 100;

export function createWebhookVerbs(database: Database) {
  return {
    async findWebhook(id: string): Promise<Webhook | null> {
      const row = await database.read((reader) =>
        reader.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst(),
      );
      return row ? toWebhook(row) : null;
    },
    /** What the webhook says now; null after that was erased. */
    readWebhookContent: (id: string): Promise<WebhookContent | null> =>
      database.read((reader) => readWebhookContent(reader, id)),
    /**
     * From here on an attempt counts as made, though its answer is not known. False: it was removed, or is under way.
     */
    markSending: (id: string): Promise<boolean> =>
      database.write(async (trx) => {
        const marked = trx.updateTable('webhooks').set({ state: 'sending' }).where('id', '=', id);
        const row = await marked.where('state', 'in', ['unchecked', 'pending']).returning('id').executeTakeFirst();
        return row !== undefined;
      }),
    /** Without a trace: its account does not see what it is about. */
    dropWebhook: (id: string): Promise<void> =>
      database.write(async (trx) => void (await trx.deleteFrom('webhooks').where('id', '=', id).execute())),
    /** Newest first. */
    async listWebhooks(accountId: string, limit: number, filter: WebhookFilter = {}): Promise<readonly Webhook[]> {
      const { before, state } = filter;
      const rows = await database.read((reader) => {
        const own = reader.selectFrom('webhooks').where('account_id', '=', accountId).where('state', '!=', 'unchecked');
        let page = own.selectAll().orderBy('seq', 'desc').limit(limit);
        if (before !== undefined) page = page.where('seq', '<', own.select('seq').where('id', '=', before));
        if (state !== undefined) page = page.where('state', '=', state);
        return page.execute();
      });
      return rows.map(toWebhook);
    },
    /** Counts one attempt, stores what came of it, and the webhook's state after it. */
    recordAttempt: (id: string, attempt: AttemptRecord): Promise<void> =>
      database.write((trx) => recordAttempt(trx, id, attempt)),
    /** Newest first, at most the last 100. */
    async listAttempts(webhookId: string): Promise<readonly WebhookAttempt[]> {
      const rows = await database.read((reader) =>
        reader
          .selectFrom('webhook_attempts')
          .selectAll()
          .where('webhook_id', '=', webhookId)
          .orderBy('number', 'desc')
          .execute(),
      );
      return rows.map(({ number, at, ok, error, ms }) => ({ number, at, ok: ok === 1, error, ms }));
    },
    /**
     * Makes its job due now, with a full schedule. False: no such webhook of the account, it is pending, or its Issue
     * was erased.
     */
    resendWebhook: (id: string, accountId: string, now: string): Promise<boolean> =>
      database.write((trx) => resendWebhook(trx, database.jobs, { id, accountId, now })),
  };
}

async function readWebhookContent(reader: Reader, id: string): Promise<WebhookContent | null> {
  const row = await reader.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) return null;
  const { type } = row;
  if (row.is_example === 1) return createExample(type);
  if (type === 'issue.created') {
    const data = await findIssueWhere(reader, 'issues.investigation_id', row.investigation_id);
    return data && { type, data };
  }
  if (type === 'issue.failed') {
    const data = await readFailedInvestigation(reader, row.investigation_id);
    return data && { type, data };
  }
  return row.event === null ? null : { type, data: JSON.parse(row.event) };
}

async function readFailedInvestigation(reader: Reader, id: string): Promise<FailedInvestigation | null> {
  const row = await reader
    .selectFrom('investigations')
    .select(['project_id', 'reference', 'outcome'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return null;
  const outcome: InvestigationOutcome = JSON.parse(row.outcome);
  if (outcome.state !== 'gave_up' && outcome.state !== 'cancelled') return null;
  return { investigationId: id, projectId: row.project_id, reference: row.reference, reason: outcome.reason };
}

async function recordAttempt(trx: Trx, id: string, { state, error, at, ms }: AttemptRecord): Promise<void> {
  const webhook = await trx
    .updateTable('webhooks')
    .set((expression) => ({ attempts: expression('attempts', '+', 1), state, last_error: error }))
    .where('id', '=', id)
    .returning('attempts')
    .executeTakeFirst();
  if (!webhook) return;
  const number = webhook.attempts;
  const ok = state === 'delivered' ? 1 : 0;
  await trx.insertInto('webhook_attempts').values({ webhook_id: id, number, at, ok, error, ms }).execute();
  await trx
    .deleteFrom('webhook_attempts')
    .where('webhook_id', '=', id)
    .where('number', '<=', number - MOST_ATTEMPTS)
    .execute();
}

/** A pending webhook is refused; if its job has not ended yet, that runs once more: never two attempts at once. */
async function resendWebhook(trx: Trx, jobs: Enqueuer, job: WebhookJob): Promise<boolean> {
  const { id, accountId, now } = job;
  const webhook = await trx
    .selectFrom('webhooks')
    .leftJoin('investigations', 'investigations.id', 'webhooks.investigation_id')
    .leftJoin('subscriptions', 'subscriptions.id', 'webhooks.subscription_id')
    .select(['webhooks.state', 'webhooks.subscription_id', 'webhooks.project_id'])
    .select([
      'investigations.project_id as investigated',
      'subscriptions.id as subscribed',
      'subscriptions.disabled_at',
    ])
    .where('webhooks.id', '=', id)
    .where('webhooks.account_id', '=', accountId)
    .executeTakeFirst();
  if (!webhook || isUnderWay(webhook.state)) return false;
  const { subscribed, disabled_at: disabledAt } = webhook;
  if (webhook.subscription_id !== null && (subscribed === null || disabledAt !== null)) return false;
  if ((await readWebhookContent(trx, id)) === null) return false;
  await trx
    .updateTable('webhooks')
    .set((expression) => ({ state: 'pending', attempts_before: expression.ref('attempts') }))
    .where('id', '=', id)
    .execute();
  await enqueueWebhook(trx, jobs, job);
  const projectId = webhook.investigated ?? webhook.project_id;
  const entry = { at: now, accountId, verb: 'webhook.resent', subject: id } as const;
  await writeAudit(trx, { ...entry, ...(projectId !== null && { projectId }) });
  return true;
}

function toWebhook(row: Selectable<WebhookTable>): Webhook {
  return {
    id: row.id,
    type: row.type,
    accountId: row.account_id,
    investigationId: row.investigation_id,
    subscriptionId: row.subscription_id,
    projectId: row.project_id,
    url: row.url,
    isExample: row.is_example === 1,
    state: row.state,
    attempts: row.attempts,
    attemptsBefore: row.attempts_before,
    lastError: row.last_error,
    createdAt: row.created_at,
  };
}
