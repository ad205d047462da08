// The job that sends a webhook to a caller or a subscriber: one attempt per run of the job, until it is delivered,
// stopped or dead.
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook as Signer } from 'standardwebhooks';
import { isUnderWay, type SubscriptionFormat, type Webhook, type WebhookContent } from '../core/account/index.ts';
import { CausewayError, isStoreAway } from '../core/errors.ts';
import { addSources, type Issue, listRead } from '../core/issue/index.ts';
import type { ClaimedJob, JobHandler, JobResult } from '../core/queue.ts';
import { readRetryAfter } from '../core/retry-after.ts';
import type { AttemptRecord, Store } from '../db/index.ts';
import { addLogContext, type Log, registerSecret } from '../log.ts';
import { checkCallbackUrl } from './callback-url.ts';
import { type ChatFacts, describeEvent } from './chat-message.ts';
import { createSender, type Sender, type SenderOptions, type SendResult, type WebhookRequest } from './send.ts';
import { toSlackMessage } from './slack.ts';
import { toTeamsMessage } from './teams.ts';

export interface WebhookHandlerOptions extends SenderOptions {
  readonly store: WebhookRecords;
  readonly log: Log;
  readonly now: () => Date;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Of Causeway, for `User-Agent`. */
  readonly version: string;
  /**
   * Whether the account may (still) see the project of an Issue or an event: a role can be lost during the three days
   * of attempts. Absent: always. Throws `github_failed` where GitHub does not say.
   */
  readonly canStillSee?: ((webhook: Webhook, signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Address of the account area, to link its pages; "" or absent: people cannot sign in there. */
  readonly accountArea?: string | undefined;
  /** Where GitHub's pages are; absent: there are none. */
  readonly githubUrl?: string | undefined;
}

/** What of the store a delivery needs. */
type WebhookRecords = Pick<
  Store,
  | 'findWebhook'
  | 'readWebhookContent'
  | 'recordAttempt'
  | 'markSending'
  | 'dropWebhook'
  | 'listSigningSecrets'
  | 'openSubscription'
  | 'disableSubscription'
  | 'findProject'
  | 'findIssue'
  | 'findInvestigation'
  | 'listStepSources'
>;

const SECOND = 1_000;

const MINUTE = 60 * SECOND;

const HOUR = 60 * MINUTE;

/** Waits after the first, second … ninth failed attempt, in milliseconds; after the tenth the webhook is dead. */
const WAITS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Each wait is up to a tenth shorter or longer, so that what failed together does not come back together. */
const JITTER = 0.1;

const LONGEST_WAIT = 24 * HOUR;

/** The pause while GitHub does not say whether the account may still see the project; it counts as no attempt. */
const ACCESS_UNKNOWN_MS = 60 * SECOND;

/** Between two looks whether the database is back. */
const STORE_AWAY_MS = SECOND;

const ACCESS_LOST =
  'access_lost: You no longer have access to the project, so nothing was sent. Send it again once you have.';

const MAY_HAVE_ARRIVED = 'The message may have arrived all the same: look there before you send it again.';

const INTERRUPTED = `interrupted: Causeway was stopped while it was sending. ${MAY_HAVE_ARRIVED}`;

const FAILED_HERE = 'internal: Causeway itself failed; the log of the service has the details. It can be sent again.';

const DONE: JobResult = { kind: 'done' };

/**
 * The handler of `webhook` jobs; the subject is the webhook's id. If the address is no longer allowed by its text
 * (after a change of `CALLBACK_ALLOW`) the webhook is dead at once. If it is refused when connecting, the attempt
 * failed, since a name can lead elsewhere later.
 */
export function createWebhookHandler(options: WebhookHandlerOptions): JobHandler {
  const send = createSender(options);
  return {
    handle: (job, signal) => deliver(job, { options, send, signal }),
    dead: (job, error) => recordDeath(job, error, options),
  };
}

interface DeliveryRun {
  readonly options: WebhookHandlerOptions;
  readonly send: Sender;
  readonly signal: AbortSignal;
}

/** Where a webhook goes, and how it is written. */
interface Target {
  readonly url: string;
  readonly field: string;
  readonly format: SubscriptionFormat;
  /** Newest first; none where the format is not signed. */
  readonly secrets: readonly string[];
}

async function deliver(job: ClaimedJob, { options, send, signal }: DeliveryRun): Promise<JobResult> {
  const { store, policy, log, now, random } = options;
  const webhook = await store.findWebhook(job.subject);
  if (webhook === null || !isUnderWay(webhook.state)) return DONE;
  addLogContext({ investigation: webhook.investigationId });
  if (webhook.state === 'sending') return await recordUnsent(webhook, INTERRUPTED, options);
  const target = await findTarget(webhook, options);
  if (target === null) return DONE;
  const access = await checkAccess(webhook, options, signal);
  if (access === 'unknown') {
    const runAt = new Date(now().getTime() + ACCESS_UNKNOWN_MS * (0.5 + random()));
    return { kind: 'later', runAt: runAt.toISOString() };
  }
  if (access === 'lost') return await refuseLost(webhook, options);
  const address = checkCallbackUrl(target.url, policy, target.field);
  if (!address.ok) {
    log.info({ webhook: webhook.id, rules: address.rules }, 'webhook address is no longer allowed');
    return await recordUnsent(webhook, `refused_address: ${address.detail}`, options);
  }
  const message = await composeMessage(webhook, target, options);
  if (message === null) return DONE;
  const isChat = target.format !== 'standard';
  if (isChat && !(await store.markSending(webhook.id))) return DONE;
  const at = now().toISOString();
  const begun = performance.now();
  const result = await send({ ...message, url: address.url, target: address.target }, signal);
  const timing = { at, ms: Math.ceil(performance.now() - begun) };
  return await recordResult(webhook, { result, timing, isChat, host: address.url.host }, options, signal);
}

/** Null: the subscription was deleted or disabled. */
async function findTarget(
  { accountId, url, subscriptionId }: Webhook,
  { store, now }: WebhookHandlerOptions,
): Promise<Target | null> {
  const moment = now().toISOString();
  if (subscriptionId === null) {
    const secrets = await store.listSigningSecrets(accountId, moment);
    return { url, field: 'callbackUrl', format: 'standard', secrets };
  }
  const opened = await store.openSubscription(subscriptionId, moment);
  if (opened === null || opened.subscription.disabled !== null) return null;
  const { url: whole, secrets, subscription } = opened;
  return { url: whole, field: 'The address', format: subscription.format, secrets };
}

interface SendAttempt {
  readonly result: SendResult;
  readonly timing: Pick<AttemptRecord, 'at' | 'ms'>;
  readonly isChat: boolean;
  readonly host: string;
}

async function recordResult(
  webhook: Webhook,
  { result, timing, isChat, host }: SendAttempt,
  { store, log, now, random }: WebhookHandlerOptions,
  signal: AbortSignal,
): Promise<JobResult> {
  // What was sent must not be sent again because the database is away just now.
  const record = (attempt: AttemptRecord) => untilStored(() => store.recordAttempt(webhook.id, attempt), signal);
  const attempts = webhook.attempts + 1;
  const about = { webhook: webhook.id, host, attempts };
  switch (result.kind) {
    case 'delivered':
      log.info(about, 'webhook delivered');
      await record({ state: 'delivered', error: '', ...timing });
      return DONE;
    case 'gone': {
      log.info(about, 'webhook stopped by its receiver');
      const error = 'status_410: The receiver asked for no further attempts.';
      await record({ state: 'stopped', error, ...timing });
      const { subscriptionId } = webhook;
      if (subscriptionId !== null) {
        await untilStored(() => store.disableSubscription(subscriptionId, 'gone', timing.at), signal);
      }
      return DONE;
    }
    case 'failed': {
      const { failure, detail, retryAfter, isUncertain } = result;
      // A webhook that was sent again has the whole schedule before it.
      const schedule = { attempts: attempts - webhook.attemptsBefore, retryAfter, now: now(), random };
      // A channel shows each message: one that may have arrived is not repeated.
      const next = isChat && isUncertain ? null : scheduleAttempt(schedule);
      log.info({ ...about, failure, next }, 'webhook attempt failed');
      const state = next === null ? 'dead' : 'pending';
      const error = `${failure}: ${detail}${isChat && isUncertain ? ` ${MAY_HAVE_ARRIVED}` : ''}`;
      await record({ state, error, ...timing });
      return next ?? DONE;
    }
  }
}

async function untilStored<T>(write: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      await sleep(STORE_AWAY_MS, undefined, { signal });
    }
  }
}

