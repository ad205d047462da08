// The figures: who may read them, that every end is counted once under its own name, and what is read when they are.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { type Model, ModelFailure, type ModelTurn, ModelUnavailable } from 'causeway-models';
import { expect, it } from 'vitest';
import { openServices } from '../src/app/services.ts';
import { DEFAULT_SETTINGS } from '../src/core/project/settings.ts';
import type { ClaimedJob, JobResult } from '../src/core/queue.ts';
import { createLog } from '../src/log.ts';
import { createMetrics, type Readings } from '../src/metrics.ts';
import { acceptReport, cancelInvestigation } from '../src/services/accept-report.ts';
import { parseCallbackAllow } from '../src/webhooks/address-policy.ts';
import { sum } from './support/metrics-of.ts';
import { temporaryFolder } from './support/service.ts';

const TOKEN = 'sixteen-letters!';

function ask(authorization: string, method = 'GET'): Request {
  return new Request('http://causeway.example/metrics', { method, headers: { Authorization: authorization } });
}

function openMetrics(readings: Partial<Readings> = {}) {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', destination: { write: (line) => void lines.push(line) } });
  const metrics = createMetrics({ log, now: () => new Date() });
  const queue = { depths: async () => [] } as unknown as Readings['queue'];
  const all: Readings = { queue, ready: async () => [], isPaused: () => false, freeBytes: async () => 7, ...readings };
  const answer = metrics.createEndpoint(TOKEN, all);
  return { metrics, lines, answer, text: async () => (await answer(ask(`Bearer ${TOKEN}`))).text(), all };
}

it('are shown to who sends the token, and to nobody where there is none', async () => {
  const { answer, metrics, all } = openMetrics();
  const given = await answer(ask(`Bearer ${TOKEN}`));
  expect([given.status, given.headers.get('Content-Type')]).toEqual([200, expect.stringContaining('version=0.0.4')]);
  expect(await given.text()).toContain('causeway_data_free_bytes 7');
  expect((await answer(ask(`bearer  ${TOKEN}`))).status).toBe(200);
  for (const wrong of ['', 'Bearer', `Bearer ${TOKEN}x`, TOKEN]) {
    const refused = await answer(ask(wrong));
    expect([refused.status, await refused.text()]).toEqual([401, expect.not.stringContaining('causeway_')]);
  }
  expect((await answer(ask(`Bearer ${TOKEN}`, 'POST'))).status).toBe(405);
  const off = await metrics.createEndpoint(null, all)(ask(`Bearer ${TOKEN}`));
  expect([off.status, await off.text()]).toEqual([404, 'Metrics are off. Set METRICS_TOKEN to read them here.\n']);
});

it('are shown although a source hangs or fails, whose last value stays', async () => {
  let free: () => Promise<number> = async () => 5;
  const { text } = openMetrics({
    freeBytes: () => free(),
    ready: () => new Promise(() => {}),
    isPaused: () => true,
  });
  expect(sum(await text(), 'causeway_data_free_bytes')).toBe(5);
  free = () => Promise.reject(new Error('gone'));
  const later = await text();
  expect([sum(later, 'causeway_data_free_bytes'), sum(later, 'causeway_ready', { check: 'pause' })]).toEqual([5, 0]);
});

