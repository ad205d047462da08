// A look at red checks that is killed between any two of its steps, and taken up again, ends as if it had not been.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cut, CutShort, cutShort } from '../support/cut-short.ts';
import {
  BASE,
  CODE_LOG,
  DISK_LOG,
  HEAD,
  type HeadGround,
  headGround,
  logOf,
  OTHER_LOG,
  pullRequestPlace,
} from '../support/head-ground.ts';
import { ON_MAIN, ofActions, at as time } from '../support/store-samples.ts';

const WRITES = new Set([
  ...['accept', 'closeFixedFailures', 'closeFailuresOfPullRequest', 'ensureAccount', 'markFlaky'],
  ...['recordSightings', 'rerunJobs', 'saveHead', 'saveRange'],
]);

/** What there is before the look that is killed. */
const WORLDS: Readonly<Record<string, (at: HeadGround) => Promise<void>>> = {
  'a pull request with everything at once': async (at) => {
    at.world.places.set(BASE, ON_MAIN);
    at.run('base', 'red', { sha: BASE, log: logOf(3) });
    at.run('test (1)', 'green', { sha: BASE });
    await at.look(BASE);
    at.seconds = 60;
    at.world.places.set(HEAD, pullRequestPlace());
    at.world.changed.set(HEAD, { paths: ['src/cart.py'], isCut: false });
    at.run('flaky', 'green');
    at.run('base', 'red', { log: logOf(3) });
    at.run('flaky', 'red', { log: logOf(4) });
    at.run('disk', 'red', { log: DISK_LOG });
    at.run('test (1)', 'red', { log: CODE_LOG });
    at.run('test (2)', 'red', { log: CODE_LOG });
    at.run('till', 'red', { log: OTHER_LOG });
    at.run('status', 'red', { app: '', runId: null, title: 'AssertionError: 3 is not 4' });
  },
  'a default branch that is red again': async (at) => {
    at.world.places.set(HEAD, ON_MAIN);
    at.world.places.set(BASE, ON_MAIN);
    at.world.history.push(BASE, HEAD);
    at.run('test', 'red', { sha: BASE, log: CODE_LOG });
    at.run('lint', 'red', { sha: BASE, log: logOf(5) });
    await at.look(BASE);
    at.seconds = 60;
    at.run('test', 'green', { sha: BASE });
    await at.look(BASE);
    await at.store.recordPassingCheck(at.project.id, { check: ofActions('test'), sha: BASE, at: time(60) });
    at.seconds = 200;
    at.run('test', 'red', { log: CODE_LOG });
    at.run('lint', 'green');
    at.run('till', 'red', { log: OTHER_LOG });
  },
  'a head of which one check passed and another is red again': async (at) => {
    at.world.places.set(HEAD, pullRequestPlace());
    at.run('test', 'red', { log: CODE_LOG });
    at.run('till', 'red', { log: OTHER_LOG });
    await at.look();
    at.seconds = 60;
    at.run('test', 'green');
    at.run('till', 'red', { log: OTHER_LOG });
    at.run('new', 'red', { log: logOf(6) });
  },
  'a head of which one check never ends': async (at) => {
    at.world.places.set(HEAD, pullRequestPlace());
    at.run('tide', 'waiting', { app: '', runId: null });
    at.run('flaky', 'green');
    at.run('flaky', 'red', { log: logOf(4) });
    at.run('test', 'red', { log: CODE_LOG });
    at.run('till', 'red', { log: OTHER_LOG });
    at.seconds = 1_200;
  },
  'a pull request that is red again for the same cause': async (at) => {
    at.world.places.set(BASE, pullRequestPlace({ sha: BASE }));
    at.run('test', 'red', { sha: BASE, log: CODE_LOG });
    await at.look(BASE);
    at.seconds = 60;
    at.run('test', 'green', { sha: BASE });
    await at.look(BASE);
    at.seconds = 120;
    at.world.places.set(HEAD, pullRequestPlace());
    at.run('test', 'red', { log: CODE_LOG });
    at.run('till', 'red', { log: OTHER_LOG });
  },
  'a job that is run again, since its failure is known to be flaky': async (at) => {
    at.world.rules = { ...at.world.rules, rerun: 'once' };
    for (const [number, sha] of [BASE, 'd'.repeat(40)].entries()) {
      at.world.places.set(sha, pullRequestPlace({ sha, number: number + 6 }));
      at.run('test', 'red', { sha, log: CODE_LOG });
      at.run('test', 'green', { sha });
      await at.look(sha);
    }
    at.seconds = 60;
    at.world.places.set(HEAD, pullRequestPlace());
    at.run('test', 'red', { log: CODE_LOG });
  },
  'a head that is green at last': async (at) => {
    at.world.places.set(HEAD, pullRequestPlace());
    at.run('test', 'red', { log: CODE_LOG });
    await at.look();
    at.run('test', 'green');
  },
};

