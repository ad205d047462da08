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

/** All check runs of one App on one commit; its status and conclusion follow from them. */
export interface CheckSuite {
  readonly id: number;
  readonly appId: number;
  readonly headSha: string;
  readonly headBranch: string | null;
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
  readonly name: string;
  readonly path: string;
  readonly event: string;
  readonly headSha: string;
  readonly headBranch: string;
  readonly number: number;
  readonly actorId: number;
  readonly createdAt: string;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: Conclusion | null;
  /** Of each attempt, the first attempt first. */
  readonly attempts: WorkflowJob[][];
}

/** A job is a check run of GitHub Actions under the same number. */
export interface WorkflowJob {
  readonly id: number;
  readonly name: string;
  conclusion: Conclusion | null;
  readonly failedStep: string;
  /** Null: gone after the retention time (410). */
  readonly log: string | null;
}
