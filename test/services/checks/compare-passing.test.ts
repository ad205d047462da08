// Red checks next to green runs of the default branch: what is left out of what is shown, which run is read, and how often.
import { describe, expect, it } from 'vitest';
import { ChecksBusy } from '../../../src/core/check/check.ts';
import { asked, GREEN, green, greenGround, headline, NEXT, redLog, SHOWN_ALONE } from '../../support/green-ground.ts';
import { BASE, DISK_LOG, HEAD, type HeadGround, pullRequestPlace } from '../../support/head-ground.ts';
import { ON_MAIN, ofActions, at as time } from '../../support/store-samples.ts';

describe('a red check of the default branch', () => {
  it('is shown without what the newest green run prints as well, and is the same failure', async () => {
    await using at = await greenGround();
    await green(at);
    at.run('sign', 'red', { log: redLog() });
    const { findings } = (await at.look()).head;
    expect(findings).toMatchObject([{ standing: 'new', excerpt: { headline: 'ERROR: no key for src/sign.ts:3:1' } }]);
    expect(findings[0]!.reasons).toEqual([
      { code: 'says', headline: 'ERROR: no key for src/sign.ts:3:1', isAll: false },
    ]);
    expect(findings[0]!.excerpt.lines.join('\n')).not.toContain('is cold');
    expect(findings[0]!.places.map(({ path }) => path)).toEqual(['src/sign.ts']);
    expect(asked(at, 'said')).toEqual(['said sign', 'said sign']);
    const report = await at.reportOf(findings[0]!.investigationId);
    expect(report.indexOf('no key for')).toBeLessThan(report.indexOf('is cold'));

    await using alone = await greenGround();
    alone.run('sign', 'red', { log: redLog() });
    expect(await headline(alone)).toBe(SHOWN_ALONE);
    const [one] = await at.store.listFailures([at.project.id], { limit: 2 });
    const [other] = await alone.store.listFailures([alone.project.id], { limit: 2 });
    expect(one!.fingerprint).toBe(other!.fingerprint);
  });

  it('is compared once, however often its commit is looked at', async () => {
    await using at = await greenGround();
    await green(at);
    at.run('sign', 'red', { log: redLog() });
    await at.look();
    const first = (await at.look()).head.findings;
    expect((await at.look()).head.findings).toEqual(first);
    expect(first[0]!.excerpt.headline).toContain('no key');
    expect(asked(at, 'said')).toHaveLength(2);
  });

  it('is not compared while it is known at another commit, and is again where it comes back', async () => {
    await using at = await greenGround();
    await green(at);
    at.run('sign', 'red', { log: redLog() });
    await at.look();
    at.world.places.set(NEXT, ON_MAIN);
    at.run('sign', 'red', { sha: NEXT, log: redLog() });
    expect((await at.look(NEXT)).head.findings).toMatchObject([{ standing: 'known' }]);
    expect(asked(at, 'said')).toHaveLength(3);

    const mended = 'e'.repeat(40);
    const contained = [HEAD, NEXT].map((from) => ({ from, to: mended }));
    await at.store.closeFixedFailures(
      at.project.id,
      { sha: mended, checks: [ofActions('sign')], at: time(60), contained },
      time(60),
    );
    at.seconds = 120;
    const back = 'f'.repeat(40);
    at.world.history.push(mended, back);
    at.world.places.set(back, ON_MAIN);
    at.run('sign', 'red', { sha: back, log: redLog(), startedAt: time(100) });
    const again = (await at.look(back)).head.findings;
    expect(again).toMatchObject([{ standing: 'regression' }]);
    expect(again[0]!.excerpt.headline).toContain('no key');
    expect(asked(at, 'said')).toHaveLength(5);
  });

  it.each<readonly [string, (at: HeadGround) => Promise<void> | void]>([
    ['no run was green', () => {}],
    ['the run is not known', (at) => green(at, { isKnown: false })],
    ['another check was green', (at) => green(at, { name: 'lint' })],
    ['a fork was green, on a branch that is called as ours is', (at) => green(at, { sha: '9'.repeat(40) })],
    ['only what came later was green', (at) => green(at, { sha: NEXT })],
  ])('is shown as it is where %s', async (_, prepare) => {
    await using at = await greenGround();
    await prepare(at);
    at.run('sign', 'red', { log: redLog() });
    expect(await headline(at)).toBe(SHOWN_ALONE);
    expect(asked(at, 'said')).toHaveLength(1);
  });

  it('is shown as it is where it failed with its machine, or is of other CI, without a question', async () => {
    await using at = await greenGround();
    await green(at);
    await green(at, { name: 'elsewhere' });
    at.run('sign', 'red', { log: DISK_LOG });
    at.run('elsewhere', 'red', { app: 'other-ci', log: redLog() });
    await at.store.recordPassingCheck(at.project.id, {
      ...{ check: { app: 'other-ci', name: 'elsewhere' }, sha: GREEN, at: time(-600), runId: 7 },
    });
    await at.look();
    expect(asked(at, 'said')).toHaveLength(2);
  });

  it('is shown as it is where no log of the green run is kept', async () => {
    await using at = await greenGround();
    await green(at, { log: '' });
    at.run('sign', 'red', { log: redLog() });
    expect(await headline(at)).toBe(SHOWN_ALONE);
    expect(asked(at, 'said')).toHaveLength(2);
  });

  it('gets its verdict without waiting for a green run that GitHub does not give now', async () => {
    await using at = await greenGround();
    await green(at);
    at.run('sign', 'red', { log: redLog() });
    let reads = 0;
    at.world.before = (verb) => {
      if (verb !== 'said') return;
      reads += 1;
      if (reads === 2) throw new ChecksBusy('GitHub is at its limit.', new Date(time(3_600)));
    };
    expect(await headline(at)).toBe(SHOWN_ALONE);
    expect(reads).toBe(2);
  });

  it('of many causes has the five compared whose words are kept', async () => {
    await using at = await greenGround();
    const names = ['lint', 'sign', 'pack', 'docs', 'ship', 'seal', 'test'];
    for (const name of names) {
      await green(at, { name });
      at.run(name, 'red', { log: redLog(name) });
    }
    const { head } = await at.look();
    expect(head.findings.filter(({ excerpt }) => excerpt.headline.includes('no key'))).toHaveLength(5);
    const kept = ['lint', 'sign', 'pack', 'docs', 'ship'];
    expect(asked(at, 'said').slice(names.length, -1)).toEqual(kept.map((name) => `said ${name}`));
    // All were green at one commit, which is asked about once.
    expect(asked(at, 'leads')).toEqual([`leads ${GREEN}..${HEAD}`]);
  });
});

