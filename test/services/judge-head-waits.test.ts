// Checks that never end: what has ended is told of once nothing moves, and nothing is begun before all have.

import { describe, expect, it } from 'vitest';
import { describeNotBegun } from '../../src/core/check/not-begun.ts';
import { CODE_LOG, HEAD, type HeadGround, headGround, pullRequestPlace } from '../support/head-ground.ts';
import { at as time } from '../support/store-samples.ts';

const MINUTE = 60;

/** A red check of a pull request next to one that began and does not end. */
async function besidePending(name = 'tide'): Promise<HeadGround> {
  const at = await headGround();
  at.world.places.set(HEAD, pullRequestPlace());
  at.run('test', 'red', { log: CODE_LOG });
  at.run(name, 'waiting', { app: '', runId: null, startedAt: time(0) });
  return at;
}

describe('a check that does not end', () => {
  it('is waited for while anything moves, and after a quarter of an hour the others are judged without it', async () => {
    await using at = await besidePending();
    const first = await at.look();
    expect(first.result).toEqual({ kind: 'later', runAt: time(10 * MINUTE) });
    expect(first.head).toMatchObject({ state: 'waiting', findings: [], stillWaiting: [], endedAt: '' });
    at.seconds = 10 * MINUTE;
    const second = await at.look();
    expect([second.head.state, second.result]).toEqual(['waiting', { kind: 'later', runAt: time(15 * MINUTE) }]);
    at.seconds = 15 * MINUTE;
    const { head } = await at.look();
    expect(head).toMatchObject({ state: 'red', stillWaiting: ['tide'], endedAt: '' });
    expect(head.findings).toMatchObject([{ verdict: 'code', investigationId: null }]);
    expect(head.findings[0]!.notBegun).toEqual({ code: 'checks_running', names: ['tide'] });
    expect(await at.store.listInvestigations({ projectIds: [at.project.id], limit: 9 })).toEqual([]);
  });

  it('keeps an analysis back until it has ended, which then begins', async () => {
    await using at = await besidePending();
    at.seconds = 20 * MINUTE;
    await at.look();
    at.run('tide', 'green', { app: '', runId: null });
    const { head, result } = await at.look();
    expect(result).toEqual({ kind: 'done' });
    expect(head).toMatchObject({ state: 'red', stillWaiting: [], endedAt: time(20 * MINUTE) });
    expect(head.findings[0]).toMatchObject({ investigationId: expect.any(String), notBegun: null });
  });

  it('is looked at less and less often, and in the end only when GitHub tells', async () => {
    await using at = await besidePending();
    const pauses: number[] = [];
    for (const minutes of [15, 30, 50, 300]) {
      at.seconds = minutes * MINUTE;
      const { result } = await at.look();
      if (result.kind !== 'later') throw new Error('it is not looked at again');
      pauses.push((Date.parse(result.runAt) - Date.parse(time(at.seconds))) / MINUTE / 1_000);
    }
    expect(pauses).toEqual([15, 30, 50, 60]);
    at.seconds = 3 * 24 * 60 * MINUTE;
    const { head, result } = await at.look();
    expect([head.state, result]).toEqual(['red', { kind: 'done' }]);
  });

  it('makes nothing green, and ends no failure', async () => {
    await using at = await besidePending();
    at.seconds = 20 * MINUTE;
    const { head: red } = await at.look();
    at.run('test', 'green');
    expect((await at.look()).head.state).toBe('waiting');
    at.seconds = 40 * MINUTE;
    const { head } = await at.look();
    expect(head).toMatchObject({ state: 'waiting', stillWaiting: ['tide'] });
    expect(head.findings).toMatchObject([{ verdict: 'flaky', checks: [{ isRed: false }] }]);
    expect(await at.store.findFailure(red.findings[0]!.failureId)).toMatchObject({ state: 'open' });
  });

  it('is only waited for where nothing is red', async () => {
    await using at = await headGround();
    at.world.places.set(HEAD, pullRequestPlace());
    at.run('test', 'green');
    at.run('tide', 'waiting', { startedAt: time(0) });
    at.seconds = 60 * MINUTE;
    const { head, result } = await at.look();
    expect([head.state, head.stillWaiting, result.kind]).toEqual(['waiting', [], 'later']);
  });

  it('is waited for again as soon as a check begins again', async () => {
    await using at = await besidePending();
    at.seconds = 20 * MINUTE;
    const { head: red } = await at.look();
    at.run('lint', 'waiting', { startedAt: time(20 * MINUTE) });
    const { head } = await at.look();
    expect(head).toMatchObject({ state: 'waiting', stillWaiting: [], findings: red.findings });
  });

  it('is named with some of many, without what would end its quotation', async () => {
    await using at = await besidePending('t`i`de');
    for (let i = 0; i < 30; i += 1) at.run(`u${i}`, 'waiting', { startedAt: time(0) });
    at.seconds = 15 * MINUTE;
    const { head } = await at.look();
    expect(head.stillWaiting).toHaveLength(20);
    const { notBegun } = head.findings[0]!;
    expect(notBegun).toEqual({ code: 'checks_running', names: head.stillWaiting });
    expect(describeNotBegun(notBegun!)).toContain('`tide`, `u0`, `u1` and more. ');
  });
});
