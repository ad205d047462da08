// An OpenAI-compatible endpoint on loopback that behaves as scripted, one behaviour a request, and keeps what it was asked.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Behaviour = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

/** One that looks at what it was asked. */
export type AskedBehaviour = (
  response: ServerResponse,
  request: IncomingMessage,
  asked: AskedRequest,
) => void | Promise<void>;

export interface AskedRequest {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly raw: string;
  /** Resolves once the connection of this request is closed. */
  readonly closed: Promise<void>;
  readonly body: { readonly messages: readonly Record<string, unknown>[] } & Readonly<Record<string, unknown>>;
}

export interface ModelEndpoint extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly AskedRequest[];
  /** Resolves once a client has given up a request before its answer was complete. */
  readonly abandoned: Promise<void>;
}

/** The last behaviour holds for all further requests. */
export async function modelEndpoint(...behaviours: AskedBehaviour[]): Promise<ModelEndpoint> {
  const requests: AskedRequest[] = [];
  const abandoned = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const closed = Promise.withResolvers<void>();
    response.on('close', () => {
      closed.resolve();
      if (!response.writableFinished) abandoned.resolve();
    });
    let raw = '';
    for await (const piece of request.setEncoding('utf8')) raw += piece;
    // A look at the clock, not a question.
    if (request.method === 'HEAD') return void response.writeHead(404).end();
    const { url = '', headers } = request;
    const asked = { url, headers, raw, closed: closed.promise, body: JSON.parse(raw) };
    requests.push(asked);
    await behaviours[Math.min(requests.length, behaviours.length) - 1]?.(response, request, asked);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    abandoned: abandoned.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Events as they stand on the wire; texts go as they are, others as JSON. */
export function events(...chunks: readonly unknown[]): Behaviour {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(wire(chunks));
  };
}

export function wire(chunks: readonly unknown[]): string {
  return chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join('');
}

/** What the endpoint calls itself in its answers. */
export const ANSWERS_AS = 'test-model-2026-11';

export function delta(value: unknown, finish: unknown = null): unknown {
  return {
    object: 'chat.completion.chunk',
    model: ANSWERS_AS,
    choices: [{ index: 0, delta: value, finish_reason: finish }],
  };
}

export const USAGE = {
  choices: [],
  usage: { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 60 } },
};

/** A whole answer with a text. */
export function says(content: string): Behaviour {
  return events(delta({ role: 'assistant', content }), delta({}, 'stop'), USAGE, '[DONE]');
}

/** A whole answer with one call. */
export function calls(name: string, args: unknown, id = 'c1'): Behaviour {
  const call = { index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
  return events(delta({ content: null, tool_calls: [call] }), delta({}, 'tool_calls'), USAGE, '[DONE]');
}

/** An error with a JSON body. */
export function fails(status: number, message: unknown, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: typeof message === 'string' ? { message } : message }));
  };
}

/** A 200 with any body. */
export function gives(body: string, type: string): Behaviour {
  return (response) => {
    response.writeHead(200, { 'content-type': type }).end(body);
  };
}

/** The beginning of an answer, then silence. */
export function stallsAfter(...chunks: readonly unknown[]): Behaviour {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(wire(chunks) || ': begun\n\n');
  };
}

/** The beginning of an answer, then a reset of the connection. */
export function resetsAfter(...chunks: readonly unknown[]): Behaviour {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(wire(chunks), () => response.socket?.resetAndDestroy());
  };
}

/** A comment every few milliseconds, for ever. */
export function drips(): Behaviour {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const timer = setInterval(() => response.write(': still thinking\n\n'), 5);
    response.on('close', () => clearInterval(timer));
  };
}

/** So many bytes in pieces made by `piece`, as fast as they are taken. */
export function floods(bytes: number, piece: string): Behaviour {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const closed = once(response, 'close');
    for (let sent = 0; sent < bytes && !response.destroyed; sent += piece.length) {
      if (!response.write(piece)) await Promise.race([closed, drained(response)]);
    }
    response.end();
  };
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
  });
}