describe('a red check of a pull request', () => {
  it('is compared with what was green at its base, which no question is asked about', async () => {
    await using at = await greenGround(pullRequestPlace());
    await green(at, { sha: NEXT, log: '', seconds: -60 });
    await green(at, { sha: BASE });
    at.run('sign', 'red', { log: redLog() });
    expect(await headline(at)).toContain('no key');
    expect(asked(at, 'leads')).toEqual([]);
  });

  it('is compared with what was green before its base, and not with what is only in its own branch', async () => {
    await using at = await greenGround(pullRequestPlace());
    await green(at);
    at.run('sign', 'red', { log: redLog() });
    expect(await headline(at)).toContain('no key');
    expect(asked(at, 'leads')).toEqual([`leads ${GREEN}..${BASE}`]);

    await using own = await greenGround(pullRequestPlace());
    own.world.history.splice(0, 9, BASE, GREEN, HEAD);
    await green(own);
    own.run('sign', 'red', { log: redLog() });
    expect(await headline(own)).toBe(SHOWN_ALONE);
  });

  it('that anyone may have written has nothing compared', async () => {
    await using at = await greenGround(pullRequestPlace({ isFork: true, isTrusted: false }));
    await green(at, { sha: BASE });
    at.run('sign', 'red', { log: redLog() });
    expect(await headline(at)).toBe(SHOWN_ALONE);
    expect(asked(at, 'said')).toHaveLength(1);
  });
});
