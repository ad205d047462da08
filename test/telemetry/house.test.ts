// Every end of a job, an investigation or a webhook is counted once, under its own name: over the real store and queue.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openHouse } from '../../src/app/house.ts';
import type { ClaimedJob, JobResult } from '../../src/core/queue.ts';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import { createLog } from '../../src/log.ts';
import { acceptReport } from '../../src/services/accept-report.ts';
import { cancelInvestigation } from '../../src/services/end-early.ts';
import { parseCallbackAllow } from '../../src/webhooks/callback-policy.ts';
import { sum } from '../support/metrics-of.ts';
import { temporaryFolder } from '../support/service.ts';

async function ground(folder: string) {
  let ahead = 0;
  let isPaused = false;
  const lines: string[] = [];
  const house = await openHouse({
    database: path.join(folder, 'causeway.db'),
    encryptionKey: randomBytes(32),
    lexicon: path.join(folder, 'lexicon'),
    git: { folder: path.join(folder, 'mirrors'), environment: { PATH: process.env['PATH'] } },
    callbackPolicy: { allow: parseCallbackAllow(''), localMode: true },
    log: createLog({ level: 'debug', destination: { write: (line) => void lines.push(line) } }),
    now: () => new Date(Date.now() + ahead),
  });
  const [project] = await house.store.syncProjects(
    [{ name: 'local/shop', source: { kind: 'path', path: '/shop' } }],
    house.now().toISOString(),
  );
  const exposition = house.telemetry.open({
    queue: house.queue,
    disk: () => Promise.reject(new Error('gone')),
    ...{ mirrorLimit: 1_000, ready: async () => [{ name: 'database', ok: false }], now: house.now },
    ...{ holds: house.holds, paused: () => isPaused },
  });
  return {
    ...{ house, lines },
    later: (ms: number) => {
      ahead += ms;
    },
    pause: () => {
      isPaused = true;
    },
    text: () => exposition.text(),
    accept: async (words: string) => {
      const accepted = await acceptReport(house, {
        ...{ projectId: project?.id ?? '', accountId: house.account.id, origin: 'api', callbackUrl: '' },
        ...{ isTrusted: true, settings: DEFAULT_SETTINGS, text: words, reference: '', revision: '', fresh: false },
      });
      if (accepted.kind !== 'accepted') throw new Error(accepted.kind);
      return accepted;
    },
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  };
}

it('counts an investigation once for each caller who waited, by how it ended and how long it took', async () => {
  await using folder = await temporaryFolder();
  await using at = await ground(folder.path);
  const { house, accept } = at;
  const [one, joined, other] = [await accept('same'), await accept('same'), await accept('another')];
  expect(joined.runId).toBe(one.runId);
  at.later(100_000);
  await cancelInvestigation(house, joined.investigationId);
  await cancelInvestigation(house, joined.investigationId);
  await house.store.giveUp(other.runId, { code: 'internal', detail: '' }, house.now().toISOString());
  await house.store.giveUp(other.runId, { code: 'internal', detail: '' }, house.now().toISOString());
  const text = await at.text();
  const of = (outcome: string) => sum(text, 'causeway_investigations_total', { origin: 'api', outcome });
  expect([of('cancelled'), of('gave_up'), sum(text, 'causeway_investigations_total')]).toEqual([1, 1, 2]);
  const seconds = sum(text, 'causeway_investigation_duration_seconds_sum', { outcome: 'gave_up' });
  expect(seconds).toBeGreaterThanOrEqual(100);
  expect(seconds).toBeLessThan(160);
});

