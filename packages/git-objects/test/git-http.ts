// Git repositories over real http: git's own http-backend behind a small server on loopback.
import { execFileSync, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface GitHttpOptions {
  /** Folder whose repositories are served by their path below it. */
  readonly root: string;
  /** Asked for by basic authentication; absent: open to all. */
  readonly username?: string;
  readonly password?: string;
  /** Called with each request before it is answered; what it returns is waited for. `true`: already answered. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => Promise<boolean> | boolean;
}

export interface GitHttpServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/`; append the repository's path. */
  readonly url: string;
  readonly requests: readonly { readonly path: string; readonly authorization: string }[];
  close(): Promise<void>;
}

/** Git's own server program, asked for once. */
let backend: string | undefined;

/** Serves until disposed. Only reading is offered. */
export async function gitHttp(options: GitHttpOptions): Promise<GitHttpServer> {
  backend ??= join(execFileSync('git', ['--exec-path']).toString().trim(), 'git-http-backend');
  const program = backend;
  const requests: { path: string; authorization: string }[] = [];
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url ?? '', authorization: request.headers.authorization ?? '' });
    if ((await options.intercept?.(request, response)) === true) return;
    if (!allowed(request, options)) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    answer(program, options.root, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/`, requests, close, [Symbol.asyncDispose]: close };
}

function allowed(request: IncomingMessage, options: GitHttpOptions): boolean {
  if (options.password === undefined) return true;
  const basic = Buffer.from(`${options.username ?? ''}:${options.password}`).toString('base64');
  return request.headers.authorization === `Basic ${basic}`;
}

/** Runs the CGI program for one request and turns its header lines into ours. */
function answer(backend: string, root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn(backend, [], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_ADDR: '127.0.0.1',
    },
  });
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  request.on('close', () => {
    if (!request.complete) child.kill();
  });
  response.on('close', () => child.kill());
  let head = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    if (response.headersSent) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    const lines = head.toString('latin1', 0, end).split('\r\n');
    const headers = lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 2),
    ]);
    const status = headers.find(([name]) => name.toLowerCase() === 'status')?.[1] ?? '200';
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(headers.filter(([name]) => name !== 'Status')));
    response.write(head.subarray(end + 4));
  });
  child.on('close', () => response.end());
}
