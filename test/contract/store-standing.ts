// The store's contract: what a run may do follows from who wrote its report and what its project set, and so does whom it answers.
import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import { acceptance, accepted, conclusion, ground, NOW, SHA, started } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

const settings = { ...DEFAULT_SETTINGS, useModel: false, language: 'de', paths: { allow: [], block: ['a/**'] } };

export function standingContract(engine: Engine): void {
  describe('the standing of a report', () => {
    it('is that of its run: the settings field by field, and whether it is trusted', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const { runId } = await accepted(store, acceptance(base, { settings, isTrusted: false }));
      expect(await store.startRun(runId, NOW)).toMatchObject({ settings, isTrusted: false });
      const plain = await accepted(store, acceptance(base));
      expect(await store.startRun(plain.runId, NOW)).toMatchObject({ settings: DEFAULT_SETTINGS, isTrusted: true });
    });

    it('keeps it from joining, and from the answer of, another that is equal in all but that', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      const base = await ground(store);
      const trusted = await accepted(store, acceptance(base));
      expect((await accepted(store, acceptance(base, { isTrusted: false }))).joined).toBe(false);
      expect((await accepted(store, acceptance(base, { settings }))).joined).toBe(false);
      // The fields in another order are the same settings.
      const { paths, ...rest } = settings;
      expect((await accepted(store, acceptance(base, { settings: { paths, ...rest } }))).joined).toBe(true);
      await store.conclude(await started(store, trusted.runId), conclusion(), NOW);
      const answered = async (changes: Parameters<typeof acceptance>[1]) => {
        const { runId } = await accepted(store, acceptance(base, changes));
        const run = await started(store, runId);
        return (await store.concludeFromEqual(run, { sha: SHA, since: NOW, model: null }, NOW)).length > 0;
      };
      expect(await answered({ fresh: true, isTrusted: false })).toBe(false);
      expect(await answered({ fresh: true, settings })).toBe(false);
      expect(await answered({ fresh: true })).toBe(true);
    });
  });
}
