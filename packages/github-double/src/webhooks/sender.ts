// Sends what GitHub announces: which App gets it, signed, and listed with its answer.

import { createHmac, randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { nodeId } from '../resources/user.ts';
import type { App, AppInstallation, State } from '../state.ts';
import type { ListedDelivery, WebhookSender } from './delivery.ts';
import { publishedExamples } from './examples.ts';

/** Sent to every App without being asked for. */
const ALWAYS = ['installation', 'installation_repositories', 'installation_target', 'github_app_authorization', 'ping'];

/** The permission (read) without which GitHub does not let an App subscribe; one of several is enough. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  issues: ['issues'],
  issue_comment: ['issues', 'pull_requests'],
  label: ['issues', 'metadata'],
  check_run: ['checks'],
  check_suite: ['checks'],
  workflow_run: ['actions'],
  workflow_job: ['actions'],
  workflow_dispatch: ['contents'],
  status: ['statuses'],
  pull_request: ['pull_requests'],
  pull_request_review: ['pull_requests'],
  pull_request_review_comment: ['pull_requests'],
  push: ['contents'],
  merge_group: ['merge_queues'],
  create: ['contents'],
  delete: ['contents'],
  repository: ['metadata'],
  public: ['metadata'],
  member: ['members', 'metadata'],
};

interface Hearer {
  readonly app: App;
  readonly installationId: number | null;
}

/** Null: nobody hears of it. An event with neither installation nor App in it is for the only App, if there is one. */
function hearerOf(state: State, event: string, payload: object, installationId: number | null): Hearer | null {
  const named = (payload as { installation?: { id?: number; app_id?: number } }).installation;
  const installation = state.installations.get(installationId ?? named?.id ?? 0);
  const app = state.apps.get(installation?.appId ?? named?.app_id ?? onlyApp(state));
  if (app === undefined) return null;
  const hearer = { app, installationId: installationId ?? named?.id ?? null };
  if (ALWAYS.includes(event)) return hearer;
  return installation !== undefined && hears(installation, event) ? hearer : null;
}

/** What counts is what the installation was granted, which can be less than the App asks for by now. */
function hears({ events, permissions, suspendedAt }: AppInstallation, event: string): boolean {
  if (suspendedAt !== null) return false;
  const needed = NEEDED[event];
  if (needed === undefined) throw new Error(`The GitHub double does not know which permission "${event}" takes.`);
  const isGranted = needed.some((permission) => permissions[permission] !== undefined);
  // Whoever may write checks hears of them without a subscription.
  const isImplied = (event === 'check_run' || event === 'check_suite') && permissions['checks'] === 'write';
  return isGranted && (isImplied || events.includes(event));
}

function onlyApp({ apps }: State): number {
  return apps.size === 1 ? ([...apps.keys()][0] ?? 0) : 0;
}

/** What is sent. */
export interface Letter {
  readonly guid: string;
  readonly event: string;
  /** The bytes that are signed and sent. */
  readonly body: string;
}

export interface DeliveryOutcome {
  readonly status: string;
  readonly statusCode: number;
  /** Seconds. */
  readonly duration: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const TIME_LIMIT_MS = 10_000;

const LONGEST_ANSWER = 64 * 1024;

/** Of an App: what its deliveries are signed with. */
type Signing = Pick<App, 'id' | 'webhookSecret'>;

/** All headers of a delivery to that App, with both signatures of the body. */
export function signDelivery(app: Signing, { guid, event, body }: Letter): Readonly<Record<string, string>> {
  const hash = (algorithm: string) => createHmac(algorithm, app.webhookSecret).update(body).digest('hex');
  return {
    accept: '*/*',
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/0d0ub1e',
    'x-github-delivery': guid,
    'x-github-event': event,
    'x-github-hook-id': String(app.id * 1000 + 1),
    'x-github-hook-installation-target-id': String(app.id),
    'x-github-hook-installation-target-type': 'integration',
    'x-hub-signature': `sha1=${hash('sha1')}`,
    'x-hub-signature-256': `sha256=${hash('sha256')}`,
  };
}

/** Posts a delivery as GitHub does: ten seconds, no redirect. Never rejects: what went wrong is the outcome. */
export async function postDelivery(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  stop?: AbortSignal,
): Promise<DeliveryOutcome> {
  const started = performance.now();
  const limit = AbortSignal.timeout(TIME_LIMIT_MS);
  const seconds = () => Math.round((performance.now() - started) / 10) / 100;
  try {
    const answer = await exchange(url, headers, body, AbortSignal.any(stop === undefined ? [limit] : [limit, stop]));
    const status =
      answer.statusCode >= 200 && answer.statusCode < 300 ? 'OK' : `Invalid HTTP Response: ${answer.statusCode}`;
    return { ...answer, status, duration: seconds() };
  } catch {
    return limit.aborted
      ? unreached('timed out', 504, seconds())
      : unreached('failed to connect to host', 502, seconds());
  }
}

function unreached(status: string, statusCode: number, duration: number): DeliveryOutcome {
  return { status, statusCode, duration, headers: {}, body: '' };
}

/** By node:http and not fetch: a proxy that is set for the machine has nothing to do with loopback. */
function exchange(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<Pick<DeliveryOutcome, 'statusCode' | 'headers' | 'body'>> {
  const { promise, resolve, reject } =
    Promise.withResolvers<Pick<DeliveryOutcome, 'statusCode' | 'headers' | 'body'>>();
  const send = new URL(url).protocol === 'https:' ? httpsRequest : httpRequest;
  const bytes = Buffer.from(body);
  const request = send(
    url,
    { method: 'POST', agent: false, signal, headers: { ...headers, 'content-length': bytes.length } },
    (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text = (text + chunk).slice(0, LONGEST_ANSWER);
      });
      response.on('error', reject);
      response.on('end', () => {
        const named = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        resolve({ statusCode: response.statusCode ?? 0, headers: Object.fromEntries(named), body: text });
      });
    },
  );
  request.on('error', reject);
  request.end(bytes);
  return promise;
}

interface Parcel extends Letter {
  readonly app: App;
  readonly installationId: number | null;
  readonly redelivery: boolean;
}

/** GitHub does not deliver what is larger. */
const LONGEST_BODY = 25 * 1024 * 1024;

/** Sends from now on what is announced, as long as it is not disposed; what is then under way is cut off. */
export function startWebhooks(state: State): WebhookSender & AsyncDisposable {
  const stop = new AbortController();
  const sent: { readonly appId: number; readonly parcel: Parcel; readonly listed: ListedDelivery }[] = [];
  let isOut = false;
  let last: Promise<unknown> = Promise.resolve();

  const deliver = async (parcel: Parcel): Promise<ListedDelivery> => {
    const headers = signDelivery(parcel.app, parcel);
    const outcome = await attempt(parcel, headers);
    const listed = listedDelivery(state, parcel, headers, outcome);
    sent.unshift({ appId: parcel.app.id, parcel, listed });
    return listed;
  };
  const attempt = async (
    { app, body }: Parcel,
    headers: Readonly<Record<string, string>>,
  ): Promise<DeliveryOutcome> => {
    if (app.webhookUrl === null) return unreached('no webhook address', 0, 0);
    if (isOut || stop.signal.aborted) return unreached('failed to connect to host', 502, 0);
    return postDelivery(app.webhookUrl, headers, body, stop.signal);
  };
  /** One after the other, so that what happened first arrives first. */
  const queue = (parcel: Parcel): Promise<ListedDelivery> => {
    const delivered = last.then(() => deliver(parcel));
    last = delivered;
    return delivered;
  };

  state.onEvent((event, payload, installationId) => {
    const hearer = hearerOf(state, event, payload, installationId);
    if (hearer === null) return;
    // As it is now: what happens afterwards is another delivery's matter.
    const body = JSON.stringify(withInstallation(payload, hearer.installationId));
    if (Buffer.byteLength(body) > LONGEST_BODY) return;
    void queue({ ...hearer, guid: randomUUID(), event, body, redelivery: false });
  });
  return {
    deliveries: (appId) => sent.filter((one) => one.appId === appId).map(({ listed }) => listed),
    redeliver: (id) => {
      const earlier = sent.find(({ listed }) => listed.id === id);
      if (earlier === undefined) throw new Error(`There is no delivery ${id}.`);
      void queue({ ...earlier.parcel, redelivery: true });
    },
    setDeliveries: (app, deliveries) => {
      const others = sent.filter((one) => one.appId !== app.id);
      const planted = deliveries.map((listed) => {
        const { guid, event, redelivery, installationId, request } = listed;
        const parcel = { app, guid, event, redelivery, installationId, body: JSON.stringify(request.payload) };
        return { appId: app.id, parcel, listed };
      });
      sent.splice(0, sent.length, ...planted, ...others);
    },
    settled: async () => {
      for (let seen: unknown; seen !== last; ) {
        seen = last;
        await last;
      }
    },
    outage: (lasts) => {
      isOut = lasts;
    },
    postExample: (name) => {
      const example = publishedExamples().find((one) => one.name === name);
      if (example === undefined) throw new Error(`GitHub publishes no example "${name}".`);
      const [app] = state.apps.values();
      if (app === undefined) throw new Error('There is no App to send an example to.');
      const body = JSON.stringify(example.payload);
      return queue({ app, installationId: null, guid: randomUUID(), event: example.event, body, redelivery: false });
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await last;
    },
  };
}

/** Every payload for an App names the installation. */
function withInstallation(payload: object, installationId: number | null): object {
  if (installationId === null || 'installation' in payload) return payload;
  return { ...payload, installation: { id: installationId, node_id: nodeId('MDI', installationId) } };
}

function listedDelivery(
  state: State,
  parcel: Parcel,
  headers: Readonly<Record<string, string>>,
  outcome: DeliveryOutcome,
): ListedDelivery {
  const payload: { action?: string; repository?: { id?: number } } = JSON.parse(parcel.body);
  return {
    id: state.nextId(),
    guid: parcel.guid,
    deliveredAt: state.clock.now().toISOString(),
    redelivery: parcel.redelivery,
    duration: outcome.duration,
    status: outcome.status,
    statusCode: outcome.statusCode,
    event: parcel.event,
    action: payload.action ?? null,
    installationId: parcel.installationId,
    repositoryId: payload.repository?.id ?? null,
    url: parcel.app.webhookUrl ?? '',
    request: { headers, payload },
    response: { headers: outcome.headers, payload: outcome.body },
  };
}
