// A server at an address, over streamable HTTP: bounded answers, no stream that we did not ask for, no credentials to another origin.
import { type FetchLike, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Reach } from './config.ts';
import { atMost } from './wait.ts';
import { MAX_ANSWER_BYTES, TOO_LARGE, type Wire, type WireContext } from './wire.ts';

export function wireAddress(reach: Extract<Reach, { kind: 'address' }>, context: WireContext): Wire {
  const transport = new StreamableHTTPClientTransport(new URL(reach.url), {
    requestInit: { headers: { ...context.given.headers } },
    fetch: boundedFetch(context),
    redirectPolicy: 'same-origin',
  });
  return {
    transport,
    answered: () => {},
    killNow: () => {},
    async end(graceMs) {
      await atMost(
        transport.terminateSession().catch(() => {}),
        graceMs,
        undefined,
      );
      await transport.close();
    },
  };
}

/** Without it the SDK waits for a silent server as long as the connection lasts, and reads whatever comes. */
function boundedFetch({ maxExchangeMs, onBroken }: WireContext): FetchLike {
  return async (address, init) => {
    // A stream for what the server wants to say unasked: nothing in it is for us. One that resumes an answer is.
    if (init?.method === 'GET' && !new Headers(init.headers).has('last-event-id'))
      return new Response(null, { status: 405 });
    const deadline = AbortSignal.timeout(maxExchangeMs);
    const signal = init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline;
    const response = await fetch(address, { ...init, signal });
    if (!response.body) return response;
    const body = bounded(response.body, (reason) => {
      if (!signal.aborted) onBroken(reason);
    });
    return new Response(body, response);
  };
}

function bounded(body: ReadableStream<Uint8Array>, onBroken: (reason: string) => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        bytes += value.byteLength;
        if (bytes > MAX_ANSWER_BYTES) throw new Error(TOO_LARGE);
        controller.enqueue(value);
      } catch (error) {
        onBroken(bytes > MAX_ANSWER_BYTES ? TOO_LARGE : 'its answer broke off');
        controller.error(error);
        await reader.cancel().catch(() => {});
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
