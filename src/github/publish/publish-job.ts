// The jobs of both publishers: paused where the service is, and repeated after failures of GitHub that pass. After an
// unclear answer, such as a 502, the job looks for what it may have written by its marker before it writes again.
import type { JobHandler, JobResult } from '../../core/queue.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import type { PublishDeps } from './view.ts';

export const PAUSED_MS = 15_000;
/** GitHub is at a limit and names no time. */
const BUSY_MS = 60_000;
/** After a call without a clear answer, whose effect is then looked for before it is repeated; doubled each time. */
const UNSURE_MS = 15_000;
const LONGEST_UNSURE_MS = 600_000;

/** A job that brings one thread or head up to date on GitHub. `recover`: for failures that aren't GitHub's; null: the job has failed. */
export function createPublishJob(
  deps: PublishDeps,
  subject: 'thread' | 'head',
  publish: (id: string, signal: AbortSignal) => Promise<JobResult>,
  recover: (id: string, error: unknown) => JobResult | null = () => null,
): JobHandler {
  /** By subject; a restart forgets them, and then the pauses grow again. */
  const pauses = new Map<string, number>();
  const recoverFromGithub = (id: string, error: unknown): JobResult | null => {
    if (!(error instanceof GithubFailure)) return null;
    if (error.kind === 'unsure') {
      const pauseMs = pauses.get(id) ?? UNSURE_MS;
      pauses.set(id, Math.min(2 * pauseMs, LONGEST_UNSURE_MS));
      return runLater(deps, pauseMs);
    }
    if (error.kind === 'busy') {
      const { retryAt } = error;
      return retryAt === null ? runLater(deps, BUSY_MS) : { kind: 'later', runAt: retryAt.toISOString() };
    }
    // Not tried again before something happens there.
    deps.log.warn({ [subject]: id, err: error }, `GitHub does not let us publish this ${subject}`);
    return { kind: 'done' };
  };
  return {
    handle: async (job, signal) => {
      try {
        if (deps.paused()) return runLater(deps, PAUSED_MS);
        const result = await publish(job.subject, signal);
        pauses.delete(job.subject);
        return result;
      } catch (error) {
        signal.throwIfAborted();
        const result = recoverFromGithub(job.subject, error) ?? recover(job.subject, error);
        if (result === null) throw error;
        return result;
      }
    },
    dead: async (job, error) => {
      deps.log.error({ [subject]: job.subject, err: error }, `publishing a ${subject} failed`);
    },
  };
}

export function runLater({ now }: PublishDeps, ms: number): JobResult {
  return { kind: 'later', runAt: new Date(now().getTime() + ms).toISOString() };
}
