// Two listeners on one port: 127.0.0.2 stands for a receiver in the public internet, 127.0.0.1 is a canary that nothing may ever reach.
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';
import { type CallbackPolicy, parseCallbackAllow } from '../../src/webhooks/address-policy.ts';
import { createSender, type Sender, type SenderOptions } from '../../src/webhooks/send.ts';
import type { Certificate } from './certificate.ts';

/** As in GitHub mode, but that 127.0.0.2 counts as an address that may be reached. */
export const POLICY: CallbackPolicy = { allow: parseCallbackAllow('127.0.0.2/32'), localMode: false };

export function createTestSender(resolver: SenderOptions['resolver'], options: Partial<SenderOptions> = {}): Sender {
  return createSender({ policy: POLICY, ...(resolver && { resolver }), ...options });
}

export interface PublicAndCanary extends AsyncDisposable {
  readonly port: number;
  /** Connections that the canary has accepted: must stay 0. */
  readonly canary: () => number;
  /** Connections and requests that the public receiver has accepted. */
  readonly connections: () => number;
  readonly requests: () => readonly ReceivedRequest[];
}

interface ReceivedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface ReceiverOptions {
  /** Answers once the request has arrived in full; default 200. */
  readonly answer?: RequestListener;
  /** Instead of HTTP: whatever is done with the bare connection. */
  readonly raw?: (socket: Socket) => void;
  readonly certificate?: Certificate;
}

export async function publicAndCanary(options: ReceiverOptions = {}): Promise<PublicAndCanary> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let canaryConnections = 0;
  const receiver = serverOf(options, requests);
  receiver.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  const canary = createTcp((socket) => {
    canaryConnections += 1;
    socket.destroy();
  });
  const port = await listenOnBoth(receiver, canary);
  return {
    port,
    canary: () => canaryConnections,
    connections: () => connections,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all([receiver, canary].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

function serverOf({ answer, raw, certificate }: ReceiverOptions, requests: ReceivedRequest[]): Server {
  if (raw !== undefined) return createTcp(raw);
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    requests.push({
      method: request.method ?? '',
      target: request.url ?? '',
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks),
    });
    if (answer === undefined) response.end('ok');
    else answer(request, response);
  };
  return certificate === undefined ? createHttp(listener) : createHttps(certificate, listener);
}

/** The receiver takes any port; the canary must have the same one, so it is tried again where another process holds it. */
async function listenOnBoth(receiver: Server, canary: Server): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    await listen(receiver, 0, '127.0.0.2');
    const { port } = receiver.address() as AddressInfo;
    try {
      await listen(canary, port, '127.0.0.1');
      return port;
    } catch (error) {
      if (tries === 9) throw error;
      await new Promise((resolve) => receiver.close(resolve));
    }
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
