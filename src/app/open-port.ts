// The service's port: the API, and in GitHub mode the receiver of deliveries in front of it.
import { checkCallbackUrl } from '../callback/check-callback-url.ts';
import type { Config } from '../config.ts';
import { createApi } from '../http/api.ts';
import type { ApiDeps, ReadinessCheck } from '../http/api-deps.ts';
import { type RunningServer, startServer } from '../http/server.ts';
import type { House } from './house.ts';
import { isPaused } from './pause.ts';
import { readiness } from './readiness.ts';

export interface PortOptions extends Pick<ApiDeps, 'permissions' | 'settingsOf'> {
  readonly config: Pick<Config, 'host' | 'port' | 'rateLimit' | 'dataDir'>;
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

export async function openPort(house: House, options: PortOptions): Promise<RunningServer> {
  const { config, receive, permissions, settingsOf } = options;
  let address = options.publicUrl;
  const api = createApi({
    ...house,
    ...{ permissions, settingsOf },
    checkCallbackUrl: (url) => checkCallbackUrl(url, house.callbackPolicy),
    limits: config.rateLimit,
    ready: async () => [...(await readiness(house, config.dataDir)), pauseCheck(config), ...options.checks()],
    baseUrl: () => address,
  });
  const server = await startServer({
    ...{ host: config.host, port: config.port, loopbackOnly: options.isLocal, log: house.log },
    fetch: (request, stopping) =>
      receive !== null && DELIVERIES.test(request.url) ? receive(request) : api.fetch(request, stopping),
  });
  address ||= server.address;
  return server;
}

function pauseCheck({ dataDir }: Pick<Config, 'dataDir'>): ReadinessCheck {
  const detail = isPaused(dataDir) ? 'paused: reports are kept; "causeway resume" goes on' : 'not paused';
  return { name: 'pause', ok: true, detail };
}
