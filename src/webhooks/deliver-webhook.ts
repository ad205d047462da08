// The job that tells a caller how its report ended: one attempt per run, on the schedule until it is delivered, stopped or dead.
import { CausewayError } from '../core/errors.ts';
import type { ClaimedJob, JobHandler, JobResult } from '../core/queue.ts';
import type { Webhook } from '../core/webhook.ts';
import type { AccountStore, AttemptRecord, WebhookStore } from '../db/store.ts';
import { addLogContext, type Log, registerSecret } from '../log.ts';

import { ACCESS_LOST, askAccess, type MayBeTold } from './ask-access.ts';
import { type AttemptResult, attempt, type Delivery } from './attempt.ts';
import type { CallbackPolicy } from './callback-policy.ts';
import { checkCallbackUrl } from './check-callback-url.ts';
import { createGuard, type Guard } from './guarded-connector.ts';
import type { Resolver } from './resolve-host.ts';
import { nextAttempt } from './schedule.ts';
import { signWebhook } from './sign.ts';

export interface WebhookHandlerOptions {
  readonly store: WebhookStore & Pick<AccountStore, 'signingSecrets'>;
  readonly policy: CallbackPolicy;
  readonly log: Log;
  readonly now: () => Date;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Of Causeway, for `User-Agent`. */
  readonly version: string;
  /** Default: the system's. */
  readonly resolver?: Resolver;
  /** Whether its account may still see what it tells of; absent: always. Throws `github_failed` where that is not known just now. */
  readonly mayBeTold?: MayBeTold | undefined;
}

const DONE: JobResult = { kind: 'done' };
/** Attempts of one account at a time: half of all there are, since a host can have as many names as it likes, and each may hang for 15 seconds. */
const MOST_OF_ACCOUNT = 8;
/** So long waits one that is too many; it counts as no attempt. */
const TURN_MS = 15_000;
/** The same for one of which GitHub does not say whether it may go. */
const UNKNOWN_MS = 60_000;

/**
 * The handler of `webhook` jobs, whose subject is the webhook's id. What is refused by the address itself (after a change of `CALLBACK_ALLOW`) is dead
 * at once; what is refused on connecting is a failure like any other, since a name can come to lead elsewhere.
 */
export function createWebhookHandler(options: WebhookHandlerOptions): JobHandler {
  const guard = createGuard(options);
  const underWay = new Map<string, number>();
  return {
    handle: (job, signal) => handle(job, { options, guard, underWay, signal }),
    dead: (job, error) => dead(job, error, options),
  };
}

interface Context {
  readonly options: WebhookHandlerOptions;
  readonly guard: Guard;
  /** Attempts under way, by account. */
  readonly underWay: Map<string, number>;
  readonly signal: AbortSignal;
}

async function handle(job: ClaimedJob, context: Context): Promise<JobResult> {
  const { options, underWay } = context;
  const { store, policy, log } = options;
  const webhook = await store.webhook(job.subject);
  if (webhook === null || webhook.state !== 'pending') return DONE;
  addLogContext({ investigation: webhook.investigationId });
  const address = checkCallbackUrl(webhook.url, policy);
  if (!address.ok) {
    log.info({ webhook: webhook.id, rules: address.rules }, 'webhook address is no longer allowed');
    const error = `refused_address: ${address.detail}`;
    await store.recordAttempt(webhook.id, { state: 'dead', error, ...unsent(options) });
    return DONE;
  }
  const { accountId } = webhook;
  const others = underWay.get(accountId) ?? 0;
  if (others >= MOST_OF_ACCOUNT) return later(TURN_MS, options);
  underWay.set(accountId, others + 1);
  try {
    return await attemptNow(webhook, address, context);
  } finally {
    const left = (underWay.get(accountId) ?? 1) - 1;
    if (left > 0) underWay.set(accountId, left);
    else underWay.delete(accountId);
  }
}

/** Spread, so that those who wait do not come back together. */
function later(ms: number, { now, random }: WebhookHandlerOptions): JobResult {
  return { kind: 'later', runAt: new Date(now().getTime() + ms * (0.5 + random())).toISOString() };
}

