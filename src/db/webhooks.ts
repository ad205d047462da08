// Webhooks to callers: what each says now, what came of each attempt, and sending one again.
import type { Selectable } from 'kysely';
import { createId } from '../core/ids.ts';
import type { Issue } from '../core/issue.ts';
import type { FailureReason } from '../core/reason.ts';
import type { InvestigationOutcome } from '../core/report.ts';
import type { Webhook, WebhookState, WebhookType } from '../core/webhook.ts';
import { writeAudit } from './audit.ts';
import type { Database, Enqueuer } from './database.ts';
import { findIssueWhere } from './investigations.ts';
import type { Reader, Trx, WebhookTable } from './schema.ts';

export interface WebhookFilter {
  /** Id of one of the account's webhooks: only those created before it; none if there is no such webhook. */
  readonly before?: string;
  readonly state?: WebhookState;
}

/** What came of one attempt. */
export interface AttemptRecord {
  readonly state: WebhookState;
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

/** `data` of `issue.failed`. */
export interface FailedInvestigation {
  readonly investigationId: string;
  readonly projectId: string;
  readonly reference: string;
  readonly reason: FailureReason;
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
    /** What the webhook says now: the Issue, or the failure; null after it was erased. */
    readWebhookData: (id: string): Promise<Issue | FailedInvestigation | null> =>
      database.read((reader) => readWebhookData(reader, id)),
    /** Newest first. */
    async listWebhooks(accountId: string, limit: number, filter: WebhookFilter = {}): Promise<readonly Webhook[]> {
      const { before, state } = filter;
      const rows = await database.read((reader) => {
        const own = reader.selectFrom('webhooks').where('account_id', '=', accountId);
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

/** Writes the webhook and its job if the caller wants one. */
export async function addWebhook(
  trx: Trx,
  jobs: Enqueuer,
  investigation: { readonly id: string; readonly account_id: string; readonly callback_url: string },
  { type, now }: { readonly type: WebhookType; readonly now: string },
): Promise<void> {
  if (investigation.callback_url === '') return;
  const id = createId('evt');
  await trx
    .insertInto('webhooks')
    .values({
      id,
      type,
      account_id: investigation.account_id,
      investigation_id: investigation.id,
      url: investigation.callback_url,
      state: 'pending',
      attempts: 0,
      attempts_before: 0,
      last_error: '',
      created_at: now,
    })
    .execute();
  await enqueueWebhook(trx, jobs, { id, accountId: investigation.account_id, now });
}

interface WebhookJob {
  readonly id: string;
  readonly accountId: string;
  readonly now: string;
}

async function enqueueWebhook(trx: Trx, jobs: Enqueuer, { id, accountId, now }: WebhookJob): Promise<void> {
  await jobs.enqueue(trx, [{ kind: 'webhook', subject: id, group: accountId, runAt: now, urgency: 'person' }]);
}

async function readWebhookData(reader: Reader, id: string): Promise<Issue | FailedInvestigation | null> {
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
  const outcome: InvestigationOutcome = JSON.parse(row.outcome);
  if (outcome.state !== 'gave_up' && outcome.state !== 'cancelled') return null;
  const { id: investigationId, project_id: projectId, reference } = row;
  return { investigationId, projectId, reference, reason: outcome.reason };
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
  await enqueueWebhook(trx, jobs, job);
  await writeAudit(trx, { at: now, accountId, verb: 'webhook.resent', subject: id, projectId: webhook.project_id });
  return true;
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
