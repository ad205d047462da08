// What an operator sees of the real service: figures that are those of what happened, one id through the log, and who may look.
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { type ModelEndpoint, modelEndpoint } from '../../packages/models/test/model-endpoint.ts';
import { usageOfTurn } from '../../packages/models/test/played.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { sum } from '../support/metrics-of.ts';
import { modelSettings, priceOf } from '../support/model-service.ts';
import { until } from '../support/patience.ts';
import { plays } from '../support/played-model.ts';
import { printedToken, type Service, startService, temporaryFolder } from '../support/service.ts';
import { FIX_TURNS, SHOP, SHOP_REPORT } from '../support/shop-fix.ts';
import { type WebhookReceiver, webhookReceiver } from '../support/webhook-receiver.ts';

const TOKEN = 'a-token-for-those-who-operate';

describe('an operator', () => {
  const cleanup = new AsyncDisposableStack();
  let service: Service;
  let api: ApiClient;
  let endpoint: ModelEndpoint;
  let receiver: WebhookReceiver;
  let investigation: string;

  beforeAll(async () => {
    const repository = cleanup.use(await gitRepository());
    await repository.commit(SHOP, 'Shop');
    const folder = cleanup.use(await temporaryFolder());
    endpoint = cleanup.use(await modelEndpoint(plays(FIX_TURNS)));
    receiver = cleanup.use(await webhookReceiver());
    const env = {
      ...(await modelSettings(endpoint, folder.path)),
      ...{ METRICS_TOKEN: TOKEN, LOG_LEVEL: 'debug' },
    };
    service = cleanup.use(await startService({ projects: [repository.path], dataDir: folder.path, env }));
    api = apiClient(service.address, printedToken(service));
    const { id: projectId } = await api.project();
    const report = { projectId, data: `${SHOP_REPORT}`, callbackUrl: receiver.url };
    investigation = await api.report(report);
    await api.issue(investigation);
    await receiver.received(1);
    receiver.answerWith(410);
    await api.end(await api.report({ ...report, revision: 'v9.9.9' }));
    await receiver.received(2);
  });
  afterAll(() => cleanup.disposeAsync());

  const withToken = { headers: { Authorization: `Bearer ${TOKEN}` } };
  async function metrics(): Promise<string> {
    const answer = await fetch(`${service.address}/metrics`, withToken);
    expect(answer.status).toBe(200);
    return await answer.text();
  }

  it('reads figures that are those of what happened', async () => {
    const isAtRest = (now: string) =>
      sum(now, 'causeway_webhook_attempts_total') === 2 && sum(now, 'causeway_queue_jobs', { state: 'running' }) === 0;
    const text = await settled(metrics, isAtRest);
    const of = (name: string, labels = {}) => sum(text, `causeway_${name}`, labels);
    expect(of('job_duration_seconds_count', { kind: 'run', outcome: 'done' })).toBe(2);
    expect(of('job_duration_seconds_count', { kind: 'webhook', outcome: 'done' })).toBe(2);
    expect(of('investigation_duration_seconds_count', { origin: 'api', outcome: 'code_fix' })).toBe(1);
    expect(of('investigation_duration_seconds_count', { origin: 'api', outcome: 'gave_up' })).toBe(1);
    expect(of('investigation_duration_seconds_count')).toBe(2);
    expect(of('webhook_attempts_total', { result: 'delivered' })).toBe(1);
    expect(of('webhook_attempts_total', { result: 'stopped' })).toBe(1);
    expect(of('http_request_duration_seconds_count', { method: 'POST', route: '/api/v1/issues/', status: '202' })).toBe(
      2,
    );
    for (const state of ['waiting', 'running', 'dead']) expect(of('queue_jobs', { state })).toBe(0);
    expect(of('queue_oldest_due_seconds')).toBe(0);
    expect(of('ready', { check: 'database' })).toBe(1);
    expect(of('data_free_bytes')).toBeGreaterThan(0);
    expect(sum(text, 'nodejs_eventloop_lag_p99_seconds')).not.toBeNull();
  });

  it('reads what the model cost, to the token', async () => {
    const text = await metrics();
    // The last question is the first of a second look.
    const bills = endpoint.requests.map((_, turn, all) => usageOfTurn(turn === all.length - 1 ? 0 : turn));
    const all = (value: (bill: (typeof bills)[number]) => number) => bills.reduce((so, bill) => so + value(bill), 0);
    const of = (name: string, labels = {}) => sum(text, `causeway_model_${name}`, { model: 'test-model', ...labels });
    expect(of('request_duration_seconds_count', { outcome: 'answered' })).toBe(bills.length);
    expect(of('tokens_total', { direction: 'in' })).toBe(all((bill) => bill.prompt_tokens));
    expect(of('tokens_total', { direction: 'out' })).toBe(all((bill) => bill.completion_tokens));
    expect(of('tokens_total', { direction: 'cached' })).toBe(all((bill) => bill.prompt_tokens_details.cached_tokens));
    expect(of('cost_dollars_total')).toBeCloseTo(all(priceOf), 9);
  });

  it('reads at /readyz which model there is and that it answered, and nowhere where it is', async () => {
    const ready = await (await fetch(`${service.address}/readyz`)).text();
    expect(JSON.parse(ready).checks).toContainEqual({
      ...{ name: 'model', ok: true },
      detail: 'test-model through chat completions, last call answered',
    });
    expect(ready).not.toContain(new URL(endpoint.url).host);
  });

  it('finds all lines of one report by one id: request, job, model and webhook', () => {
    const id = path.posix.basename(investigation);
    const lines = logLines(service.output());
    const ours = lines.filter((line) => line['investigation'] === id);
    const [accepted] = ours;
    expect(accepted).toMatchObject({ msg: 'request', route: '/api/v1/issues/', status: 202 });
    const told = ours.map(({ msg, kind }) => (kind === undefined ? msg : `${kind}: ${msg}`));
    expect(new Set(told)).toEqual(
      new Set(['request', 'run: model call', 'run: job', 'webhook: webhook delivered', 'webhook: job']),
    );
    expect(told.filter((line) => line === 'run: model call')).toHaveLength(endpoint.requests.length);
    // Nothing of it is said without the id, but what asks for it by its address.
    const run = accepted?.['run'];
    expect(lines.filter((line) => line['run'] === run && line['investigation'] !== id)).toEqual([]);
  });

  it('names a request as its caller does, and never by what no name is', async () => {
    const asked = async (name: string) =>
      (await fetch(`${service.address}/healthz`, { headers: { 'X-Request-Id': name } })).headers.get('X-Request-Id');
    const [first, second] = [await asked('ticket-7'), await asked('"level":"fatal" {}')];
    const lineOf = (id: string | null) => logLines(service.output()).find(({ requestId }) => requestId === id);
    const seen = await settled(
      async () => lineOf(second),
      (line) => line !== undefined,
    );
    expect(lineOf(first)).toMatchObject({ callerRequestId: 'ticket-7' });
    expect(seen).not.toHaveProperty('callerRequestId');
  });

  it('sees which coding agents were refused, which the API never hears of', async () => {
    const refused = await fetch(`${service.address}/mcp?x`, { method: 'POST', body: '{}' });
    expect(refused.status).toBe(401);
    const requestId = refused.headers.get('X-Request-Id');
    const seen = await settled(
      async () => logLines(service.output()).find((line) => line['requestId'] === requestId),
      (line) => line !== undefined,
    );
    expect(seen).toMatchObject({ msg: 'request', method: 'POST', route: '/mcp', status: 401 });
    const labels = { method: 'POST', route: '/mcp', status: '401' };
    expect(sum(await metrics(), 'causeway_http_request_duration_seconds_count', labels)).toBe(1);
  });

  it('shows figures to nobody without the token', async () => {
    const url = `${service.address}/metrics`;
    for (const Authorization of ['', 'Bearer', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, `bearer ${TOKEN.slice(1)}`]) {
      const answer = await fetch(url, { headers: { Authorization } });
      expect([answer.status, await answer.text()]).toEqual([401, expect.not.stringContaining('causeway_')]);
    }
    expect((await fetch(url, withToken)).status).toBe(200);
  });

  it('finds none of a stranger’s words in any label', async () => {
    await fetch(`${service.address}/no/such/page-of-a-stranger?q=x`, { method: 'GET' });
    await fetch(`${service.address}/api/v1/strange`, { method: 'PROPFIND' });
    const text = await metrics();
    expect(text).not.toMatch(/stranger|strange|PROPFIND|shop|v9\.9\.9/);
  });
});

it('has no /metrics on a public port unless somebody asks for it, and says which setting does', async () => {
  await using folder = await temporaryFolder();
  await using service = await startService({ projects: [], dataDir: folder.path });
  const answer = await fetch(`${service.address}/metrics`, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('Content-Type')]).toEqual([404, 'text/plain; charset=utf-8']);
  expect(await answer.text()).toMatch(/^Metrics are off\. Set METRICS_TOKEN /);
});

type Line = Readonly<Record<string, unknown>>;

function logLines(output: string): readonly Line[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{"level"'))
    .map((line) => JSON.parse(line));
}

/** What is counted after an answer is out may take a moment. */
async function settled<T>(look: () => Promise<T>, isThere: (found: T) => boolean): Promise<T> {
  let found = await look();
  await until(async () => {
    found = await look();
    return isThere(found);
  });
  return found;
}
