// The receiver of GitHub's deliveries: believes nothing before the signature, stores, and only then says 202.

import { WholeAnswer } from '../../core/answer.ts';
import type { Queue } from '../../core/queue.ts';
import type { DeliveryStore, NewDelivery } from '../../db/store.ts';
import type { Log } from '../../log.ts';
import { kindOf, meaningOf } from './delivery-kind.ts';
import { parseDelivery } from './parse-delivery.ts';
import {
  type Arrived,
  type BodyLimits,
  createBodyReader,
  type DeliveryBody,
  isDeclaredTooLarge,
} from './read-delivery-body.ts';
import { isSignedByOne, readSignature } from './signature.ts';

export interface ReceiverDeps {
  readonly store: Pick<DeliveryStore, 'acceptDelivery'>;
  readonly queue: Pick<Queue, 'wake'>;
  /** Asked for each delivery; two during a rotation. */
  readonly secrets: () => readonly string[];
  readonly now: () => Date;
  readonly log: Log;
  readonly limits?: Partial<BodyLimits>;
}

/** `arrived`: see `Arrived`; absent: the body is here already. */
export type Receiver = (request: Request, arrived?: Arrived) => Promise<Response>;

/** GitHub's own limit, and more than enough time for it: GitHub itself gives up after 10 s. */
const LIMITS = { bytes: 25 * 1024 * 1024, bytesTogether: 200 * 1024 * 1024, deadlineMs: 30_000 };
/** A connection that says nothing takes a place from others. */
const SILENCE_MS = 8_000;
const BEGINNING = new Date(0).toISOString();
const WARN_EVERY_MS = 60_000;
const RETRY_AFTER_S = 60;

/**
 * Answers `POST /api/github/webhooks`. 202: the delivery is stored, was stored before, or is none that we act on. 503: it could not be stored,
 * and GitHub lists it as failed, so that it is asked for again. GitHub itself never retries, so a delivery is stored as long as the database
 * can be written; what it starts waits until there is disk space.
 */
export function createReceiver(deps: ReceiverDeps): Receiver {
  const limits = { ...LIMITS, silenceMs: SILENCE_MS, ...deps.limits };
  const strangers = strangerLog(deps);
  const readBody = createBodyReader(limits);
  return async (request, arrived) => {
    const refusal = refuseForm(request);
    if (refusal !== null) return refusal;
    const signature = readSignature(request.headers);
    if (signature === null) return unsigned(strangers);
    if (isDeclaredTooLarge(request.headers, limits)) return tooLarge();
    const body = await readBody(request, arrived ?? null);
    if (body.kind !== 'read') return unread(body.kind);
    if (!isSignedByOne(body.bytes, signature, deps.secrets())) return unsigned(strangers);
    return await acceptSigned(deps, request.headers, body.bytes);
  };
}

function refuseForm({ method, headers }: Request): Response | null {
  if (method !== 'POST') return answer(405, 'Deliveries are sent with POST.', { Allow: 'POST' });
  const [type = ''] = (headers.get('Content-Type') ?? '').split(';');
  const encoding = headers.get('Content-Encoding') ?? 'identity';
  if (type.trim().toLowerCase() === 'application/json' && encoding.trim().toLowerCase() === 'identity') return null;
  return answer(
    415,
    `Deliveries are taken as application/json: choose that as the webhook's "Content type" on GitHub.`,
  );
}

async function acceptSigned(deps: ReceiverDeps, headers: Headers, bytes: Uint8Array): Promise<Response> {
  const parsed = parseDelivery(bytes);
  if (parsed === null) return answer(400, 'The body is not a JSON object as GitHub sends them.');
  const id = headers.get('X-GitHub-Delivery') ?? '';
  if (!/^[A-Za-z0-9-]{1,100}$/.test(id)) return answer(400, 'The header X-GitHub-Delivery is missing or malformed.');
  const event = headers.get('X-GitHub-Event') ?? '';
  if (!/^[a-z0-9_]{1,64}$/.test(event)) return answer(400, 'The header X-GitHub-Event is missing or malformed.');
  const kind = kindOf(event, parsed.payload);
  if (kind.kind === 'misfit') return answer(400, 'The body is not one of the event that X-GitHub-Event names.');
  if (kind.kind === 'ignored') return received('Received. Nothing is done at this event.');
  const { kind: _, sameWithinMs, ...place } = kind;
  const delivery = { id, event, body: parsed.text, meaning: meaningOf(bytes), ...place };
  return await stored(deps, delivery, sameWithinMs);
}

async function stored(deps: ReceiverDeps, delivery: NewDelivery, sameWithinMs: number | null): Promise<Response> {
  const now = deps.now();
  const meaningSince = sameWithinMs === null ? BEGINNING : new Date(now.getTime() - sameWithinMs).toISOString();
  try {
    await deps.store.acceptDelivery(delivery, { now: now.toISOString(), meaningSince });
  } catch (error) {
    deps.log.error(
      { err: error, delivery: delivery.id },
      'a delivery could not be stored; GitHub will list it as failed',
    );
    return busy('The delivery could not be stored now. It will be asked for again.');
  }
  // The job that handles it has the same id on its lines.
  deps.log.info({ delivery: delivery.id, event: delivery.event }, 'delivery received');
  deps.queue.wake();
  return received('Received.');
}

/** For a sender who is slow or gone. One who pours would lose the answer with the connection: the server drops what he sends. */
const CLOSE = { Connection: 'close' };

function unread(fault: Exclude<DeliveryBody['kind'], 'read'>): Response {
  if (fault === 'too_large') return tooLarge();
  if (fault === 'no_room')
    return busy('There are too many large deliveries at once. This one will be asked for again.');
  if (fault === 'too_slow') return answer(408, 'The body came too slowly: send it in one go.', CLOSE);
  return answer(400, 'The body ended before it was complete: send it again.', CLOSE);
}

function busy(detail: string): Response {
  return answer(503, detail, { 'Retry-After': String(RETRY_AFTER_S) });
}

function tooLarge(): Response {
  return answer(413, 'The body is larger than 25 MiB.');
}

/** The same for every way in which it can be wrong. */
function unsigned(strangers: () => void): Response {
  strangers();
  return answer(401, "The delivery is not signed with this App's webhook secret (X-Hub-Signature-256).");
}

/** One line a minute at most: whoever knows the address may send what he likes. */
function strangerLog({ now, log }: ReceiverDeps): () => void {
  let silentUntil = 0;
  let count = 0;
  return () => {
    count += 1;
    const at = now().getTime();
    if (at < silentUntil) return;
    log.warn(
      { count },
      'deliveries with a missing or wrong signature were refused; is WEBHOOK_SECRET the one of the App?',
    );
    silentUntil = at + WARN_EVERY_MS;
    count = 0;
  };
}

/** Only where the whole body was read: what is left of one, the server drops with any other answer. */
function received(message: string): Response {
  return new WholeAnswer(JSON.stringify({ message }), {
    status: 202,
    headers: { 'Content-Type': 'application/json' },
  });
}

function answer(status: number, detail: string, headers: Readonly<Record<string, string>> = {}): Response {
  const body = { type: 'about:blank', status, detail };
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, 'Content-Type': 'application/problem+json' },
  });
}
