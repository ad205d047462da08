// The API of the double over http: credentials, faults, the route, limits and ETags, the record of what was asked.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Asked, readRequest, seenOf } from './asked.ts';
import { readCaller, readClient } from './credentials.ts';
import { validateExchange } from './description/validate.ts';
import { carryOut, type Found, findRoute } from './dispatch.ts';
import type { SeenRequest } from './exchange.ts';
import type { Fault } from './fault-rule.ts';
import { drip, type FaultList, faultAnswer, happensBefore } from './faults.ts';
import { answerGraphql } from './graphql/execute.ts';
import { manifestRoute, type SignIns } from './oauth.ts';
import { type Answer, type ApiCaller, type Call, notFound, refused } from './route.ts';
import { RATE_LIMIT } from './routes/app.ts';
import type { State } from './state.ts';
import type { WebhookSender } from './webhooks/delivery.ts';

export interface ApiServer {
  readonly state: State;
  readonly webhooks: WebhookSender;
  readonly faults: FaultList;
  readonly signIns: SignIns;
  readonly requests: SeenRequest[];
  readonly problems: string[];
  /** Requests with each token so far, for the limits in the answers. */
  readonly spent: Map<string, number>;
}

/** Answers one request to the API. */
export async function serveApi(
  api: ApiServer,
  request: IncomingMessage,
  response: ServerResponse,
  basePath: string,
): Promise<void> {
  const asked = await readRequest(request, basePath);
  const read = asked.path.startsWith('/applications/') ? readClient : readCaller;
  const caller = read(api.state, asked.headers['authorization']);
  await serveStruck(api, { asked, caller, response }, () => work(api, asked, caller));
}

interface Serving {
  readonly asked: Asked;
  readonly caller: ApiCaller | Answer;
  readonly response: ServerResponse;
}

/** Answers with what the work gives, unless a fault strikes, and records what was asked. */
export async function serveStruck(
  api: ApiServer,
  { asked, caller, response }: Serving,
  carryOutWork: () => Promise<Answer>,
): Promise<void> {
  const matched = { method: asked.method, path: `${asked.path}${asked.url.search}`, body: asked.body };
  const fault = api.faults.take(matched);
  const before = fault !== null && happensBefore(fault);
  const answer = before ? null : await carryOutWork();
  const sent = await sendAnswer(api, { asked, answer, fault, response });
  api.requests.push(seenOf(asked, caller, sent));
}

async function work(api: ApiServer, asked: Asked, caller: ApiCaller | Answer): Promise<Answer> {
  const body = parseRequestBody(asked.body);
  if (body === undefined) return refused(400, 'Problems parsing JSON');
  if ('status' in caller) return checked(api, asked, body, caller);
  const call: Call = { ...asked, state: api.state, webhooks: api.webhooks, caller, params: {}, body };
  if (asked.path === '/graphql') return checked(api, asked, body, await answerGraphql(call));
  const found = asked.path.startsWith('/app-manifests/') ? manifest(api, asked) : findRoute(asked.method, asked.path);
  if (found === null) {
    api.problems.push(`unknown request: ${asked.method} ${asked.path}`);
    return notFound();
  }
  const answer = await carryOut(found, { ...call, params: found.params });
  const accepted = found.route.needs.map((set) =>
    Object.entries(set)
      .map(([name, level]) => `${name}=${level}`)
      .join(','),
  );
  const headers = { 'x-accepted-github-permissions': accepted.join('; ') || 'metadata=read', ...answer.headers };
  return checked(api, asked, body, { ...answer, headers });
}

function manifest(api: ApiServer, asked: Asked): Found | null {
  const code = /^\/app-manifests\/([^/]+)\/conversions$/.exec(asked.path)?.[1];
  return code === undefined || asked.method !== 'POST' ? null : { route: manifestRoute(api.signIns), params: { code } };
}

function parseRequestBody(body: string): Readonly<Record<string, unknown>> | undefined {
  if (body === '') return {};
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return undefined;
  }
}

