// A pull request as a report: the checks of its head that failed, with what they say and the logs of their jobs.
import { type GithubProject, repositoryOf } from '../../core/project.ts';
import type { Trigger } from '../../core/thread.ts';
import { REPORT_BYTES } from '../cut-text.ts';
import { checkLog } from './check-log.ts';
import { composeReport } from './compose-report.ts';
import { type FailedCheck, failedChecks } from './failed-checks.ts';
import type { GatherDeps, GatheredReport } from './gather-deps.ts';

export interface AskedOfPullRequest {
  readonly project: GithubProject;
  readonly subject: { readonly number: number };
  readonly trigger: Trigger;
}

/** Jobs that fail together mostly fail alike: so many logs are read. */
const MOST_LOGS = 5;
const LOG_BYTES = Math.floor((REPORT_BYTES - 128 * 1_024) / MOST_LOGS);

/** Null where nothing has failed at its head. Throws GithubFailure. */
export async function gatherPullRequestReport(
  deps: GatherDeps,
  { project, subject, trigger }: AskedOfPullRequest,
  signal: AbortSignal,
): Promise<GatheredReport | null> {
  const pull = { ...repositoryOf(project), pull_number: subject.number };
  const { data } = await deps.clients
    .repository(project.source, 'read')
    .call((octokit, request) => octokit.rest.pulls.get({ ...pull, request }), signal);
  const { head, title } = data;
  const failed = await failedChecks(deps, { project, headSha: head.sha }, signal);
  if (failed.length === 0) return null;
  const parts = [
    `Checks failed on pull request #${subject.number} (${title}), at commit ${head.sha}.`,
    ...failed.map(checkText),
    ...(await logs(deps, project, failed, signal)),
  ];
  // Logs and titles are written by whoever wrote the change. The commits of a fork are fetched by their sha.
  return { text: composeReport(parts, trigger), revision: head.sha, isTrusted: false };
}

function checkText({ name, conclusion, title, summary, annotations }: FailedCheck): string {
  return [`Check "${name}" ended with ${conclusion}${title === '' ? '' : `: ${title}`}.`, summary, ...annotations]
    .filter((part) => part !== '')
    .join('\n');
}

async function logs(
  deps: GatherDeps,
  project: GithubProject,
  failed: readonly FailedCheck[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const jobs = failed.flatMap(({ name, jobId }) => (jobId === null ? [] : [{ name, jobId }]));
  const parts: string[] = [];
  for (const job of jobs.slice(0, MOST_LOGS)) {
    parts.push(
      `=== Log of job "${job.name}" ===\n${await checkLog(deps, { project, jobId: job.jobId, bytes: LOG_BYTES }, signal)}`,
    );
  }
  const left = jobs.length - MOST_LOGS;
  return left > 0 ? [...parts, `[The logs of ${left} more failed jobs were left out]`] : parts;
}