/** All that is remembered, with ids by the order in which they are met. */
async function remembered(at: HeadGround): Promise<unknown> {
  const failures = await at.store.listFailures([at.project.id], { limit: 100 });
  const investigations = await at.store.listInvestigations({ projectIds: [at.project.id], limit: 100 });
  const heads = [
    await at.store.findHeadOfCommit(at.project.id, BASE),
    await at.store.findHeadOfCommit(at.project.id, HEAD),
  ];
  const threads = failures.flatMap(({ threadId }) => (threadId === null ? [] : [threadId]));
  const text = JSON.stringify({
    heads,
    failures: failures.toSorted((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1)),
    investigations: investigations.map(({ id, runId, outcome, reference }) => ({ id, runId, outcome, reference })),
    threads: new Set(threads).size,
    reruns: at.world.reruns,
    threadOfPullRequest: await at.store.findThreadOfSubject(at.project.id, { kind: 'pull_request', number: 5 }),
    jobs: (await at.opened.jobs()).map(({ kind }) => kind).toSorted(),
  });
  const names = new Map<string, string>();
  const plain = text.replace(/\b(hed|fal|inv|thr|run|prj|acc)_[0-9A-Za-z]{20}\b/g, (id, prefix: string) => {
    if (!names.has(id)) names.set(id, `${prefix} ${names.size}`);
    return names.get(id)!;
  });
  return JSON.parse(plain);
}

/** Makes the world, is killed at each of these calls in turn, and then is not. The calls of the whole look where it is not killed. */
async function played(
  world: string,
  cuts: readonly Omit<Cut, 'calls'>[],
): Promise<{ end: unknown; calls: readonly string[] }> {
  await using at = await headGround();
  await WORLDS[world]!(at);
  const counting: Cut = { call: -1, isDone: false, calls: [] };
  for (const one of [...cuts.map((cut) => ({ ...cut, calls: [] })), counting]) {
    const deps = { store: cutShort(at.deps.store, one), checks: cutShort(at.deps.checks, one) };
    try {
      await at.look(HEAD, deps);
    } catch (error) {
      if (!(error instanceof CutShort)) throw error;
    }
  }
  return { end: await remembered(at), calls: counting.calls };
}

describe.each(Object.keys(WORLDS))('%s', (world) => {
  it('ends the same wherever the look is killed', async () => {
    const whole = await played(world, []);
    // Killed before a call or after one that only reads, it leaves what the write before has left.
    const writes = whole.calls.flatMap((name, call) => (WRITES.has(name) ? [call] : []));
    expect(writes.length).toBeGreaterThan(2);
    for (const call of writes) {
      const { end } = await played(world, [{ call, isDone: true }]);
      expect(end, `killed after ${whole.calls[call]}`).toEqual(whole.end);
    }
  });

  it('ends the same however often it is killed', async () => {
    const whole = await played(world, []);
    const cut = fc.record({ call: fc.nat(whole.calls.length), isDone: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { minLength: 2, maxLength: 5 }), async (cuts) => {
        expect((await played(world, cuts)).end).toEqual(whole.end);
      }),
      { numRuns: 10 },
    );
  });
});
