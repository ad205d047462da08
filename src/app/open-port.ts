// The service's port: the API and the account area, and in GitHub mode the receiver of deliveries in front of them.

import { type Api, createApi } from '../api/api.ts';
import type { ApiDeps, ReadinessCheck } from '../api/api-deps.ts';
import { type RunningServer, startServer } from '../api/server.ts';
import type { Config } from '../config.ts';
import { createSeal } from '../db/seal.ts';
import type { Receiver } from '../github/intake/receive-delivery.ts';
import { createRateLimiter } from '../services/rate-limit.ts';
import { createWeb, type Web } from '../web/create-web.ts';
import type { WebDeps } from '../web/web-deps.ts';
import { checkCallbackUrl } from '../webhooks/check-callback-url.ts';
import { newSigningSecret } from '../webhooks/sign.ts';
import type { House } from './house.ts';
import { type Metrics, openMetrics } from './open-metrics.ts';
import { pausedIn } from './pause.ts';
import { type CheckedModel, createReadiness, modelCheck } from './readiness.ts';

export interface PortOptions
  extends Pick<ApiDeps, 'permissions' | 'settingsOf'>,
    Pick<WebDeps, 'configurationOf' | 'entrance' | 'example'> {
  readonly config: Pick<Config, 'host' | 'port' | 'rateLimit' | 'dataDir' | 'budget' | 'metrics' | 'mirrorsMaxBytes'>;
  /** 32 bytes; see `sessionKey`. */
  readonly sessionKey: Buffer;
  /** Address that callers use; "": from the port that is opened. */
  readonly publicUrl: string;
  /** True: loopback names only. */
  readonly isLocal: boolean;
  /** Takes GitHub's deliveries; null in local mode. */
  readonly receive: Receiver | null;
  readonly model: CheckedModel['model'];
  /** Whether this process takes work, and so calls the model. */
  readonly works: boolean;
  /** What `/readyz` says besides the house's own. */
  readonly checks: () => readonly ReadinessCheck[];
}

/** GitHub's path as Probot has it, in both spellings. */
const DELIVERIES = /^[^:]+:\/\/[^/]*\/api\/github\/webhooks\/?(?:\?|$)/;
const METRICS = /^[^:]+:\/\/[^/]*\/metrics(?:\?|$)/;
/** What is the API's; the rest are pages. */
const API = /^[^:]+:\/\/[^/]*\/(?:api|docs|healthz|readyz)(?:[/?]|$)/;

export async function openPort(house: House, options: PortOptions): Promise<RunningServer> {
  const { config, receive, permissions, settingsOf } = options;
  let address = options.publicUrl;
  const paused = pausedIn(house, config.dataDir);
  const model = { model: options.model, isCalledHere: options.works };
  const others = () => [pauseCheck(paused), modelCheck(house, model), ...options.checks()];
  const ready = createReadiness({ house, dataDir: config.dataDir, others });
  const shared = {
    ...house,
    ...{ permissions, settingsOf },
    limiter: createRateLimiter(config.rateLimit),
    tellAnswered: house.telemetry.requests.tellAnswered,
    baseUrl: () => address,
  };
  const api = createApi({
    ...shared,
    checkCallbackUrl: (url) => checkCallbackUrl(url, house.callbackPolicy),
    ready,
  });
  const { configurationOf, entrance, example, sessionKey: key } = options;
  const modelName = options.model?.name ?? null;
  const web = createWeb({
    ...shared,
    ...{ configurationOf, entrance, modelName, example, key, newSigningSecret, budget: config.budget },
    seal: createSeal(key),
    paused,
  });
  await using opening = new AsyncDisposableStack();
  const metrics = opening.use(await openMetrics(house, { config, ready }));
  const rooms = { api, web, receive, metrics: metrics.answer };
  const server = opening.use(
    await startServer({
      ...{ host: config.host, port: config.port, loopbackOnly: options.isLocal, log: house.log },
      fetch: (request, stopping) =>
        house.telemetry.requests.around(request, () => dispatch(house, rooms, { request, stopping })),
    }),
  );
  address ||= server.address;
  const opened = opening.move();
  return { address: server.address, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

interface Rooms {
  readonly api: Api;
  readonly web: Web;
  readonly receive: PortOptions['receive'];
  readonly metrics: Metrics['answer'];
}

interface Arriving {
  readonly request: Request;
  readonly stopping: AbortSignal;
}

function dispatch(
  { telemetry }: House,
  { api, web, receive, metrics }: Rooms,
  { request, stopping }: Arriving,
): Promise<Response> {
  if (receive !== null && DELIVERIES.test(request.url)) {
    return telemetry.requests.delivery(request, () => receive(request));
  }
  if (METRICS.test(request.url)) return metrics(request);
  return (API.test(request.url) ? api : web).fetch(request, stopping);
}

/** What `/readyz` says of the operator's pause, which makes it no less ready. */
export function pauseCheck(paused: () => boolean): ReadinessCheck {
  const detail = paused() ? 'paused: reports are kept; "causeway resume" goes on' : 'not paused';
  return { name: 'pause', ok: true, detail };
}
