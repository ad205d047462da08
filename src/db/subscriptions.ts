// Subscriptions of accounts: made, listed, tried out, disabled, deleted; their addresses and secrets are sealed.
import type { Selectable } from 'kysely';
import {
  isUnderWay,
  type ListedSubscription,
  MAX_SUBSCRIPTIONS,
  type Subscription,
  type WebhookType,
} from '../core/account/index.ts';
import { type ActOptions, isFirstUse } from './accounts.ts';
import { writeAudit } from './audit.ts';
import type { Database, Enqueuer } from './database.ts';
import { eraseSubscription, insertWebhook, removeUndelivered, type SubscriptionAct } from './events.ts';
import type { Reader, SubscriptionTable, Trx } from './schema.ts';
import type { Seal } from './seal.ts';

export interface NewSubscription extends Omit<Subscription, 'disabled'> {
  readonly url: string;
  /** Signs; "": its format is not signed. */
  readonly secret: string;
}

/** What is needed to send to it. */
export interface OpenedSubscription {
  readonly subscription: Subscription;
  readonly url: string;
  /** That sign now, newest first; none where its format is not signed. */
  readonly secrets: readonly string[];
}

interface SubscriptionRotation extends ActOptions {
  readonly accountId: string;
  readonly secret: string;
  readonly overlapUntil: string;
  readonly now: string;
}

/** What is sealed, as JSON. */
interface SealedParts {
  readonly url: string;
  /** Newest first. `until`: null: signs until rotated. */
  readonly secrets: readonly { readonly secret: string; readonly until: string | null }[];
}

export function createSubscriptionVerbs(database: Database, seal: Seal) {
  const { jobs } = database;
  return {
    /** `full`: the account has as many as it may; `repeated`: the key was used before. */
    addSubscription: (made: NewSubscription, how: ActOptions = {}): Promise<'added' | 'full' | 'repeated'> =>
      database.write((trx) => addSubscription(trx, made, { how, seal })),
    /** Newest first. */
    listSubscriptions: (accountId: string): Promise<readonly ListedSubscription[]> =>
      database.read((reader) => readSubscriptions(reader, accountId)),
    /** Null: no such subscription of the account. */
    async findSubscription(id: string, accountId: string): Promise<ListedSubscription | null> {
      const all = await database.read((reader) => readSubscriptions(reader, accountId));
      return all.find((one) => one.id === id) ?? null;
    },
    /** Null: it was deleted. */
    async openSubscription(id: string, now: string): Promise<OpenedSubscription | null> {
      const row = await database.read((reader) => selectRow(reader, id));
      if (!row) return null;
      const { url, secrets } = openParts(row, seal);
      const current = secrets.filter(({ until }) => until === null || until > now);
      return { subscription: toSubscription(row), url, secrets: current.map(({ secret }) => secret) };
    },
    /** With what is not yet delivered to it. False: no such subscription of the account. */
    deleteSubscription: (id: string, accountId: string, now: string): Promise<boolean> =>
      database.write((trx) => eraseSubscription(trx, jobs, { id, accountId, now })),
    /** The new secret signs from now on, the previous one as well until `overlapUntil`. `absent`: it has none. */
    rotateSubscriptionSecret: (id: string, rotation: SubscriptionRotation): Promise<'done' | 'absent' | 'repeated'> =>
      database.write((trx) => rotateStoredSecret(trx, id, rotation, seal)),
    /**
     * Sends an example of one type; the id of its webhook. `busy`: one is under way; `disabled`: nothing is sent to it.
     * Null: no such subscription of the account.
     */
    sendExample: (
      id: string,
      accountId: string,
      now: string,
    ): Promise<{ readonly webhookId: string } | 'busy' | 'disabled' | null> =>
      database.write((trx) => sendExample(trx, jobs, { id, accountId, now })),
    /** Nothing more is sent to it. */
    disableSubscription: (
      id: string,
      reason: NonNullable<Subscription['disabled']>['reason'],
      now: string,
    ): Promise<void> =>
      database.write(async (trx) => {
        const disabled = { disabled_at: now, disabled_reason: reason };
        const row = await trx
          .updateTable('subscriptions')
          .set(disabled)
          .where('id', '=', id)
          .where('disabled_at', 'is', null)
          .returning('account_id')
          .executeTakeFirst();
        if (!row) return;
        await removeUndelivered(trx, jobs, [id]);
        const entry = { at: now, accountId: row.account_id, verb: 'subscription.disabled', subject: id } as const;
        await writeAudit(trx, entry);
      }),
  };
}

