// One attempt to deliver: one connection, one request, an answer read only as far as it is needed, all within one deadline.
import { type IncomingMessage, request as sendHttp } from 'node:http';
import type { Socket } from 'node:net';
import { errorCode } from './error-code.ts';
import { type Guard, openConnection } from './guarded-connector.ts';

export interface Delivery {
  readonly url: URL;
  /** Path and query of the request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

type FailureClass =
  | 'timeout'
  | 'dns'
  | 'refused_address'
  | 'connection'
  | 'tls'
  | 'invalid_answer'
  | 'redirect'
  | `status_${number}`;

export type AttemptResult =
  | { readonly kind: 'delivered' }
  /** 410: the receiver wants no more of it. */
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'failed';
      readonly failure: FailureClass;
      /** A sentence of our own; nothing that the receiver wrote. */
      readonly detail: string;
      /** The header as it came; empty where there was none. */
      readonly retryAfter: string;
    };

/** For all of it: name, connection, TLS, request, answer. */
const DEADLINE_MS = 15_000;
const MAX_BODY_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Delivers once. Redirects are failures; of a 2xx answer at most 64 KiB are read (a longer one counts by its status), of others nothing.
 * Rejects only when `signal` aborts. `deadlineMs` is shorter in tests.
 */
export async function attempt(
  delivery: Delivery,
  guard: Guard,
  { signal, deadlineMs = DEADLINE_MS }: { readonly signal: AbortSignal; readonly deadlineMs?: number },
): Promise<AttemptResult> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), deadlineMs);
  try {
    return await deliver(delivery, guard, AbortSignal.any([signal, deadline.signal]));
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.signal.aborted) {
      return failed('timeout', `The receiver did not answer in full within ${deadlineMs / 1_000} s.`);
    }
    return brokenExchange(error);
  } finally {
    clearTimeout(timer);
  }
}

async function deliver(delivery: Delivery, guard: Guard, signal: AbortSignal): Promise<AttemptResult> {
  const opening = await openConnection(delivery.url, guard, signal);
  switch (opening.kind) {
    case 'refused':
      return failed('refused_address', opening.detail);
    case 'failed':
      return failed(opening.failure, opening.detail);
    case 'open':
      try {
        return await judgeAnswer(await exchange(delivery, opening.socket, signal));
      } finally {
        opening.socket.destroy();
      }
  }
}

/**
 * Node's own client, since undici takes an unasked `100 Continue`, which any server may send (RFC 9110, 15.2), for a broken answer.
 * A request with its own connection uses no agent, and so neither a pool nor a proxy; it says `Connection: close`.
 */
function exchange(delivery: Delivery, socket: Socket, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = sendHttp({
      method: 'POST',
      path: delivery.target,
      headers: {
        host: delivery.url.host,
        ...delivery.headers,
        'content-length': delivery.body.byteLength,
      },
      createConnection: () => socket,
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
      signal,
    });
    request.on('response', resolve);
    request.on('error', reject);
    request.on('close', () => reject(new Error('closed without an answer')));
    request.end(delivery.body);
  });
}

async function judgeAnswer(answer: IncomingMessage): Promise<AttemptResult> {
  const status = answer.statusCode ?? 0;
  const { headers } = answer;
  const isSuccess = status >= 200 && status < 300;
  if ((isSuccess && headers['refresh'] !== undefined) || (status >= 300 && status < 400 && headers.location)) {
    return failed('redirect', `The receiver answered with a redirect (${status}), which is not followed.`);
  }
  if (isSuccess) {
    await readToLimit(answer);
    return { kind: 'delivered' };
  }
  if (status === 410) return { kind: 'gone' };
  return failed(`status_${status}`, `The receiver answered with status ${status}.`, headers['retry-after']);
}

async function readToLimit(answer: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += chunk.length;
    if (bytes >= MAX_BODY_BYTES) return;
  }
}

function brokenExchange(error: unknown): AttemptResult {
  const code = errorCode(error);
  return code.startsWith(' (HPE_')
    ? failed('invalid_answer', `The answer was not valid HTTP${code}.`)
    : failed('connection', `The connection was lost before the answer was complete${code}.`);
}

function failed(failure: FailureClass, detail: string, retryAfter = ''): AttemptResult {
  return { kind: 'failed', failure, detail, retryAfter };
}
