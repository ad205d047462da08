// The checks of a commit that failed: check runs of any App but ours, and commit statuses of other CI.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { keepBeginning } from '../../core/cut-text.ts';
import { type GithubProject, repositoryOf } from '../../core/project.ts';
import { isOurs } from '../events/payloads.ts';
import type { GatherDeps } from './gather-deps.ts';

type CheckRun = RestEndpointMethodTypes['checks']['listForRef']['response']['data']['check_runs'][number];

export interface FailedCheck {
  readonly name: string;
  readonly conclusion: string;
  readonly title: string;
  readonly summary: string;
  /** One line each: place, level, words. */
  readonly annotations: readonly string[];
  /** Of Actions; null: another's check. */
  readonly jobId: number | null;
}

export interface At {
  readonly project: GithubProject;
  readonly headSha: string;
}

const PAGE = 100;
const MOST_PAGES = 3;
const MOST_CHECKS = 20;
const OUTPUT_BYTES = 16 * 1_024;
const MOST_ANNOTATIONS = 50;

/** The first 20. Throws GithubFailure. */
export async function failedChecks(deps: GatherDeps, at: At, signal: AbortSignal): Promise<readonly FailedCheck[]> {
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
    const where = { ...repositoryOf(project), ref: headSha, filter: 'latest', per_page: PAGE, page } as const;
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
  const where = { ...repositoryOf(project), check_run_id: id, per_page: MOST_ANNOTATIONS };
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
  const where = { ...repositoryOf(project), ref: headSha, per_page: PAGE };
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
