// What a scrape asks the house: how its work stands, how much of the disk is taken, and whether it is ready.
import { Gauge, type Registry } from 'prom-client';
import type { Queue } from '../core/queue.ts';
import type { Reading } from './readings.ts';
import { JOB_KINDS } from './watched-jobs.ts';

/** Bytes. */
export interface DiskUse {
  readonly mirrors: number;
  readonly lexicon: number;
  readonly free: number;
  readonly size: number;
}

export interface HouseReadings {
  readonly queue: Pick<Queue, 'depths'>;
  readonly disk: () => Promise<DiskUse>;
  /** Bytes that all mirrors together may take; null: no limit. */
  readonly mirrorLimit: number | null;
  readonly ready: () => Promise<readonly { readonly name: string; readonly ok: boolean }[]>;
  readonly now: () => Date;
}

const QUEUE_FRESH_MS = 1_000;
/** A walk over every file of every mirror. */
const DISK_FRESH_MS = 60_000;

export function houseReadings(registry: Registry, house: HouseReadings): readonly Reading[] {
  return [queueReading(registry, house), diskReading(registry, house), readyReading(registry, house)];
}

function queueReading(registry: Registry, { queue, now }: HouseReadings): Reading {
  const registers = [registry];
  const jobs = new Gauge({
    name: 'causeway_queue_jobs',
    help: 'Jobs that wait, run or are dead, of all processes.',
    labelNames: ['kind', 'state'],
    registers,
  });
  const oldest = new Gauge({
    name: 'causeway_queue_oldest_due_seconds',
    help: 'For how long the job that is due longest has been waiting; 0: none is due.',
    labelNames: ['kind'],
    registers,
  });
  return {
    name: 'queue',
    freshMs: QUEUE_FRESH_MS,
    read: async () => {
      const at = now();
      const found = new Map((await queue.depths(at.toISOString())).map((depth) => [depth.kind, depth]));
      for (const kind of JOB_KINDS) {
        const { waiting = 0, running = 0, dead = 0, oldestDue = null } = found.get(kind) ?? {};
        for (const [state, count] of Object.entries({ waiting, running, dead })) jobs.set({ kind, state }, count);
        const age = oldestDue === null ? 0 : (at.getTime() - Date.parse(oldestDue)) / 1_000;
        oldest.set({ kind }, Math.max(0, age));
      }
    },
  };
}

function diskReading(registry: Registry, { disk, mirrorLimit }: HouseReadings): Reading {
  const gauge = (name: string, help: string) => {
    const made = new Gauge({ name: `causeway_${name}_bytes`, help, registers: [registry] });
    // Not nought, which would be a figure.
    made.set(Number.NaN);
    return made;
  };
  const mirrors = gauge('mirror', 'What the copies of source take on this disk.');
  const lexicon = gauge('lexicon', 'What the digests of source take on this disk.');
  const free = gauge('data_free', 'What is free where DATA_DIR lies.');
  const size = gauge('data_size', 'How large the disk is where DATA_DIR lies.');
  const limit = gauge('mirror_limit', 'What the copies of source may take; +Inf: no limit.');
  limit.set(mirrorLimit ?? Number.POSITIVE_INFINITY);
  return {
    name: 'disk',
    freshMs: DISK_FRESH_MS,
    read: async () => {
      const use = await disk();
      mirrors.set(use.mirrors);
      lexicon.set(use.lexicon);
      free.set(use.free);
      size.set(use.size);
    },
  };
}

function readyReading(registry: Registry, { ready }: HouseReadings): Reading {
  const gauge = new Gauge({
    name: 'causeway_ready',
    help: 'What /readyz says of each check: 1 or 0.',
    labelNames: ['check'],
    registers: [registry],
  });
  return {
    name: 'ready',
    freshMs: QUEUE_FRESH_MS,
    read: async () => {
      for (const { name, ok } of await ready()) gauge.set({ check: name }, ok ? 1 : 0);
    },
  };
}
