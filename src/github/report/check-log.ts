// The log of one Actions job, read with a token of its repository; where there is none, the reason stands in its place.
import { CausewayError } from '../../domain/errors.ts';
import { type GithubProject, repositoryOf } from '../../domain/project.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import { downloadLog, logAddress } from '../job-log.ts';
import type { GatherDeps } from './gather-deps.ts';

const DEADLINE_MS = 60_000;

/** The log's last bytes. Throws GithubFailure where GitHub has to be asked again later. */
export async function checkLog(
  deps: GatherDeps,
  { project, jobId, bytes }: { readonly project: GithubProject; readonly jobId: number; readonly bytes: number },
  signal: AbortSignal,
): Promise<string> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]);
  const job = { ...repositoryOf(project), jobId };
  try {
    const address = await deps.clients
      .repository(project.source, 'read')
      .call((octokit, options) => logAddress(octokit, deps, job, options.signal), signal);
    return await downloadLog(deps, address, bytes, deadline);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GithubFailure && error.kind === 'busy') throw error;
    return `[${error instanceof CausewayError ? error.message : 'The log could not be read.'}]`;
  }
}
