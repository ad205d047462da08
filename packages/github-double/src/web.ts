// What GitHub has beside its API: git, sign-in, manifests, attachments.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { canSee, effectivePermissions } from './access.ts';
import { type ApiServer, serveStruck } from './api.ts';
import { formOf, readBody, readRequest } from './asked.ts';
import { readCaller } from './credentials.ts';
import { happensBefore } from './faults.ts';
import { readGitRequest, serveGit } from './git/serve-git.ts';
import type { Answer } from './route.ts';
import type { State } from './state.ts';

/** True: it was one of these, and it is answered. */
export async function serveWeb(api: ApiServer, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const url = new URL(request.url ?? '/', api.state.urls.web);
  const git = readGitRequest(url);
  if (git !== null) {
    if (await harmed(api, request, response)) return true;
    const { status, caller } = await serveGit(api.state, git, request, response);
    const isInstallation = caller?.kind === 'installation';
    api.requests.push({
      method: request.method ?? '',
      path: `${url.pathname}${url.search}`,
      tokenKind: caller?.kind ?? 'bad',
      permissions: isInstallation ? effectivePermissions(caller) : {},
      repositoryIds: isInstallation ? caller.token.repositoryIds && [...caller.token.repositoryIds] : null,
      headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
      body: '',
      status,
    });
    return true;
  }
  if (request.method === 'POST' && url.pathname === '/login/oauth/access_token') {
    await serveExchange(api, request, response);
    return true;
  }
  const answer = await answerWeb(api, url, request);
  if (answer === null) return false;
  const type = typeof answer.body === 'string' ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8';
  response.writeHead(answer.status, { 'content-type': type, ...answer.headers });
  const { body } = answer;
  response.end(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body));
  return true;
}

/** Faults strike git's connections too: those that happen before anything else does. */
async function harmed(api: ApiServer, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const fault = api.faults.take({ method: request.method ?? '', path: request.url ?? '', body: '' });
  if (fault === null) return false;
  if (!happensBefore(fault)) throw new Error(`A fault "${fault.kind}" after the work cannot strike git.`);
  if (fault.kind === 'reset') response.destroy();
  else if (fault.kind === 'answer' || fault.kind === 'html')
    response.writeHead(fault.status).end('Something went wrong.');
  else if (fault.kind !== 'hang') response.writeHead(429).end('Too many requests.');
  return true;
}

/** The exchange of a code for a token, which stands beside the API: the same faults strike it, and it is recorded as well. */
async function serveExchange(api: ApiServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = await readRequest(request, '');
  const form = formOf(asked.body, asked.headers['content-type'] ?? '');
  await serveStruck(api, { asked, caller: { kind: 'none' }, response }, async () => api.signIns.exchange(form));
}

async function answerWeb(api: ApiServer, url: URL, request: IncomingMessage): Promise<Answer | null> {
  const { signIns, state } = api;
  const line = `${request.method} ${url.pathname}`;
  if (line === 'GET /login/oauth/authorize') return signIns.authorize(url);
  if (line === 'POST /login/oauth/authorize') return signIns.decide(await readRequestForm(request));
  const manifest = /^POST (?:\/organizations\/([^/]+))?\/settings\/apps\/new$/.exec(line);
  if (manifest !== null)
    return signIns.takeManifest(manifest[1] ?? null, await readRequestForm(request), url.searchParams.get('state'));
  return line.startsWith('GET /user-attachments/') ? attachment(state, url.pathname, request) : null;
}

async function readRequestForm(request: IncomingMessage): Promise<URLSearchParams> {
  return formOf(await readBody(request), request.headers['content-type'] ?? '');
}

/** Of a private repository only for who may see it. GitHub sends the reader on to its storage, which wants no token. */
function attachment(state: State, path: string, request: IncomingMessage): Answer {
  const found = state.attachments.get(path);
  const repository = found === undefined ? undefined : state.repositories.get(found.repositoryId);
  const caller = readCaller(state, request.headers.authorization);
  const missing = { status: 404, body: 'Not Found' };
  if (found === undefined || repository === undefined || 'status' in caller) return missing;
  if (!canSee(state, caller, repository)) return missing;
  return { status: 302, headers: { location: `${state.urls.storage}${path}?jwt=abc` }, body: '' };
}
