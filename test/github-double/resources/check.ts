// Check runs, check suites and commit statuses as the API shows them.
import { fullName } from '../lookup.ts';
import type { Repository, State } from '../state.ts';
import type { Annotation, CheckRun, CheckSuite, CommitStatus } from '../state-checks.ts';
import { viaApp } from './app.ts';
import { simpleCommit } from './commit.ts';
import { nodeId } from './node-id.ts';
import { pullsOfHead } from './pull.ts';
import { minimalRepository } from './repository.ts';
import { simpleUserOf } from './user.ts';

export function checkRunBody(state: State, repository: Repository, run: CheckRun) {
  const name = fullName(state, repository);
  const url = `${state.urls.api}/repos/${name}/check-runs/${run.id}`;
  const ofActions = run.detailsUrl?.startsWith(`${state.urls.web}/${name}/actions/`) ? run.detailsUrl : null;
  const html = ofActions ?? `${state.urls.web}/${name}/runs/${run.id}`;
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('CR', repository.id, run.id),
    head_sha: run.headSha,
    external_id: run.externalId,
    url,
    html_url: html,
    details_url: run.detailsUrl ?? html,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: { ...run.output, annotations_count: run.annotations.length, annotations_url: `${url}/annotations` },
    check_suite: { id: run.suiteId },
    app: viaApp(state, run.appId),
    pull_requests: pullsOfHead(state, repository, run.headSha),
  };
}

export function annotationBody(state: State, repository: Repository, run: CheckRun, annotation: Annotation) {
  const path = annotation.path.split('/').map(encodeURIComponent).join('/');
  return {
    path: annotation.path,
    start_line: annotation.startLine,
    end_line: annotation.endLine,
    start_column: annotation.startColumn,
    end_column: annotation.endColumn,
    annotation_level: annotation.level,
    title: annotation.title,
    message: annotation.message,
    raw_details: annotation.rawDetails,
    blob_href: `${state.urls.web}/${fullName(state, repository)}/blob/${run.headSha}/${path}`,
  };
}

/** The newest of each name: a re-run counts in place of what it runs again. */
export function latestOfSuite(repository: Repository, suite: CheckSuite): readonly CheckRun[] {
  return latestRuns([...repository.checkRuns.values()].filter((run) => run.suiteId === suite.id));
}

/** Of each suite the newest run of each name, as `filter=latest` has them; oldest first, as given. */
export function latestRuns(runs: readonly CheckRun[]): readonly CheckRun[] {
  const newest = new Map(runs.map((run) => [`${run.suiteId} ${run.name}`, run]));
  return runs.filter((run) => newest.get(`${run.suiteId} ${run.name}`) === run);
}

/** The suite's state follows from its runs: completed when all are, with the gravest conclusion. */
export function suiteOutcome(runs: readonly CheckRun[]): {
  readonly status: string;
  readonly conclusion: string | null;
} {
  if (runs.length === 0) return { status: 'queued', conclusion: null };
  if (runs.some((run) => run.status !== 'completed')) {
    return { status: runs.every((run) => run.status === 'queued') ? 'queued' : 'in_progress', conclusion: null };
  }
  const gravest = ['failure', 'timed_out', 'action_required', 'cancelled', 'success', 'neutral', 'skipped', 'stale'];
  const conclusion = gravest.find((one) => runs.some((run) => run.conclusion === one)) ?? 'success';
  return { status: 'completed', conclusion };
}

/** The suite as it stands in check run webhooks too. */
export async function checkSuiteBody(state: State, repository: Repository, suite: CheckSuite) {
  const url = `${state.urls.api}/repos/${fullName(state, repository)}/check-suites/${suite.id}`;
  const runs = latestOfSuite(repository, suite);
  const head = await simpleCommit(repository, suite.headSha);
  return {
    id: suite.id,
    node_id: nodeId('CS', repository.id, suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    ...(suite.withoutJobs === null ? suiteOutcome(runs) : { status: 'completed', conclusion: suite.withoutJobs }),
    url,
    before: null,
    after: suite.headSha,
    pull_requests: pullsOfHead(state, repository, suite.headSha),
    app: viaApp(state, suite.appId),
    repository: minimalRepository(state, repository),
    created_at: suite.createdAt,
    updated_at: suite.updatedAt,
    rerequestable: true,
    runs_rerequestable: true,
    latest_check_runs_count: runs.length,
    check_runs_url: `${url}/check-runs`,
    head_commit: head,
  };
}

export function statusBody(state: State, repository: Repository, status: CommitStatus) {
  return {
    ...simpleStatus(state, repository, status),
    creator: simpleUserOf(state, status.creatorId),
  };
}

export function simpleStatus(state: State, repository: Repository, status: CommitStatus) {
  return {
    url: `${state.urls.api}/repos/${fullName(state, repository)}/statuses/${status.sha}`,
    avatar_url: `${state.urls.web}/avatars/${status.creatorId}?v=4`,
    id: status.id,
    node_id: nodeId('SC', repository.id, status.id),
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: status.createdAt,
    updated_at: status.createdAt,
  };
}

/** The newest status of each context. */
export function latestStatuses(repository: Repository, sha: string): readonly CommitStatus[] {
  const newest = new Map<string, CommitStatus>();
  for (const status of repository.statuses) if (status.sha === sha) newest.set(status.context, status);
  return [...newest.values()];
}
