// The HTTP server: node:http with limits against slow and malformed senders, host checks and an orderly shutdown.
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { CausewayError } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import { isLoopbackAuthority } from '../core/loopback.ts';
import type { Log } from '../log.ts';
import { createProblem, formatProblem, type ProblemStatus } from './problem.ts';

export interface ServerOptions {
  /** `arrived`: how many bytes came on the connection of the request so far. */
  readonly fetch: (request: Request, stopping: AbortSignal, arrived: () => number) => Promise<Response>;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Refuses requests to a `Host` other than loopback, and requests from pages of other sites. */
  readonly loopbackOnly: boolean;
  readonly log: Log;
  readonly timeouts?: Partial<ServerTimeouts>;
  /** Connections at a time; more are closed unanswered. */
  readonly maxConnections?: number;
}

/** Milliseconds. */
interface ServerTimeouts {
  /** For the whole header. */
  readonly headers: number;
  /** For the whole request: 8 MiB within 2 minutes is 70 kB/s. */
  readonly request: number;
  /** How often connections are checked against the two above. */
  readonly check: number;
  /** On closing: for running requests before they are cut off. */
  readonly grace: number;
  /** Without a byte either way. A held answer is silent for a minute, a stream for 15 s. */
  readonly silence: number;
}

export interface RunningServer extends AsyncDisposable {
  /** `http://host:port`, as it can be called. */
  readonly address: string;
}

const TIMEOUTS: ServerTimeouts = { headers: 15_000, request: 120_000, check: 5_000, grace: 5_000, silence: 90_000 };
/** Fits a path of 16 kB, so that it gets an answer from the routes. */
const MAX_HEADER_BYTES = 32_768;
/** Each takes a file descriptor, which the database and git need as well: usual limits begin at 4,096. */
const MAX_CONNECTIONS = 2_000;
/** Pipelined requests are all carried out, even after their client has gone. */
const MAX_REQUESTS_PER_CONNECTION = 1_000;
const IDLE_CHECK_MS = 50;
/** How long a client has to read a refusal. */
const LINGER_MS = 1_000;

/** What is refused before any route. */
interface WireRefusal {
  readonly status: ProblemStatus;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const UNMET: WireRefusal = { status: 417, detail: 'Only "Expect: 100-continue" can be met: leave the header out.' };
const NOT_LOOPBACK: WireRefusal = {
  status: 421,
  detail: 'This service answers to loopback names only: use http://127.0.0.1 or http://localhost with its port.',
};
const OTHER_SITE: WireRefusal = { status: 421, detail: 'Pages of other sites may not call this service.' };
const NO_HOST: WireRefusal = { status: 400, detail: 'Send the header Host exactly once.' };

const MALFORMED: Readonly<Record<string, WireRefusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'The header of this request is larger than 32 KiB: send less.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request came too slowly: send it in one go.' },
};

const NO_PROXY: WireRefusal = {
  status: 405,
  detail: 'This service is not a proxy: use GET, HEAD, POST or DELETE.',
  headers: { Allow: 'GET, HEAD, POST, DELETE' },
};

