// Every path that is known answers every other method with what it does know.
import type { Hono } from 'hono';
import { WebRefusal } from './refusal.ts';
import type { WebEnv } from './web-deps.ts';

/** Called last, when all routes are there. */
export function refuseOtherMethods(app: Hono<WebEnv>): void {
  const methodsOf = new Map<string, Set<string>>();
  for (const { path, method } of app.routes) {
    if (method === 'ALL') continue;
    const methods = methodsOf.get(path) ?? new Set();
    methodsOf.set(path, methods.add(method));
    if (method === 'GET') methods.add('HEAD');
  }
  for (const [path, methods] of methodsOf) {
    const allow = [...methods].join(', ');
    app.all(path, (c) => {
      throw new WebRefusal(405, `This address does not know the method ${c.req.method}: use ${allow}.`, {
        Allow: allow,
      });
    });
  }
}
