// A lane: one kind of work that a worker takes, who does it, and how much of it at a time.
import type { JobHandler, JobKind, LaneLimits, Queue } from '../core/queue.ts';
import { JOB_KINDS } from './job-kinds.ts';

export interface Lane {
  readonly handler: JobHandler;
  readonly limits: LaneLimits;
}

/** The kinds that have both a handler and limits. */
export function lanesOf(...[handlers, limits]: Parameters<Queue['work']>): ReadonlyMap<JobKind, Lane> {
  const lanes = new Map<JobKind, Lane>();
  for (const kind of JOB_KINDS) {
    const handler = handlers[kind];
    const limit = limits[kind];
    if (handler && limit) lanes.set(kind, { handler, limits: limit });
  }
  return lanes;
}
