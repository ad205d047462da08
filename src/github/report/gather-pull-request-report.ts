// A pull request as a report: the checks of its head that failed, with what they say and the logs of their jobs.

import type { RestEndpointMethodTypes } from '@octokit/rest';
import { type GithubProject, getRepository } from '../../core/project.ts';
import { keepBeginning } from '../../core/text.ts';
import type { Trigger } from '../../core/thread.ts';
import { REPORT_BYTES } from '../job-log.ts';
import { isOurs } from '../payloads.ts';
import { checkLog } from './check-log.ts';
import { composeReport, type GatherDeps, type GatheredReport } from './gather-deps.ts';

interface AskedOfPullRequest {
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
  const pull = { ...getRepository(project), pull_number: subject.number };
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

type CheckRun = RestEndpointMethodTypes['checks']['listForRef']['response']['data']['check_runs'][number];

interface FailedCheck {
  readonly name: string;
  readonly conclusion: string;
  readonly title: string;
  readonly summary: string;
  /** One line each: place, level, words. */
  readonly annotations: readonly string[];
  /** Of Actions; null: another's check. */
  readonly jobId: number | null;
}

interface At {
  readonly project: GithubProject;
  readonly headSha: string;
}

const PAGE = 100;

const MOST_PAGES = 3;

const MOST_CHECKS = 20;

const OUTPUT_BYTES = 16 * 1_024;

const MOST_ANNOTATIONS = 50;

/** The first 20. Throws GithubFailure. */
async function failedChecks(deps: GatherDeps, at: At, signal: AbortSignal): Promise<readonly FailedCheck[]> {
  const identity = await deps.clients.identity(signal);
  const runs = (await checkRuns(deps, at, signal)).filter(
    ({ conclusion, app }) =>
      (conclusion === 'failure' || conclusion === 'timed_out') && !isOurs(identity, { performed_via_github_app: app }),
  );
  const failed: FailedCheck[] = [];
  // The oldest first: what failed first is mostly the cause.
  const first = runs.toSorted((a, b) => a.id - b.id).slice(0, MOST_CHECKS);
  for (const run of first) failed.push(await checkOf(deps, { at, run }, signal));
  return [...failed, ...(await failedStatuses(deps, at, signal))].slice(0, MOST_CHECKS);
}

async function checkRuns(
  deps: GatherDeps,
  { project, headSha }: At,
  signal: AbortSignal,
): Promise<readonly CheckRun[]> {
  const all: CheckRun[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const where = { ...getRepository(project), ref: headSha, filter: 'latest', per_page: PAGE, page } as const;
    const { data } = await deps.clients
      .repository(project.source, 'read')
      .call((octokit, request) => octokit.rest.checks.listForRef({ ...where, request }), signal);
    all.push(...data.check_runs);
    if (data.check_runs.length < PAGE) break;
  }
  return all;
}

async function checkOf(
  deps: GatherDeps,
  { at, run }: { readonly at: At; readonly run: CheckRun },
  signal: AbortSignal,
): Promise<FailedCheck> {
  const { title, summary, text, annotations_count: count } = run.output;
  const words = [summary ?? '', text ?? ''].filter((part) => part !== '').join('\n');
  return {
    name: run.name,
    conclusion: run.conclusion ?? '',
    title: title ?? '',
    summary: keepBeginning(words, OUTPUT_BYTES),
    annotations: count > 0 ? await annotationsOf(deps, at.project, run.id, signal) : [],
    jobId: run.app?.slug === 'github-actions' ? run.id : null,
  };
}

async function annotationsOf(
  deps: GatherDeps,
  project: GithubProject,
  id: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const where = { ...getRepository(project), check_run_id: id, per_page: MOST_ANNOTATIONS };
  const { data } = await deps.clients
    .repository(project.source, 'read')
    .call((octokit, request) => octokit.rest.checks.listAnnotations({ ...where, request }), signal);
  return data.map(({ path, start_line, annotation_level, message }) =>
    `${path}:${start_line}: ${annotation_level ?? 'notice'}: ${message ?? ''}`.slice(0, 1_000),
  );
}

async function failedStatuses(
  deps: GatherDeps,
  { project, headSha }: At,
  signal: AbortSignal,
): Promise<readonly FailedCheck[]> {
  const where = { ...getRepository(project), ref: headSha, per_page: PAGE };
  const { data } = await deps.clients
    .repository(project.source, 'read')
    .call((octokit, request) => octokit.rest.repos.getCombinedStatusForRef({ ...where, request }), signal);
  return data.statuses
    .filter(({ state }) => state === 'failure' || state === 'error')
    .map(({ context, state, description }) => ({
      ...{ name: context, conclusion: state, title: description ?? '', summary: '' },
      ...{ annotations: [], jobId: null },
    }));
}