/**
 * An event and an Issue are what was found in the project; `issue.failed` says nothing of it, and is sent to its caller
 * even where the project is gone.
 */
async function checkAccess(
  webhook: Webhook,
  { canStillSee, log }: WebhookHandlerOptions,
  signal: AbortSignal,
): Promise<'kept' | 'lost' | 'unknown'> {
  const saysNothing = webhook.subscriptionId === null ? webhook.type !== 'issue.created' : webhook.isExample;
  if (saysNothing || canStillSee === undefined) return 'kept';
  try {
    if (await canStillSee(webhook, signal)) return 'kept';
    log.info({ webhook: webhook.id }, 'webhook not sent: its account has no access to the project');
    return 'lost';
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code !== 'github_failed') throw error;
    log.info(
      { webhook: webhook.id, reason: error.message },
      'webhook waits until GitHub answers who has access to the project',
    );
    return 'unknown';
  }
}

/** An event of a project that its account does not see leaves no trace there. */
async function refuseLost(webhook: Webhook, options: WebhookHandlerOptions): Promise<JobResult> {
  if (webhook.state !== 'unchecked') return await recordUnsent(webhook, ACCESS_LOST, options);
  await options.store.dropWebhook(webhook.id);
  return DONE;
}

/** Headers and body as they are sent; null where what it is about was erased. */
async function composeMessage(
  webhook: Webhook,
  { format, secrets }: Target,
  options: WebhookHandlerOptions,
): Promise<Pick<WebhookRequest, 'headers' | 'body'> | null> {
  const { store, now, version } = options;
  const content = await store.readWebhookContent(webhook.id);
  if (content === null) return null;
  const headers = { 'content-type': 'application/json', 'user-agent': `Causeway/${version}` };
  if (format !== 'standard') {
    const message = describeEvent(content, await readChatFacts(webhook, content, options));
    const body = format === 'slack' ? toSlackMessage(message) : toTeamsMessage(message);
    return { headers, body: Buffer.from(JSON.stringify(body)) };
  }
  if (secrets.length === 0) {
    throw new CausewayError(
      'internal',
      'The account has no signing secret; make one with "causeway webhook-secret rotate".',
    );
  }
  for (const secret of secrets) registerSecret(secret);
  const { type, data } = content;
  const { id, createdAt, isExample } = webhook;
  const body = Buffer.from(JSON.stringify({ type, timestamp: createdAt, data, ...(isExample && { example: true }) }));
  const timestamp = Math.floor(now().getTime() / 1_000);
  return { headers: { ...headers, ...signWebhook({ id, timestamp, body, secrets }) }, body };
}

