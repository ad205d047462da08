// What the GitHub double knows of checks: check suites and runs, commit statuses, workflow runs and their jobs.

export type Conclusion =
  | 'success'
  | 'failure'
  | 'neutral'
  | 'cancelled'
  | 'skipped'
  | 'timed_out'
  | 'action_required'
  | 'stale';

/** How a run can end without a job. */
export type RunEnd = 'startup_failure' | 'action_required';

/** All check runs of one App on one commit, or of one run of GitHub Actions; its status and conclusion follow from them. */
export interface CheckSuite {
  readonly id: number;
  readonly appId: number;
  readonly headSha: string;
  /** Null: of a commit that no branch here has, as for other Apps on heads of forks. */
  readonly headBranch: string | null;
  /** Whether it belongs to one run of GitHub Actions alone. */
  readonly isOfRun: boolean;
  /** Of a run that ended without a job: faulty workflow, or nobody has approved it yet. */
  withoutJobs: RunEnd | null;
  /** Who pushed the commit; null: not known. */
  readonly pusherId: number | null;
  readonly createdAt: string;
  updatedAt: string;
}

export interface CheckRun {
  readonly id: number;
  readonly suiteId: number;
  readonly appId: number;
  readonly headSha: string;
  name: string;
  status: 'queued' | 'in_progress' | 'completed' | 'waiting' | 'pending' | 'requested';
  conclusion: Conclusion | null;
  externalId: string;
  detailsUrl: string | null;
  startedAt: string | null;
  completedAt: string | null;
  output: { readonly title: string | null; readonly summary: string | null; readonly text: string | null };
  readonly annotations: Annotation[];
  actions: readonly { readonly label: string; readonly description: string; readonly identifier: string }[];
}

export interface Annotation {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly startColumn: number | null;
  readonly endColumn: number | null;
  readonly level: 'notice' | 'warning' | 'failure';
  readonly title: string | null;
  readonly message: string;
  readonly rawDetails: string | null;
}

export interface CommitStatus {
  readonly id: number;
  readonly sha: string;
  readonly state: 'error' | 'failure' | 'pending' | 'success';
  readonly context: string;
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly creatorId: number;
  readonly createdAt: string;
}

export interface WorkflowRun {
  readonly id: number;
  readonly suiteId: number;
  /** The same for all runs of a workflow. */
  readonly workflowId: number;
  readonly name: string;
  readonly path: string;
  readonly event: string;
  readonly headSha: string;
  /** Of a fork's pull request: the branch's name in the fork, which may be that of a branch here. */
  readonly headBranch: string;
  /** Null: the fork is gone. */
  readonly headRepositoryId: number | null;
  readonly number: number;
  readonly actorId: number;
  readonly createdAt: string;
  updatedAt: string;
  /** Of the last attempt. */
  startedAt: string;
  /** Who asked for the last attempt. */
  triggeredById: number;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: Conclusion | RunEnd | null;
  /** Of each attempt, the first attempt first; jobs that were not run again stand in the next attempt as they were. */
  readonly attempts: WorkflowJob[][];
}

/** A job is a check run of GitHub Actions under the same number. */
export interface WorkflowJob {
  readonly id: number;
  readonly name: string;
  /** The attempt in which it ran, from 1. */
  readonly attempt: number;
  readonly startedAt: string;
  completedAt: string | null;
  /** Null: it runs. */
  conclusion: Conclusion | null;
  failedStep: string;
  /** Null: gone after the retention time (410). */
  log: string | null;
}
