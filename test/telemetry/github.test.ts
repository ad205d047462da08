// What the figures say of GitHub: requests by the class of their status, and the quota of whoever has the least, by nobody's name.
import { expect, it } from 'vitest';
import { createLog } from '../../src/log.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { sum } from '../support/metrics-of.ts';

const ROUTE = 'GET /repos/{owner}/{repo}';

function ground() {
  let now = new Date('2026-11-22T10:00:00.000Z');
  const telemetry = createTelemetry({ version: '0.0.0', log: createLog({ level: 'silent' }), now: () => now });
  const house = {
    queue: { depths: async () => [] },
    disk: async () => ({ mirrors: 0, lexicon: 0, free: 0, size: 0 }),
    ...{ mirrorLimit: null, ready: async () => [], now: () => now, holds: { standing: () => [] }, paused: () => false },
  };
  const exposition = telemetry.open(house);
  const quota = (remaining: number, limit = 5_000, resource = 'core') => ({
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-reset': String(Math.floor(now.getTime() / 1_000) + 3_600),
    'x-ratelimit-resource': resource,
  });
  return {
    telemetry,
    text: () => exposition.text(),
    quota,
    later: (ms: number) => {
      now = new Date(now.getTime() + ms);
    },
    answered: (holder: string, headers: object, status = 200) =>
      telemetry.github.call({ route: ROUTE, holder }, async () => ({ status, headers })),
    failed: (error: unknown) =>
      telemetry.github.call({ route: ROUTE, holder: 'app' }, () => Promise.reject(error)).catch(() => {}),
  };
}

it('counts answers and failures by the class of their status', async () => {
  const { answered, failed, text, telemetry } = ground();
  expect(telemetry.github.answers()).toBeNull();
  await answered('installation 7', {});
  await answered('installation 7', {}, 304);
  await failed(Object.assign(new Error('no'), { response: { status: 404, headers: {} } }));
  expect(telemetry.github.answers()).toBe(true);
  await failed(Object.assign(new Error('no'), { response: { status: 502, headers: {} } }));
  expect(telemetry.github.answers()).toBe(false);
  await failed(new TypeError('fetch failed'));
  const now = await text();
  const of = (status: string) => sum(now, 'causeway_github_request_duration_seconds_count', { status });
  expect(['2xx', '3xx', '4xx', '5xx', 'none'].map(of)).toEqual([1, 1, 1, 1, 1]);
});

it('shows the lowest quota of all installations until its hour is over, and how many are low, by nobody’s name', async () => {
  const { answered, failed, later, text, quota } = ground();
  await answered('installation 71', quota(4_000));
  later(60_000);
  await answered('installation 72', quota(900, 12_500));
  await answered('installation 72', quota(30, 30, 'search'));
  await answered('installation 73', quota(1, 5_000, 'a-new-one'));
  // Its answer was an error, and its quota is known all the same.
  const used = { response: { status: 403, headers: quota(400) } };
  await failed(Object.assign(new Error('limit'), used));
  const now = await text();
  const of = (name: string, resource = 'core') => sum(now, `causeway_github_quota_${name}`, { resource });
  expect([of('remaining'), of('limit'), of('holders'), of('low_holders')]).toEqual([900, 12_500, 3, 2]);
  expect([of('remaining', 'search'), of('remaining', 'other'), of('low_holders', 'search')]).toEqual([30, 1, 0]);
  expect(now).not.toMatch(/installation 7|a-new-one|repos/);
  later(3_560_000);
  expect(sum(await text(), 'causeway_github_quota_holders', { resource: 'core' })).toBe(2);
  later(3_600_000);
  expect(sum(await text(), 'causeway_github_quota_remaining')).toBeNull();
});
