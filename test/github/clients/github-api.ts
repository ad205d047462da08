// A GitHub API of a few routes on loopback: it answers what a test says, and remembers what was asked with which token.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '../../support/loopback.ts';

export interface Asked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Authorization header, "" for none. */
  readonly authorization: string;
  readonly body: unknown;
}

export interface Said {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON; a text as it is. */
  readonly body?: unknown;
  /** The connection is torn down after the body. */
  readonly isCut?: boolean;
  /** The connection stays open after the body, as if more came. */
  readonly isOpen?: boolean;
}

/** `hang`: no answer. `reset`: the connection is torn down. */
export type Route = (asked: Asked) => Said | 'hang' | 'reset' | Promise<Said>;

export interface GithubApi extends AsyncDisposable {
  readonly url: string;
  readonly asked: Asked[];
  /** Requests as `GET /path`, without those for tokens. */
  calls(): readonly string[];
  /** Bodies of the requests for installation tokens. */
  tokenRequests(): readonly unknown[];
}

/** Routes by `METHOD /path` without query; a later part of the path may be `*`. Anything else is 404 as GitHub says it. */
export async function startGithubApi(routes: Record<string, Route>): Promise<GithubApi> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const one: Asked = {
      method: request.method ?? '',
      path: request.url ?? '',
      authorization: request.headers.authorization ?? '',
      body: text === '' ? null : JSON.parse(text),
    };
    asked.push(one);
    const said = (await routeOf(routes, one)?.(one)) ?? { status: 404, body: { message: 'Not Found' } };
    if (said === 'hang') return;
    if (said === 'reset') return void request.socket.destroy();
    send(response, said);
  }
  const { url, close } = await listenOnLoopback(server);
  return {
    url,
    asked,
    calls: () => asked.filter(({ path }) => !path.endsWith('/access_tokens')).map((one) => `${one.method} ${one.path}`),
    tokenRequests: () => asked.filter(({ path }) => path.endsWith('/access_tokens')).map(({ body }) => body),
    [Symbol.asyncDispose]: close,
  };
}

function send(
  response: ServerResponse,
  { status = 200, headers = {}, body, isCut = false, isOpen = false }: Said,
): void {
  const isJson = typeof body !== 'string' && body !== undefined;
  response.writeHead(status, { ...(isJson ? { 'content-type': 'application/json; charset=utf-8' } : {}), ...headers });
  if (isCut) response.write(body, () => response.destroy());
  else if (isOpen) response.write(body);
  else response.end(isJson ? JSON.stringify(body) : body);
}

function routeOf(routes: Readonly<Record<string, Route>>, { method, path }: Asked): Route | undefined {
  const wanted = `${method} ${decodeURIComponent(path.split('?')[0] ?? '')}`;
  const found = Object.keys(routes).find((pattern) => {
    const parts = pattern.split('/');
    const given = wanted.split('/');
    return parts.length === given.length && parts.every((part, index) => part === '*' || part === given[index]);
  });
  return found === undefined ? undefined : routes[found];
}
