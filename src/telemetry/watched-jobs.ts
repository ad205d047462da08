// Each try of a job: counted, timed, in a span, and its log lines under the ids of what it works on.
import { SpanKind } from '@opentelemetry/api';
import type { ClaimedJob, JobHandler, JobKind, JobResult } from '../core/queue.ts';
import { type Log, onTrail, type Trail } from '../log.ts';
import type { Instruments } from './instruments.ts';
import { spanned } from './spans.ts';

/** What the subject of a job is, by its name in the log. */
const SUBJECTS: Readonly<Record<JobKind, keyof Trail>> = {
  run: 'run',
  webhook: 'webhook',
  delivery: 'delivery',
  'urgent-delivery': 'delivery',
  publish: 'thread',
  head: 'head',
  'check-run': 'head',
  backfill: 'project',
};

/** Every kind of job there is. */
export const JOB_KINDS = Object.keys(SUBJECTS) as readonly JobKind[];

export function watchHandler(handler: JobHandler, { instruments, log }: { instruments: Instruments; log: Log }) {
  const told = (job: ClaimedJob, outcome: string, began: number) => {
    const seconds = (performance.now() - began) / 1_000;
    instruments.jobs.inc({ kind: job.kind, outcome });
    if (outcome !== 'dead') instruments.jobSeconds.observe({ kind: job.kind, outcome }, seconds);
    // A job that waits comes round every few seconds: that is no news.
    log[outcome === 'later' ? 'debug' : 'info']({ outcome, ms: Math.round(seconds * 1_000) }, 'job');
  };
  const watched: JobHandler = {
    handle: (job, signal) =>
      onTrail(trailOf(job), async () => {
        const began = performance.now();
        try {
          const result = await spanned(spanOf(job), () => inItsRun(job, () => handler.handle(job, signal)));
          told(job, result.kind, began);
          return result;
        } catch (error) {
          told(job, signal.aborted ? 'handed_back' : 'failed', began);
          throw error;
        }
      }),
    dead: (job, error) =>
      onTrail(trailOf(job), async () => {
        const began = performance.now();
        await handler.dead(job, error);
        told(job, 'dead', began);
      }),
  };
  return watched;
}

function trailOf({ id, kind, subject, attempt }: ClaimedJob): Trail {
  return { job: id, kind, attempt, [SUBJECTS[kind]]: subject };
}

function spanOf({ id, kind, subject, attempt }: ClaimedJob) {
  return {
    name: `job ${kind}`,
    kind: SpanKind.CONSUMER,
    attributes: {
      'causeway.job.id': id,
      'causeway.job.kind': kind,
      'causeway.job.attempt': attempt,
      [`causeway.${SUBJECTS[kind]}.id`]: subject,
    },
  };
}

/** An investigation is what the conventions call an agent's invocation. */
function inItsRun({ kind, subject }: ClaimedJob, work: () => Promise<JobResult>): Promise<JobResult> {
  if (kind !== 'run') return work();
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'causeway',
    'gen_ai.conversation.id': subject,
    'causeway.run.id': subject,
  };
  return spanned({ name: 'invoke_agent causeway', attributes }, work);
}
