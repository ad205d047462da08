// What both publishers share: their jobs, lists of several pages, and failures of GitHub that are an answer.
import type { JobHandler, JobResult } from '../../core/queue.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import type { PublishDeps } from './view.ts';

const PAGE = 100;
export const PAUSED_MS = 15_000;
/** GitHub is at a limit and names no time. */
const BUSY_MS = 60_000;
/** After a call without a clear answer; its effect is then looked for before it is repeated. */
const UNSURE_MS = 15_000;

/** At most `most` pages of 100. */
export async function readPages<T>(
  most: number,
  read: (page: { readonly per_page: number; readonly page: number }) => Promise<{ readonly data: readonly T[] }>,
): Promise<readonly T[]> {
  const all: T[] = [];
  for (let page = 1; page <= most; page += 1) {
    const { data } = await read({ per_page: PAGE, page });
    all.push(...data);
    if (data.length < PAGE) break;
  }
  return all;
}

/** GitHub's answer, or what `recover` makes of a failure of one of these kinds. Others are thrown. */
export async function recoverFrom<T>(
  kinds: readonly GithubFailure['kind'][],
  call: () => Promise<T>,
  recover: (error: GithubFailure) => T | Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof GithubFailure) || !kinds.includes(error.kind)) throw error;
    return await recover(error);
  }
}

/** A job that brings one thread or head up to date on GitHub. `recover`: for failures that aren't GitHub's; null: the job has failed. */
export function createPublishJob(
  deps: PublishDeps,
  subject: 'thread' | 'head',
  publish: (id: string, signal: AbortSignal) => Promise<JobResult>,
  recover: (id: string, error: unknown) => JobResult | null = () => null,
): JobHandler {
  const recoverFromGithub = (id: string, error: unknown): JobResult | null => {
    if (!(error instanceof GithubFailure)) return null;
    if (error.kind === 'unsure') return runLater(deps, UNSURE_MS);
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
        return deps.paused() ? runLater(deps, PAUSED_MS) : await publish(job.subject, signal);
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
