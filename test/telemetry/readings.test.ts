// Figures that are asked for at a scrape: a source that hangs or fails holds up nothing, and its age says so.
import { Gauge, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createReadings } from '../../src/telemetry/readings.ts';
import { sum } from '../support/metrics-of.ts';

function source(name: string, registry: Registry) {
  const gauge = new Gauge({ name: `test_${name}`, help: 'x', registers: [registry] });
  let read: () => Promise<number> = async () => 1;
  let asked = 0;
  return {
    reading: {
      ...{ name, freshMs: 0 },
      read: async () => {
        asked += 1;
        gauge.set(await read());
      },
    },
    becomes: (next: () => Promise<number>) => {
      read = next;
    },
    asked: () => asked,
  };
}

it('answers with the last known figures of a source that hangs, says how old they are, and asks it once', async () => {
  const registry = new Registry();
  const [slow, quick] = [source('slow', registry), source('quick', registry)];
  const readings = createReadings({ registry, readings: [slow.reading, quick.reading], boundMs: 20 });
  await readings.refresh();
  const { promise, resolve } = Promise.withResolvers<number>();
  slow.becomes(() => promise);
  quick.becomes(async () => 2);
  await readings.refresh();
  await readings.refresh();
  const text = await registry.metrics();
  expect([sum(text, 'test_slow'), sum(text, 'test_quick'), slow.asked()]).toEqual([1, 2, 2]);
  const age = (name: string) => sum(text, 'causeway_reading_age_seconds', { source: name }) ?? Number.NaN;
  expect(age('slow')).toBeGreaterThan(age('quick'));
  resolve(3);
  slow.becomes(async () => 3);
  await readings.refresh();
  expect(sum(await registry.metrics(), 'test_slow')).toBe(3);
});

it('counts a source that fails, keeps what it said before, and shows what the others say', async () => {
  const registry = new Registry();
  const [bad, good] = [source('bad', registry), source('good', registry)];
  const readings = createReadings({ registry, readings: [bad.reading, good.reading] });
  await readings.refresh();
  bad.becomes(() => Promise.reject(new Error('closed')));
  good.becomes(async () => 5);
  await readings.refresh();
  const text = await registry.metrics();
  expect([sum(text, 'test_bad'), sum(text, 'test_good')]).toEqual([1, 5]);
  expect(sum(text, 'causeway_reading_failures_total', { source: 'bad' })).toBe(1);
  expect(sum(text, 'causeway_reading_failures_total', { source: 'good' })).toBe(0);
});

it('does not ask again for what is fresh', async () => {
  const registry = new Registry();
  const one = source('one', registry);
  const readings = createReadings({ registry, readings: [{ ...one.reading, freshMs: 60_000 }] });
  await readings.refresh();
  await readings.refresh();
  expect(one.asked()).toBe(1);
});
