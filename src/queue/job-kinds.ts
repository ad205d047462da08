// Every kind of job, the most urgent first.
import type { JobKind } from '../core/queue.ts';

export const JOB_KINDS: readonly JobKind[] = [
  ...(['urgent-delivery', 'delivery', 'head', 'publish', 'check-run', 'run', 'webhook', 'backfill'] as const),
];
