// Starts the GitHub double: API, git, sign-in and attachments on one address of loopback, the storage of logs on another.
import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiServer, serveApi } from './api.ts';
import { readBody } from './asked.ts';
import type { DoubleOptions, GithubDouble } from './double.ts';
import { FaultList } from './faults.ts';
import { branchSha } from './git/read-objects.ts';
import { gitText } from './git/run-git.ts';
import { account, repository } from './lookup.ts';
import { SignIns } from './oauth.ts';
import { type PageHandler, servePage } from './page/serve-page.ts';
import { addApp } from './people/accounts.ts';
import { createPeople } from './people/people.ts';
import { startState } from './state.ts';
import { serveStorage } from './storage.ts';
import { serveWeb } from './web.ts';
import { startWebhooks } from './webhooks/sender.ts';

/**
 * A GitHub on loopback, empty but for the App under test. Disposed with an error when something was asked for that it does not know, or
 * an exchange was not as GitHub describes it: see `problems`.
 */
export async function startGithubDouble(options: DoubleOptions = {}): Promise<GithubDouble> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'github-double-')));
  const problems: string[] = [];
  const handlers: { web: RequestHandler; storage: RequestHandler } = { web: notReady, storage: notReady };
  const storage = await listen(0, (...pair) => handlers.storage(...pair), problems);
  const server = await listen(options.port ?? 0, (...pair) => handlers.web(...pair), problems);
  const basePath = options.basePath ?? '';
  const urls = { api: `${server.url}${basePath}`, web: server.url, storage: storage.url };
  const state = startState({ urls, folder });
  const webhooks = startWebhooks(state);
  const app = addApp(state, { slug: 'app-under-test', owner: 'octo', ...options.app });
  const faults = new FaultList();
  const signIns = new SignIns(state);
  const api: ApiServer = { state, webhooks, faults, signIns, requests: [], problems, spent: new Map() };
  const double: GithubDouble = {
    urls,
    apiUrl: urls.api,
    webUrl: urls.web,
    state,
    people: createPeople(state, app),
    app,
    requests: api.requests,
    problems,
    faults: { add: (rule) => faults.add(rule), clear: () => faults.clear() },
    signIns,
    webhooks,
    onEvent: state.onEvent,
    repository: (name) => repository(state, name),
    account: (login) => account(state, login),
    tip: (name, branch) => {
      const { gitDir, defaultBranch } = repository(state, name);
      return branchSha(gitDir, branch ?? defaultBranch);
    },
    git: (name, ...args) => gitText(repository(state, name).gitDir, args),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([server.close(), storage.close()]);
      await webhooks[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
      if (problems.length > 0)
        throw new Error(`The GitHub double was used wrongly:\n${[...new Set(problems)].join('\n')}`);
    },
  };
  const page = options.page === true ? servePage(double) : null;
  handlers.storage = (request, response) => Promise.resolve(serveStorage(state, problems, request, response));
  handlers.web = (request, response) => serveDouble(api, { basePath, page }, request, response);
  return double;
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function notReady(_request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(503).end();
}

/** A plain address serves the API at its root, so the page must not be asked for what the API has. */
async function serveDouble(
  api: ApiServer,
  { basePath, page }: { basePath: string; page: PageHandler | null },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const isApi = basePath !== '' && (path.startsWith(`${basePath}/`) || path === '/api/graphql');
  if (!isApi && (await serveWeb(api, request, response))) return;
  if (!isApi && (await page?.(request, response)) === true) return;
  if (basePath === '' || isApi) return serveApi(api, request, response, basePath);
  api.problems.push(`unknown request to the web address: ${request.method} ${request.url}`);
  await readBody(request);
  response.writeHead(404, { 'content-type': 'text/html' }).end('Not Found');
}

/** A handler that fails is a fault of the double: it is told at the end, and the caller gets a 500. */
async function listen(port: number, handle: RequestHandler, problems: string[]) {
  const underWay = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const answered = handle(request, response)
      .catch((error: unknown) => {
        problems.push(
          `the double failed at ${request.method} ${request.url}: ${error instanceof Error ? error.stack : String(error)}`,
        );
        if (!response.headersSent) response.writeHead(500);
        response.end();
      })
      .finally(() => underWay.delete(answered));
    underWay.add(answered);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  const close = async () => {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    // What still answers reads the repositories, which go next: a page that polls asks until its last moment.
    await Promise.race([Promise.all(underWay), sleep(5_000, undefined, { ref: false })]);
  };
  return { url: `http://127.0.0.1:${bound}`, close };
}
