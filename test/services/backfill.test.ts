// The red checks of a project's past: read within bounds, counted once, and what they would have cost.
import { describe, expect, it } from 'vitest';
import { ChecksBusy, ChecksClosed } from '../../src/core/check/check.ts';
import type { Backfill } from '../../src/db/backfills.ts';
import { createLog } from '../../src/log.ts';
import { createBackfillHandler, createCallAllowance } from '../../src/services/backfill.ts';
import { type Cut, CutShort, cutShort } from '../support/cut-short.ts';
import {
  CODE_LOG,
  DISK_LOG,
  HEAD,
  type HeadGround,
  headGround,
  logOf,
  OTHER_LOG,
  pullRequestPlace,
} from '../support/head-ground.ts';
import { at as time } from '../support/store-samples.ts';

const SHA = 'e'.repeat(40);

async function ground(): Promise<HeadGround> {
  const at = await headGround();
  const since = time(-14 * 24 * 3_600);
  const begun = { state: 'waiting', since, forecast: null } as const;
  await at.store.saveBackfill({ projectId: at.project.id, ...begun }, time(0));
  return at;
}

async function handled(at: HeadGround, changes: Partial<HeadGround['deps']> = {}) {
  const handler = createBackfillHandler({ ...at.deps, store: at.store, ...changes });
  const job = { id: 'job_1', kind: 'backfill', subject: at.project.id, attempt: 1 } as const;
  return await handler.handle(job, new AbortController().signal);
}

async function backfill(at: HeadGround): Promise<Backfill> {
  const found = await at.store.findBackfill(at.project.id);
  if (found === null) throw new Error('there is no backfill');
  return found;
}

function fourFailures(at: HeadGround): void {
  at.run('test', 'red', { sha: SHA, branch: 'main', log: CODE_LOG });
  at.run('test (2)', 'red', { sha: SHA, branch: 'x', pullRequest: 3, log: CODE_LOG });
  at.run('till', 'red', { sha: SHA, branch: 'x', pullRequest: 3, log: OTHER_LOG });
  at.run('build', 'red', { sha: SHA, branch: 'x', pullRequest: 3, log: DISK_LOG });
  at.run('lint', 'red', { sha: SHA, branch: 'y', log: logOf(7) });
  at.run('fine', 'green', { sha: SHA, branch: 'main' });
  at.run('old', 'red', { sha: SHA, branch: 'main', log: logOf(8), endedAt: time(-15 * 24 * 3_600) });
}

