// A small GitHub for tests, by state: what is put into it is what its API answers, over real HTTP on loopback.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { actionsRoutes } from './github-double/actions.ts';
import { issueRoutes } from './github-double/issues.ts';
import { type Answer, type Call, type GithubState, notFound, type Route } from './github-double/state.ts';

export interface GithubDouble extends AsyncDisposable {
  readonly apiUrl: string;
  readonly webUrl: string;
  readonly state: GithubState;
  /** Every request that the API got, such as `GET /repos/octo/shop/issues/1`, with its Authorization header. */
  readonly requests: readonly { readonly line: string; readonly authorization: string }[];
}

/**
 * Starts the double. It is disposed with an error when it was asked for what it does not know, or when the storage host
 * saw an Authorization header. `basePath` such as `/api/v3` makes it look like GitHub Enterprise.
 */
export async function startGithub(options: { basePath?: string; webUrl?: string } = {}): Promise<GithubDouble> {
  const state: GithubState = { repositories: new Map(), tokens: null, failure: null, storage: new Map() };
  const faults: string[] = [];
  const requests: { line: string; authorization: string }[] = [];
  const storage = await listen((request, response) => serveLog(state, faults, request, response));
  const basePath = options.basePath ?? '';
  const routes: readonly Route[] = [...issueRoutes, ...actionsRoutes];
  const api = await listen((request, response) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    requests.push({ line: `${request.method} ${request.url}`, authorization: request.headers.authorization ?? '' });
    const signedIn = request.headers.authorization !== undefined;
    const call = { state, url, apiUrl: `${url.origin}${basePath}`, storageUrl: storage.url, signedIn };
    send(response, answer(routes, { ...call, method: request.method ?? '', basePath }, request, faults));
  });
  return {
    apiUrl: `${api.url}${basePath}`,
    webUrl: options.webUrl ?? 'https://github.com',
    state,
    requests,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([api.close(), storage.close()]);
      if (faults.length > 0) throw new Error(`The GitHub double was used wrongly:\n${faults.join('\n')}`);
    },
  };
}

function answer(
  routes: readonly Route[],
  call: Omit<Call, 'params'> & { method: string; basePath: string },
  request: IncomingMessage,
  faults: string[],
): Answer {
  const refused = refusal(call.state, request);
  if (refused !== null) return refused;
  const path = call.url.pathname.slice(call.basePath.length);
  for (const route of routes) {
    const match = route.method === call.method ? route.path.exec(path) : null;
    if (match !== null && isHidden(call, match[1] ?? '')) return notFound();
    if (match !== null) return route.answer({ ...call, params: match.slice(1).map(decodeURIComponent) });
  }
  faults.push(`unknown request: ${request.method} ${request.url}`);
  return notFound();
}

/** Without a token, a private repository is to GitHub as an absent one. */
function isHidden({ state, signedIn }: Pick<Call, 'state' | 'signedIn'>, repository: string): boolean {
  return !signedIn && state.repositories.get(repository)?.private === true;
}

function refusal(state: GithubState, request: IncomingMessage): Answer | null {
  if (state.failure !== null) return state.failure;
  const given = /^(?:token|bearer) (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (given !== undefined && state.tokens !== null && !state.tokens.includes(given)) {
    return { status: 401, body: { message: 'Bad credentials', documentation_url: 'https://docs.github.com/rest' } };
  }
  return null;
}

function serveLog(state: GithubState, faults: string[], request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.authorization !== undefined) faults.push('the storage host saw an Authorization header');
  const log = state.storage.get(request.url ?? '');
  if (log === undefined) faults.push(`unknown request to the storage host: ${request.url}`);
  response.writeHead(log === undefined ? 404 : 200, { 'content-type': 'text/plain' });
  response.end(log ?? '');
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  const json = body !== undefined && typeof body !== 'string';
  const type = json ? 'application/json; charset=utf-8' : 'text/html; charset=utf-8';
  response.writeHead(status, { 'content-type': type, 'x-github-request-id': 'TEST:1', ...headers });
  response.end(json ? JSON.stringify(body) : body);
}

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
