// A failed Actions run or job as a report: what failed, at which commit, with the logs of the failed jobs.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { CausewayError } from '../core/errors.ts';
import type { AddressedReport } from '../core/report.ts';
import type { GithubClient } from './github-client.ts';
import { REPORT_BYTES, readJobLog } from './job-log.ts';

type Run = RestEndpointMethodTypes['actions']['getWorkflowRun']['response']['data'];
type Job = RestEndpointMethodTypes['actions']['getJobForWorkflowRun']['response']['data'];

interface In {
  readonly owner: string;
  readonly repo: string;
}

const PAGE = 100;
/** GitHub's matrix makes at most 256 jobs; a workflow of more than 300 failed ones tells nothing new. */
const MOST_PAGES = 3;
/** Jobs that fail together mostly fail alike: so many logs are read. */
const MOST_LOGS = 5;
/** The rest of a report's 1 MiB is for words. */
const LOG_BYTES = REPORT_BYTES - 64 * 1024;
const FAILED: readonly (string | null)[] = ['failure', 'timed_out'];

/** Throws `usage` where the run has not failed (yet), `absent` where it or all its logs are gone. */
export async function readFailedRun(
  client: GithubClient,
  place: In & { readonly runId: number; readonly attempt: number | null },
  signal: AbortSignal,
): Promise<AddressedReport> {
  const run = await getRun(client, place, signal);
  const failed = (await listJobs(client, place, signal)).filter((job) => FAILED.includes(job.conclusion));
  if (failed.length === 0) throw nothingFailed(`Run ${run.id}`, run.status, run.conclusion);
  return await reportOf(client, { place, run, jobs: failed }, signal);
}

/** As for a run, for one job of it. */
export async function readFailedJob(
  client: GithubClient,
  place: In & { readonly jobId: number },
  signal: AbortSignal,
): Promise<AddressedReport> {
  const { owner, repo, jobId } = place;
  const job = await client.call('the job', signal, (deadline) =>
    client.octokit.rest.actions.getJobForWorkflowRun({ owner, repo, job_id: jobId, request: { signal: deadline } }),
  );
  if (!FAILED.includes(job.conclusion)) throw nothingFailed(`Job "${job.name}"`, job.status, job.conclusion);
  const run = await getRun(client, { owner, repo, runId: job.run_id, attempt: job.run_attempt ?? null }, signal);
  return await reportOf(client, { place, run, jobs: [job] }, signal);
}

async function getRun(
  client: GithubClient,
  { owner, repo, runId, attempt }: In & { readonly runId: number; readonly attempt: number | null },
  signal: AbortSignal,
): Promise<Run> {
  const { actions } = client.octokit.rest;
  return await client.call('the run', signal, (deadline) => {
    const parameters = { owner, repo, run_id: runId, request: { signal: deadline } };
    return attempt === null
      ? actions.getWorkflowRun(parameters)
      : actions.getWorkflowRunAttempt({ ...parameters, attempt_number: attempt });
  });
}

async function listJobs(
  client: GithubClient,
  { owner, repo, runId, attempt }: In & { readonly runId: number; readonly attempt: number | null },
  signal: AbortSignal,
): Promise<Job[]> {
  const { actions } = client.octokit.rest;
  const jobs: Job[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const found = await client.call("the run's jobs", signal, (deadline) => {
      const parameters = { owner, repo, run_id: runId, per_page: PAGE, page, request: { signal: deadline } };
      return attempt === null
        ? actions.listJobsForWorkflowRun({ ...parameters, filter: 'latest' })
        : actions.listJobsForWorkflowRunAttempt({ ...parameters, attempt_number: attempt });
    });
    jobs.push(...found.jobs);
    if (found.jobs.length < PAGE) break;
  }
  return jobs;
}

interface Failure {
  readonly place: In;
  readonly run: Run;
  readonly jobs: readonly Job[];
}

async function reportOf(client: GithubClient, failure: Failure, signal: AbortSignal): Promise<AddressedReport> {
  const { place, run, jobs } = failure;
  return {
    text: failureText(failure),
    log: await readLogs(client, place, jobs, signal),
    repository: {
      // A fork's commits are in the fork; the name is checked, since it becomes part of an address.
      url: `${client.options.webUrl}/${headRepository(run) ?? `${place.owner}/${place.repo}`}.git`,
      name: `${place.owner}/${place.repo}`,
    },
    revision: run.head_sha,
  };
}

function headRepository(run: Run): string | null {
  const name = run.head_repository?.full_name ?? '';
  return /^[A-Za-z0-9_-]+\/[A-Za-z0-9._-]+$/.test(name) ? name : null;
}

function failureText({ run, jobs }: Failure): string {
  const subject = run.head_commit?.message.split('\n')[0] ?? '';
  const lines = [
    `GitHub Actions: ${run.name ?? 'workflow'} failed on ${run.head_branch ?? 'a deleted branch'} (${run.event}).`,
    ...jobs.map((job) => `Job "${job.name}" ${outcome(job)}${failedSteps(job)}.`),
    `Commit ${run.head_sha}${subject === '' ? '' : `: ${subject}`}`,
    `Run ${run.html_url}, attempt ${run.run_attempt ?? 1}`,
  ];
  return lines.join('\n');
}

function outcome(job: Job): string {
  return job.conclusion === 'timed_out' ? 'timed out' : 'failed';
}

function failedSteps(job: Job): string {
  const names = (job.steps ?? []).filter((step) => FAILED.includes(step.conclusion)).map((step) => `"${step.name}"`);
  return names.length === 0 ? '' : ` in step ${names.join(', ')}`;
}

async function readLogs(client: GithubClient, place: In, jobs: readonly Job[], signal: AbortSignal): Promise<string> {
  const wanted = jobs.slice(0, MOST_LOGS);
  const bytes = Math.floor(LOG_BYTES / wanted.length);
  const parts: string[] = [];
  const missing: CausewayError[] = [];
  for (const job of wanted) {
    const log = await unlessGone(readJobLog(client, { ...place, jobId: job.id }, bytes, signal));
    if (log instanceof CausewayError) missing.push(log);
    parts.push(`=== Log of job "${job.name}" ===\n${log instanceof CausewayError ? `[${log.message}]` : log}`);
  }
  if (missing[0] !== undefined && missing.length === wanted.length) throw missing[0];
  const left = jobs.length - wanted.length;
  return [...parts, ...(left > 0 ? [`[The logs of ${left} more failed jobs were left out]`] : [])].join('\n\n');
}

/** One log of several may be gone: that is said in its place. */
async function unlessGone(log: Promise<string>): Promise<string | CausewayError> {
  try {
    return await log;
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'absent') return error;
    throw error;
  }
}

function nothingFailed(what: string, status: string | null, conclusion: string | null): CausewayError {
  const message =
    status === 'completed'
      ? `${what} has no failed job to look at (it ended with: ${conclusion ?? 'nothing'}).`
      : `${what} has not failed so far (${status ?? 'unknown'}): ask again when it has ended.`;
  return new CausewayError('usage', message);
}
