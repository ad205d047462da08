// The log of one Actions job, read with a token of its repository; where there is none, the reason stands in its place.

import type { ShortenLog } from '../../core/check.ts';
import { CausewayError } from '../../core/errors.ts';
import { type GithubProject, getRepository } from '../../core/project.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import { downloadLog, lastOf, logAddress } from '../job-log.ts';
import type { GatherDeps } from './gather-deps.ts';

const DEADLINE_MS = 60_000;

type LogDeps = Pick<GatherDeps, 'clients' | 'apiUrl' | 'userAgent' | 'fetch'>;

interface WantedLog {
  readonly project: GithubProject;
  readonly jobId: number;
  readonly bytes: number;
  /** How a log that is longer is made so long; absent: its last bytes are kept. */
  readonly shorten?: ShortenLog;
}

/** The log in so many bytes. Throws GithubFailure where GitHub has to be asked again later. */
export async function checkLog(deps: LogDeps, wanted: WantedLog, signal: AbortSignal): Promise<string> {
  try {
    return await readCheckLog(deps, wanted, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GithubFailure && error.kind === 'busy') throw error;
    return `[${noLogOf(error)}]`;
  }
}

/** The same, that throws whatever keeps it from being read: GithubFailure, CausewayError, and what the network did. */
export async function readCheckLog(
  deps: LogDeps,
  { project, jobId, bytes, shorten = lastOf }: WantedLog,
  signal: AbortSignal,
): Promise<string> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]);
  const job = { ...getRepository(project), jobId };
  const address = await deps.clients
    .repository(project.source, 'read')
    .call((octokit, options) => logAddress(octokit, deps, job, options.signal), signal);
  return await downloadLog(deps, { address, read: (chunks) => shorten(chunks, bytes, deadline) }, deadline);
}

/** Why there is none, for people. What the error says besides may name hosts and settings. */
export function noLogOf(error: unknown): string {
  const isGone = error instanceof GithubFailure ? error.status === 410 : isAbsent(error);
  if (isGone) return 'GitHub no longer keeps the log: run the job again to have it read.';
  return "The log couldn't be read from GitHub.";
}

/** As the host that stores logs says it. */
function isAbsent(error: unknown): boolean {
  return error instanceof CausewayError && error.code === 'absent';
}
