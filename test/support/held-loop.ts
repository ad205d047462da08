// How long the event loop of a service in its own process is held at most, during which it answers nobody.
import path from 'node:path';
import type { Service } from './service.ts';

/** Belongs into the service's environment. */
export const LOOP_PROBE = { NODE_OPTIONS: `--import=${path.join(import.meta.dirname, 'loop-probe.mjs')}` };

/** Milliseconds of the processor since the service said that it is ready, which is when its code is loaded. */
export function longestHold(service: Service): number {
  const [, since = ''] = service.output().split(service.address, 2);
  return Math.max(0, ...[...since.matchAll(/event loop was held for (\d+) ms/g)].map(([, ms]) => Number(ms)));
}
