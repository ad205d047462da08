// The store's contract: the commit that a run takes for the likeliest stands in the range of the failures that it looks into.
import { describe, expect, it } from 'vitest';
import type { CommitRange } from '../../src/core/failure.ts';
import { found, ofActions, recorded, sighting } from '../support/check-store-samples.ts';
import { githubGround } from '../support/github-store-samples.ts';
import { acceptance, accepted, at, SHA, started } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

const RANGE: CommitRange = {
  ...{ from: 'x', to: SHA, total: 2 },
  commits: [
    { sha: SHA, author: 'mona', subject: 'Say more' },
    { sha: 'b'.repeat(40), author: 'wren', subject: 'Break it' },
  ],
};
const LIKELIEST = { sha: 'b'.repeat(40), reason: 'touches src/cart.ts, which the failing lines name' };

async function lookedInto(engine: Engine) {
  await using opening = new AsyncDisposableStack();
  const { store } = opening.use(await opening.use(await engine.place()).open());
  const base = await githubGround(store);
  await recorded(store, base.project.id, [sighting('a')]);
  await recorded(store, base.project.id, [sighting('b')], 'fal_2');
  for (const id of ['fal_1', 'fal_2']) await store.saveRange(id, RANGE);
  const { runId } = await accepted(store, acceptance(base, { thread: found('fal_1') }));
  const besides = found('fal_2', { threadId: 'thr_2', subject: { kind: 'failure', failureId: 'fal_2' } });
  const other = await accepted(store, acceptance(base, { thread: besides, fingerprint: 'other' }));
  if (other.runId === runId) throw new Error('the two share a run');
  const run = await started(store, runId);
  const rangeOf = async (id: string) => (await store.findFailure(id))?.range;
  const opened = opening.move();
  return { store, projectId: base.project.id, run, rangeOf, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

export function likeliestContract(engine: Engine): void {
  describe('the likeliest commit', () => {
    it('stands in the range of the failure that the run looks into, and in no other', async () => {
      await using at = await lookedInto(engine);
      for (const _ of ['once', 'again']) await at.store.saveLikeliestCommit(at.run, LIKELIEST);
      expect(await at.rangeOf('fal_1')).toEqual({ ...RANGE, likeliest: LIKELIEST });
      expect(await at.rangeOf('fal_2')).toEqual(RANGE);
      await recorded(at.store, at.projectId, [sighting('c')]);
      expect(await at.rangeOf('fal_1')).toEqual({ ...RANGE, likeliest: LIKELIEST });
    });

    it('is refused from a run that was taken over', async () => {
      await using at = await lookedInto(engine);
      await started(at.store, at.run.id);
      await expect(at.store.saveLikeliestCommit(at.run, LIKELIEST)).rejects.toMatchObject({ code: 'lease_lost' });
      expect(await at.rangeOf('fal_1')).toEqual(RANGE);
    });

    it('is left out where the range does not list all of its commits', async () => {
      await using at = await lookedInto(engine);
      await at.store.saveRange('fal_1', { ...RANGE, total: 3 });
      await at.store.saveLikeliestCommit(at.run, LIKELIEST);
      expect(await at.rangeOf('fal_1')).toEqual({ ...RANGE, total: 3 });
    });

    it('is looked for in the range of the failure that the run looks into, where that has one', async () => {
      await using at = await lookedInto(engine);
      await at.store.saveRange('fal_2', { ...RANGE, from: 'y' });
      expect(await at.store.findRangeOfRun(at.run.id)).toEqual(RANGE);
      expect(await at.store.findRangeOfRun('run_none')).toBeNull();
    });

    it('is left out where the range has no such commit, or is gone', async () => {
      await using opened = await lookedInto(engine);
      const { store, projectId, run, rangeOf } = opened;
      await store.saveLikeliestCommit(run, { ...LIKELIEST, sha: 'c'.repeat(40) });
      expect(await rangeOf('fal_1')).toEqual(RANGE);
      const green = { sha: 'g', checks: [ofActions('test')], at: at(5), contained: [{ from: SHA, to: 'g' }] };
      await store.closeFixedFailures(projectId, green, at(5));
      await recorded(store, projectId, [sighting('c', { at: at(6) })]);
      await store.saveLikeliestCommit(run, LIKELIEST);
      expect(await rangeOf('fal_1')).toBeNull();
    });
  });
}
