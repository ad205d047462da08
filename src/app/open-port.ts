// The service's port: the API and the account area, and in GitHub mode the receiver of deliveries in front of them.
import { checkCallbackUrl } from '../callback/check-callback-url.ts';
import { newSigningSecret } from '../callback/sign.ts';
import type { Config } from '../config.ts';
import { createApi } from '../http/api.ts';
import type { ApiDeps, ReadinessCheck } from '../http/api-deps.ts';
import { type RunningServer, startServer } from '../http/server.ts';
import { createRateLimiter } from '../jobs/rate-limit.ts';
import { createSeal } from '../store/seal.ts';
import { createWeb } from '../web/create-web.ts';
import type { WebDeps } from '../web/web-deps.ts';
import type { House } from './house.ts';
import { isPaused } from './pause.ts';
import { readiness } from './readiness.ts';

export interface PortOptions
  extends Pick<ApiDeps, 'permissions' | 'settingsOf'>,
    Pick<WebDeps, 'configurationOf' | 'entrance' | 'modelName'> {
  readonly config: Pick<Config, 'host' | 'port' | 'rateLimit' | 'dataDir' | 'budget'>;
  /** 32 bytes; see `sessionKey`. */
  readonly sessionKey: Buffer;
  /** Address that callers use; "": from the port that is opened. */
  readonly publicUrl: string;
  /** True: loopback names only. */
  readonly isLocal: boolean;
  /** Takes GitHub's deliveries; null in local mode. */
  readonly receive: ((request: Request) => Promise<Response>) | null;
  /** What `/readyz` says besides the house's own. */
  readonly checks: () => readonly ReadinessCheck[];
}

/** GitHub's path as Probot has it, in both spellings. */
const DELIVERIES = /^[^:]+:\/\/[^/]*\/api\/github\/webhooks\/?(?:\?|$)/;
/** What is the API's; the rest are pages. */
const API = /^[^:]+:\/\/[^/]*\/(?:api|docs|healthz|readyz)(?:[/?]|$)/;

export async function openPort(house: House, options: PortOptions): Promise<RunningServer> {
  const { config, receive, permissions, settingsOf } = options;
  let address = options.publicUrl;
  const shared = {
    ...house,
    ...{ permissions, settingsOf },
    limiter: createRateLimiter(config.rateLimit),
    baseUrl: () => address,
  };
  const api = createApi({
    ...shared,
    checkCallbackUrl: (url) => checkCallbackUrl(url, house.callbackPolicy),
    ready: async () => [...(await readiness(house, config.dataDir)), pauseCheck(config), ...options.checks()],
  });
  const { configurationOf, entrance, modelName, sessionKey: key } = options;
  const web = createWeb({
    ...shared,
    ...{ configurationOf, entrance, modelName, key, newSigningSecret, budget: config.budget },
    seal: createSeal(key),
    paused: () => isPaused(config.dataDir),
  });
  const server = await startServer({
    ...{ host: config.host, port: config.port, loopbackOnly: options.isLocal, log: house.log },
    fetch: (request, stopping) => {
      if (receive !== null && DELIVERIES.test(request.url)) return receive(request);
      return (API.test(request.url) ? api : web).fetch(request, stopping);
    },
  });
  address ||= server.address;
  return server;
}

function pauseCheck({ dataDir }: Pick<Config, 'dataDir'>): ReadinessCheck {
  const detail = isPaused(dataDir) ? 'paused: reports are kept; "causeway resume" goes on' : 'not paused';
  return { name: 'pause', ok: true, detail };
}
