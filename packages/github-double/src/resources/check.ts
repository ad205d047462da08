// Check runs, suites, runs of Actions and their jobs as the REST API shows them.
import { fullName } from '../lookup.ts';
import type {
  ActionsRun,
  Artifact,
  CheckAnnotation,
  CheckRun,
  CheckSuite,
  CommitStatus,
  GithubRepository,
  State,
  WorkflowJob,
} from '../state.ts';
import { pullsOfHead } from './issue.ts';
import { minimalRepository, simpleCommit } from './repository.ts';
import { nodeId, simpleUserOf, viaApp } from './user.ts';

export function checkRunBody(state: State, repository: GithubRepository, run: CheckRun) {
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

export function annotationBody(state: State, repository: GithubRepository, run: CheckRun, annotation: CheckAnnotation) {
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
export function latestOfSuite(repository: GithubRepository, suite: CheckSuite): readonly CheckRun[] {
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
export async function checkSuiteBody(state: State, repository: GithubRepository, suite: CheckSuite) {
  const url = `${state.urls.api}/repos/${fullName(state, repository)}/check-suites/${suite.id}`;
  const runs = latestOfSuite(repository, suite);
  const head = await simpleCommit(repository, suite.headSha);
  return {
    id: suite.id,
    node_id: nodeId('CS', repository.id, suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    ...suiteOutcome(runs),
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

export function statusBody(state: State, repository: GithubRepository, status: CommitStatus) {
  return {
    ...simpleStatus(state, repository, status),
    creator: simpleUserOf(state, status.creatorId),
  };
}

export function simpleStatus(state: State, repository: GithubRepository, status: CommitStatus) {
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
export function latestStatuses(repository: GithubRepository, sha: string): readonly CommitStatus[] {
  const newest = new Map<string, CommitStatus>();
  for (const status of repository.statuses) if (status.sha === sha) newest.set(status.context, status);
  return [...newest.values()];
}

export interface Attempt {
  readonly run: ActionsRun;
  /** From 1. */
  readonly number: number;
}

export async function runBody(state: State, repository: GithubRepository, { run, number }: Attempt) {
  const name = fullName(state, repository);
  const api = `${state.urls.api}/repos/${name}/actions/runs/${run.id}`;
  const commit = await simpleCommit(repository, run.headSha);
  const isLast = number === run.attempts.length;
  const head = run.headRepositoryId === null ? undefined : state.repositories.get(run.headRepositoryId);
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('WFR', repository.id, run.id),
    check_suite_id: run.suiteId,
    check_suite_node_id: nodeId('CS', repository.id, run.suiteId),
    head_branch: run.headBranch,
    head_sha: run.headSha,
    path: run.path,
    display_title: commit.message.split('\n')[0] ?? '',
    run_number: run.number,
    event: run.event,
    status: isLast ? run.status : 'completed',
    conclusion: run.heldAttempts.has(number)
      ? 'action_required'
      : isLast
        ? run.conclusion
        : gravest(run.attempts[number - 1] ?? []),
    workflow_id: run.workflowId,
    url: api,
    html_url: `${state.urls.web}/${name}/actions/runs/${run.id}`,
    pull_requests: pullsOfHead(state, repository, run.headSha),
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    run_started_at: run.startedAt,
    actor: simpleUserOf(state, run.actorId),
    triggering_actor: simpleUserOf(state, isLast ? run.triggeredById : run.actorId),
    run_attempt: number,
    referenced_workflows: [],
    ...addresses(state, repository, { run, number }),
    head_commit: commit,
    repository: minimalRepository(state, repository),
    head_repository: head === undefined ? null : minimalRepository(state, head),
  };
}

function addresses(state: State, repository: GithubRepository, { run, number }: Attempt) {
  const base = `${state.urls.api}/repos/${fullName(state, repository)}`;
  const api = `${base}/actions/runs/${run.id}`;
  return {
    jobs_url: `${api}/jobs`,
    logs_url: `${api}/logs`,
    check_suite_url: `${base}/check-suites/${run.suiteId}`,
    artifacts_url: `${api}/artifacts`,
    cancel_url: `${api}/cancel`,
    rerun_url: `${api}/rerun`,
    previous_attempt_url: number > 1 ? `${api}/attempts/${number - 1}` : null,
    workflow_url: `${base}/actions/workflows/${run.workflowId}`,
  };
}

/** The conclusion of a run whose jobs ended so. */
export function gravest(jobs: readonly WorkflowJob[]) {
  const order = ['failure', 'timed_out', 'action_required', 'cancelled'] as const;
  return order.find((one) => jobs.some((job) => job.conclusion === one)) ?? ('success' as const);
}

/** The workflow itself. */
export function workflowBody(
  state: State,
  repository: GithubRepository,
  run: Pick<ActionsRun, 'workflowId' | 'name' | 'path'>,
) {
  const name = fullName(state, repository);
  return {
    id: run.workflowId,
    node_id: nodeId('W', repository.id, run.workflowId),
    name: run.name,
    path: run.path,
    state: repository.disabledWorkflows.get(run.path) ?? 'active',
    created_at: repository.createdAt,
    updated_at: repository.createdAt,
    url: `${state.urls.api}/repos/${name}/actions/workflows/${run.workflowId}`,
    html_url: `${state.urls.web}/${name}/blob/${repository.defaultBranch}/${run.path}`,
    badge_url: `${state.urls.web}/${name}/workflows/${encodeURIComponent(run.name)}/badge.svg`,
  };
}

export function jobBody(state: State, repository: GithubRepository, run: ActionsRun, job: WorkflowJob) {
  const name = fullName(state, repository);
  const api = `${state.urls.api}/repos/${name}`;
  const isDone = job.conclusion !== null;
  return {
    id: job.id,
    run_id: run.id,
    workflow_name: run.name,
    head_branch: run.headBranch,
    run_url: `${api}/actions/runs/${run.id}`,
    run_attempt: job.attempt,
    node_id: nodeId('CR', repository.id, job.id),
    head_sha: run.headSha,
    url: `${api}/actions/jobs/${job.id}`,
    html_url: `${state.urls.web}/${name}/actions/runs/${run.id}/job/${job.id}`,
    status: isDone ? 'completed' : 'in_progress',
    conclusion: job.conclusion,
    created_at: job.startedAt,
    started_at: job.startedAt,
    completed_at: job.completedAt,
    name: job.name,
    steps: stepsOf(job),
    check_run_url: `${api}/check-runs/${job.id}`,
    labels: ['ubuntu-latest'],
    runner_id: 1,
    runner_name: 'GitHub Actions 1',
    runner_group_id: 2,
    runner_group_name: 'GitHub Actions',
  };
}

function stepsOf(job: WorkflowJob) {
  // Only what a machine has taken has any.
  if (job.isUnstarted || job.conclusion === 'skipped') return [];
  const times = { started_at: job.startedAt, completed_at: job.completedAt ?? job.startedAt };
  const done = { status: 'completed', ...times };
  const failed = { ...done, name: job.failedStep, conclusion: job.conclusion, number: 2 };
  return [
    { ...done, name: 'Set up job', conclusion: 'success', number: 1 },
    ...(job.failedStep === '' ? [] : [failed]),
  ];
}

export function artifactBody(state: State, repository: GithubRepository, run: ActionsRun, artifact: Artifact) {
  const url = `${state.urls.api}/repos/${fullName(state, repository)}/actions/artifacts/${artifact.id}`;
  return {
    id: artifact.id,
    node_id: nodeId('A', repository.id, artifact.id),
    name: artifact.name,
    size_in_bytes: artifact.archive.byteLength,
    url,
    archive_download_url: `${url}/zip`,
    expired: artifact.isExpired,
    created_at: artifact.createdAt,
    expires_at: artifact.createdAt,
    updated_at: artifact.createdAt,
    workflow_run: { id: run.id, repository_id: repository.id, head_branch: run.headBranch, head_sha: run.headSha },
  };
}
