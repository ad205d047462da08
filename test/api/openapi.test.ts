// The OpenAPI document: complete, sound in itself, and what /docs shows.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildExample, formatCurl, listEntries } from '../../src/api/docs.ts';
import { type ApiGround, apiGround, BASE, requestOf } from './api-ground.ts';
import { document } from './documented-answer.ts';

let ground: ApiGround;
beforeAll(async () => {
  ground = await apiGround();
});
afterAll(() => ground[Symbol.asyncDispose]());

const entries = listEntries(document.paths);

describe('the OpenAPI document', () => {
  it('is served without a token, under 3.1', async () => {
    const answer = await ground.call('GET', '/api/v1/openapi.json', { token: null });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual(document);
    expect(document.openapi).toBe('3.1.0');
  });

  it('contains the five endpoints to the letter, and the others', () => {
    expect(entries.map(({ method, path }) => `${method.toUpperCase()} ${path}`)).toEqual([
      'POST /api/v1/issues/',
      'GET /api/v1/issues/{issueId}/',
      'DELETE /api/v1/issues/{issueId}/',
      'GET /api/v1/issues/{issueId}/proof/',
      'GET /api/v1/issues/{issueId}/patch/',
      'POST /api/v1/issues/{issueId}/retry/',
      'POST /api/v1/issues/{issueId}/pull-request/',
      'GET /api/v1/projects/',
      'GET /api/v1/projects/{projectId}/',
      'GET /api/v1/projects/{projectId}/proofs/{number}/',
      'POST /api/v1/projects/{projectId}/proofs/{number}/',
      'GET /api/v1/investigations/',
      'GET /api/v1/investigations/{investigationId}/',
      'DELETE /api/v1/investigations/{investigationId}/',
      'GET /api/v1/investigations/{investigationId}/events/',
      'GET /api/v1/checks/',
      'POST /api/v1/logs/',
      'GET /api/v1/failures/',
      'GET /api/v1/failures/{failureId}/',
      'GET /api/v1/outcomes/',
      'GET /api/v1/calibration/',
      'GET /api/v1/webhooks/',
      'POST /api/v1/webhooks/',
      'DELETE /api/v1/webhooks/{subscriptionId}/',
      'POST /api/v1/webhooks/{subscriptionId}/test/',
      'GET /api/v1/openapi.json',
      'GET /healthz',
      'GET /readyz',
    ]);
  });

  it('describes no operation that is not routed: none is 404 or 405 without a token', async () => {
    for (const { method, path, operation } of entries) {
      const answer = await ground.api.fetch(requestOf(method.toUpperCase(), path.replace(/\{\w+\}/, 'x'), {}));
      expect([operation.operationId, answer.status]).toEqual([
        operation.operationId,
        (operation.security ?? []).length > 0 ? 401 : 200,
      ]);
    }
  });

  it('names each operation once, and every reference in it leads somewhere', () => {
    const ids = entries.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, pointer]) => pointer!);
    expect(references.length).toBeGreaterThan(50);
    for (const reference of references) {
      const found = reference.split('/').reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], document);
      expect([reference, typeof found]).toEqual([reference, 'object']);
    }
  });

  it('lists for every call with a token the answers that any of them can get', () => {
    for (const { operation } of entries.filter((entry) => (entry.operation.security ?? []).length > 0)) {
      expect(Object.keys(operation.responses ?? {})).toEqual(
        expect.arrayContaining(['401', '403', '429', '500', '503']),
      );
      expect(operation['x-scope']).toMatch(/^[a-z-]+:[a-z]+$/);
    }
  });

  it('says of every operation and webhook which token it takes; a webhook takes none', () => {
    const webhooks = Object.values(document.webhooks ?? {}).map((item) => ('post' in item ? item.post : undefined));
    expect(webhooks.map((operation) => operation?.security)).toEqual(Array(9).fill([]));
    for (const { operation } of entries) expect([operation.operationId, operation.security]).not.toContain(undefined);
  });

  it('lists for every call the answers that any request can get', () => {
    for (const { operation } of entries) {
      expect(Object.keys(operation.responses ?? {})).toEqual(
        expect.arrayContaining(['400', '408', '417', '421', '431', '500']),
      );
    }
  });

  it('has examples that its schemas accept', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, 'openapi');
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
      const valid = ajv.validate({ $ref: `openapi#/components/schemas/${name}` }, buildExample(schema));
      expect([name, valid, ajv.errorsText()]).toEqual([name, true, 'No errors']);
    }
    for (const answer of Object.values(document.components?.responses ?? {})) {
      const example = 'content' in answer ? answer.content?.['application/problem+json']?.example : undefined;
      expect(ajv.validate({ $ref: 'openapi#/components/schemas/Problem' }, example)).toBe(true);
    }
  });

  it('accepts what the schema of requests accepts', async () => {
    const body = {
      ...(buildExample({ $ref: '#/components/schemas/CreateIssue' }) as object),
      projectId: 'local/app',
    };
    expect((await ground.call('POST', '/api/v1/issues/', { body })).status).toBe(202);
  });
});

