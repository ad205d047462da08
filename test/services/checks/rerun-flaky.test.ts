// When a flaky job is run again, and for how long its end is waited for.
import { describe, expect, it } from 'vitest';
import { CODE_LOG, HEAD, type HeadGround, headGround, logOf, pullRequestPlace } from '../../support/head-ground.ts';

/** Two earlier commits at which each failure came and went. */
async function makeFlaky(ground: HeadGround, logs: readonly string[]): Promise<void> {
  ground.world.rules = { ...ground.world.rules, rerun: 'once' };
  for (const [index, log] of logs.entries()) {
    for (const letter of ['a', 'b']) {
      const sha = `${letter}${index}`.repeat(20);
      ground.world.places.set(sha, pullRequestPlace({ sha, number: 100 + index }));
      ground.run('test', 'red', { sha, log });
      ground.run('test', 'green', { sha });
      await ground.look(sha);
    }
  }
}

describe('a flaky job', () => {
  it('is run again once, waited for, and judged after five minutes without a start', async () => {
    await using ground = await headGround();
    await makeFlaky(ground, [CODE_LOG]);
    ground.seconds = 60;
    ground.world.places.set(HEAD, pullRequestPlace());
    const { runId } = ground.run('test', 'red', { log: CODE_LOG });
    const first = await ground.look();
    expect([first.result.kind, first.head.state, first.head.findings[0]?.notBegun]).toEqual([
      'later',
      'waiting',
      { code: 'pending' },
    ]);
    ground.seconds = 120;
    expect((await ground.look()).result.kind).toBe('later');
    ground.seconds = 400;
    const { head } = await ground.look();
    expect([head.state, head.findings[0]?.notBegun, ground.world.reruns]).toEqual(['red', { code: 'flaky' }, [runId]]);
  });

  it.each([
    ['in a merge queue', { isQueue: true }],
    ['in a fork', { isFork: true }],
    ['of an author without write', { isTrusted: false }],
  ])('is not run again %s', async (_, change) => {
    await using ground = await headGround();
    await makeFlaky(ground, [CODE_LOG]);
    ground.seconds = 60;
    ground.world.places.set(HEAD, pullRequestPlace(change));
    ground.run('test', 'red', { log: CODE_LOG });
    expect((await ground.look()).head.state).toBe('red');
    expect(ground.world.reruns).toEqual([]);
  });

  it('is not run again beyond 20 a day', async () => {
    await using ground = await headGround();
    const logs = Array.from({ length: 21 }, (_, index) => logOf(index));
    await makeFlaky(ground, logs);
    ground.seconds = 60;
    for (const [index, log] of logs.entries()) {
      const sha = String(index + 10).repeat(20);
      ground.world.places.set(sha, pullRequestPlace({ sha, number: 200 + index }));
      ground.run('test', 'red', { sha, log });
      await ground.look(sha);
    }
    expect(ground.world.reruns).toHaveLength(20);
    ground.seconds = 25 * 60 * 60;
    ground.world.places.set(HEAD, pullRequestPlace());
    ground.run('test', 'red', { log: logOf(3) });
    await ground.look();
    expect(ground.world.reruns).toHaveLength(21);
  });
});
