// The jobs of both publishers: paused where the service is, and repeated after failures of GitHub that pass. After an
// unclear answer, such as a 502, the job looks for what it may have written by its marker before it writes again.

import { createPauses } from '../../core/pauses.ts';
import type { JobHandler, JobResult } from '../../core/queue.ts';
import { PAUSED_MS } from '../../services/index.ts';
import { GithubFailure } from '../clients/index.ts';
import type { PublishDeps } from './view.ts';

/** GitHub is at a limit and names no time. */
const BUSY_MS = 60_000;
/** At least so long after a write without a clear answer, whose effect is then looked for before it is repeated. */
const UNSURE_MS = 15_000;

const NAMES = {
  thread: 'thread',
  head: 'head',
  known: 'known issue',
  putBack: 'revert',
  proof: 'proof',
} as const;

/** A job that brings one thread, head, known issue or revert up to date on GitHub. `recover`: for failures that aren't GitHub's; null: the job has failed. */
export function createPublishJob(
  deps: PublishDeps,
  subject: keyof typeof NAMES,
  publish: (id: string, signal: AbortSignal) => Promise<JobResult>,
  recover: (id: string, error: unknown) => JobResult | null = () => null,
): JobHandler {
  const pauses = createPauses();
  const recoverFromGithub = (id: string, error: unknown): JobResult | null => {
    if (!(error instanceof GithubFailure)) return null;
    if (error.kind === 'unsure') return runLater(deps, pauses.next(id, isRead(error) ? 0 : UNSURE_MS));
    if (error.kind === 'busy') {
      const { retryAt } = error;
      return retryAt === null ? runLater(deps, BUSY_MS) : { kind: 'later', runAt: retryAt.toISOString() };
    }
    // Not tried again before something happens there.
    deps.log.warn({ [subject]: id, err: error }, `GitHub does not let us publish this ${NAMES[subject]}`);
    return { kind: 'done' };
  };
  return {
    handle: async (job, signal) => {
      try {
        if (deps.paused()) return runLater(deps, PAUSED_MS);
        const result = await publish(job.subject, signal);
        pauses.end(job.subject);
        return result;
      } catch (error) {
        signal.throwIfAborted();
        const result = recoverFromGithub(job.subject, error) ?? recover(job.subject, error);
        if (result === null) throw error;
        return result;
      }
    },
    dead: async (job, error) => {
      deps.log.error({ [subject]: job.subject, err: error }, `publishing a ${NAMES[subject]} failed`);
    },
  };
}

function isRead({ route }: GithubFailure): boolean {
  return route?.startsWith('GET ') ?? false;
}

export function runLater({ now }: PublishDeps, ms: number): JobResult {
  return { kind: 'later', runAt: new Date(now().getTime() + ms).toISOString() };
}
