// What an operator sees of one process: counters and spans, hung around the ports where the house is put together.
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Model, TurnUsage } from '../core/model.ts';
import type { JobHandler } from '../core/queue.ts';
import type { Store } from '../db/store.ts';
import type { Log } from '../log.ts';
import { type HouseReadings, houseReadings } from './house-readings.ts';
import { createInstruments, type Instruments } from './instruments.ts';
import { createReadings } from './readings.ts';
import { type Waits, waitGauges } from './waits.ts';
import { createGithubWatch, type GithubWatch } from './watched-github.ts';
import { JOB_KINDS, watchHandler } from './watched-jobs.ts';
import { watchModel } from './watched-model.ts';
import { createRequestWatch, DELIVERY_RESULTS, type RequestWatch } from './watched-requests.ts';
import { ATTEMPT_RESULTS, watchStore } from './watched-store.ts';

export interface Telemetry {
  readonly requests: RequestWatch;
  readonly github: GithubWatch;
  handler(handler: JobHandler): JobHandler;
  model(model: Model, costOf: (usage: TurnUsage) => number): Model;
  /** How the last question to the model ended, such as `answered` or `unavailable`; null before the first. */
  lastModelCall(): string | null;
  store<T extends Store>(store: T): T;
  /** Begins to measure the process and the house, once; gives what writes all figures down in Prometheus' text format. */
  open(house: HouseReadings & Waits): Exposition;
}

export interface Exposition {
  readonly contentType: string;
  /** Within about a second, however slow the house is. */
  text(): Promise<string>;
}

interface TelemetryOptions {
  readonly version: string;
  readonly log: Log;
  readonly now: () => Date;
}

export function createTelemetry({ version, log, now }: TelemetryOptions): Telemetry {
  const registry = new Registry();
  const instruments = createInstruments(registry, version);
  beginAtNought(instruments);
  let lastModelCall: string | null = null;
  const ended = (outcome: string) => {
    lastModelCall = outcome;
  };
  return {
    requests: createRequestWatch(instruments),
    github: createGithubWatch({ registry, instruments, log, now }),
    handler: (handler) => watchHandler(handler, { instruments, log }),
    model: (model, costOf) => watchModel(model, { instruments, log, costOf, ended }),
    lastModelCall: () => lastModelCall,
    store: (store) => watchStore(store, { instruments, log }),
    open: (house) => {
      collectDefaultMetrics({ register: registry });
      waitGauges(registry, house);
      const readings = createReadings({ registry, readings: houseReadings(registry, house) });
      return {
        contentType: registry.contentType,
        text: async () => {
          await readings.refresh();
          return await registry.metrics();
        },
      };
    },
  };
}

/** What an alert waits for: the rise from a series that was not there to one is none to Prometheus. */
function beginAtNought({ jobs, deliveries, deliveriesEnded, webhooks }: Instruments): void {
  for (const kind of JOB_KINDS) jobs.inc({ kind, outcome: 'dead' }, 0);
  for (const result of DELIVERY_RESULTS) deliveries.inc({ result }, 0);
  for (const result of ['handled', 'failed']) deliveriesEnded.inc({ result }, 0);
  for (const result of Object.values(ATTEMPT_RESULTS)) webhooks.inc({ result }, 0);
}
