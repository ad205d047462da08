// Sends one webhook: one connection to a checked address, one request, a bounded answer, all within one deadline.
import type { LookupAddress } from 'node:dns';
import { lookup as lookUpName } from 'node:dns/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import { type CallbackPolicy, isLocalhost, judgeAddress, parseAddress } from './address-policy.ts';
import { readHost } from './callback-url.ts';

/** All addresses of a host name; rejects or gives none where there is none. */
export type Resolver = (host: string, signal: AbortSignal) => readonly string[] | Promise<readonly string[]>;

export interface WebhookRequest {
  readonly url: URL;
  /** Path and query of the request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
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

export type SendResult =
  | { readonly kind: 'delivered' }
  /** 410: the receiver wants no more of it. */
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'failed';
      readonly failure: FailureClass;
      /** A sentence of ours; nothing that the receiver wrote. */
      readonly detail: string;
      /** The header as it came; empty where there was none. */
      readonly retryAfter: string;
      /** Whether the receiver may have taken it all the same: the request was sent, and its answer never came. */
      readonly isUncertain: boolean;
    };

type FailedSend = Extract<SendResult, { readonly kind: 'failed' }>;

/** Sends once; redirects are failures. Rejects only when `signal` aborts. */
export type Sender = (request: WebhookRequest, signal: AbortSignal) => Promise<SendResult>;

export interface SenderOptions {
  readonly policy: CallbackPolicy;
  /** Default: the hosts file and DNS. */
  readonly resolver?: Resolver;
  /** Certificate authorities that are trusted, PEM. Default: Mozilla's, as they come with Node. */
  readonly authorities?: readonly string[];
  /** For name, connection, TLS, request and answer together. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 15_000;
const MAX_BODY_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
/**
 * Of several addresses each has so long to accept, so that one that drops packets does not use up the whole deadline.
 */
const ADDRESS_TIMEOUT_MS = 4_000;
/** A DNS answer can hold some 4,000 addresses: trying them all would make a port scanner of us. */
const MAX_ADDRESSES = 8;

/** A failure before the request was sent. */
class SendFailure extends Error {
  readonly failure: FailureClass;

  constructor(failure: FailureClass, detail: string) {
    super(detail);
    this.failure = failure;
  }
}

/**
 * `node:https` and `node:http`, since undici takes an unsolicited `100 Continue` (RFC 9110, 15.2) for a broken answer.
 */
export function createSender(options: SenderOptions): Sender {
  const { policy, resolver = createSystemResolver(), deadlineMs = DEADLINE_MS } = options;
  // Explicit: the default includes NODE_EXTRA_CA_CERTS, which is not meant for untrusted addresses.
  const secureContext = createSecureContext({ ca: [...(options.authorities ?? rootCertificates)] });
  return async (request, signal) => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), deadlineMs);
    const either = AbortSignal.any([signal, deadline.signal]);
    let isUncertain = false;
    const onSend = () => {
      isUncertain = true;
    };
    try {
      return await judgeResponse(await exchange(request, { policy, resolver, secureContext, onSend, signal: either }));
    } catch (error) {
      signal.throwIfAborted();
      const late = `The receiver did not complete its answer within ${deadlineMs / 1_000} s.`;
      const failed = deadline.signal.aborted ? failSend('timeout', late) : describeError(error);
      return { ...failed, isUncertain: isUncertain && !(error instanceof SendFailure) };
    } finally {
      clearTimeout(timer);
      // Closes what is still open: an answer is not read to its end.
      deadline.abort();
    }
  };
}

interface Connecting {
  readonly policy: CallbackPolicy;
  readonly resolver: Resolver;
  readonly secureContext: ReturnType<typeof createSecureContext>;
  /** Called before the first byte of the request is written. */
  readonly onSend: () => void;
  readonly signal: AbortSignal;
}

function exchange({ url, target, headers, body }: WebhookRequest, connecting: Connecting): Promise<IncomingMessage> {
  const { policy, resolver, secureContext, onSend, signal } = connecting;
  const host = readHost(url);
  const isSecure = url.protocol === 'https:';
  // `lookup` is not called for a literal address.
  if (isIP(host) !== 0) checkAddresses([host], host, policy);
  const allowed = new Set(isIP(host) === 0 ? [] : [host]);
  const lookup = createLookup(async () => {
    const addresses = await resolveHost(host, resolver, signal);
    checkAddresses(addresses, host, policy);
    const tried = addresses.slice(0, MAX_ADDRESSES);
    for (const address of tried) allowed.add(address);
    return tried;
  });
  return new Promise((resolve, reject) => {
    let phase: 'connection' | 'tls' | 'exchange' = 'connection';
    const request = (isSecure ? requestHttps : requestHttp)({
      method: 'POST',
      host,
      port: Number(url.port) || (isSecure ? 443 : 80),
      path: target,
      headers: { host: url.host, ...headers, 'content-length': body.byteLength },
      // An agent of its own: no connection is shared, and the environment's proxy is not used.
      agent: false,
      lookup,
      // Passed on to `net.connect`; the types of node:http do not have it.
      ...{ autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS },
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
      signal,
      // Explicit, since NODE_TLS_REJECT_UNAUTHORIZED can change the default of the whole process.
      ...(isSecure && { secureContext, rejectUnauthorized: true }),
    });
    request.on('socket', (socket) => {
      // Prepended: before TLS begins and before a byte of the request is written.
      socket.prependOnceListener('connect', () => {
        phase = isSecure ? 'tls' : 'exchange';
        if ([...allowed].some((address) => isSameAddress(address, socket.remoteAddress))) return;
        request.destroy(
          new SendFailure('refused_address', 'The connection went to another address than the checked one.'),
        );
      });
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        phase = 'exchange';
        onSend();
      });
    });
    request.on('response', resolve);
    request.on('error', (error) => reject(phase === 'exchange' ? error : toConnectFailure(error, phase)));
    request.on('close', () => reject(new Error('closed without an answer')));
    request.end(body);
  });
}

