// What people read of an investigation before it has ended: what its report is about, and what is done for it now.
import { describe, expect, it } from 'vitest';
import { describeRunning } from '../../src/services/running.ts';
import { webGround } from '../web/web-ground.ts';

const LIMITS = { run: 1e9, repository: 1e9, all: 1e9 };

describe('the title of an investigation', () => {
  it.each([
    ['the first line of the report', '# Checkout fails with a coupon\n\nSince 1.3.0.', 'Checkout fails with a coupon'],
    [
      'the error of a log, where nobody wrote a word',
      '2026-11-20T10:00:00Z ERROR server stopped\nTypeError: total is not a function\n    at pay (src/pay.js:4:2)',
      'TypeError: total is not a function',
    ],
    [
      'no commit, which people do not read',
      `Checks failed on pull request #7 (Accept coupons), at commit ${'ab12'.repeat(10)}.`,
      'Checks failed on pull request #7 (Accept coupons).',
    ],
    ['words of its own, where the report has none', '----', 'Report without a title'],
  ])('is %s', async (_, text, title) => {
    await using ground = await webGround();
    const { investigationId } = await ground.accepted({ text });
    const investigation = await ground.store.findInvestigation(investigationId);
    expect((await describeRunning(ground, [investigation!])).get(investigationId)?.title).toBe(title);
  });
});

it('each phase follows from what is recorded', async () => {
  await using ground = await webGround();
  const { store, clock } = ground;
  const now = clock.now.toISOString();
  const { investigationId, runId } = await ground.accepted();
  const phase = async () => {
    const investigation = await store.findInvestigation(investigationId);
    const described = (await describeRunning({ store }, [investigation!])).get(investigationId);
    return [described?.phase, described?.isAsking];
  };
  const answer = async (isSecondLook: boolean) =>
    store.settleMoney(run!, {
      ...{ reserved: 50_000, spent: 1_000, now, isSecondLook },
      tokens: { prompt: 10, cached: 0, completion: 10 },
    });
  expect(await phase()).toEqual(['waits', false]);
  const run = await store.startRun(runId, now);
  expect(await phase()).toEqual(['reads', false]);
  await store.recordStep(run!, { action: 'Read the report', result: '', analysis: '' }, now);
  expect(await phase()).toEqual(['searches', false]);
  await store.reserveMoney(run!, { amount: 50_000, limits: LIMITS, now });
  expect(await phase()).toEqual(['asks', true]);
  await answer(false);
  expect(await phase()).toEqual(['asks', false]);
  await store.reserveMoney(run!, { amount: 50_000, limits: LIMITS, now });
  await answer(true);
  expect(await phase()).toEqual(['verifies', false]);
  await store.giveUp(run!, { code: 'internal', detail: 'x' }, now);
  expect(await phase()).toEqual(['ended', false]);
});