/** Listens. Throws `usage` where the port is taken or may not be opened. Disposing ends it within the grace period. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const stopping = new AbortController();
  const server = createServer(
    {
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      connectionsCheckingInterval: timeouts.check,
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
      // Refused by us, so that the answer has the form of all others.
      requireHostHeader: false,
    },
    createListener(options, stopping.signal),
  );
  server.maxConnections = options.maxConnections ?? MAX_CONNECTIONS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  // Closes clients that do not read their answers.
  server.setTimeout(timeouts.silence);
  const { log, host } = options;
  server.on('clientError', (error, socket) => refuseMalformed(error, socket, log));
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => endSocket(socket, NO_PROXY, log));
  server.on('checkExpectation', (_request, response) => sendRefusal(response, UNMET, log));
  const silent = trackSilentConnections(server);
  await listenForRequests(server, options);
  let closing: Promise<void> | null = null;
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () => {
      stopping.abort();
      closing ??= closeServer(server, silent, timeouts.grace);
      return closing;
    },
  };
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

function createListener({ fetch, loopbackOnly, log }: ServerOptions, stopping: AbortSignal): Listener {
  // The global Request and Response stay as they are: other libraries of this process check against them.
  const answer = getRequestListener(
    (request, { incoming }) => fetch(request, stopping, () => incoming.socket?.bytesRead ?? 0),
    {
      overrideGlobalObjects: false,
      errorHandler: (error) => {
        log.info({ err: error }, 'request with a malformed address');
        const headers = { 'X-Request-Id': createId('req') };
        return createProblem(400, 'The address or the Host header of this request is malformed: correct it.', {
          headers,
        });
      },
    },
  );
  return (request, response) => {
    // Answers end with their connection once the server stops, so that no client comes back on it.
    if (stopping.aborted) response.setHeader('Connection', 'close');
    const refusal = checkHost(request) ?? (loopbackOnly ? checkLoopback(request) : null);
    if (refusal === null) void answer(request, response);
    else sendRefusal(response, refusal, log);
  };
}

function listenForRequests(server: Server, { host, port }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(describeListenError(error, host, port)));
    server.listen(port, host, () => resolve());
  });
}

function describeListenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const repairs: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is taken: end the other program, or choose another port with PORT (0 takes any free one).`,
    EACCES: `Port ${port} may not be opened by this user: choose one above 1023 with PORT.`,
    EADDRNOTAVAIL: `This machine has no address ${host}: set HOST to one that it has.`,
    ENOTFOUND: `The name ${host} does not resolve: set HOST to an address of this machine.`,
  };
  const repair = repairs[error.code ?? ''];
  return repair === undefined ? error : new CausewayError('usage', repair, { cause: error });
}

/** No new connections; held answers and streams end by the signal; what is left after the grace period is cut off. */
async function closeServer(server: Server, silent: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of silent) socket.destroy();
  // A connection falls idle when its last answer is out; node closes idle ones only on request.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}

/** Connections without a request yet: node counts them as busy. */
function trackSilentConnections(server: Server): ReadonlySet<Socket> {
  const silent = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.on('request', (request) => silent.delete(request.socket));
  return silent;
}

/** HTTP/1.1 wants one Host; of two, a proxy before us might have judged the other. */
function checkHost({ rawHeaders }: IncomingMessage): WireRefusal | null {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  return hosts.length === 1 ? null : NO_HOST;
}

function checkLoopback({ headers }: IncomingMessage): WireRefusal | null {
  if (!isLoopbackAuthority(headers.host ?? '')) return NOT_LOOPBACK;
  if (headers.origin !== undefined && !isLoopbackAuthority(headers.origin.replace(/^https?:\/\//, ''))) {
    return OTHER_SITE;
  }
  // A link on another site may lead here; its scripts, forms and images may not.
  const crossSite = headers['sec-fetch-site'] === 'cross-site' && headers['sec-fetch-mode'] !== 'navigate';
  return crossSite ? OTHER_SITE : null;
}

/** Answers what is not HTTP (or came too slowly, or with too large a header) and closes the connection. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex, log: Log): void {
  // A client that is gone, or an answer half sent: a second status line would only be taken for its body.
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunToAnswer(socket)) {
    socket.destroy(error);
    return;
  }
  endSocket(
    socket,
    MALFORMED[error.code ?? ''] ?? { status: 400, detail: 'This is not a well-formed HTTP/1.1 request.' },
    log,
  );
}

/** Answers a request that was parsed, but may not reach a route. */
function sendRefusal(response: ServerResponse, refusal: WireRefusal, log: Log): void {
  const { headers, body } = formatRefusal(refusal, log);
  response.writeHead(refusal.status, headers).end(body);
}

function endSocket(socket: Duplex, refusal: WireRefusal, log: Log): void {
  const { headers, body } = formatRefusal(refusal, log);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // The socket is only half closed: a client that never closes its half would keep a connection for ever.
  const gone = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(gone));
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`);
}

function formatRefusal({ status, detail, headers }: WireRefusal, log: Log) {
  const requestId = createId('req');
  log.info({ requestId, status }, 'request refused before any route');
  const body = formatProblem(status, detail);
  const own: Readonly<Record<string, string>> = {
    ...headers,
    'Content-Type': 'application/problem+json',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  return { headers: own, body };
}

function hasBegunToAnswer(socket: Duplex): boolean {
  return '_httpMessage' in socket && (socket._httpMessage as ServerResponse | null)?.headersSent === true;
}
