// An App's webhook on loopback: keeps what arrives, and answers as it is told.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Arrived {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly deliveries: readonly Arrived[];
  /** Status of the answers from now on (200 at first). */
  answerWith(status: number): void;
}

export async function openReceiver(): Promise<Receiver> {
  const deliveries: Arrived[] = [];
  let status = 200;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    deliveries.push({ headers: request.headers as Record<string, string>, body });
    response.writeHead(status, status === 307 ? { location: '/elsewhere' } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    deliveries,
    answerWith: (next) => {
      status = next;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
