// One request over the wire under guard: any 2xx body reaches the client library as an event stream, or fails by name.
import { type IncomingMessage, request as sendHttp } from 'node:http';
import { request as sendHttps } from 'node:https';
import { misbehaved } from './fault.ts';
import { parseObject } from './json-value.ts';
import type { Watch } from './watch.ts';

const NULL_BODY_STATUS = new Set([204, 205, 304]);
/** `event:` is the longest of the names that an event stream can begin with. */
const SNIFF_BYTES = 6;

/**
 * A `fetch` for one attempt. Node's own gives up after 5 minutes without headers or between pieces, whatever deadline is set, and local models
 * take longer; this one waits as long as `watch` lets it, follows no redirect, and takes proxies from node's global agents.
 */
export function guardedFetch(watch: Watch): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return async (input, init = {}) => {
    const message = await send(new URL(String(input)), init);
    const status = message.statusCode ?? 0;
    const headers = readHeaders(message);
    if (NULL_BODY_STATUS.has(status)) {
      message.destroy();
      return new Response(null, { status, headers });
    }
    const pieces = watched(message, watch);
    const isAnswer = status >= 200 && status < 300;
    return new Response(ReadableStream.from(isAnswer ? asEventStream(pieces) : pieces), { status, headers });
  };
}

function send(url: URL, init: RequestInit): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'http:' ? sendHttp : sendHttps;
    const request = start(url, {
      method: init.method ?? 'POST',
      headers: Object.fromEntries(new Headers(init.headers)),
    });
    request.on('response', (message) => {
      // Whoever reads the body gets its error; an abort after the last read must not end the process.
      message.on('error', () => {});
      resolve(message);
    });
    request.on('error', reject);
    // Not node's own `signal` option: under Node 24 an abort after the answer was read ended as an uncaught AbortError.
    const stop = () => request.destroy();
    init.signal?.addEventListener('abort', stop, { once: true });
    if (init.signal?.aborted) stop();
    request.on('close', () => init.signal?.removeEventListener('abort', stop));
    request.end(typeof init.body === 'string' ? init.body : undefined);
  });
}

function readHeaders(message: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}

async function* watched(message: IncomingMessage, watch: Watch): AsyncGenerator<Uint8Array> {
  for await (const piece of message) {
    watch.saw(piece);
    yield piece;
  }
}

/** By the first bytes, not by the content type, which gateways get wrong: events pass, one JSON object becomes one event. */
async function* asEventStream(pieces: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head = Buffer.alloc(0);
  let start = '';
  while (start.length < SNIFF_BYTES && !start.includes(':')) {
    const { value, done } = await pieces.next();
    if (done) break;
    head = Buffer.concat([head, value]);
    start = head.subarray(0, 1024).toString('utf8').trimStart();
  }
  if (start.startsWith('{')) {
    yield await wholeAnswer(head, pieces);
  } else if (start === '' || /^(?:data|event|id|retry)?:/.test(start)) {
    yield head;
    yield* pieces;
  } else {
    await pieces.return(undefined);
    const what = start.startsWith('<') ? 'a web page' : 'text';
    throw misbehaved(`It answered with ${what} instead of a completion: check OPENAI_BASE_URL (most end in /v1).`);
  }
}

/** Some endpoints do not stream though asked to. */
async function wholeAnswer(head: Buffer, rest: AsyncGenerator<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [head];
  for await (const piece of rest) parts.push(piece);
  const answer = parseObject(Buffer.concat(parts).toString('utf8'));
  if (answer === null) throw misbehaved('It answered with invalid JSON: check OPENAI_BASE_URL and MODEL.');
  return Buffer.from(`data: ${JSON.stringify(answer)}\n\ndata: [DONE]\n\n`);
}
