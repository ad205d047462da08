// One request over the wire under guard: total deadline, idle deadline and size, none of which the client libraries
// keep for streams.
import { type IncomingMessage, request as sendHttp } from 'node:http';
import { request as sendHttps } from 'node:https';
import { type AttemptFailed, createMisbehaved, createUnavailable } from './failure.ts';
import { parseObject } from './json.ts';

/** A streamed token takes about 250 bytes on the wire, so this is more than 128k tokens; 50 MB are refused. */
const MAX_ANSWER_BYTES = 40 * 1024 * 1024;
/**
 * One event. The longest of honest answers, sent as one event, is far below; the libraries' parsers have no limit of
 * their own.
 */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

export class Watch implements Disposable {
  readonly #abort = new AbortController();
  readonly #idleMs: number;
  readonly #deadline: NodeJS.Timeout;
  #idle: NodeJS.Timeout;
  #bytes = 0;
  #lineBytes = 0;
  #fault: AttemptFailed | null = null;

  constructor(limits: { readonly idleMs: number; readonly leftMs: number }) {
    this.#idleMs = limits.idleMs;
    this.#deadline = setTimeout(() => this.#end(this.#tooSlow()), limits.leftMs);
    this.#idle = setTimeout(() => this.#end(this.#silent()), limits.idleMs);
  }

  /** Aborts once a limit is passed; `fault` says which. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get fault(): AttemptFailed | null {
    return this.#fault;
  }

  /** The endpoint had begun to answer, and so to bill. */
  get hasBegun(): boolean {
    return this.#bytes > 0;
  }

  /**
   * Counts a piece of the body. Any byte is a sign of life: endpoints send comments while a model thinks. Throws where
   * it is too much.
   */
  saw(piece: Uint8Array): void {
    this.#idle.refresh();
    this.#bytes += piece.byteLength;
    const lineEnd = piece.lastIndexOf(10);
    this.#lineBytes = lineEnd < 0 ? this.#lineBytes + piece.byteLength : piece.byteLength - lineEnd - 1;
    if (this.#bytes <= MAX_ANSWER_BYTES && this.#lineBytes <= MAX_LINE_BYTES) return;
    const fault = createMisbehaved(
      'Its answer was larger than any real one, and was cut off: choose another MODEL.',
      1,
    );
    this.#end(fault);
    throw fault;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#deadline);
    clearTimeout(this.#idle);
    this.#abort.abort();
  }

  #end(fault: AttemptFailed): void {
    this.#fault ??= fault;
    this.#abort.abort();
  }

  #tooSlow(): AttemptFailed {
    return this.hasBegun
      ? createMisbehaved(
          'Its answer was not complete within the time given: choose a faster MODEL or raise MODEL_TIMEOUT_S.',
          0,
        )
      : createUnavailable('No answer came within the time given (MODEL_TIMEOUT_S).');
  }

  #silent(): AttemptFailed {
    const seconds = this.#idleMs / 1_000;
    return createUnavailable(
      this.hasBegun
        ? `Its answer stopped, and nothing more came for ${seconds} s (MODEL_IDLE_S).`
        : `It took the request and said nothing for ${seconds} s (MODEL_IDLE_S).`,
    );
  }
}

/**
 * A `fetch` for one attempt. Node's own gives up after 5 minutes without headers or between pieces, and local models
 * take longer; this one waits as long as `watch` allows, follows no redirect, and takes proxies from node's global
 * agents. `asEvents`: any 2xx body reaches the library as an event stream, or fails with a named error. `url`: the
 * variable that names the address.
 */
export function fetchGuarded(
  watch: Watch,
  { asEvents, url }: { readonly asEvents: boolean; readonly url: string },
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return async (input, init = {}) => {
    const message = await sendGuarded(new URL(input instanceof Request ? input.url : String(input)), init);
    const status = message.statusCode ?? 0;
    const headers = toResponseHeaders(message);
    if (NULL_BODY_STATUS.has(status)) {
      message.destroy();
      return new Response(null, { status, headers });
    }
    const pieces = watchMessage(message, watch);
    const isAnswer = asEvents && status >= 200 && status < 300;
    return new Response(ReadableStream.from(isAnswer ? readEventStream(pieces, url) : pieces), { status, headers });
  };
}

const NULL_BODY_STATUS = new Set([204, 205, 304]);

function sendGuarded(url: URL, init: RequestInit): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'http:' ? sendHttp : sendHttps;
    const request = start(url, {
      method: init.method ?? 'POST',
      headers: Object.fromEntries(new Headers(init.headers)),
    });
    request.on('response', (message) => {
      // What reads the body gets its error; an abort after the last read must not end the process.
      message.on('error', () => {});
      resolve(message);
    });
    request.on('error', reject);
    // Not node's own `signal` option: under Node 24 an abort after the answer was read ended as an uncaught AbortError.
    const stop = () => request.destroy();
    init.signal?.addEventListener('abort', stop, { once: true });
    if (init.signal?.aborted) stop();
    request.on('close', () => init.signal?.removeEventListener('abort', stop));
    const { body } = init;
    request.end(typeof body === 'string' || body instanceof Uint8Array ? body : undefined);
  });
}

function toResponseHeaders(message: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}

async function* watchMessage(message: IncomingMessage, watch: Watch): AsyncGenerator<Uint8Array> {
  for await (const piece of message) {
    watch.saw(piece);
    yield piece;
  }
}

/** `event:` is the longest of the names that an event stream can begin with. */
const SNIFF_BYTES = 6;

/**
 * By the first bytes, not by the content type, which gateways get wrong: events pass, one JSON object becomes one
 * event.
 */
async function* readEventStream(pieces: AsyncGenerator<Uint8Array>, url: string): AsyncGenerator<Uint8Array> {
  let head = Buffer.alloc(0);
  let start = '';
  while (start.length < SNIFF_BYTES && !start.includes(':')) {
    const { value, done } = await pieces.next();
    if (done) break;
    head = Buffer.concat([head, value]);
    start = head.subarray(0, 1024).toString('utf8').trimStart();
  }
  if (start.startsWith('{')) {
    yield await readWholeAnswer(head, pieces, url);
  } else if (start === '' || /^(?:data|event|id|retry)?:/.test(start)) {
    yield head;
    yield* pieces;
  } else {
    await pieces.return(undefined);
    const what = start.startsWith('<') ? 'a web page' : 'text';
    throw createMisbehaved(`It answered with ${what} instead of a completion: check ${url} (most end in /v1).`);
  }
}

/** Some endpoints do not stream. */
async function readWholeAnswer(head: Buffer, rest: AsyncGenerator<Uint8Array>, url: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [head];
  for await (const piece of rest) parts.push(piece);
  const answer = parseObject(Buffer.concat(parts).toString('utf8'));
  if (answer === null) throw createMisbehaved(`It answered with invalid JSON: check ${url} and MODEL.`);
  return Buffer.from(`data: ${JSON.stringify(answer)}\n\ndata: [DONE]\n\n`);
}
