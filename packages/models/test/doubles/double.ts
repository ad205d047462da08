// What all doubles share: an HTTP server on loopback that plays a model's turns in a provider's dialect, refuses what that provider
// refuses, and keeps what it was asked.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AskedRequest } from '../model-endpoint.ts';
import type { HeldModel, Moment } from '../played.ts';
import { playTurn, type Turns, turnsIn } from '../played.ts';

export type Json = Readonly<Record<string, unknown>>;

/** One request as the provider gets it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly raw: string;
  readonly body: Json;
}

/** A message of the conversation in the words of no provider: what a played turn looks at. */
export interface NeutralMessage extends Record<string, unknown> {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
}

export interface Turn {
  /** Number of the model's turns that the request holds already. */
  readonly number: number;
  readonly say: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
}

/** An answer of the provider that is none of the model. */
export interface Refusal {
  readonly status: number;
  readonly body: unknown;
}

export interface Dialect {
  /** What the provider refuses about the request; null: it goes to the model. */
  refuse(received: Received): Refusal | null;
  /** The conversation that the request holds. */
  conversation(received: Received): readonly NeutralMessage[];
  /** The turn as the provider streams it: the whole text of the response. */
  stream(turn: Turn, received: Received): string;
  /** What came back changed, where the provider does not refuse that: its reasoning just gets worse. */
  readonly lost: readonly string[];
}

export interface Double extends HeldModel {
  /** The server's address without a path. */
  readonly origin: string;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Every request, those that were refused too. */
  readonly received: readonly Received[];
  readonly refusals: readonly Refusal[];
  readonly lost: readonly string[];
  /** Every opaque part that was given out. */
  readonly opaque: readonly string[];
}

/** Opaque parts that a double gives out: random, so that they can be searched for, and remembered with what they belong to. */
export class OpaqueParts<T> {
  readonly #known = new Map<string, T>();

  /** `prefix`: what parts of that provider begin with. */
  make(of: T, { prefix = '', bytes = 96, encoding = 'base64' as 'base64' | 'hex' } = {}): string {
    const part = prefix + randomBytes(bytes).toString(encoding);
    this.#known.set(part, of);
    return part;
  }

  /** What the part was made of; null: it was not made here, or it was altered. */
  of(part: unknown): T | null {
    return (typeof part === 'string' ? this.#known.get(part) : undefined) ?? null;
  }

  all(): readonly string[] {
    return [...this.#known.keys()];
  }
}

interface Awaited {
  readonly moment: Moment;
  left: number;
  readonly reached: (asked: AskedRequest) => void;
}

/** Opens the server. Plays turn n where the request holds n turns of the model's own. */
export async function openDouble(dialect: Dialect, turns: Turns, opaque: () => readonly string[]): Promise<Double> {
  const received: Received[] = [];
  const refusals: Refusal[] = [];
  const requests: AskedRequest[] = [];
  let awaited: Awaited | null = null;
  const reaches = (moment: Moment, asked: AskedRequest): boolean => {
    if (awaited?.moment !== moment) return false;
    awaited.left -= 1;
    if (awaited.left > 0) return false;
    awaited.reached(asked);
    return true;
  };
  const abandoned = Promise.withResolvers<void>();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const closed = Promise.withResolvers<void>();
    response.on('close', () => {
      closed.resolve();
      if (!response.writableFinished) abandoned.resolve();
    });
    let raw = '';
    for await (const piece of request.setEncoding('utf8')) raw += piece;
    const { method = '', headers } = request;
    // A request for the endpoint's clock has no body.
    if (method === 'HEAD') return void response.writeHead(404).end();
    const url = new URL(request.url ?? '', 'http://double.test');
    const one = { method, path: url.pathname, query: url.searchParams, headers, raw, body: parse(raw) };
    received.push(one);
    const refusal = dialect.refuse(one);
    if (refusal !== null) {
      refusals.push(refusal);
      response.writeHead(refusal.status, { 'content-type': 'application/json' }).end(JSON.stringify(refusal.body));
      return;
    }
    const messages = dialect.conversation(one);
    const asked = { url: request.url ?? '', headers, raw, closed: closed.promise, body: { ...one.body, messages } };
    requests.push(asked);
    if (reaches('asked', asked)) return;
    const finished = once(response, 'finish');
    const text = dialect.stream(turnOf(turns, asked), one);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // In pieces of any size, as networks deliver them.
    for (let at = 0; at < text.length; at += 3_001) response.write(text.slice(at, at + 3_001));
    response.end();
    await finished;
    reaches('answered', asked);
  };
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    handle,
    received,
    refusals,
    lost: dialect.lost,
    get opaque() {
      return opaque();
    },
    endpoint: { url: origin, requests, abandoned: abandoned.promise, [Symbol.asyncDispose]: async () => {} },
    at: (moment, count) =>
      new Promise((reached) => {
        awaited = { moment, left: count, reached };
      }),
    release: () => {
      awaited = null;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function parse(raw: string): Json {
  try {
    return JSON.parse(raw) as Json;
  } catch {
    return {};
  }
}

function turnOf(turns: Turns, asked: AskedRequest): Turn {
  const number = turnsIn(asked);
  const { say, calls } = playTurn(turns, asked);
  const written = (args: unknown) => (typeof args === 'string' ? args : JSON.stringify(args));
  return {
    number,
    say,
    calls: calls.map(({ name, arguments: args }) => ({ name, arguments: written(args) })),
  };
}

/** Server-sent events without names, ended as chat.completions ends them. */
export function unnamedEvents(chunks: readonly unknown[]): string {
  return [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
}

/** Server-sent events that are named by their `type`. */
export function namedEvents(events: readonly (Json & { readonly type: string })[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** The text in two pieces, as a stream cuts it. */
export function pieces(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== '');
}

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** The text of a content, whether it is one or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

/** What a request of that size costs in tokens; a real tokenizer is not needed to compare sizes. */
export function tokensIn(text: string): number {
  return Math.ceil(text.length / 4);
}
