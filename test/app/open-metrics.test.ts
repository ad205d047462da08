// Who gets to see figures: on their own port whoever reaches it, unless there is a token; elsewhere nobody without it.
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { openMetrics } from '../../src/app/open-metrics.ts';
import { createLog } from '../../src/log.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';

function open(metrics: { readonly port: number | null; readonly token: string | null }) {
  const log = createLog({ level: 'silent' });
  const now = () => new Date();
  const telemetry = createTelemetry({ version: '0.0.0', log, now });
  const holds = { standing: () => [] };
  const house = {
    telemetry,
    log,
    now,
    holds,
    isPaused: () => false,
    queue: { depths: async () => [] },
  } as unknown as Parameters<typeof openMetrics>[0];
  const config = { metrics: { host: '127.0.0.1', ...metrics }, dataDir: tmpdir(), mirrorsMaxBytes: 0 };
  return openMetrics(house, { config, ready: async () => [] });
}

it('is open on a port of its own without a token, and nowhere else', async () => {
  await using metrics = await open({ port: 0, token: null });
  const elsewhere = await metrics.answer(new Request('http://causeway.example/metrics'));
  expect([elsewhere.status, await elsewhere.text()]).toEqual([
    404,
    expect.stringMatching(/METRICS_PORT.*METRICS_TOKEN/),
  ]);
  const answer = await fetch(`${metrics.address}/metrics`);
  expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, expect.stringContaining('version=0.0.4')]);
  expect(await answer.text()).toContain('causeway_build_info{version="0.0.0"');
  expect((await fetch(`${metrics.address}/metrics`, { method: 'POST' })).status).toBe(405);
});

it('answers no page of another site that has its name lead here', async () => {
  await using metrics = await open({ port: 0, token: null });
  const status = await new Promise((resolve) => {
    const headers = { Host: 'rebound.example' };
    request(`${metrics.address}/metrics`, { headers }, (answer) => resolve(answer.resume().statusCode)).end();
  });
  expect(status).toBe(421);
});

it('opens no port where nobody asked for it, and says in plain text what turns it on', async () => {
  await using metrics = await open({ port: null, token: null });
  expect(metrics.address).toBeNull();
  const answer = await metrics.answer(new Request('http://causeway.example/metrics'));
  expect([answer.status, answer.headers.get('Content-Type')]).toEqual([404, 'text/plain; charset=utf-8']);
  expect(await answer.text()).toMatch(/^Metrics are off\. Set METRICS_TOKEN .* METRICS_PORT /);
});
