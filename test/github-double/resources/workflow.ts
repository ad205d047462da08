// Runs of GitHub Actions and their jobs as the API shows them.
import { fullName } from '../lookup.ts';
import type { Repository, State } from '../state.ts';
import type { WorkflowJob, WorkflowRun } from '../state-checks.ts';
import { simpleCommit } from './commit.ts';
import { nodeId } from './node-id.ts';
import { pullsOfHead } from './pull.ts';
import { minimalRepository } from './repository.ts';
import { simpleUserOf } from './user.ts';

export interface Attempt {
  readonly run: WorkflowRun;
  /** From 1. */
  readonly number: number;
}

export async function runBody(state: State, repository: Repository, { run, number }: Attempt) {
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
    conclusion: isLast ? run.conclusion : gravest(run.attempts[number - 1] ?? []),
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

function addresses(state: State, repository: Repository, { run, number }: Attempt) {
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

/** The workflow itself, beside a run in a webhook. */
export function workflowBody(state: State, repository: Repository, run: WorkflowRun) {
  const name = fullName(state, repository);
  return {
    id: run.workflowId,
    node_id: nodeId('W', repository.id, run.workflowId),
    name: run.name,
    path: run.path,
    state: 'active',
    created_at: repository.createdAt,
    updated_at: repository.createdAt,
    url: `${state.urls.api}/repos/${name}/actions/workflows/${run.workflowId}`,
    html_url: `${state.urls.web}/${name}/blob/${repository.defaultBranch}/${run.path}`,
    badge_url: `${state.urls.web}/${name}/workflows/${encodeURIComponent(run.name)}/badge.svg`,
  };
}

export function jobBody(state: State, repository: Repository, run: WorkflowRun, job: WorkflowJob) {
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
  const times = { started_at: job.startedAt, completed_at: job.completedAt ?? job.startedAt };
  const done = { status: 'completed', ...times };
  const failed = { ...done, name: job.failedStep, conclusion: job.conclusion, number: 2 };
  return [
    { ...done, name: 'Set up job', conclusion: 'success', number: 1 },
    ...(job.failedStep === '' ? [] : [failed]),
  ];
}
