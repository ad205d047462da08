// The providers' own hosts on loopback: a proxy that ends TLS itself and hands each request to the double that stands for its host, so
// that a service can be given the very settings that its documentation names.

import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { makeCertificate } from '../webhooks/certificate.ts';

const HOSTS = [
  ...[
    'api.openai.com',
    'api.anthropic.com',
    'generativelanguage.googleapis.com',
    'api.deepseek.com',
    'api.moonshot.ai',
  ],
  ...['openrouter.ai', 'contoso.openai.azure.com'],
] as const;

export type Host = (typeof HOSTS)[number];

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface Internet extends AsyncDisposable {
  /** For the environment of a service: all that it asks for outside goes here, and the certificate is trusted. */
  readonly environment: Readonly<Record<string, string>>;
  /** From now on `host` is answered by `handle`. */
  serve(host: Host, handle: Handle): void;
  /** Hosts that were requested and have no double. */
  readonly strangers: readonly string[];
}

/** `folder`: for the certificate. */
export async function openInternet(folder: string): Promise<Internet> {
  const { key, cert } = makeCertificate(HOSTS.map((host) => `DNS:${host}`).join(','));
  const authority = path.join(folder, 'authority.pem');
  await writeFile(authority, cert);
  const handles = new Map<string, Handle>();
  const strangers: string[] = [];
  const inner = createTlsServer({ key, cert }, (request, response) => {
    const host = request.headers.host ?? '';
    const handle = handles.get(host);
    if (handle !== undefined) return void handle(request, response);
    strangers.push(host);
    response.writeHead(502).end();
  });
  const proxy = createServer((_, response) => response.writeHead(502).end());
  proxy.on('connect', (request, socket) => {
    const host = (request.url ?? '').replace(/:443$/, '');
    if (!HOSTS.some((known) => known === host)) {
      strangers.push(host);
      return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    }
    socket.on('error', () => {});
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    inner.emit('connection', socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    environment: {
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      NO_PROXY: '127.0.0.1,localhost',
      NODE_EXTRA_CA_CERTS: authority,
    },
    serve: (host, handle) => void handles.set(host, handle),
    strangers,
    [Symbol.asyncDispose]: async () => {
      inner.closeAllConnections();
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
