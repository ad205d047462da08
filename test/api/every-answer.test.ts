// Every operation of the document, brought to every refusal that it documents: at the guard, and where the store fails.
import { describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/core/account/account.ts';
import { CausewayError } from '../../src/core/errors.ts';
import type { Store } from '../../src/db/store.ts';
import { type ApiGround, apiGround } from './api-ground.ts';
import { document } from './documented-answer.ts';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly statuses: readonly string[];
}

const IDS: Readonly<Record<string, string>> = {
  issueId: 'iss_00000000000000000000',
  projectId: 'prj_00000000000000000000',
  investigationId: 'inv_00000000000000000000',
  failureId: 'fal_00000000000000000000',
  subscriptionId: 'sub_00000000000000000000',
};

/** Without these an operation is refused before it looks for anything. */
const QUERIES: Readonly<Record<string, string>> = {
  '/api/v1/checks/': `?projectId=${IDS['projectId']}&pullRequest=1`,
};

const OPERATIONS: readonly Operation[] = Object.entries(document.paths ?? {}).flatMap(([template, item]) =>
  Object.entries(item)
    .filter(([, operation]) => operation.responses !== undefined)
    .map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      path: template.replaceAll(/\{(\w+)\}/g, (_, name: string) => IDS[name] ?? 'x') + (QUERIES[template] ?? ''),
      statuses: Object.keys(responses),
    })),
);
const guarded = OPERATIONS.filter(({ statuses }) => statuses.includes('401'));

/** The store, but that every verb except those of the token and its projects fails with `error`. */
function failing(error: () => Error): (store: Store) => Store {
  const kept = new Set<string | symbol>(['findTokenByHash', 'touchToken', 'ensureAccount', 'addToken', 'syncProjects']);
  return (store) =>
    new Proxy(store, {
      get: (target, key) =>
        kept.has(key) || typeof Reflect.get(target, key) !== 'function'
          ? Reflect.get(target, key)
          : () => Promise.reject(error()),
    });
}

function body(ground: ApiGround, { method, path }: Operation): object {
  if (path.endsWith('/retry/')) return { body: {} };
  if (method === 'POST' && path.endsWith('/webhooks/')) {
    return { body: { url: 'https://hooks.example.org/', types: ['issue.created'] } };
  }
  if (method === 'POST' && path.includes('/proofs/')) return { body: { head: 'a'.repeat(40) } };
  if (path.endsWith('/logs/')) return { body: { data: 'x', projectId: IDS['projectId'] } };
  return method === 'POST' && path.endsWith('/issues/') ? { body: { data: 'x', projectId: ground.project.id } } : {};
}

describe('every operation', () => {
  it('is 401 without a token, 403 without its scope, 429 over the rate and 404 for what is absent', async () => {
    await using ground = await apiGround({ limits: { callsPerMinute: 100, creationsPerMinute: 100 } });
    const bare = await ground.newToken({ scopes: [] });
    const whole = await ground.newToken({ scopes: SCOPES });
    for (const operation of guarded) {
      const { method, path, statuses } = operation;
      const ask = async (token: string | null) =>
        (await ground.call(method, path, { ...body(ground, operation), token })).status;
      expect([path, await ask(null)]).toEqual([path, 401]);
      expect([path, await ask(bare)]).toEqual([path, 403]);
      const plain = await ask(whole);
      expect([path, plain]).toEqual([path, statuses.includes('404') ? 404 : plain]);
    }
    for (let calls = 0; calls < 100; calls++) await ground.call('GET', '/api/v1/projects/');
    for (const operation of guarded) {
      const answer = await ground.call(operation.method, operation.path, { ...body(ground, operation), token: whole });
      expect([operation.path, answer.status]).toEqual([operation.path, 429]);
    }
  });

  it.each([
    ['503 where the store is unusable', 503, () => new CausewayError('store_unusable', 'disk full')],
    ['500 where we are at fault, without a word of what', 500, () => new TypeError('inner words')],
  ])('is %s', async (_name, status, error) => {
    await using ground = await apiGround({ around: failing(error) });
    const token = await ground.newToken({ scopes: SCOPES });
    for (const operation of guarded) {
      const answer = await ground.call(operation.method, operation.path, { ...body(ground, operation), token });
      expect([operation.path, answer.status]).toEqual([operation.path, status]);
      expect(await answer.text()).not.toMatch(/inner words|disk full/);
    }
  });
});
