// Deliveries through a channel of smee.io, for development where GitHub cannot reach the service.
import SmeeClient from 'smee-client';
import type { Log } from '../../log.ts';

export interface SmeeOptions {
  /** Address of the channel. */
  readonly source: string;
  readonly receive: (request: Request) => Promise<Response>;
  readonly log: Log;
}

const TARGET = 'http://127.0.0.1/api/github/webhooks';
const FORWARDED = ['x-github-delivery', 'x-github-event', 'x-hub-signature-256', 'content-type'];

/**
 * Anyone who knows the channel can post to it, so each event goes through our own receiver with its signature. The
 * channel passes the body on as parsed JSON and the client serialises it: that gives GitHub's bytes, since GitHub
 * writes JSON without spaces too. A body that comes out differently is refused for its signature, and can be
 * redelivered to the service itself.
 */
export async function openSmeeChannel({ source, receive, log }: SmeeOptions): Promise<AsyncDisposable> {
  const logger = {
    info: () => undefined,
    error: (error: unknown) => log.warn({ err: error }, 'the smee channel failed'),
  };
  const client = new SmeeClient({
    source,
    target: TARGET,
    queryForwarding: false,
    logger,
    // The client also reads its channel with this function.
    fetch: (target: string | URL, init: RequestInit) =>
      init.method === 'POST' ? forward(receive, init, log) : fetch(target, withoutDispatcher(init)),
  });
  // A channel out of reach must not keep the service from starting; the client tries again by itself.
  void client.start().catch((error: unknown) => log.warn({ err: error }, 'the smee channel could not be opened'));
  return { [Symbol.asyncDispose]: async () => void (await client.stop()) };
}

async function forward(receive: SmeeOptions['receive'], init: RequestInit, log: Log): Promise<Response> {
  const given = new Headers(init.headers);
  const headers = FORWARDED.flatMap((name): [string, string][] => [[name, given.get(name) ?? '']]);
  const answer = await receive(new Request(TARGET, { method: 'POST', body: String(init.body), headers }));
  if (!answer.ok) log.warn({ status: answer.status }, 'a delivery of the smee channel was refused');
  return answer;
}

/**
 * The client's dispatcher belongs to another undici than node's; node follows the proxies of the environment itself.
 */
function withoutDispatcher(init: RequestInit): RequestInit {
  const { headers, signal, redirect, cache } = init;
  return {
    ...(headers === undefined ? {} : { headers }),
    ...(signal === undefined ? {} : { signal }),
    ...(redirect === undefined ? {} : { redirect }),
    ...(cache === undefined ? {} : { cache }),
  };
}
