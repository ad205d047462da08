// The store's contract: deliveries from GitHub are kept once, handed out until they are handled, and then wiped.
import { describe, expect, it } from 'vitest';
import { delivery } from '../support/github-store-samples.ts';
import { at, NOW } from '../support/store-samples.ts';
import type { Engine } from './engine.ts';

const times = { now: NOW, meaningSince: at(-3600) };

export function deliveriesContract(engine: Engine): void {
  describe('a delivery', () => {
    it('is stored together with its job, in the group that it named, and handed out as it came', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const body = `{"text":"emoji 🪲, U+2028 \u2028, quotes '\\"\`"}`;
      expect(await opened.store.acceptDelivery(delivery('a', { body }), times)).toBe('stored');
      expect(await opened.store.findDelivery('a')).toEqual({ id: 'a', event: 'issues', body, receivedAt: NOW });
      const ofPerson = { urgency: 'person' };
      expect(await opened.jobs()).toEqual([
        { kind: 'delivery', subject: 'a', group: 'octo/shop', runAt: NOW, ...ofPerson },
      ]);
      expect(await opened.store.findDelivery('unknown')).toBeNull();
    });

    it('that is urgent has a job of another kind, also where it comes again', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const urgent = delivery('a', { isUrgent: true });
      await opened.store.acceptDelivery(urgent, times);
      await opened.store.endDelivery('a', 'failed', 'x');
      await opened.queue({}).cancel('urgent-delivery', 'a');
      await opened.store.acceptDelivery(urgent, times);
      expect(await opened.jobs()).toMatchObject([{ kind: 'urgent-delivery', subject: 'a' }]);
    });

    it('of 25 MiB is kept whole', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const body = 'é'.repeat((25 * 1024 * 1024) / 2);
      await opened.store.acceptDelivery(delivery('large', { body }), times);
      expect((await opened.store.findDelivery('large'))?.body === body).toBe(true);
    });

    it('sent 100 times at once by two processes is one', async () => {
      await using place = await engine.place();
      await using one = await place.open();
      await using two = await place.open();
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, i) => (i % 2 ? one : two).store.acceptDelivery(delivery('a'), times)),
      );
      expect(answers.filter((answer) => answer === 'stored')).toHaveLength(1);
      expect(await one.jobs()).toHaveLength(1);
    });

    it('that means what another meant is a repeated one, under whatever id and event, until that is long ago', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      await store.acceptDelivery(delivery('a', { meaning: 'm' }), times);
      const replayed = (id: string) => delivery(id, { meaning: 'm', event: 'issue_comment' });
      expect(await store.acceptDelivery(replayed('b'), { now: at(60), meaningSince: NOW })).toBe('repeated');
      expect(await store.findDelivery('b')).toBeNull();
      expect(await store.acceptDelivery(replayed('c'), { now: at(60), meaningSince: at(1) })).toBe('stored');
    });

    it('that failed comes again under its id alone: with the body of then, as one that was never handled', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      await store.acceptDelivery(delivery('a', { meaning: 'm' }), times);
      await store.endDelivery('a', 'failed', 'GitHub was away');
      const later = { now: at(60), meaningSince: at(-3600) };
      expect(await store.acceptDelivery(delivery('b', { meaning: 'm' }), later)).toBe('repeated');
      expect((await store.findSeenDeliveries(['a'])).size).toBe(0);
      expect(await store.acceptDelivery(delivery('a', { meaning: 'm', body: '{"again":1}' }), later)).toBe('stored');
      expect(await store.findDelivery('a')).toMatchObject({ body: '{"again":1}', receivedAt: at(60) });
      expect(await opened.deliveryEnds()).toEqual([{ id: 'a', state: 'waiting', detail: '' }]);
      expect(await opened.jobs()).toMatchObject([{ kind: 'delivery', subject: 'a' }]);
      expect(await store.acceptDelivery(delivery('a', { meaning: 'm' }), later)).toBe('repeated');
    });

    it('that was handled, well or not, is handed out no more; one that was handled well is not taken again', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      for (const id of ['done', 'failed', 'waiting']) await store.acceptDelivery(delivery(id), times);
      await store.endDelivery('done', 'done', '');
      await store.endDelivery('failed', 'failed', 'GitHub refused it');
      expect(await store.findDelivery('done')).toBeNull();
      expect(await store.findDelivery('failed')).toBeNull();
      expect(await store.findDelivery('waiting')).not.toBeNull();
      expect(await store.acceptDelivery(delivery('done'), { now: at(9999), meaningSince: at(9999) })).toBe('repeated');
      const seen = await store.findSeenDeliveries(['failed', 'done', 'waiting', 'never']);
      expect([...seen].toSorted()).toEqual(['done', 'waiting']);
      expect(await store.findSeenDeliveries([])).toEqual(new Set());
    });

    it('ends once: a later end changes nothing, and an unknown one has none', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      await store.acceptDelivery(delivery('a'), times);
      await store.endDelivery('a', 'done', '');
      await store.endDelivery('a', 'failed', 'too late');
      await store.endDelivery('unknown', 'failed', 'nothing');
      expect(await opened.deliveryEnds()).toEqual([{ id: 'a', state: 'done', detail: '' }]);
    });

    it('is forgotten 30 days after it came, unless it still waits', async () => {
      await using place = await engine.place();
      await using opened = await place.open();
      const { store } = opened;
      for (const id of ['done', 'waiting']) await store.acceptDelivery(delivery(id), times);
      await store.endDelivery('done', 'done', '');
      const day = 24 * 60 * 60;
      const sweep = (now: string) => store.sweep({ endedBefore: NOW, keysBefore: NOW, now });
      await sweep(at(30 * day));
      expect((await store.findSeenDeliveries(['done'])).size).toBe(1);
      await sweep(at(30 * day + 1));
      expect(await store.findSeenDeliveries(['done', 'waiting'])).toEqual(new Set(['waiting']));
    });
  });
}
