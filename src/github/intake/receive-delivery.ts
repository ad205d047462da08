// Receives GitHub's deliveries: checks the signature over the raw bytes, stores, and only then answers 202.
import { createHash } from 'node:crypto';
import { readLimited } from '../../core/abortable.ts';
import type { DeliveryStore, NewDelivery } from '../../db/index.ts';
import type { Log } from '../../log.ts';
import { classifyDelivery, isSignedByOne, parseDelivery, readSignature } from './delivery.ts';

export interface ReceiverOptions {
  readonly store: Pick<DeliveryStore, 'acceptDelivery'>;
  /** Read for each delivery; two during a rotation. */
  readonly secrets: () => readonly string[];
  readonly now: () => Date;
  readonly log: Log;
  readonly limits?: Partial<typeof LIMITS>;
}

export type Receiver = (request: Request) => Promise<Response>;

const MIB = 1024 * 1024;
/**
 * GitHub sends at most 25 MiB and gives up after 10 s. Anyone can send unsigned bodies, so only a few large ones are
 * read at a time.
 */
const LIMITS = { bytes: 25 * MIB, largeBytes: MIB, largeBodies: 8, deadlineMs: 10_000 };
const EPOCH = new Date(0).toISOString();
const WARN_EVERY_MS = 60_000;
const RETRY_AFTER_S = 60;

/**
 * Answers `POST /api/github/webhooks`. 202: the delivery is stored, was stored before, or is none that we act on. 503:
 * it could not be stored, and GitHub lists it as failed, so that a redelivery is requested. GitHub itself never
 * retries, so a delivery is stored as long as the database can be written; what it starts waits until there is disk
 * space.
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  const limits = { ...LIMITS, ...options.limits };
  const warnUnsigned = createUnsignedWarning(options);
  let largeBodies = 0;

  async function readAndStore(request: Request, signature: Buffer): Promise<Response> {
    const body = await readDeliveryBody(request, limits);
    if (body instanceof Response) return body;
    if (isSignedByOne(body, signature, options.secrets())) return await acceptSigned(options, request.headers, body);
    return refuseUnsigned();
  }

  async function readLarge(request: Request, signature: Buffer): Promise<Response> {
    if (largeBodies >= limits.largeBodies) return retryLater('Too many large deliveries at once.');
    largeBodies += 1;
    try {
      return await readAndStore(request, signature);
    } finally {
      largeBodies -= 1;
    }
  }

  /** The same answer for every way in which a signature can be wrong. */
  function refuseUnsigned(): Response {
    warnUnsigned();
    return refuseDelivery(401, "The delivery is not signed with this App's webhook secret (X-Hub-Signature-256).");
  }

  return async (request) => {
    const refusal = refuseForm(request);
    if (refusal !== null) return refusal;
    const signature = readSignature(request.headers);
    if (signature === null) return refuseUnsigned();
    // A sender that does not say how much there is may send a large body.
    const declared = request.headers.get('Content-Length');
    if (Number(declared) > limits.bytes) return refuseSize();
    const isSmall = declared !== null && Number(declared) <= limits.largeBytes;
    return isSmall ? await readAndStore(request, signature) : await readLarge(request, signature);
  };
}

function refuseForm({ method, headers }: Request): Response | null {
  if (method !== 'POST') return refuseDelivery(405, 'Deliveries are sent with POST.', { Allow: 'POST' });
  const [type = ''] = (headers.get('Content-Type') ?? '').split(';');
  const encoding = headers.get('Content-Encoding') ?? 'identity';
  if (type.trim().toLowerCase() === 'application/json' && encoding.trim().toLowerCase() === 'identity') return null;
  return refuseDelivery(
    415,
    `Deliveries must be application/json: choose that as the webhook's "Content type" on GitHub.`,
  );
}

/** The bytes, or the answer to a sender who is too slow, too large or gone. */
async function readDeliveryBody(
  request: Request,
  { bytes, deadlineMs }: typeof LIMITS,
): Promise<Uint8Array | Response> {
  const deadline = AbortSignal.timeout(deadlineMs);
  try {
    const body = await readLimited(request.body, bytes, deadline);
    return body.isWhole ? body.bytes : refuseSize();
  } catch {
    const headers = { Connection: 'close' };
    return deadline.aborted
      ? refuseDelivery(408, 'The body came too slowly: send it in one go.', headers)
      : refuseDelivery(400, 'The body ended before it was complete: send it again.', headers);
  }
}

async function acceptSigned(options: ReceiverOptions, headers: Headers, bytes: Uint8Array): Promise<Response> {
  const parsed = parseDelivery(bytes);
  if (parsed === null) return refuseDelivery(400, 'The body is not a JSON object as GitHub sends them.');
  const id = headers.get('X-GitHub-Delivery') ?? '';
  if (!/^[A-Za-z0-9-]{1,100}$/.test(id))
    return refuseDelivery(400, 'The header X-GitHub-Delivery is missing or malformed.');
  const event = headers.get('X-GitHub-Event') ?? '';
  if (!/^[a-z0-9_]{1,64}$/.test(event))
    return refuseDelivery(400, 'The header X-GitHub-Event is missing or malformed.');
  const kind = classifyDelivery(event, parsed.payload);
  if (kind.kind === 'misfit') return refuseDelivery(400, 'The body is not that of the event in X-GitHub-Event.');
  if (kind.kind === 'ignored') return acknowledge('Received. This event starts nothing.');
  const { kind: _, sameWithinMs, ...place } = kind;
  // The signature covers only the body, so the body decides whether two deliveries mean the same.
  const meaning = createHash('sha256').update(bytes).digest('hex');
  return await storeDelivery(options, { id, event, body: parsed.text, meaning, ...place }, sameWithinMs);
}

async function storeDelivery(
  { store, log, now }: ReceiverOptions,
  delivery: NewDelivery,
  sameWithinMs: number | null,
): Promise<Response> {
  const at = now();
  const meaningSince = sameWithinMs === null ? EPOCH : new Date(at.getTime() - sameWithinMs).toISOString();
  try {
    await store.acceptDelivery(delivery, { now: at.toISOString(), meaningSince });
  } catch (error) {
    log.error({ err: error, delivery: delivery.id }, 'a delivery could not be stored; GitHub will list it as failed');
    return retryLater('The delivery could not be stored.');
  }
  // The job that handles it logs the same id.
  log.info({ delivery: delivery.id, event: delivery.event }, 'delivery received');
  return acknowledge('Received.');
}

/** At most one line a minute: anyone who knows the address can send anything. */
function createUnsignedWarning({ now, log }: ReceiverOptions): () => void {
  let silentUntil = 0;
  let count = 0;
  return () => {
    count += 1;
    const at = now().getTime();
    if (at < silentUntil) return;
    log.warn(
      { count },
      'deliveries with a missing or wrong signature were refused; does WEBHOOK_SECRET match the App?',
    );
    silentUntil = at + WARN_EVERY_MS;
    count = 0;
  };
}

function refuseSize(): Response {
  return refuseDelivery(413, 'The body is larger than 25 MiB.');
}

function retryLater(reason: string): Response {
  return refuseDelivery(503, `${reason} Causeway will request it again.`, { 'Retry-After': String(RETRY_AFTER_S) });
}

function acknowledge(message: string): Response {
  return Response.json({ message }, { status: 202 });
}

function refuseDelivery(status: number, detail: string, headers: Readonly<Record<string, string>> = {}): Response {
  const body = JSON.stringify({ type: 'about:blank', status, detail });
  return new Response(body, { status, headers: { ...headers, 'Content-Type': 'application/problem+json' } });
}