async function addSubscription(
  trx: Trx,
  { url, secret, ...made }: NewSubscription,
  { how, seal }: { readonly how: ActOptions; readonly seal: Seal },
): Promise<'added' | 'full' | 'repeated'> {
  const { id, accountId, projectId, createdAt: at } = made;
  const own = await trx.selectFrom('subscriptions').select('id').where('account_id', '=', accountId).execute();
  if (own.length >= MAX_SUBSCRIPTIONS) return 'full';
  if (!(await isFirstUse(trx, how, at))) return 'repeated';
  const parts: SealedParts = { url, secrets: secret === '' ? [] : [{ secret, until: null }] };
  await trx
    .insertInto('subscriptions')
    .values({
      id,
      account_id: accountId,
      project_id: projectId,
      format: made.format,
      address: made.address,
      types: JSON.stringify(made.types),
      origins: JSON.stringify(made.origins),
      created_at: at,
      sealed: seal.seal(JSON.stringify(parts), toSubscriptionPurpose(id)),
      disabled_at: null,
      disabled_reason: null,
    })
    .execute();
  const entry = { at, accountId, verb: 'subscription.created', subject: id } as const;
  await writeAudit(trx, { ...entry, ...(projectId !== null && { projectId }) });
  return 'added';
}

async function readSubscriptions(reader: Reader, accountId: string): Promise<readonly ListedSubscription[]> {
  const rows = await reader
    .selectFrom('subscriptions')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('seq', 'desc')
    .execute();
  const listed: ListedSubscription[] = [];
  for (const row of rows) {
    const last = await reader
      .selectFrom('webhooks')
      .select(['id', 'type', 'state', 'last_error', 'created_at'])
      .where('subscription_id', '=', row.id)
      .where('state', '!=', 'unchecked')
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    const lastDelivery = last
      ? { id: last.id, type: last.type, state: last.state, error: last.last_error, createdAt: last.created_at }
      : null;
    listed.push({ ...toSubscription(row), lastDelivery });
  }
  return listed;
}

async function rotateStoredSecret(
  trx: Trx,
  id: string,
  { accountId, secret, overlapUntil, now, ...how }: SubscriptionRotation,
  seal: Seal,
): Promise<'done' | 'absent' | 'repeated'> {
  const row = await selectRow(trx, id);
  if (!row || row.account_id !== accountId || row.format !== 'standard') return 'absent';
  if (!(await isFirstUse(trx, how, now))) return 'repeated';
  const { url, secrets } = openParts(row, seal);
  const former = secrets.slice(0, 1).map((one) => ({ ...one, until: overlapUntil }));
  const parts: SealedParts = { url, secrets: [{ secret, until: null }, ...former] };
  const sealed = seal.seal(JSON.stringify(parts), toSubscriptionPurpose(id));
  await trx.updateTable('subscriptions').set({ sealed }).where('id', '=', id).execute();
  await writeAudit(trx, { at: now, accountId, verb: 'subscription.rotated', subject: id });
  return 'done';
}

async function sendExample(trx: Trx, jobs: Enqueuer, { id, accountId, now }: SubscriptionAct) {
  const row = await selectRow(trx, id);
  if (!row || row.account_id !== accountId) return null;
  if (row.disabled_at !== null) return 'disabled';
  const examples = await trx
    .selectFrom('webhooks')
    .select('state')
    .where('subscription_id', '=', id)
    .where('is_example', '=', 1)
    .execute();
  if (examples.some(({ state }) => isUnderWay(state))) return 'busy';
  const { types } = toSubscription(row);
  const type: WebhookType = types[0] ?? 'issue.created';
  const about = { type, account_id: accountId, investigation_id: '', url: row.address };
  const webhook = { ...about, subscription_id: id, is_example: 1 } as const;
  return { webhookId: await insertWebhook(trx, jobs, webhook, { now }) };
}

function selectRow(reader: Reader, id: string) {
  return reader.selectFrom('subscriptions').selectAll().where('id', '=', id).executeTakeFirst();
}

function openParts({ id, sealed }: Pick<SubscriptionTable, 'id' | 'sealed'>, seal: Seal): SealedParts {
  return JSON.parse(seal.open(sealed, toSubscriptionPurpose(id)));
}

/** What address and secrets of a subscription are sealed for. */
export function toSubscriptionPurpose(id: string): string {
  return `subscription ${id}`;
}

function toSubscription(row: Selectable<SubscriptionTable>): Subscription {
  const { disabled_at: at, disabled_reason: reason } = row;
  return {
    id: row.id,
    accountId: row.account_id,
    projectId: row.project_id,
    types: JSON.parse(row.types),
    origins: JSON.parse(row.origins),
    format: row.format,
    address: row.address,
    createdAt: row.created_at,
    disabled: at === null || reason === null ? null : { at, reason },
  };
}