describe('a call that can be pasted', () => {
  const curl = (id: string) => formatCurl(BASE, entries.find(({ operation }) => operation.operationId === id)!);

  it('has the address, the token from the shell and the body in quotes', () => {
    expect(curl('createIssue')).toMatch(
      /^curl -X POST 'http:\/\/127\.0\.0\.1:3000\/api\/v1\/issues\/' \\\n {2}-H "Authorization: Bearer \$TOKEN" \\\n {2}-H "Content-Type: application\/json" \\\n {2}-d '\{\n[^']+\}'$/,
    );
    expect(curl('getIssue')).toContain("'http://127.0.0.1:3000/api/v1/issues/iss_7Hq2mXv9KcTzR4bN1wYe/'");
    expect(curl('followInvestigation')).toMatch(/^curl -N 'http/);
    expect(curl('getHealth')).toBe("curl 'http://127.0.0.1:3000/healthz'");
  });
});

describe('the service itself', () => {
  it('says that it is alive and ready, without a token', async () => {
    const health = await ground.call('GET', '/healthz', { token: null });
    expect(await health.json()).toEqual({ status: 'alive' });
    const ready = await ground.call('GET', '/readyz/', { token: null });
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ready', checks: [{ name: 'database', ok: true, detail: 'answers' }] },
    ]);
  });

  it('is 503 where something that it needs does not answer', async () => {
    const checks = [
      { name: 'database', ok: true, detail: 'answers' },
      { name: 'disk', ok: false, detail: 'full' },
    ];
    await using broken = await apiGround({ ready: async () => checks });
    const answer = await broken.call('GET', '/readyz', { token: null });
    expect([answer.status, await answer.json()]).toEqual([503, { status: 'not_ready', checks }]);
  });

  it('is shown to people at /docs, which loads nothing and runs nothing', async () => {
    for (const path of ['/docs', '/docs/']) {
      const answer = await ground.api.fetch(requestOf('GET', path, {}));
      expect(answer.status).toBe(200);
      expect(answer.headers.get('Content-Type')).toBe('text/html; charset=UTF-8');
      expect(answer.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none';.*frame-ancestors 'none'$/);
      const page = await answer.text();
      expect(page).not.toMatch(/<script|javascript:|\son\w+=|style="|src=|https?:\/\/(?!127\.0\.0\.1|example\.com)/);
      for (const { operation } of entries) expect(page).toContain(`id="${operation.operationId}"`);
      for (const name of Object.keys(document.components?.schemas ?? {})) expect(page).toContain(`id="schema-${name}"`);
      for (const name of Object.keys(document.components?.responses ?? {})) {
        expect(page).toContain(`<th scope="row"><code>${name.replace('Problem', '')}</code></th>`);
      }
      for (const [, anchor] of page.matchAll(/href="#([^"]+)"/g)) expect(page).toContain(`id="${anchor}"`);
    }
  });
});
