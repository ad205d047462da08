// What a process answers that takes work only: whether it is alive, whether it can work, and its figures.
import { Hono } from 'hono';
import type { ApiDeps, ApiEnv } from './api-deps.ts';
import { getHealth, getReadiness } from './health.ts';
import { absent } from './problem.ts';
import { answerError, withRequestId } from './request-boundary.ts';

export interface OperatorDeps extends Pick<ApiDeps, 'log' | 'ready' | 'tellAnswered'> {
  /** Answers GET /metrics. */
  readonly metrics: (request: Request) => Promise<Response>;
}

/** Its `fetch` never rejects, and holds nothing. */
export function createOperatorApi(deps: OperatorDeps): { fetch(request: Request): Promise<Response> } {
  const app = new Hono<ApiEnv>();
  app.use(withRequestId(deps));
  app.onError(answerError(deps));
  app.notFound(() => absent());
  app.get('/healthz', getHealth());
  app.get('/readyz', getReadiness(deps));
  app.get('/metrics', (c) => deps.metrics(c.req.raw));
  return { fetch: async (request) => app.fetch(request) };
}