async function openStored(folder: string) {
  let ahead = 0;
  const now = () => new Date(Date.now() + ahead);
  const services = await openServices({
    database: path.join(folder, 'causeway.db'),
    encryptionKey: randomBytes(32),
    lexicon: path.join(folder, 'lexicon'),
    git: { folder: path.join(folder, 'mirrors'), environment: { PATH: process.env['PATH'] } },
    callbackPolicy: { allow: parseCallbackAllow(''), localMode: true },
    log: createLog({ level: 'silent' }),
    now,
  });
  const { metrics, queue, store, account } = services;
  const [project] = await store.syncProjects(
    [{ name: 'local/shop', source: { kind: 'path', path: '/shop' } }],
    now().toISOString(),
  );
  const ready = async () => [{ name: 'database', ok: false }];
  const answer = metrics.createEndpoint(TOKEN, { queue, ready, isPaused: () => false, freeBytes: async () => 1 });
  return {
    services,
    passSeconds: (seconds: number) => {
      ahead += seconds * 1_000;
    },
    text: async () => (await answer(ask(`Bearer ${TOKEN}`))).text(),
    accept: async (words: string) => {
      const accepted = await acceptReport(services, {
        ...{ projectId: project?.id ?? '', accountId: account.id, origin: 'api', callbackUrl: '' },
        ...{ isTrusted: true, settings: DEFAULT_SETTINGS, text: words, reference: '', revision: '', fresh: false },
      });
      if (accepted.kind !== 'accepted') throw new Error(accepted.kind);
      return accepted;
    },
    [Symbol.asyncDispose]: () => services[Symbol.asyncDispose](),
  };
}

it('count an investigation once for each caller who waited, by how it ended and how long it took', async () => {
  await using folder = await temporaryFolder();
  await using at = await openStored(folder.path);
  const { services, accept } = at;
  const [one, joined, other] = [await accept('same'), await accept('same'), await accept('another')];
  expect(joined.runId).toBe(one.runId);
  at.passSeconds(100);
  for (let round = 0; round < 2; round += 1) {
    await cancelInvestigation(services, joined.investigationId);
    await services.store.giveUp(other.runId, { code: 'internal', detail: '' }, services.now().toISOString());
  }
  const text = await at.text();
  const of = (outcome: string) =>
    sum(text, 'causeway_investigation_duration_seconds_count', { origin: 'api', outcome });
  expect([of('cancelled'), of('gave_up'), sum(text, 'causeway_investigation_duration_seconds_count')]).toEqual([
    1, 1, 2,
  ]);
  const seconds = sum(text, 'causeway_investigation_duration_seconds_sum', { outcome: 'gave_up' });
  expect(seconds).toBeGreaterThanOrEqual(100);
  expect(seconds).toBeLessThan(160);
});

it('show what waits and since when, and what is not ready', async () => {
  await using folder = await temporaryFolder();
  await using at = await openStored(folder.path);
  await at.accept('one');
  at.passSeconds(60);
  await at.accept('two');
  at.passSeconds(30);
  const text = await at.text();
  expect(sum(text, 'causeway_queue_jobs', { kind: 'run', state: 'waiting' })).toBe(2);
  const oldest = sum(text, 'causeway_queue_oldest_due_seconds', { kind: 'run' });
  expect(oldest).toBeGreaterThanOrEqual(90);
  expect(oldest).toBeLessThan(150);
  expect(sum(text, 'causeway_ready', { check: 'database' })).toBe(0);
});

it('tell a try that was done, put off, failed, handed back or the last, and put its ids on its lines', async () => {
  const { metrics, lines, text } = openMetrics();
  const stop = new AbortController();
  const plays: Readonly<Record<string, () => Promise<JobResult>>> = {
    done: async () => ({ kind: 'done' }),
    later: async () => ({ kind: 'later', runAt: new Date().toISOString() }),
    failed: () => Promise.reject(new Error('no')),
    handed_back: () => {
      stop.abort(new Error('stop'));
      return Promise.reject(stop.signal.reason);
    },
  };
  const handler = metrics.countHandler({
    handle: ({ subject }) => plays[subject]?.() ?? Promise.reject(new Error('unknown')),
    dead: async () => {},
  });
  const job = (subject: string): ClaimedJob => ({ id: `job_${subject}`, kind: 'publish', subject, attempt: 1 });
  for (const subject of Object.keys(plays)) await handler.handle(job(subject), stop.signal).catch(() => {});
  await handler.dead(job('failed'), new Error('no'));
  const shown = await text();
  const of = (outcome: string) => sum(shown, 'causeway_job_duration_seconds_count', { kind: 'publish', outcome });
  expect([...Object.keys(plays), 'dead'].map(of)).toEqual([1, 1, 1, 1, 1]);
  const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'job');
  expect(logged.map(({ outcome, thread, kind, job: id }) => [outcome, thread, kind, id])).toEqual([
    ...Object.keys(plays).map((play) => [play, play, 'publish', `job_${play}`]),
    ['dead', 'failed', 'publish', 'job_failed'],
  ]);
  // What waits comes round again and again.
  expect(logged.filter(({ level }) => level === 'debug').map(({ outcome }) => outcome)).toEqual(['later']);
});

