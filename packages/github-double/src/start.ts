// Starts the GitHub double: API, git, sign-in and attachments on one address of loopback, the storage of logs on another.
import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, serveApi } from './api.ts';
import { readBody } from './asked.ts';
import { validateExchange } from './description/validate.ts';
import type { DoubleOptions, DoubleSink, GithubDouble, PageHandler } from './double.ts';
import { FaultList } from './faults.ts';
import { SignIns } from './oauth.ts';
import { addApp } from './people/accounts.ts';
import { people } from './people/people.ts';
import { DEFAULT_APP, type EventSink, startState } from './state.ts';
import { serveStorage } from './storage.ts';
import { serveWeb } from './web.ts';

/**
 * A GitHub on loopback. Disposed with an error when something was asked for that it does not know, or an exchange was not as
 * GitHub describes it: see `problems`.
 */
export async function startGithubDouble(options: DoubleOptions = {}): Promise<GithubDouble> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'causeway-github-')));
  const problems: string[] = [];
  const handlers: { web: Handler; storage: Handler } = { web: notReady, storage: notReady };
  const storage = await listen(0, (...pair) => handlers.storage(...pair), problems);
  const server = await listen(options.port ?? 0, (...pair) => handlers.web(...pair), problems);
  const basePath = options.basePath ?? '';
  const urls = { api: `${server.url}${basePath}`, web: server.url, storage: storage.url };
  // The state hands its news to whoever is made with it.
  const hearer: { sink: DoubleSink | null } = { sink: null };
  const early: EventSink = { emit: (...news) => hearer.sink?.emit(...news) };
  const state = startState({ urls, folder, sink: early });
  const sink = options.sink?.(state) ?? nowhere();
  hearer.sink = sink;
  const app = addApp(state, DEFAULT_APP);
  const faults = new FaultList();
  const signIns = new SignIns(state);
  const validate = options.validate === undefined ? validateExchange : options.validate;
  const api: Api = { state, sink, faults, signIns, requests: [], problems, validate, spent: new Map() };
  const double: GithubDouble = {
    urls,
    apiUrl: urls.api,
    webUrl: urls.web,
    state,
    people: people(state, app),
    app,
    requests: api.requests,
    problems,
    faults: { add: (rule) => faults.add(rule), clear: () => faults.clear() },
    signIns,
    sink,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([server.close(), storage.close()]);
      await sink[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
      if (problems.length > 0)
        throw new Error(`The GitHub double was used wrongly:\n${[...new Set(problems)].join('\n')}`);
    },
  };
  const page = options.page?.(double) ?? null;
  handlers.storage = (request, response) => Promise.resolve(serveStorage(state, problems, request, response));
  handlers.web = (request, response) => serve(api, { basePath, page }, request, response);
  return double;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function notReady(_request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(503).end();
}

/** A plain address serves the API at its root, so the page must not be asked for what the API has. */
async function serve(
  api: Api,
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

function nowhere(): DoubleSink {
  return {
    emit: () => undefined,
    deliveries: () => [],
    redeliver: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** A handler that fails is a fault of the double: it is told at the end, and the caller gets a 500. */
async function listen(port: number, handle: Handler, problems: string[]) {
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