it('shows what waits and since when, what is dead, and what could not be read', async () => {
  await using folder = await temporaryFolder();
  await using at = await ground(folder.path);
  const before = at.house.now();
  await at.accept('one');
  const early = new Date(before.getTime() - 1).toISOString();
  expect(await at.house.queue.depths(early)).toEqual([
    { kind: 'run', waiting: 1, running: 0, dead: 0, oldestDue: null },
  ]);
  at.later(60_000);
  await at.accept('two');
  at.later(30_000);
  const text = await at.text();
  expect(sum(text, 'causeway_queue_jobs', { kind: 'run', state: 'waiting' })).toBe(2);
  const oldest = sum(text, 'causeway_queue_oldest_due_seconds', { kind: 'run' });
  expect(oldest).toBeGreaterThanOrEqual(90);
  expect(oldest).toBeLessThan(150);
  expect(sum(text, 'causeway_ready', { check: 'database' })).toBe(0);
  expect(sum(text, 'causeway_reading_failures_total', { source: 'disk' })).toBe(1);
  expect(sum(text, 'causeway_mirror_bytes')).toBeNaN();
  expect(sum(text, 'causeway_mirror_limit_bytes')).toBe(1_000);
});

it('says what is waited for: the pause, how many GitHub holds back and for how long, and the model, by nobody’s name', async () => {
  await using folder = await temporaryFolder();
  await using at = await ground(folder.path);
  const { holds, now } = at.house;
  const figures = async () => {
    const text = await at.text();
    expect(text).not.toMatch(/installation 7/);
    return ['paused', 'github_held_holders', 'github_held_seconds', 'model_held_seconds'].map((name) =>
      Math.round(sum(text, `causeway_${name}`) ?? Number.NaN),
    );
  };
  expect(await figures()).toEqual([0, 0, 0, 0]);
  const inSeconds = (seconds: number) => new Date(now().getTime() + seconds * 1_000);
  holds.hold('github installation 7', inSeconds(1_000));
  holds.hold('github installation 7 core', inSeconds(4_000));
  holds.hold('github installation 71', inSeconds(1_000));
  holds.hold('github app', inSeconds(8_000));
  holds.hold('model one at models.test', inSeconds(2_000));
  at.pause();
  const [paused, holders, github, model] = await figures();
  expect([paused, holders]).toEqual([1, 3]);
  // The clock goes on meanwhile.
  expect([(github ?? 0) > 7_900, (model ?? 0) > 1_900]).toEqual([true, true]);
  at.later(2_000_000);
  expect((await figures()).toSpliced(2, 1)).toEqual([1, 2, 0]);
});

it('tells a try that was done, put off, failed, handed back or the last, and puts its ids on its lines', async () => {
  await using folder = await temporaryFolder();
  await using at = await ground(folder.path);
  const stop = new AbortController();
  const plays: Readonly<Record<string, () => Promise<JobResult>>> = {
    done: async () => ({ kind: 'done' }),
    later: async () => ({ kind: 'later', runAt: at.house.now().toISOString() }),
    failed: () => Promise.reject(new Error('no')),
    handed_back: () => {
      stop.abort(new Error('stop'));
      return Promise.reject(stop.signal.reason);
    },
  };
  const handler = at.house.telemetry.handler({
    handle: ({ subject }) => plays[subject]?.() ?? Promise.reject(new Error('unknown')),
    dead: async () => {},
  });
  const job = (subject: string): ClaimedJob => ({ id: `job_${subject}`, kind: 'publish', subject, attempt: 1 });
  for (const subject of Object.keys(plays)) await handler.handle(job(subject), stop.signal).catch(() => {});
  await handler.dead(job('failed'), new Error('no'));
  const text = await at.text();
  const of = (outcome: string) => sum(text, 'causeway_jobs_total', { kind: 'publish', outcome });
  expect([...Object.keys(plays), 'dead'].map(of)).toEqual([1, 1, 1, 1, 1]);
  expect(sum(text, 'causeway_job_duration_seconds_count', { kind: 'publish' })).toBe(4);
  const told = at.lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'job');
  expect(told.map(({ outcome, thread, kind, job: id }) => [outcome, thread, kind, id])).toEqual([
    ...Object.keys(plays).map((play) => [play, play, 'publish', `job_${play}`]),
    ['dead', 'failed', 'publish', 'job_failed'],
  ]);
  // What waits comes round again and again.
  expect(told.filter(({ level }) => level === 'debug').map(({ outcome }) => outcome)).toEqual(['later']);
});
