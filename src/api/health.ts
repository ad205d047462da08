// For those who run the service: whether it is alive, and whether it can work.
import type { Handler } from 'hono';
import type { ApiDeps, ApiEnv } from './api-deps.ts';

/** GET /healthz */
export function getHealth(): Handler<ApiEnv> {
  return (c) => c.json({ status: 'alive' });
}

/** GET /readyz */
export function getReadiness({ ready }: Pick<ApiDeps, 'ready'>): Handler<ApiEnv> {
  return async (c) => {
    const found = await ready();
    const checks = found.map(({ name, ok, detail }) => ({ name, ok, detail }));
    const allOk = found.every(({ ok, isVital = true }) => ok || !isVital);
    return c.json({ status: allOk ? 'ready' : 'not_ready', checks }, allOk ? 200 : 503);
  };
}
