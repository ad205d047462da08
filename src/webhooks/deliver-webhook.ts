// The job that sends a caller the result of its report: one attempt per run of the job, until it is delivered, stopped
// or dead.

import { Webhook as Signer } from 'standardwebhooks';
import { CausewayError } from '../core/errors.ts';
import type { ClaimedJob, JobHandler, JobResult } from '../core/queue.ts';
import type { Webhook } from '../core/webhook.ts';
import type { Store } from '../db/store.ts';
import { addLogContext, type Log, registerSecret } from '../log.ts';
import { checkCallbackUrl } from './callback-url.ts';
import { createSender, type Sender, type SenderOptions, type WebhookRequest } from './send.ts';

export interface WebhookHandlerOptions extends SenderOptions {
  readonly store: WebhookRecords;
  readonly log: Log;
  readonly now: () => Date;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Of Causeway, for `User-Agent`. */
  readonly version: string;
  /**
   * Whether the account may still see the project of an Issue: a role can be lost during the three days of attempts.
   * Absent: always. Throws `github_failed` where GitHub does not say.
   */
  readonly canStillSee?: ((webhook: Webhook, signal: AbortSignal) => Promise<boolean>) | undefined;
}

/** What of the store a delivery needs. */
type WebhookRecords = Pick<Store, 'findWebhook' | 'readWebhookData' | 'recordAttempt' | 'listSigningSecrets'>;

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

const ACCESS_LOST =
  'access_lost: You no longer have access to the project, so nothing was sent. Send it again once you have.';

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

interface Delivery {
  readonly options: WebhookHandlerOptions;
  readonly send: Sender;
  readonly signal: AbortSignal;
}

async function deliver(job: ClaimedJob, { options, send, signal }: Delivery): Promise<JobResult> {
  const { store, policy, log, now, random } = options;
  const webhook = await store.findWebhook(job.subject);
  if (webhook === null || webhook.state !== 'pending') return DONE;
  addLogContext({ investigation: webhook.investigationId });
  const address = checkCallbackUrl(webhook.url, policy);
  if (!address.ok) {
    log.info({ webhook: webhook.id, rules: address.rules }, 'webhook address is no longer allowed');
    return await recordUnsent(webhook, `refused_address: ${address.detail}`, options);
  }
  const access = await checkAccess(webhook, options, signal);
  if (access === 'unknown') {
    const runAt = new Date(now().getTime() + ACCESS_UNKNOWN_MS * (0.5 + random()));
    return { kind: 'later', runAt: runAt.toISOString() };
  }
  if (access === 'lost') return await recordUnsent(webhook, ACCESS_LOST, options);
  const message = await composeMessage(webhook, options);
  if (message === null) return DONE;
  const at = now().toISOString();
  const begun = performance.now();
  const result = await send({ ...message, url: address.url, target: address.target }, signal);
  const timing = { at, ms: Math.ceil(performance.now() - begun) };
  const attempts = webhook.attempts + 1;
  const about = { webhook: webhook.id, host: address.url.host, attempts };
  switch (result.kind) {
    case 'delivered':
      log.info(about, 'webhook delivered');
      await store.recordAttempt(webhook.id, { state: 'delivered', error: '', ...timing });
      return DONE;
    case 'gone': {
      log.info(about, 'webhook stopped by its receiver');
      const error = 'status_410: The receiver asked for no further attempts.';
      await store.recordAttempt(webhook.id, { state: 'stopped', error, ...timing });
      return DONE;
    }
    case 'failed': {
      const { failure, detail, retryAfter } = result;
      // A webhook that was sent again has the whole schedule before it.
      const next = scheduleAttempt({ attempts: attempts - webhook.attemptsBefore, retryAfter, now: now(), random });
      log.info({ ...about, failure, next }, 'webhook attempt failed');
      const state = next === null ? 'dead' : 'pending';
      await store.recordAttempt(webhook.id, { state, error: `${failure}: ${detail}`, ...timing });
      return next ?? DONE;
    }
  }
}

/**
 * An Issue is what was found in the project; `issue.failed` says nothing of it, and is sent even where the project is
 * gone.
 */
async function checkAccess(
  webhook: Webhook,
  { canStillSee, log }: WebhookHandlerOptions,
  signal: AbortSignal,
): Promise<'kept' | 'lost' | 'unknown'> {
  if (webhook.type !== 'issue.created' || canStillSee === undefined) return 'kept';
  try {
    if (await canStillSee(webhook, signal)) return 'kept';
    log.info({ webhook: webhook.id }, 'webhook not sent: its account no longer has access to the project');
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

/** Headers and body as they are sent; null where the Issue or investigation was erased. */
async function composeMessage(
  webhook: Webhook,
  { store, now, version }: WebhookHandlerOptions,
): Promise<Pick<WebhookRequest, 'headers' | 'body'> | null> {
  const data = await store.readWebhookData(webhook.id);
  if (data === null) return null;
  const time = now();
  const secrets = await store.listSigningSecrets(webhook.accountId, time.toISOString());
  if (secrets.length === 0) {
    throw new CausewayError(
      'internal',
      'The account has no signing secret; make one with "causeway webhook-secret rotate".',
    );
  }
  for (const secret of secrets) registerSecret(secret);
  const body = Buffer.from(JSON.stringify({ type: webhook.type, timestamp: webhook.createdAt, data }));
  const timestamp = Math.floor(time.getTime() / 1_000);
  const signature = signWebhook({ id: webhook.id, timestamp, body, secrets });
  return {
    headers: { 'content-type': 'application/json', 'user-agent': `Causeway/${version}`, ...signature },
    body,
  };
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
  if (webhook?.state === 'pending') await recordUnsent(webhook, FAILED_HERE, options);
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
  const requested = Math.min(readRetryAfter(retryAfter, now), LONGEST_WAIT);
  const runAt = new Date(now.getTime() + Math.round(Math.max(jittered, requested)));
  return { kind: 'later', runAt: runAt.toISOString() };
}

const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Milliseconds that a `Retry-After` header (seconds, or a date of RFC 9110) asks for; 0 where it is invalid or past.
 */
function readRetryAfter(header: string, now: Date): number {
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * SECOND;
  if (!HTTP_DATE.test(text)) return 0;
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now.getTime());
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
