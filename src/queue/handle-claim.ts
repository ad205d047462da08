// One try of a job: its handler is run, and what came of it decides how the claim ends.
import { CausewayError } from '../core/errors.ts';
import type { ClaimedJob, JobHandler } from '../core/queue.ts';
import type { Log } from '../log.ts';
import type { Claim, ClaimEnd } from './claims.ts';
import type { JobSource } from './job-source.ts';

/** Pauses after the first and the second failed try; after the third the job is dead. */
const BACKOFF_MS = [1_000, 5_000];
const TRIES = BACKOFF_MS.length + 1;
/**
 * A job whose process ended before its handler did is claimed again more often than that: it may be what ended the process, but
 * far oftener somebody restarts the service, and an accepted report must live through that.
 */
const CLAIMS = 12;
/** `dead` is called again if it throws or ends the process; a few times, since it may be what ends it. */
const BURIALS = 5;
const BURIAL_PAUSE_MS = 10_000;

interface HandleOptions {
  readonly source: JobSource;
  readonly handler: JobHandler;
  readonly log: Log;
  readonly now: () => Date;
}

/** Never rejects. A claim that was lost on the way ends as `handed-back`, which is refused without harm. */
export async function handleClaim(claim: Claim, options: HandleOptions, signal: AbortSignal): Promise<ClaimEnd> {
  const { id, kind, subject, attempt, failures } = claim;
  const job: ClaimedJob = { id, kind, subject, attempt };
  const about = { job: id, kind, subject, attempt };
  if (failures >= TRIES || attempt > CLAIMS) return bury(claim, job, neverEnded(claim), options);
  try {
    return await options.handler.handle(job, signal);
  } catch (error) {
    if (signal.aborted || (await isLost(claim, options))) return { kind: 'handed-back' };
    options.log.warn({ ...about, err: error }, 'a try of a job failed');
    const pause = BACKOFF_MS[failures];
    return pause === undefined ? bury(claim, job, error, options) : { kind: 'failed', runAt: after(pause, options) };
  }
}

async function bury(claim: Claim, job: ClaimedJob, error: unknown, options: HandleOptions): Promise<ClaimEnd> {
  const { handler, log } = options;
  const about = { job: job.id, kind: job.kind, subject: job.subject };
  if (claim.failures >= TRIES + BURIALS || claim.attempt > CLAIMS + BURIALS) {
    log.error({ ...about, err: error }, 'a job is dead and its failure could not be recorded');
    return { kind: 'dead' };
  }
  try {
    await handler.dead(job, error);
    log.error({ ...about, err: error }, 'a job is dead');
    return { kind: 'dead' };
  } catch (inner) {
    log.error({ ...about, err: inner }, 'the failure of a dead job could not be recorded; it will be tried again');
    return { kind: 'failed', runAt: after(BURIAL_PAUSE_MS, options) };
  }
}

/** A job whose run was taken over, cancelled or erased fails at its next write; that is no failure of the job. */
async function isLost(claim: Claim, { source, log }: HandleOptions): Promise<boolean> {
  try {
    return (await source.lostAmong([claim])).length > 0;
  } catch (error) {
    log.error({ job: claim.id, err: error }, 'a job could not be looked up');
    return false;
  }
}

function neverEnded({ kind, subject, attempt, failures }: Claim): CausewayError {
  const ended = `it failed ${failures} times and ended its process ${attempt - 1 - failures} times`;
  return new CausewayError(
    'internal',
    `The ${kind} job of ${subject} is not tried again: ${ended}. The log has what stood before each end.`,
  );
}

function after(ms: number, { now }: HandleOptions): string {
  return new Date(now().getTime() + ms).toISOString();
}
