// The HTTP server: plain node:http with limits against slow and malformed senders, and an orderly end.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { WholeAnswer } from '../core/answer.ts';
import { CausewayError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import type { Log } from '../log.ts';
import { hostRefusal, loopbackRefusal } from './host-guard.ts';
import { problem } from './problem.ts';
import { refuseConnect, refuseMalformed, sendRefusal, type WireRefusal } from './wire-refusal.ts';

export interface ServerOptions {
  /** `arrived`: how many bytes came on the connection of the request so far. */
  readonly fetch: (request: Request, stopping: AbortSignal, arrived: () => number) => Promise<Response>;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Refuses requests whose `Host` is not loopback, and those of other sites' pages. */
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
  /** How often connections are held against the two above. */
  readonly check: number;
  /** On closing: for requests under way before they are cut off. */
  readonly grace: number;
  /** Without a byte either way. A held answer says nothing for a minute, a stream for 15 s. */
  readonly silence: number;
}

export interface RunningServer extends AsyncDisposable {
  /** `http://host:port`, as it can be called. */
  readonly address: string;
}

const TIMEOUTS: ServerTimeouts = { headers: 15_000, request: 120_000, check: 5_000, grace: 5_000, silence: 90_000 };
/** Room for a path of 16 kB, so that it gets an answer from the routes. */
const MAX_HEADER_BYTES = 32_768;
/** Each takes a file of the process, which the database and git need as well: usual bounds begin at 4,096. */
const MAX_CONNECTIONS = 2_000;
/** Those that come on in one go are all carried out, whether their client still listens or not. */
const MAX_REQUESTS_PER_CONNECTION = 1_000;
const IDLE_CHECK_MS = 50;
const UNMET: WireRefusal = { status: 417, detail: 'Only "Expect: 100-continue" can be met: leave the header out.' };

/** Listens. Throws `usage` where the port is taken or may not be opened. Disposing ends it within the time of grace. */
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
      // Refused by us, so that the answer has the form of every other.
      requireHostHeader: false,
    },
    listener(options, stopping.signal),
  );
  server.maxConnections = options.maxConnections ?? MAX_CONNECTIONS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  // Whoever does not read its answers is let go.
  server.setTimeout(timeouts.silence);
  const { log } = options;
  server.on('clientError', (error, socket) => refuseMalformed(error, socket, log));
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => refuseConnect(socket, log));
  server.on('checkExpectation', (_request, response) => sendRefusal(response, UNMET, log));
  const silent = silentConnections(server);
  await listen(server, options);
  let closing: Promise<void> | null = null;
  return {
    address: addressOf(server, options.host),
    [Symbol.asyncDispose]: () => {
      closing ??= close(server, { silent, stopping, graceMs: timeouts.grace });
      return closing;
    },
  };
}

interface Closing {
  readonly silent: ReadonlySet<Socket>;
  readonly stopping: AbortController;
  readonly graceMs: number;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

function listener({ fetch, loopbackOnly, log }: ServerOptions, stopping: AbortSignal): Listener {
  // The global Request and Response stay as they are: other libraries of this process check against them.
  const answer = getRequestListener(
    async (request, { incoming, outgoing }) =>
      written(outgoing, await fetch(request, stopping, () => incoming.socket?.bytesRead ?? 0)),
    {
      overrideGlobalObjects: false,
      errorHandler: (error) => {
        log.info({ err: error }, 'request that no address can be made of');
        const headers = { 'X-Request-Id': newId('req') };
        return problem(400, 'The address or the Host header of this request is malformed: correct it.', { headers });
      },
    },
  );
  return (request, response) => {
    // Answers end with their connection once the server stops, so that no client comes back on it.
    if (stopping.aborted) response.setHeader('Connection', 'close');
    const refusal = hostRefusal(request) ?? (loopbackOnly ? loopbackRefusal(request) : null);
    if (refusal === null) void answer(request, response);
    else sendRefusal(response, refusal, log);
  };
}

interface Outgoing {
  writeHead(
    status: number,
    headers: Readonly<Record<string, string | number>>,
  ): {
    end(piece: string | Uint8Array): unknown;
  };
}

/** What is there in one piece is written here; the rest is left to the listener. */
function written(outgoing: Outgoing, answer: Response): Response {
  if (!(answer instanceof WholeAnswer)) return answer;
  const { piece } = answer;
  const headers = { ...Object.fromEntries(answer.headers), 'content-length': Buffer.byteLength(piece) };
  outgoing.writeHead(answer.status, headers).end(piece);
  return RESPONSE_ALREADY_SENT;
}

function listen(server: Server, { host, port }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen(port, host, () => resolve());
  });
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const repairs: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is taken: end the other program, or choose another port with PORT (0 takes any free one).`,
    EACCES: `Port ${port} may not be opened by this user: choose one above 1023 with PORT.`,
    EADDRNOTAVAIL: `This machine has no address ${host}: set HOST to one that it has.`,
    ENOTFOUND: `The name ${host} does not resolve: set HOST to an address of this machine.`,
  };
  const repair = repairs[error.code ?? ''];
  return repair === undefined ? error : new CausewayError('usage', repair, { cause: error });
}

function addressOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** No new connections; held answers and streams end by the signal; what is left after the grace is cut off. */
async function close(server: Server, { silent, stopping, graceMs }: Closing): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  stopping.abort();
  for (const socket of silent) socket.destroy();
  // A connection falls idle when its last answer is out; node looks for idle ones only when it is told to.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}

/** Connections that have not asked anything yet: node counts them as busy. */
function silentConnections(server: Server): ReadonlySet<Socket> {
  const silent = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.on('request', (request) => silent.delete(request.socket));
  return silent;
}