function toConnectFailure(error: Error, phase: 'connection' | 'tls'): SendFailure {
  if (error instanceof SendFailure) return error;
  return phase === 'tls'
    ? new SendFailure('tls', `No secure connection could be made${readErrorCode(error)}.`)
    : new SendFailure('connection', `The host did not accept a connection${readErrorCode(error)}.`);
}

/** Throws unless there are addresses and every one of them may be connected to. */
function checkAddresses(addresses: readonly string[], host: string, policy: CallbackPolicy): void {
  if (addresses.length === 0) throw new SendFailure('dns', 'The host name does not resolve.');
  for (const address of addresses) {
    const verdict = judgeAddress(address, policy, host);
    if (!verdict.ok) throw new SendFailure('refused_address', `The host ${verdict.detail}`);
  }
}

/** Whether two spellings mean the same address. */
export function isSameAddress(one: string, other: string | undefined): boolean {
  const address = parseAddress(one);
  return address !== null && address.toString() === parseAddress(other ?? '')?.toString();
}

function createLookup(resolve: () => Promise<readonly string[]>): LookupFunction {
  return (_host, options, callback) => {
    resolve().then(
      (addresses) => {
        const all: LookupAddress[] = addresses.map((address) => ({ address, family: isIP(address) }));
        if (options.all) callback(null, all);
        else callback(null, all[0]?.address ?? '', all[0]?.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}

async function resolveHost(host: string, resolver: Resolver, signal: AbortSignal): Promise<readonly string[]> {
  // Not every system's resolver knows the names below localhost, and none may send them elsewhere (RFC 6761).
  if (isLocalhost(host)) return ['127.0.0.1', '::1'];
  try {
    return [...new Set(await resolver(host, signal))];
  } catch {
    return [];
  }
}

/**
 * Resolves one name after the other. A lookup holds a thread until the system gives up on a slow name server (10 s and
 * more), and libuv runs at most two at a time (https://github.com/libuv/libuv/blob/v1.x/src/threadpool.c): untrusted
 * names get one of the two.
 */
function createSystemResolver(): Resolver {
  let last: Promise<unknown> = Promise.resolve();
  return (host, signal) => {
    const next = last.then(async () => {
      signal.throwIfAborted();
      return (await lookUpName(host, { all: true, order: 'verbatim' })).map(({ address }) => address);
    });
    last = next.catch(() => undefined);
    return next;
  };
}

async function judgeResponse(answer: IncomingMessage): Promise<SendResult> {
  const status = answer.statusCode ?? 0;
  const { headers } = answer;
  if (status >= 200 && status < 300) {
    if (headers['refresh'] !== undefined) return failAsRedirect(status);
    await readToLimit(answer);
    return { kind: 'delivered' };
  }
  if (status >= 300 && status < 400 && headers.location) return failAsRedirect(status);
  if (status === 410) return { kind: 'gone' };
  return failSend(`status_${status}`, `The receiver answered with status ${status}.`, headers['retry-after']);
}

function failAsRedirect(status: number): FailedSend {
  return failSend('redirect', `The receiver answered with a redirect (${status}), which is not followed.`);
}

/** An answer counts once it is complete, or has been read up to the limit. */
async function readToLimit(answer: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += chunk.length;
    if (bytes >= MAX_BODY_BYTES) return;
  }
}

function describeError(error: unknown): FailedSend {
  if (error instanceof SendFailure) return failSend(error.failure, error.message);
  const code = readErrorCode(error);
  return code.startsWith(' (HPE_')
    ? failSend('invalid_answer', `The answer was not valid HTTP${code}.`)
    : failSend('connection', `The connection was lost before the answer was complete${code}.`);
}

/** ` (ECONNREFUSED)` and the like: fixed words of Node's, never what the receiver wrote. */
function readErrorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? ` (${code})` : '';
}

function failSend(failure: FailureClass, detail: string, retryAfter = ''): FailedSend {
  return { kind: 'failed', failure, detail, retryAfter, isUncertain: false };
}