describe('the red checks of the past', () => {
  it('fill the ledger, and a forecast of what would have been begun for them', async () => {
    await using at = await ground();
    fourFailures(at);
    const lines: string[] = [];
    const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } });
    expect(await handled(at, { log })).toEqual({ kind: 'done' });
    const failures = await at.store.listFailures([at.project.id], { limit: 10 });
    const seen = failures.map(({ headline, hits, firstSeen }) => `${hits} ${firstSeen.verdict} ${headline}`);
    expect(seen.toSorted()).toEqual([
      expect.stringMatching(/^1 inconclusive KeyError: 'h/),
      '1 inconclusive ValueError: till is not empty',
      expect.stringMatching(/^1 infrastructure .*ENOSPC/),
      "2 code KeyError: 'sum'",
    ]);
    // Two of them on the default branch or a pull request, and of the code.
    const none = { investigations: 0, comments: 0, pullRequests: 0 };
    expect(await backfill(at)).toMatchObject({
      state: 'done',
      forecast: {
        ...{ investigations: 2, usd: 0.3 },
        groups: {
          code: { checks: 1, answers: { investigations: 1, comments: 0, pullRequests: 1 } },
          infrastructure: { checks: 1, answers: none },
          inconclusive: { checks: 3, answers: { ...none, investigations: 1 } },
        },
      },
    });
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      `read the last 14 days of ${at.project.name}: 5 failed checks: 1 by the change, 1 the machine, 3 unclear; 0 issues labelled; about $0.30`,
    ]);
    expect(await at.store.listInvestigations({ projectIds: [at.project.id], limit: 1 })).toEqual([]);
  });

  describe('that passed when they were run again', () => {
    const [one, other] = ['1'.repeat(40), '2'.repeat(40)];

    async function seenIn(at: HeadGround, from: { readonly isFork?: boolean }) {
      for (const [sha, pullRequest] of [[one, 3] as const, [other, 4] as const]) {
        at.run('test', 'red', { sha, branch: `topic-${pullRequest}`, pullRequest, log: CODE_LOG, ...from });
        at.run('test', 'green', { sha, branch: `topic-${pullRequest}`, pullRequest, ...from });
      }
      await handled(at);
      at.seconds = 600;
      at.world.places.set(HEAD, pullRequestPlace({ number: 9 }));
      at.run('test', 'red', { log: CODE_LOG });
      return (await at.look()).head.findings[0];
    }

    it('are chance in the ledger, and so is the same failure from then on', async () => {
      await using at = await ground();
      const finding = await seenIn(at, {});
      expect(await at.store.listFailures([at.project.id], { limit: 10 })).toMatchObject([{ hits: 3, flakyHits: 2 }]);
      expect(finding).toMatchObject({
        verdict: 'flaky',
        reasons: [{ code: 'seen_before', hits: 2, flakyHits: 2, pullRequests: 2 }],
      });
    });

    it('excuse nothing where they are from forks', async () => {
      await using at = await ground();
      expect((await seenIn(at, { isFork: true }))?.verdict).toBe('code');
    });
  });

  it('count once wherever the reading is killed', async () => {
    const whole = await killed([]);
    expect(whole.calls).toContain('markFlaky');
    expect(whole.calls.length).toBeGreaterThan(10);
    for (const [call, name] of whole.calls.entries()) {
      if (!['recordSightings', 'markFlaky', 'saveBackfill'].includes(name)) continue;
      expect((await killed([call])).end, `killed after ${name}`).toEqual(whole.end);
    }
  });

  it('cost no more than 250 calls, and the forecast says what was not read', async () => {
    await using at = await ground();
    at.world.pastCalls = 40;
    for (let job = 0; job < 220; job += 1) at.run(`test (${job})`, 'red', { branch: 'main', log: CODE_LOG });
    await handled(at);
    expect(at.world.asked.filter((call) => call.startsWith('said'))).toHaveLength(210);
    const { forecast } = await backfill(at);
    expect(forecast).toMatchObject({ unreadChecks: 10, investigations: 1 });
  });

  it('wait where the past of other repositories has taken their share of the calls', async () => {
    await using at = await ground();
    at.world.pastCalls = 400;
    fourFailures(at);
    const handler = createBackfillHandler(at.deps);
    const job = { id: 'job_1', kind: 'backfill', subject: at.project.id, attempt: 1 } as const;
    const again = async () => {
      const result = await handler.handle(job, new AbortController().signal);
      await at.store.saveBackfill({ ...(await backfill(at)), state: 'waiting' }, time(0));
      return result;
    };
    expect(await again()).toEqual({ kind: 'done' });
    expect(await again()).toEqual({ kind: 'done' });
    expect(await again()).toMatchObject({ kind: 'later' });
    at.seconds = 3_600;
    expect(await again()).toEqual({ kind: 'done' });
  });

  it('are kept without secrets', async () => {
    await using at = await ground();
    at.run('test', 'red', { branch: 'main', log: CODE_LOG.replace("'sum'", 'hunter2-hunter2') });
    await handled(at);
    expect(await at.store.listFailures([at.project.id], { limit: 1 })).toMatchObject([
      { headline: 'KeyError: [redacted]' },
    ]);
  });

  it('wait while the service is paused or GitHub busy, and end where it is closed to us', async () => {
    await using at = await ground();
    expect(await handled(at, { isPaused: () => true })).toEqual({ kind: 'later', runAt: time(15) });
    at.world.before = () => {
      throw new ChecksBusy('GitHub is busy.', new Date(time(77)));
    };
    expect(await handled(at)).toEqual({ kind: 'later', runAt: time(77) });
    expect((await backfill(at)).state).toBe('waiting');
    at.world.before = () => {
      throw new ChecksClosed('GitHub has no such repository for us.');
    };
    expect(await handled(at)).toEqual({ kind: 'done' });
    expect(await backfill(at)).toMatchObject({ state: 'done', forecast: null });
  });
});

async function killed(calls: readonly number[]): Promise<{ end: unknown; calls: readonly string[] }> {
  await using at = await ground();
  fourFailures(at);
  at.run('till', 'green', { sha: SHA, branch: 'x', pullRequest: 3 });
  const cuts: readonly Cut[] = [...calls, -1].map((call) => ({ call, isDone: true, calls: [] }));
  for (const cut of cuts) {
    try {
      await handled(at, { store: cutShort(at.store, cut), checks: cutShort(at.deps.checks, cut) });
    } catch (error) {
      if (!(error instanceof CutShort)) throw error;
    }
  }
  const failures = await at.store.listFailures([at.project.id], { limit: 10 });
  const { projectId: _, ...end } = await backfill(at);
  return {
    end: { ...end, failures: failures.map(({ id: _id, projectId: _project, ...failure }) => failure) },
    calls: cuts.at(-1)!.calls,
  };
}

describe('the calls for the past', () => {
  const HOUR = 3_600_000;

  it('are enough for four repositories at once; the fifth waits', () => {
    const allowance = createCallAllowance();
    allowance.spend(1, 750, 0);
    expect(allowance.findReady(1, 0)).toBe(0);
    allowance.spend(1, 250, 0);
    expect(allowance.findReady(1, 0)).toBe(HOUR / 4);
    expect(allowance.findReady(1, HOUR)).toBe(HOUR);
    expect(allowance.findReady(2, 0)).toBe(0);
  });

  it('stay within a fifth of what GitHub grants in a day', () => {
    const allowance = createCallAllowance();
    let spent = 0;
    for (let now = 0; now < 24 * HOUR; now += 60_000) {
      for (; allowance.findReady(1, now) <= now; spent += 250) allowance.spend(1, 250, now);
    }
    expect(spent).toBeLessThanOrEqual(25 * 1_000 + 250);
    expect(spent).toBeGreaterThan(22 * 1_000);
  });
});
