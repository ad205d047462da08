// Figures that must be asked for: read when they are scraped, within a bound; what is slow shows its last value and how old that is.
import { Counter, Gauge, type Registry } from 'prom-client';

export interface Reading {
  /** A label: `queue`, `disk`. */
  readonly name: string;
  /** Milliseconds for which what was read last is good enough. */
  readonly freshMs: number;
  /** Reads and sets its gauges. */
  readonly read: () => Promise<void>;
}

export interface Readings {
  /** Resolves when all are read, or the bound is over; never rejects. */
  refresh(): Promise<void>;
}

export interface ReadingsOptions {
  readonly registry: Registry;
  readonly readings: readonly Reading[];
  /** Milliseconds that a scrape waits (1,000): Prometheus gives up after ten seconds, and all other figures with it. */
  readonly boundMs?: number;
}

export function createReadings({ registry, readings, boundMs = 1_000 }: ReadingsOptions): Readings {
  const failures = new Counter({
    name: 'causeway_reading_failures_total',
    help: 'Figures that could not be read; the last known ones are shown.',
    labelNames: ['source'],
    registers: [registry],
  });
  const begun = performance.now();
  const readAt = new Map<string, number>();
  const underWay = new Map<string, Promise<void>>();
  const age = (name: string) => performance.now() - (readAt.get(name) ?? begun);
  new Gauge({
    name: 'causeway_reading_age_seconds',
    help: 'How old the figures of a source are; since the start where it was never read.',
    labelNames: ['source'],
    registers: [registry],
    collect() {
      for (const { name } of readings) this.set({ source: name }, age(name) / 1_000);
    },
  });
  for (const { name } of readings) failures.inc({ source: name }, 0);
  const read = async ({ name, read: once }: Reading) => {
    try {
      await once();
      readAt.set(name, performance.now());
    } catch {
      failures.inc({ source: name });
    } finally {
      underWay.delete(name);
    }
  };
  const refreshed = (reading: Reading): Promise<void> => {
    const running = underWay.get(reading.name);
    if (running !== undefined) return running;
    if (readAt.has(reading.name) && age(reading.name) < reading.freshMs) return Promise.resolve();
    const began = read(reading);
    underWay.set(reading.name, began);
    return began;
  };
  return { refresh: () => within(boundMs, Promise.all(readings.map(refreshed))) };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, over]);
  clearTimeout(timer);
}