async function attemptNow(
  webhook: Webhook,
  address: Pick<Delivery, 'url' | 'target'>,
  { options, guard, signal }: Context,
): Promise<JobResult> {
  const access = await askAccess(webhook, options, signal);
  if (access === 'unknown') return later(UNKNOWN_MS, options);
  if (access === 'lost') {
    await options.store.recordAttempt(webhook.id, { state: 'dead', error: ACCESS_LOST, ...unsent(options) });
    return DONE;
  }
  const message = await messageOf(webhook, options);
  if (message === null) return DONE;
  const [at, begun] = [options.now().toISOString(), performance.now()];
  const result = await attempt({ ...message, url: address.url, target: address.target }, guard, { signal });
  const timing = { at, ms: Math.ceil(performance.now() - begun) };
  return await settle({ webhook, result, timing }, options);
}

type Timing = Pick<AttemptRecord, 'at' | 'ms'>;

function unsent({ now }: WebhookHandlerOptions): Timing {
  return { at: now().toISOString(), ms: 0 };
}

/** Headers and body as they are sent; null where what the webhook tells of was erased. */
async function messageOf(
  webhook: Webhook,
  { store, now, version }: WebhookHandlerOptions,
): Promise<Pick<Delivery, 'headers' | 'body'> | null> {
  const data = await store.webhookData(webhook.id);
  if (data === null) return null;
  const time = now();
  const secrets = await store.signingSecrets(webhook.accountId, time.toISOString());
  if (secrets.length === 0) {
    throw new CausewayError(
      'internal',
      'The account has no signing secret; make one with "causeway webhook-secret rotate".',
    );
  }
  for (const secret of secrets) registerSecret(secret);
  const body = Buffer.from(JSON.stringify({ type: webhook.type, timestamp: webhook.createdAt, data }));
  const timestamp = Math.floor(time.getTime() / 1_000);
  return {
    headers: {
      'content-type': 'application/json',
      'user-agent': `Causeway/${version}`,
      ...signWebhook({ id: webhook.id, timestamp, body, secrets }),
    },
    body,
  };
}

interface Attempted {
  readonly webhook: Webhook;
  readonly result: AttemptResult;
  readonly timing: Timing;
}

async function settle({ webhook, result, timing }: Attempted, options: WebhookHandlerOptions): Promise<JobResult> {
  const { store, log, now, random } = options;
  const attempts = webhook.attempts + 1;
  const about = { webhook: webhook.id, host: new URL(webhook.url).host, attempts };
  switch (result.kind) {
    case 'delivered':
      log.info(about, 'webhook delivered');
      await store.recordAttempt(webhook.id, { state: 'delivered', error: '', ...timing });
      return DONE;
    case 'gone':
      log.info(about, 'webhook stopped by its receiver');
      await store.recordAttempt(webhook.id, {
        state: 'stopped',
        error: 'status_410: The receiver wants no more of it.',
        ...timing,
      });
      return DONE;
    case 'failed': {
      const { failure, detail, retryAfter } = result;
      // One that was sent again has the whole schedule before it.
      const inThisRound = attempts - webhook.attemptsBefore;
      const next = nextAttempt({ attempts: inThisRound, retryAfter, now: now(), random });
      log.info({ ...about, failure, next }, 'webhook attempt failed');
      const state = next.kind === 'dead' ? 'dead' : 'pending';
      await store.recordAttempt(webhook.id, { state, error: `${failure}: ${detail}`, ...timing });
      return next.kind === 'dead' ? DONE : next;
    }
  }
}

async function dead(job: ClaimedJob, error: unknown, options: WebhookHandlerOptions): Promise<void> {
  const { store, log } = options;
  log.error({ webhook: job.subject, err: error }, 'webhook could not be attempted');
  const webhook = await store.webhook(job.subject);
  if (webhook === null || webhook.state !== 'pending') return;
  await store.recordAttempt(webhook.id, {
    state: 'dead',
    error:
      'internal: Causeway failed on its own account; the log of the service has the details. It can be sent again.',
    ...unsent(options),
  });
}
