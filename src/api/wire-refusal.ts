// Refusals below the API: what cannot be parsed as a request, or must not reach a route.
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { newId } from '../core/ids.ts';
import type { Log } from '../log.ts';
import { type ProblemStatus, problemBody } from './problem.ts';

/** How long a client has to read the last words. */
const LINGER_MS = 1_000;

/** Answers what is not HTTP (or came too slowly, or with too large a header) and closes the connection. */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex, log: Log): void {
  // A client that is gone, or an answer half sent: a second status line would only be taken for its body.
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunToAnswer(socket)) {
    socket.destroy(error);
    return;
  }
  endWith(
    socket,
    MALFORMED[error.code ?? ''] ?? { status: 400, detail: 'This is not a well-formed HTTP/1.1 request.' },
    log,
  );
}

const MALFORMED: Readonly<Record<string, WireRefusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'The header of this request is larger than 32 KiB: send less.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request came too slowly: send it in one go.' },
};

const NO_PROXY: WireRefusal = {
  status: 405,
  detail: 'This service is not a proxy: use GET, HEAD, POST or DELETE.',
  headers: { Allow: 'GET, HEAD, POST, DELETE' },
};

/** CONNECT asks for a proxy, which this is not. */
export function refuseConnect(socket: Duplex, log: Log): void {
  endWith(socket, NO_PROXY, log);
}

export interface WireRefusal {
  readonly status: ProblemStatus;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers a request that was parsed, but may not reach a route. */
export function sendRefusal(response: ServerResponse, refusal: WireRefusal, log: Log): void {
  const body = bodyOf(refusal);
  response.writeHead(refusal.status, headersOf(refusal, body, log)).end(body);
}

function endWith(socket: Duplex, refusal: WireRefusal, log: Log): void {
  const body = bodyOf(refusal);
  const lines = Object.entries(headersOf(refusal, body, log)).map(([name, value]) => `${name}: ${value}\r\n`);
  // Ended is but half closed: whoever never closes the other half would keep a place among the connections for ever.
  const gone = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(gone));
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`);
}

function bodyOf({ status, detail }: WireRefusal): string {
  return problemBody(status, detail);
}

function headersOf({ status, headers }: WireRefusal, body: string, log: Log): Readonly<Record<string, string>> {
  const requestId = newId('req');
  log.info({ requestId, status }, 'request refused before any route');
  return {
    ...headers,
    'Content-Type': 'application/problem+json',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
    Connection: 'close',
  };
}

function hasBegunToAnswer(socket: Duplex): boolean {
  return '_httpMessage' in socket && (socket._httpMessage as ServerResponse | null)?.headersSent === true;
}
