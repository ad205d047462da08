// What all work of the publisher on GitHub shares: the frame of its jobs, lists of several pages, and failures that are an answer.

import type { JobHandler, JobResult } from '../../core/queue.ts';
import type { Log } from '../../log.ts';
import { GithubFailure } from '../clients/github-clients.ts';

const PAGE = 100;

/** At most `most` pages of 100. */
export async function readPages<T>(
  most: number,
  read: (page: { readonly per_page: number; readonly page: number }) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const all: T[] = [];
  for (let page = 1; page <= most; page += 1) {
    const found = await read({ per_page: PAGE, page });
    all.push(...found);
    if (found.length < PAGE) break;
  }
  return all;
}

/** GitHub's answer, or what `recover` makes of one of these failures. All others are thrown. */
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

/** How soon a paused house looks whether it may go on. */
export const PAUSED_MS = 15_000;

/** Where GitHub is at a limit and names no time. */
const BUSY_MS = 60_000;

/** After no answer, or one that leaves open what happened: then it is looked for before it is done again. */
const UNSURE_MS = 15_000;

interface House {
  readonly log: Log;
  readonly now: () => Date;
}

interface EffectJob {
  /** What the subject of the job is, by its name in the log. */
  readonly subject: 'thread' | 'head';
  readonly bringUp: (subject: string, signal: AbortSignal) => Promise<JobResult>;
  /** What follows from a failure that is not GitHub's; null: nothing is known of it, and the job has failed. */
  readonly afterOther?: (subject: string, error: unknown) => JobResult | null;
  /** For the log: GitHub does not let us. */
  readonly shut: string;
  /** For the log: it failed too often. */
  readonly dead: string;
}

/** Throws what is no failure of GitHub's, and the reason of the signal once that is aborted. */
export function createEffectHandler(house: House, wanted: EffectJob): JobHandler {
  return {
    handle: async (job, signal) => {
      try {
        return await wanted.bringUp(job.subject, signal);
      } catch (error) {
        signal.throwIfAborted();
        return wanted.afterOther?.(job.subject, error) ?? handleFailure(house, wanted, job.subject, error);
      }
    },
    dead: async (job, error) => {
      house.log.error({ [wanted.subject]: job.subject, err: error }, wanted.dead);
    },
  };
}

function handleFailure(house: House, { subject, shut }: EffectJob, id: string, error: unknown): JobResult {
  if (!(error instanceof GithubFailure)) throw error;
  switch (error.kind) {
    case 'busy':
      return error.retryAt === null ? runLater(house, BUSY_MS) : { kind: 'later', runAt: error.retryAt.toISOString() };
    case 'unsure':
      return runLater(house, UNSURE_MS);
    case 'gone':
    case 'refused':
      // What is not there for us, or not allowed, is not asked for again before something happens there.
      house.log.warn({ [subject]: id, err: error }, shut);
      return { kind: 'done' };
  }
}

/** The job is due again in so many milliseconds. */
export function runLater({ now }: Pick<House, 'now'>, ms: number): JobResult {
  return { kind: 'later', runAt: new Date(now().getTime() + ms).toISOString() };
}
