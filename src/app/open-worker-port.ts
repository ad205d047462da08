// The port of a worker: for those who run it, nobody else.

import type { ReadinessCheck } from '../api/api-deps.ts';
import { createOperatorApi } from '../api/operator-api.ts';
import { type RunningServer, startServer } from '../api/server.ts';
import type { Config } from '../config.ts';
import type { House } from './house.ts';
import { isLoopback } from './local-mode.ts';
import { openMetrics } from './open-metrics.ts';
import { pauseCheck } from './open-port.ts';
import { pausedIn } from './pause.ts';
import { type CheckedModel, createReadiness, modelCheck } from './readiness.ts';

export interface WorkerPortOptions {
  readonly config: Pick<Config, 'host' | 'workerPort' | 'dataDir' | 'metrics' | 'mirrorsMaxBytes'>;
  readonly model: CheckedModel['model'];
  /** What `/readyz` says besides the house's own. */
  readonly checks: () => readonly ReadinessCheck[];
}

export async function openWorkerPort(
  house: House,
  { config, model, checks }: WorkerPortOptions,
): Promise<RunningServer> {
  const { host, workerPort: port, dataDir } = config;
  const { log, telemetry } = house;
  const others = () => [pauseCheck(paused), modelCheck(house, { model, isCalledHere: true }), ...checks()];
  const ready = createReadiness({ house, dataDir, others });
  const paused = pausedIn(house, dataDir);
  await using opening = new AsyncDisposableStack();
  const { answer: metrics } = opening.use(await openMetrics(house, { config, ready }));
  const api = createOperatorApi({ log, metrics, ready, tellAnswered: telemetry.requests.tellAnswered });
  const fetch = (request: Request) => telemetry.requests.around(request, () => api.fetch(request));
  const server = opening.use(await startServer({ host, port, loopbackOnly: isLoopback(host), log, fetch }));
  const opened = opening.move();
  return { address: server.address, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