const SPENT = { promptTokens: 1_000, cachedTokens: 200, completionTokens: 30, estimated: false };
const QUESTION = { messages: [], tools: [], toolChoice: 'auto' } as const;

it('tell failures of the model by their kind, with the tokens that they took, and nothing of their text', async () => {
  const { metrics, lines, text } = openMetrics();
  const stop = new AbortController();
  const answers: (() => Promise<ModelTurn>)[] = [
    async () => ({ content: 'a secret cause', toolCalls: [], usage: SPENT }),
    () => Promise.reject(new ModelUnavailable('away', new Date(), SPENT)),
    () => Promise.reject(new ModelFailure('model_rejected', 'no')),
    () => Promise.reject(new TypeError('ours')),
    () => {
      stop.abort(new Error('stopped'));
      return Promise.reject(stop.signal.reason);
    },
  ];
  const asked: Model = {
    ...{ name: 'one', prices: null },
    ask: () => answers.shift()?.() ?? Promise.reject(new Error('no more')),
  };
  const model = metrics.countModel(asked, ({ promptTokens }) => promptTokens / 1_000);
  for (let turn = 0; turn < 5; turn += 1) await model.ask(QUESTION, stop.signal).catch(() => {});
  const shown = await text();
  const of = (outcome: string) =>
    sum(shown, 'causeway_model_request_duration_seconds_count', { model: 'one', outcome });
  const outcomes = ['answered', 'unavailable', 'rejected', 'failed', 'aborted', 'refused', 'misbehaved', 'overflow'];
  expect(outcomes.map(of)).toEqual([1, 1, 1, 1, 1, 0, 0, 0]);
  const tokens = (direction: string) => sum(shown, 'causeway_model_tokens_total', { direction });
  expect(['in', 'cached', 'out'].map(tokens)).toEqual([2_000, 400, 60]);
  expect(sum(shown, 'causeway_model_cost_dollars_total')).toBe(2);
  expect(metrics.getLastModelOutcome()).toBe('failed');
  expect(lines.map((line) => JSON.parse(line).outcome)).toEqual(outcomes.slice(0, 5));
  expect(lines.join('')).not.toContain('secret');
});

it('count answers and failures of GitHub by the class of their status', async () => {
  const { metrics, text } = openMetrics();
  const call = { route: 'GET /repos/{owner}/{repo}' };
  const fail = (error: unknown) => metrics.countGithubCall(call, () => Promise.reject(error)).catch(() => {});
  expect(metrics.hasGithubAnswered()).toBeNull();
  await metrics.countGithubCall(call, async () => ({ status: 200 }));
  await metrics.countGithubCall(call, async () => ({ status: 304 }));
  await fail(Object.assign(new Error('no'), { response: { status: 404, headers: {} } }));
  expect(metrics.hasGithubAnswered()).toBe(true);
  await fail(Object.assign(new Error('no'), { response: { status: 502, headers: {} } }));
  expect(metrics.hasGithubAnswered()).toBe(false);
  await fail(new TypeError('fetch failed'));
  const shown = await text();
  const of = (status: string) => sum(shown, 'causeway_github_request_duration_seconds_count', { status });
  expect(['2xx', '3xx', '4xx', '5xx', 'none'].map(of)).toEqual([1, 1, 1, 1, 1]);
});