async function readChatFacts(
  { projectId, isExample }: Webhook,
  content: WebhookContent,
  { store, accountArea = '', githubUrl = '' }: WebhookHandlerOptions,
): Promise<ChatFacts> {
  const project = projectId === null ? null : await store.findProject(projectId);
  const issue = isExample && content.type === 'issue.created' ? content.data : await findIssueOf(content, store);
  const sources = issue === null ? [] : await store.listStepSources(issue.id);
  return {
    project: project?.name ?? '',
    isExample,
    accountArea,
    githubUrl,
    issue: issue && addSources(issue, sources),
  };
}

async function findIssueOf({ type, data }: WebhookContent, store: WebhookRecords): Promise<Issue | null> {
  if (type === 'issue.created') return data;
  if ('issueId' in data) return await store.findIssue(data.issueId);
  const id = type === 'issue.failed' ? null : data.investigationId;
  const investigation = id === null ? null : await store.findInvestigation(id);
  const issue =
    investigation?.outcome.state === 'concluded' ? await store.findIssue(investigation.outcome.issueId) : null;
  // The account's access to other repositories is checked for events of one result, not for those of a failure.
  return issue === null || listRead(issue.analysis.context).length > 0 ? null : issue;
}

async function recordUnsent(
  webhook: Webhook,
  error: string,
  { store, now }: WebhookHandlerOptions,
): Promise<JobResult> {
  await store.recordAttempt(webhook.id, { state: 'dead', error, at: now().toISOString(), ms: 0 });
  return DONE;
}

async function recordDeath(job: ClaimedJob, error: unknown, options: WebhookHandlerOptions): Promise<void> {
  options.log.error({ webhook: job.subject, err: error }, 'webhook could not be attempted');
  const webhook = await options.store.findWebhook(job.subject);
  if (webhook?.state === 'unchecked') await options.store.dropWebhook(webhook.id);
  else if (webhook !== null && isUnderWay(webhook.state)) await recordUnsent(webhook, FAILED_HERE, options);
}

interface FailedAttempt {
  /** Attempts made since it was first sent, or sent again, this one included: from 1. */
  readonly attempts: number;
  /** `Retry-After` as it came; empty where there was none. */
  readonly retryAfter: string;
  readonly now: Date;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/**
 * When to try again after a failed attempt; null after the last. Counted in attempts, not in time passed, so that a
 * clock that jumps neither loses nor repeats one. `Retry-After` can only lengthen a wait, to at most 24 h: a receiver
 * must not use up its own attempts.
 */
export function scheduleAttempt({ attempts, retryAfter, now, random }: FailedAttempt): JobResult | null {
  const wait = WAITS[attempts - 1];
  if (wait === undefined) return null;
  const jittered = wait * (1 - JITTER + 2 * JITTER * random());
  const requested = Math.min(readRetryAfter(retryAfter, now) ?? 0, LONGEST_WAIT);
  const runAt = new Date(now.getTime() + Math.round(Math.max(jittered, requested)));
  return { kind: 'later', runAt: runAt.toISOString() };
}

interface SignedMessage {
  /** `evt_…`, the same on every attempt. */
  readonly id: string;
  /** Seconds since 1970 at the attempt; receivers refuse what is more than five minutes off. */
  readonly timestamp: number;
  /** The bytes that are sent: UTF-8. */
  readonly body: Buffer;
  /** `whsec_…`, newest first: one signature each, so that a receiver may hold either during a rotation. */
  readonly secrets: readonly string[];
}

/** The three headers of a signed webhook. */
export function signWebhook({ id, timestamp, body, secrets }: SignedMessage): Readonly<Record<string, string>> {
  const sentAt = new Date(timestamp * 1_000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => new Signer(secret).sign(id, sentAt, body)).join(' '),
  };
}
