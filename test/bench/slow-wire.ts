// Stands between the service and the API of the double and holds every request back for a while: GitHub is not on loopback.
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

export interface SlowWire extends AsyncDisposable {
  /** In place of the address that it leads to. */
  readonly url: string;
}

/** `to`: an http address with a path or none. */
export async function openSlowWire(to: string, milliseconds: number): Promise<SlowWire> {
  const { origin, pathname } = new URL(to);
  const server = createServer(async (request, response) => {
    await wait(milliseconds);
    const { method, headers } = request;
    const onward = send(`${origin}${request.url}`, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${pathname}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
