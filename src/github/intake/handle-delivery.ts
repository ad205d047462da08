// Handles the `delivery` jobs: opens a stored delivery, has Probot dispatch it to our handlers, and wipes its body.
import { CausewayError } from '../../core/errors.ts';
import type { JobHandler, JobResult } from '../../core/queue.ts';
import { SourceBusy } from '../../core/source.ts';
import type { Delivery, DeliveryStore } from '../../db/deliveries.ts';
import type { Log } from '../../log.ts';
import type { Redactor } from '../../redact/redactor.ts';
import { type GithubClients, GithubFailure } from '../clients/github-clients.ts';
import { type DeliveryPayload, isRecord } from './delivery-body.ts';
import type { DeliveriesInFlight } from './in-flight.ts';
import type { ReceivingProbot } from './open-probot.ts';

export interface DeliveryHandlerOptions {
  readonly store: Pick<DeliveryStore, 'findDelivery' | 'endDelivery'>;
  readonly probot: ReceivingProbot;
  readonly inFlight: DeliveriesInFlight;
  readonly clients: Pick<GithubClients, 'identity'>;
  /** Logins whose installations count, in any case; empty: the owner of the App. */
  readonly allowedOwners: readonly string[];
  readonly redactor: Pick<Redactor, 'redact'>;
  readonly log: Log;
  readonly now: () => Date;
}

const SECOND_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;

/** A delivery that has waited so many seconds pauses for so many more. */
const PAUSES: readonly (readonly [waited: number, pause: number])[] = [
  [156, 600],
  [36, 120],
  [6, 30],
  [1, 5],
  [0, 1],
];

/**
 * A limit of GitHub postpones the job, for up to a week, and so does a GitHub that does not answer, for up to a day; lost access ends it;
 * everything else is retried by the queue, three times.
 */
export function createDeliveryHandler(options: DeliveryHandlerOptions): JobHandler {
  return {
    handle: async (job, signal) => {
      const delivery = await options.store.findDelivery(job.subject);
      if (delivery === null) return { kind: 'done' };
      return await handleDelivery(options, delivery, signal);
    },
    dead: (job, error) => giveUp(options, job.subject, error),
  };
}

async function handleDelivery(
  options: DeliveryHandlerOptions,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<JobResult> {
  const { probot, inFlight, log, store } = options;
  const { id, event: name } = delivery;
  const payload: DeliveryPayload = JSON.parse(delivery.body);
  try {
    const isAllowed = await isOwnerAllowed(options, findOwner(payload), signal);
    if (isAllowed) await inFlight.during(id, signal, () => probot.receive({ id, name, payload }));
    else log.info({ delivery: id }, 'a delivery was dropped: its owner is not in ALLOWED_OWNERS');
  } catch (error) {
    signal.throwIfAborted();
    const cause = unwrapError(error);
    if (isTemporary(cause)) return await postpone(options, delivery, cause);
    if (!(cause instanceof GithubFailure) || cause.kind !== 'gone') throw cause;
    log.info({ delivery: id, reason: cause.message }, 'a delivery is about something that is gone, or no longer ours');
  }
  await store.endDelivery(id, 'done', '');
  return { kind: 'done' };
}

function isTemporary(cause: unknown): cause is GithubFailure | SourceBusy {
  if (cause instanceof SourceBusy) return true;
  return cause instanceof GithubFailure && (cause.kind === 'busy' || cause.kind === 'unsure');
}

/** Nobody sends it again while it waits: GitHub knows that we have it. The wait follows from its age, so that a restart does not prolong it. */
async function postpone(
  options: DeliveryHandlerOptions,
  { id, receivedAt }: Delivery,
  cause: GithubFailure | SourceBusy,
): Promise<JobResult> {
  const { retryAt } = cause;
  const now = options.now().getTime();
  const waited = now - Date.parse(receivedAt);
  // A limit ends, but credentials that GitHub does not accept may stay wrong.
  if (waited > (retryAt === null ? DAY_MS : 7 * DAY_MS)) {
    await giveUp(options, id, cause);
    return { kind: 'done' };
  }
  const pause = PAUSES.find(([from]) => waited >= from * SECOND_MS)?.[1] ?? 1;
  const until = retryAt ?? new Date(now + pause * SECOND_MS);
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
function findOwner({ repository, installation }: DeliveryPayload): DeliveryPayload | null {
  const owner = isRecord(repository) ? repository['owner'] : isRecord(installation) ? installation['account'] : null;
  return isRecord(owner) ? owner : null;
}

async function isOwnerAllowed(
  { clients, allowedOwners }: DeliveryHandlerOptions,
  owner: DeliveryPayload | null,
  signal: AbortSignal,
): Promise<boolean> {
  if (owner === null) return true;
  if (allowedOwners.length === 0) return owner['id'] === (await clients.identity(signal)).owner.id;
  // An enterprise has a slug instead of a login.
  const name = String(owner['login'] ?? owner['slug'] ?? '').toLowerCase();
  return allowedOwners.some((login) => login.toLowerCase() === name);
}

/** The first of several. Probot attaches the whole event to each error, which would end up in the log. */
function unwrapError(error: unknown): unknown {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (typeof inner === 'object' && inner !== null) Reflect.deleteProperty(inner, 'event');
  return inner;
}
