// Opens a connection to an address that a stranger gave: every address of the name is judged, and the one connected to is judged again.
import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { parseAddress } from './address-kind.ts';
import { isLocalhost, judgeAddress } from './address-rules.ts';
import type { CallbackPolicy } from './callback-policy.ts';
import { hostOf } from './check-callback-url.ts';
import { errorCode } from './error-code.ts';
import { createSystemResolver, type Resolver } from './resolve-host.ts';

export interface Guard {
  readonly policy: CallbackPolicy;
  readonly resolver: Resolver;
  /** The certificate authorities that are trusted. */
  readonly trust: SecureContext;
}

export type Opening =
  /** Ready to be written to; the receiver of this owns the socket and must destroy it. */
  | { readonly kind: 'open'; readonly socket: Socket }
  | { readonly kind: 'refused'; readonly detail: string }
  | { readonly kind: 'failed'; readonly failure: 'dns' | 'connection' | 'tls'; readonly detail: string };

/** Of several addresses each gets so long to accept, so that one that swallows packets does not use up the whole deadline. */
const ADDRESS_TIMEOUT_MS = 4_000;
/** One answer of the DNS holds some 4,000 addresses: tried one by one, they would make a scanner of us. */
const MAX_TRIED = 8;

/** What guards each connection. Default: the system's resolver (hosts file and DNS, both families), and Mozilla's authorities as they come with Node. */
export function createGuard(options: {
  readonly policy: CallbackPolicy;
  readonly resolver?: Resolver;
  /** PEM. */
  readonly authorities?: readonly string[];
}): Guard {
  // Named, not left to the default: that one takes in NODE_EXTRA_CA_CERTS, which is not for addresses of strangers.
  const trust = createSecureContext({ ca: [...(options.authorities ?? rootCertificates)] });
  return { policy: options.policy, resolver: options.resolver ?? createSystemResolver(), trust };
}

/**
 * Connects to the host of a checked URL, with TLS where it is https. No proxy is ever asked. If any address of the name is refused, nothing is
 * connected to. Rejects only when `signal` aborts.
 */
export async function openConnection(url: URL, guard: Guard, signal: AbortSignal): Promise<Opening> {
  const host = hostOf(url);
  const addresses = await addressesOf(host, guard.resolver, signal);
  if (addresses.length === 0) {
    return { kind: 'failed', failure: 'dns', detail: 'The host name does not resolve.' };
  }
  for (const address of addresses) {
    const verdict = judgeAddress(address, guard.policy, host);
    if (!verdict.ok) return { kind: 'refused', detail: `The host ${verdict.detail}` };
  }
  const tcp = await connectToFirst(addresses, Number(url.port) || (url.protocol === 'https:' ? 443 : 80), signal);
  if (tcp.kind !== 'open') return tcp;
  const peer = tcp.socket.remoteAddress;
  if (!addresses.some((address) => isSameAddress(address, peer))) {
    tcp.socket.destroy();
    return { kind: 'refused', detail: 'The connection led to another address than the one that was checked.' };
  }
  return url.protocol === 'https:' ? await secure(tcp.socket, host, { guard, signal }) : tcp;
}

/** Whether the peer of a socket is the address that was meant, whatever the spelling of either. */
export function isSameAddress(meant: string, peer: string | undefined): boolean {
  const address = parseAddress(meant);
  return address !== null && address.toString() === parseAddress(peer ?? '')?.toString();
}

async function addressesOf(host: string, resolver: Resolver, signal: AbortSignal): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  // Not every system's resolver knows the names below localhost, and none may send them elsewhere (RFC 6761).
  if (isLocalhost(host)) return ['127.0.0.1', '::1'];
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return [...new Set(await Promise.race([resolver(host, signal), aborted]))];
  } catch {
    signal.throwIfAborted();
    return [];
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function connectToFirst(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Opening> {
  let detail = '';
  const tried = addresses.slice(0, MAX_TRIED);
  for (const [index, host] of tried.entries()) {
    const socket = connectTcp({ host, port });
    keepQuiet(socket);
    const isLast = index === tried.length - 1;
    socket.setTimeout(isLast ? 0 : ADDRESS_TIMEOUT_MS, () => socket.destroy(new Error('no answer')));
    try {
      await once(socket, 'connect', { signal });
      socket.setTimeout(0);
      return { kind: 'open', socket };
    } catch (error) {
      socket.destroy();
      signal.throwIfAborted();
      detail = `The host did not accept a connection${errorCode(error)}.`;
    }
  }
  return { kind: 'failed', failure: 'connection', detail };
}

async function secure(
  tcp: Socket,
  host: string,
  { guard, signal }: { readonly guard: Guard; readonly signal: AbortSignal },
): Promise<Opening> {
  const socket = connectTls({
    socket: tcp,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    secureContext: guard.trust,
    // Said, not left to the default, which NODE_TLS_REJECT_UNAUTHORIZED can turn off for the whole process.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  keepQuiet(socket);
  try {
    await once(socket, 'secureConnect', { signal });
    return { kind: 'open', socket };
  } catch (error) {
    socket.destroy();
    tcp.destroy();
    signal.throwIfAborted();
    return { kind: 'failed', failure: 'tls', detail: `No secure connection could be made${errorCode(error)}.` };
  }
}

/** A socket whose error nobody hears ends the process; each failure is told by whoever waits for the socket. */
function keepQuiet(socket: Socket): void {
  socket.on('error', () => undefined);
}
