// Handles the `delivery` jobs: has Probot dispatch a stored delivery to our handlers, and wipes its body.

import type { Redactor } from 'causeway-redact';
import { Probot, ProbotOctokit } from 'probot';
import { ChecksBusy, ChecksClosed } from '../../core/check/index.ts';
import { CausewayError } from '../../core/errors.ts';
import { createPauses, LONGEST_PAUSE_MS, type Pauses } from '../../core/pauses.ts';
import type { JobHandler, JobResult } from '../../core/queue.ts';
import { SourceBusy } from '../../core/source/index.ts';
import type { Delivery, DeliveryStore } from '../../db/index.ts';
import type { Log } from '../../log.ts';
import { findGithubFailure, type GithubClients, GithubFailure } from '../clients/index.ts';
import { type AllowsOwner, createOwnerRule } from '../projects/index.ts';
import { type DeliveryPayload, isRecord } from './delivery.ts';

interface DeliveryHandlerOptions {
  readonly store: Pick<DeliveryStore, 'findDelivery' | 'endDelivery'>;
  readonly probot: ReceivingProbot;
  readonly inFlight: DeliveriesInFlight;
  readonly clients: Pick<GithubClients, 'identity'>;
  /** Logins of the owners that count, ignoring case; empty: the owner of the App. */
  readonly allowedOwners: readonly string[];
  readonly redactor: Pick<Redactor, 'redact'>;
  readonly log: Log;
  readonly now: () => Date;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * A limit of GitHub postpones the job, for up to a week, and so does a GitHub that does not answer, for up to a day;
 * lost access ends it; everything else is retried by the queue, three times.
 */
export function createDeliveryHandler(options: DeliveryHandlerOptions): JobHandler {
  const pauses = createPauses();
  return {
    handle: async (job, signal) => {
      const delivery = await options.store.findDelivery(job.subject);
      if (delivery === null) return { kind: 'done' };
      return await handleDelivery(options, delivery, pauses, signal);
    },
    dead: (job, error) => giveUp(options, job.subject, error),
  };
}

async function handleDelivery(
  options: DeliveryHandlerOptions,
  delivery: Delivery,
  pauses: Pauses,
  signal: AbortSignal,
): Promise<JobResult> {
  const { probot, inFlight, log, store } = options;
  const { id, event: name } = delivery;
  const payload: DeliveryPayload = JSON.parse(delivery.body);
  try {
    const owner = findOwner(payload);
    const isAllowed = owner === null || (await createOwnerRule(options)(owner, signal));
    if (isAllowed) await inFlight.during(id, signal, () => probot.receive({ id, name, payload }));
    else log.info({ delivery: id }, 'a delivery was dropped: its owner is not in ALLOWED_OWNERS');
  } catch (error) {
    signal.throwIfAborted();
    const cause = unwrapError(error);
    if (isTemporary(cause)) return await postpone(options, delivery, pauses, cause);
    if (!(cause instanceof GithubFailure) || cause.kind !== 'gone') throw cause;
    log.info({ delivery: id, reason: cause.message }, 'a delivery is about something that is gone, or no longer ours');
  }
  pauses.end(id);
  await store.endDelivery(id, 'done', '');
  return { kind: 'done' };
}

function isTemporary(cause: unknown): cause is GithubFailure | SourceBusy {
  if (cause instanceof SourceBusy) return true;
  return cause instanceof GithubFailure && (cause.kind === 'busy' || cause.kind === 'unsure');
}

/** It is not sent again while it waits: for GitHub it is delivered. */
async function postpone(
  options: DeliveryHandlerOptions,
  { id, receivedAt }: Delivery,
  pauses: Pauses,
  cause: GithubFailure | SourceBusy,
): Promise<JobResult> {
  const { retryAt } = cause;
  const now = options.now().getTime();
  const waited = now - Date.parse(receivedAt);
  const pauseMs = pauses.next(id);
  // A limit ends, but credentials that GitHub does not accept may stay wrong. After a pause of the service, or with a
  // clock that jumped, a delivery is old at its first failure.
  if (waited > (retryAt === null ? DAY_MS : 7 * DAY_MS) && pauseMs === LONGEST_PAUSE_MS) {
    pauses.end(id);
    await giveUp(options, id, cause);
    return { kind: 'done' };
  }
  const until = retryAt ?? new Date(now + pauseMs);
  options.log.debug({ delivery: id, until, reason: cause.message }, 'delivery deferred');
  return { kind: 'later', runAt: until.toISOString() };
}

async function giveUp({ log, store, redactor }: DeliveryHandlerOptions, delivery: string, error: unknown) {
  log.error(
    { err: error, delivery },
    'a delivery could not be handled; "Redeliver" in the settings of the App sends it again',
  );
  const reason =
    error instanceof CausewayError
      ? error.message
      : 'Causeway failed internally. The log of the service has the details.';
  await store.endDelivery(delivery, 'failed', await redactor.redact(reason));
}

/** The owner of the repository, or else of the installation; null where the delivery names neither. */
function findOwner({ repository, installation }: DeliveryPayload): Parameters<AllowsOwner>[0] | null {
  const owner = isRecord(repository) ? repository['owner'] : isRecord(installation) ? installation['account'] : null;
  // An enterprise has a slug instead of a login.
  return isRecord(owner) ? { id: Number(owner['id']), login: String(owner['login'] ?? owner['slug'] ?? '') } : null;
}

/** The first of several. Probot attaches the whole event to each error, which would end up in the log. */
function unwrapError(error: unknown): unknown {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (typeof inner === 'object' && inner !== null) Reflect.deleteProperty(inner, 'event');
  // What a service asked of GitHub for the event.
  const isOfChecks = inner instanceof ChecksBusy || inner instanceof ChecksClosed;
  return isOfChecks ? (findGithubFailure(inner) ?? inner) : inner;
}

interface DeliveriesInFlight {
  /** While `handle` runs, the signal is the delivery's. */
  during(id: string, signal: AbortSignal, handle: () => Promise<void>): Promise<void>;
  /** Of any other delivery: a signal that aborts after a minute. */
  signalOf(id: string): AbortSignal;
}

const UNKNOWN_MS = 60_000;

export function createDeliveriesInFlight(): DeliveriesInFlight {
  const signals = new Map<string, AbortSignal>();
  return {
    async during(id, signal, handle) {
      signals.set(id, signal);
      try {
        await handle();
      } finally {
        signals.delete(id);
      }
    },
    signalOf: (id) => signals.get(id) ?? AbortSignal.timeout(UNKNOWN_MS),
  };
}

interface ProbotOptions {
  /** `token`: the one that a job of GitHub Actions was given. `privateKey`: PEM. */
  readonly credentials: { readonly appId: number; readonly privateKey: string } | { readonly token: string };
  /** Base address of the API, without a slash at its end. */
  readonly apiUrl: string;
  readonly log: Log;
  readonly app: (app: Probot) => void;
}

/** An event as it arrived; the receiver has checked that name and payload belong together. */
export interface ArrivedEvent {
  readonly id: string;
  readonly name: string;
  readonly payload: unknown;
}

export interface ReceivingProbot {
  /** Rejects with an AggregateError where handlers throw. */
  receive(event: ArrivedEvent): Promise<void>;
}

export async function openProbot({ credentials, apiUrl, log, app }: ProbotOptions): Promise<ReceivingProbot> {
  const probot = new Probot({
    ...('token' in credentials ? { githubToken: credentials.token } : credentials),
    baseUrl: apiUrl,
    // The receiver has verified the signature; without a secret Probot would accept the word "development".
    secret: 'token' in credentials ? credentials.token : credentials.privateKey,
    // Probot logs payloads and headers.
    log: log.child({}, { level: 'silent' }),
    // The object form of these defaults would be ignored.
    Octokit: ProbotOctokit.defaults((options: object) => ({
      ...options,
      throttle: { enabled: false },
      retry: { enabled: false },
    })),
  });
  await probot.ready();
  await probot.load(app);
  // Probot types the payload by the event's name, which is known only at run time here.
  return { receive: (event) => probot.receive(event as unknown as Parameters<Probot['receive']>[0]) };
}