/** GitHub's description wants the account of a listed installation to be a user and an enterprise at once. */
const isContradiction = /^apps\/list-installations: answer 200\/\d+\/account /;

/** Holds the exchange against GitHub's own description. */
function checked(api: ApiServer, asked: Asked, body: unknown, answer: Answer): Answer {
  const exchange = {
    method: asked.method,
    path: asked.path,
    query: Object.fromEntries(asked.url.searchParams),
    requestBody: asked.body === '' ? undefined : body,
    status: answer.status,
    // As it goes over the wire: without members that are undefined.
    responseBody: answer.body === undefined ? undefined : (JSON.parse(JSON.stringify(answer.body)) as unknown),
  };
  api.problems.push(...validateExchange(exchange).filter((problem) => !isContradiction.test(problem)));
  return answer;
}

interface Sending {
  readonly asked: Asked;
  readonly answer: Answer | null;
  readonly fault: Fault | null;
  readonly response: ServerResponse;
}

/** Returns the status that went out; 0 where none did. */
async function sendAnswer(api: ApiServer, { asked, answer, fault, response }: Sending): Promise<number> {
  if (fault?.kind === 'reset') response.destroy();
  if (fault?.kind === 'reset' || fault?.kind === 'hang') return 0;
  if (fault?.kind === 'meanwhile' && fault.moment === 'carried_out') await fault.act();
  const chosen =
    (fault === null ? null : faultAnswer(fault, api.state.clock.now(), asked.path)) ?? answer ?? notFound();
  const tag = `W/"${createHash('sha256').update(bodyText(chosen)).digest('hex')}"`;
  const isSame = asked.method === 'GET' && chosen.status === 200 && asked.headers['if-none-match'] === tag;
  const headers = {
    ...headersOf(api, asked, chosen, isSame),
    ...(asked.method === 'GET' ? { etag: tag } : {}),
    ...chosen.headers,
  };
  const real = { ...chosen, status: isSame ? 304 : chosen.status, headers };
  const sent = fault?.kind === 'altered' && !isSame ? fault.alter(real) : real;
  const { status } = sent;
  const text = bodyText(sent);
  response.writeHead(status, sent.headers);
  if (fault?.kind === 'drip') await drip(response, text, fault);
  else if (isSame || status === 204) response.end();
  else response.end(fault?.kind === 'half_json' ? text.slice(0, text.length / 2) : text);
  if (fault?.kind === 'meanwhile' && fault.moment === 'answered') await handedOut(response).then(fault.act);
  return status;
}

/** Resolves when the whole answer is with the operating system, or its reader is gone. */
function handedOut(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.writableFinished || response.destroyed) resolve();
    else response.once('finish', resolve).once('close', resolve);
  });
}

function bodyText({ body }: Answer): string {
  if (body === undefined) return '';
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** An unchanged answer costs nothing of the limit. */
function headersOf(api: ApiServer, asked: Asked, { body }: Answer, isFree: boolean): Record<string, string> {
  const token = asked.headers['authorization'] ?? '';
  const used = (api.spent.get(token) ?? 0) + (isFree ? 0 : 1);
  api.spent.set(token, used);
  const reset = Math.trunc(api.state.clock.now().getTime() / 1_000) + 3_600;
  return {
    'content-type': typeof body === 'string' ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'x-github-request-id': `D0B1:${api.requests.length.toString(16).toUpperCase()}`,
    'x-github-media-type': 'github.v3; format=json',
    'x-ratelimit-limit': String(RATE_LIMIT),
    'x-ratelimit-remaining': String(Math.max(0, RATE_LIMIT - used)),
    'x-ratelimit-used': String(used),
    'x-ratelimit-reset': String(reset),
    'x-ratelimit-resource': asked.path === '/graphql' ? 'graphql' : 'core',
    date: api.state.clock.now().toUTCString(),
  };
}
