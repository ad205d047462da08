// Reads the body of a delivery raw: counted while it arrives, never for longer than its deadline, and never more than there is room for.

export interface BodyLimits {
  readonly bytes: number;
  /** Of all large bodies that are being read: whoever signs nothing can still send. */
  readonly bytesTogether: number;
  /** Milliseconds for the whole body. */
  readonly deadlineMs: number;
  /** Milliseconds in which at least one more byte has to come. */
  readonly silenceMs: number;
}

/** How many bytes came on the connection of a request so far. */
export type Arrived = () => number;

export type DeliveryBody =
  | { readonly kind: 'read'; readonly bytes: Uint8Array }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'too_slow' }
  | { readonly kind: 'no_room' }
  | { readonly kind: 'cut' };

/** Almost all deliveries are smaller, and are taken however many large ones are under way; what is only announced takes no room of those. */
const SMALL_BYTES = 1024 * 1024;

/** Where the sender says how much there is, too much is refused before a byte of it is read. */
export function isDeclaredTooLarge(headers: Headers, limits: BodyLimits): boolean {
  return Number(headers.get('Content-Length') ?? 0) > limits.bytes;
}

/**
 * A reader of bodies, over all of which the limits count. A body that is refused is not cancelled: that would close the connection
 * before the answer is out. The server drops the rest.
 */
export function createBodyReader(
  limits: BodyLimits,
): (request: Request, arrived: Arrived | null) => Promise<DeliveryBody> {
  let held = 0;
  return async (request, arrived) => {
    const deadline = Promise.withResolvers<'too_slow'>();
    const tooSlow = () => deadline.resolve('too_slow');
    const timer = setTimeout(tooSlow, limits.deadlineMs);
    const silence = arrived === null ? null : afterSilence(arrived, limits.silenceMs, tooSlow);
    let mine = 0;
    const takeIn = (bytes: number): boolean => {
      mine += bytes;
      held += bytes;
      return mine <= SMALL_BYTES || held <= limits.bytesTogether;
    };
    try {
      const announced = Number(request.headers.get('Content-Length') ?? Number.POSITIVE_INFINITY);
      if (announced <= SMALL_BYTES) return await readAtOnce(request, deadline.promise);
      return await readAll(request, { limit: limits.bytes, deadline: deadline.promise, takeIn });
    } finally {
      clearTimeout(timer);
      if (silence !== null) clearInterval(silence);
      held -= mine;
    }
  };
}

function afterSilence(arrived: Arrived, silenceMs: number, end: () => void): NodeJS.Timeout {
  let before = arrived();
  return setInterval(() => {
    const now = arrived();
    if (now === before) end();
    before = now;
  }, silenceMs);
}

interface Reading {
  readonly limit: number;
  readonly deadline: Promise<'too_slow'>;
  /** False where there is no room for that many bytes more. */
  readonly takeIn: (bytes: number) => boolean;
}

/** No more can come than was announced. As a stream it took a Request with its signals and listeners, which are garbage that outlives the answer. */
async function readAtOnce(request: Request, deadline: Reading['deadline']): Promise<DeliveryBody> {
  const bytes = await Promise.race([request.arrayBuffer().catch(() => 'cut' as const), deadline]);
  return typeof bytes === 'string' ? { kind: bytes } : { kind: 'read', bytes: new Uint8Array(bytes) };
}

async function readAll(request: Request, { limit, deadline, takeIn }: Reading): Promise<DeliveryBody> {
  const reader = request.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (reader !== undefined) {
    const next = await Promise.race([reader.read().catch(() => 'cut' as const), deadline]);
    if (typeof next === 'string') return { kind: next };
    if (next.done) return { kind: 'read', bytes: Buffer.concat(chunks, size) };
    size += next.value.byteLength;
    if (size > limit) return { kind: 'too_large' };
    if (!takeIn(next.value.byteLength)) return { kind: 'no_room' };
    chunks.push(next.value);
  }
  return { kind: 'read', bytes: new Uint8Array() };
}
