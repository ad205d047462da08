// The handler of the `delivery` jobs: opens a stored delivery, lets Probot hand it to the app, and wipes its body.
import { CausewayError } from '../../core/errors.ts';
import type { JobHandler, JobResult } from '../../core/queue.ts';
import { SourceBusy } from '../../core/source.ts';
import type { Delivery, DeliveryStore } from '../../db/store.ts';
import type { Log } from '../../log.ts';
import type { Redactor } from '../../redact/redactor.ts';
import { type GithubClients, GithubFailure } from '../clients/github-clients.ts';
import type { DeliveriesInFlight } from './in-flight.ts';
import type { ReceivingProbot } from './open-probot.ts';
import { type DeliveryPayload, isRecord } from './parse-delivery.ts';
import { waitUntil } from './when-again.ts';

export interface DeliveryHandlerDeps {
  readonly store: Pick<DeliveryStore, 'delivery' | 'endDelivery'>;
  readonly probot: ReceivingProbot;
  readonly inFlight: DeliveriesInFlight;
  readonly clients: Pick<GithubClients, 'identity'>;
  /** Logins whose installations count, whatever their case; empty: the owner of the App. */
  readonly allowedOwners: readonly string[];
  readonly redactor: Pick<Redactor, 'redact'>;
  readonly log: Log;
  readonly now: () => Date;
}

/**
 * A limit of GitHub postpones the job, for up to a week, and so does a GitHub that does not answer, for up to a day; lost access ends it; all else is tried
 * again by the queue, three times.
 */
export function createDeliveryHandler(deps: DeliveryHandlerDeps): JobHandler {
  return {
    handle: async (job, signal) => {
      const delivery = await deps.store.delivery(job.subject);
      if (delivery === null) return { kind: 'done' };
      const payload: DeliveryPayload = JSON.parse(delivery.body);
      return await attempted(deps, { delivery, payload }, signal);
    },
    dead: (job, error) => buried(deps, job.subject, error),
  };
}

interface Opened {
  readonly delivery: Delivery;
  readonly payload: DeliveryPayload;
}

async function attempted(deps: DeliveryHandlerDeps, opened: Opened, signal: AbortSignal): Promise<JobResult> {
  const { id } = opened.delivery;
  try {
    if (await isAllowed(deps, ownerOf(opened.payload), signal)) await handOver(deps, opened, signal);
    else deps.log.info({ delivery: id }, 'a delivery of an owner who is not in ALLOWED_OWNERS was dropped');
  } catch (error) {
    signal.throwIfAborted();
    const cause = innerError(error);
    if (isWorthWaiting(cause)) return await afterPause(deps, opened.delivery, cause);
    if (!(cause instanceof GithubFailure) || cause.kind !== 'gone') throw cause;
    deps.log.info({ delivery: id, reason: cause.message }, 'a delivery about what is gone, or not ours any more');
  }
  await deps.store.endDelivery(id, 'done', '');
  return { kind: 'done' };
}

type Postponing = GithubFailure | SourceBusy;

function isWorthWaiting(cause: unknown): cause is Postponing {
  if (cause instanceof SourceBusy) return true;
  return cause instanceof GithubFailure && (cause.kind === 'busy' || cause.kind === 'unsure');
}

/** Nobody sends it again while it waits: GitHub was told that we have it. */
async function afterPause(deps: DeliveryHandlerDeps, delivery: Delivery, cause: Postponing): Promise<JobResult> {
  const { id: subject, receivedAt } = delivery;
  const until = waitUntil({ receivedAt: new Date(receivedAt), now: deps.now(), named: cause.retryAt });
  if (until !== null) {
    deps.log.debug({ delivery: subject, until, reason: cause.message }, 'delivery deferred');
    return { kind: 'later', runAt: until.toISOString() };
  }
  await buried(deps, subject, cause);
  return { kind: 'done' };
}

async function buried({ log, store, redactor }: DeliveryHandlerDeps, delivery: string, error: unknown): Promise<void> {
  log.error(
    { err: error, delivery },
    'a delivery could not be handled; "Redeliver" in the settings of the App sends it again',
  );
  await store.endDelivery(delivery, 'failed', await redactor.redact(wordsOf(error)));
}

async function handOver(deps: DeliveryHandlerDeps, { delivery, payload }: Opened, signal: AbortSignal): Promise<void> {
  const { id, event: name } = delivery;
  await deps.inFlight.during(id, signal, () => deps.probot.receive({ id, name, payload }));
}

/** Whom the repository, or else the installation, belongs to; null where the delivery names nobody. */
function ownerOf({ repository, installation }: DeliveryPayload): DeliveryPayload | null {
  const owner = isRecord(repository) ? repository['owner'] : isRecord(installation) ? installation['account'] : null;
  return isRecord(owner) ? owner : null;
}

async function isAllowed(
  { clients, allowedOwners }: DeliveryHandlerDeps,
  owner: DeliveryPayload | null,
  signal: AbortSignal,
): Promise<boolean> {
  if (owner === null) return true;
  if (allowedOwners.length === 0) return owner['id'] === (await clients.identity(signal)).owner.id;
  // An enterprise has a slug instead of a login.
  const name = String(owner['login'] ?? owner['slug'] ?? '').toLowerCase();
  return allowedOwners.some((login) => login.toLowerCase() === name);
}

/** Of several the first. Probot hangs the whole event on each error, which would stand in the log then. */
function innerError(error: unknown): unknown {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (typeof inner === 'object' && inner !== null) Reflect.deleteProperty(inner, 'event');
  return inner;
}

function wordsOf(error: unknown): string {
  if (error instanceof CausewayError) return error.message;
  return 'Causeway failed on its own account. The log of the service has the details.';
}
