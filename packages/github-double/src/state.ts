// The state model of the GitHub double: what tests put in and look at, and the state with which it starts.

/** Is told what GitHub would announce to an installation. `event` as in `X-GitHub-Event`. */
export type EventListener = (event: string, payload: object, installationId: number | null) => void;

export type Level = 'read' | 'write' | 'admin';

export type AppPermissions = Readonly<Record<string, Level>>;

/** A person, an organisation, or the bot of an App. */
export interface GithubAccount {
  readonly id: number;
  login: string;
  readonly type: 'User' | 'Organization' | 'Bot';
  readonly name: string;
  /** `free` has no draft pull requests in private repositories. */
  plan: 'free' | 'pro' | 'team';
  /** Of an organisation: ids of its members, and whether they own it. */
  readonly members: Map<number, 'member' | 'owner'>;
  readonly createdAt: string;
}

export interface App {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly ownerId: number;
  readonly botId: number;
  readonly clientId: string;
  readonly clientSecret: string;
  /** PEM; the double checks JWTs against its public half. */
  readonly privateKey: string;
  readonly publicKey: string;
  webhookSecret: string;
  /** Where deliveries go; null: nowhere (they are listed all the same). */
  webhookUrl: string | null;
  readonly callbackUrls: string[];
  permissions: AppPermissions;
  events: readonly string[];
  readonly createdAt: string;
}

export interface AppOptions {
  readonly slug: string;
  /** Login of its owner, made where missing as an organisation. */
  readonly owner: string;
  readonly name?: string;
  readonly permissions?: AppPermissions;
  readonly events?: readonly string[];
  readonly webhookSecret?: string;
  readonly webhookUrl?: string | null;
  readonly callbackUrls?: readonly string[];
}

export interface AppInstallation {
  readonly id: number;
  readonly appId: number;
  readonly accountId: number;
  selection: 'all' | 'selected';
  /** Of `selected`; of `all` every repository of the account counts. */
  readonly repositoryIds: Set<number>;
  permissions: AppPermissions;
  events: readonly string[];
  suspendedAt: string | null;
  suspendedById: number | null;
  readonly createdAt: string;
  updatedAt: string;
}

export type RepositoryRole = 'pull' | 'triage' | 'push' | 'maintain' | 'admin';

export interface GithubRepository {
  readonly id: number;
  ownerId: number;
  name: string;
  /** The bare git repository on disk. */
  readonly gitDir: string;
  description: string | null;
  isPrivate: boolean;
  isArchived: boolean;
  /** "Allow GitHub Actions to create and approve pull requests": off unless somebody sets it. */
  actionsMayOpenPulls: boolean;
  /** DMCA: every call is answered with 451. */
  isBlocked: boolean;
  defaultBranch: string;
  readonly parentId: number | null;
  /** By account id. `roleName` differs from the base for custom roles. */
  readonly collaborators: Map<number, { readonly base: RepositoryRole; readonly roleName: string }>;
  readonly labels: Map<string, Label>;
  /** Issues and pull requests share their numbers. */
  readonly issues: Map<number, GithubIssue>;
  /** By number: issues that were deleted, or moved to another repository. */
  readonly goneIssues: Map<number, GoneIssue>;
  readonly comments: Map<number, Comment>;
  readonly suites: Map<number, CheckSuite>;
  readonly checkRuns: Map<number, CheckRun>;
  readonly statuses: CommitStatus[];
  readonly workflowRuns: Map<number, ActionsRun>;
  /** By path: workflows that somebody has disabled, or GitHub; all others are active. */
  readonly disabledWorkflows: Map<string, 'disabled_manually' | 'disabled_inactivity' | 'disabled_fork'>;
  /** Workflows that rulesets require of pull requests onto a branch, each by its file in some repository. */
  readonly requiredWorkflows: { readonly branch: string; readonly repositoryId: number; readonly path: string }[];
  /** Those of all pull requests. */
  readonly reviewComments: Map<number, ReviewRemark>;
  /** By sha: who pushed it here last. */
  readonly pushers: Map<string, number>;
  nextNumber: number;
  readonly createdAt: string;
  updatedAt: string;
  pushedAt: string;
}

export interface Label {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  readonly description: string | null;
}

export type GoneIssue =
  | { readonly kind: 'deleted' }
  | { readonly kind: 'transferred'; readonly repositoryId: number; readonly number: number };

export interface GithubIssue {
  readonly id: number;
  readonly number: number;
  title: string;
  body: string | null;
  /** Null: a deleted account ("ghost"). */
  readonly authorId: number | null;
  /** The App through which a bot wrote it. */
  readonly viaAppId: number | null;
  labels: string[];
  /** Each label that was put on it, in order; those set when it was opened are not among them. */
  readonly labelled: { readonly id: number; readonly name: string; readonly byId: number; readonly at: string }[];
  state: 'open' | 'closed';
  stateReason: 'completed' | 'not_planned' | 'reopened' | null;
  locked: boolean;
  readonly reactions: Reaction[];
  readonly createdAt: string;
  updatedAt: string;
  closedAt: string | null;
  closedById: number | null;
  /** What closed it: the sha of a commit, or the number of a pull request; null: a person did. */
  closer: string | number | null;
  readonly pull: Pull | null;
  readonly edits: BodyEdit[];
}

/** A body as it was from that moment on; empty while nobody has edited it, then the first text too. */
export interface BodyEdit {
  readonly id: number;
  readonly at: string;
  readonly byId: number | null;
  readonly text: string;
}

export interface Comment {
  readonly id: number;
  readonly issueNumber: number;
  readonly authorId: number | null;
  readonly viaAppId: number | null;
  body: string;
  readonly reactions: Reaction[];
  readonly edits: BodyEdit[];
  /** Why it was minimised (`RESOLVED`, `OUTDATED` …); null: it is shown. */
  minimized: string | null;
  readonly createdAt: string;
  updatedAt: string;
}

export interface Reaction {
  readonly id: number;
  readonly userId: number;
  readonly content: '+1' | '-1' | 'laugh' | 'confused' | 'heart' | 'hooray' | 'rocket' | 'eyes';
  readonly createdAt: string;
}

/** What is there, and what announces. Changed by `people` (verbs) and by the routes. */
export interface State {
  readonly urls: Urls;
  readonly clock: DoubleClock;
  /** A number that was never given before. */
  readonly nextId: () => number;
  /** Where bare repositories are made; removed with the double. */
  readonly folder: string;
  readonly accounts: Map<number, GithubAccount>;
  readonly apps: Map<number, App>;
  readonly installations: Map<number, AppInstallation>;
  readonly repositories: Map<number, GithubRepository>;
  /** Former `owner/name`, in lower case, of repositories that moved. */
  readonly redirects: Map<string, number>;
  readonly tokens: Map<string, Token>;
  /** By path on the web address. */
  readonly attachments: Map<string, Attachment>;
  /** Shas of commits with a signature that GitHub verifies: its own, or the committer's. */
  readonly signed: Set<string>;
  /** Tells every listener. */
  readonly emit: EventListener;
  readonly onEvent: (listener: EventListener) => void;
}

export type CheckConclusion =
  | 'success'
  | 'failure'
  | 'neutral'
  | 'cancelled'
  | 'skipped'
  | 'timed_out'
  | 'action_required'
  | 'stale';

/** All check runs of one App on one commit, or of one run of GitHub Actions; its status and conclusion follow from them. */
export interface CheckSuite {
  readonly id: number;
  readonly appId: number;
  readonly headSha: string;
  /** Null: of a commit that no branch here has, as for other Apps on heads of forks. */
  readonly headBranch: string | null;
  /** Whether it belongs to one run of GitHub Actions alone. */
  readonly isOfRun: boolean;
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
  conclusion: CheckConclusion | null;
  externalId: string;
  detailsUrl: string | null;
  startedAt: string | null;
  completedAt: string | null;
  output: { readonly title: string | null; readonly summary: string | null; readonly text: string | null };
  readonly annotations: CheckAnnotation[];
  actions: readonly { readonly label: string; readonly description: string; readonly identifier: string }[];
}

export interface CheckAnnotation {
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

export interface ActionsRun {
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
  conclusion: CheckConclusion | null;
  /** Of each attempt, the first attempt first; jobs that were not run again stand in the next attempt as they were. */
  readonly attempts: WorkflowJob[][];
  /** Of the last attempt: jobs that wait for others, and so are not listed yet. */
  pending: readonly PendingJob[];
  /** Of all its jobs. */
  readonly artifacts: Artifact[];
  /** The attempts, from 1, that GitHub held until somebody let them run: they ended so, without a job. */
  readonly heldAttempts: Set<number>;
  /** By whom a job of an environment was let run; absent: none waited. */
  approvals?: readonly { readonly byId: number; readonly environment: string }[];
}

export interface PendingJob {
  readonly name: string;
  /** Names of the jobs that it waits for. */
  readonly needs: readonly string[];
  /** Whether it also runs where one of them has failed. */
  readonly isAlways: boolean;
}

export interface Artifact {
  readonly id: number;
  readonly name: string;
  /** A zip archive. */
  readonly archive: Uint8Array;
  readonly createdAt: string;
  isExpired: boolean;
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
  conclusion: CheckConclusion | null;
  /** Whether it ended before a machine took it, such as one whose environment refuses the branch. */
  isUnstarted?: boolean;
  failedStep: string;
  /** Null: gone after the retention time (410). */
  log: string | null;
}

export interface Pull {
  readonly id: number;
  /** Of a repository that may be gone by now. */
  readonly headRepositoryId: number;
  readonly headOwnerId: number;
  readonly headRef: string;
  headSha: string;
  baseRef: string;
  baseSha: string;
  isDraft: boolean;
  /** Who switched auto-merge on; null: it is off. */
  autoMergeById: number | null;
  maintainerCanModify: boolean;
  mergedAt: string | null;
  mergedById: number | null;
  mergeSha: string | null;
  /** The commits that it became on the base branch, oldest first; absent: it isn't merged, or the merge queue did it. */
  landed?: readonly string[];
  readonly reviewerIds: Set<number>;
  readonly reviews: Review[];
  /** Numbers of issues that it closes when merged, beyond what its body says. */
  readonly linked: Set<number>;
  stats: { commits: number; additions: number; deletions: number; files: number };
}

export interface Review {
  readonly id: number;
  readonly authorId: number;
  body: string;
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'PENDING';
  readonly commitSha: string;
  readonly submittedAt: string;
  updatedAt: string;
  readonly edits: BodyEdit[];
  /** As of comments. */
  minimized: string | null;
}

export type Side = 'LEFT' | 'RIGHT';

/** A remark at lines of a pull request's diff. */
export interface ReviewRemark {
  readonly id: number;
  readonly issueNumber: number;
  /** Null: of no review. */
  readonly reviewId: number | null;
  readonly authorId: number | null;
  readonly viaAppId: number | null;
  body: string;
  readonly path: string;
  /** The last line that it is about, in the file before (`LEFT`) or after the change. */
  readonly line: number;
  readonly side: Side;
  /** Null: about one line. */
  readonly startLine: number | null;
  readonly startSide: Side | null;
  /** The commit whose diff it was written at. */
  readonly commitSha: string;
  readonly diffHunk: string;
  readonly position: number;
  /** Whether the lines have changed since: then it stands at none. */
  isOutdated: boolean;
  readonly reactions: Reaction[];
  readonly edits: BodyEdit[];
  minimized: string | null;
  readonly createdAt: string;
  updatedAt: string;
}

/** Files that people attached, on GitHub's own hosts; private ones need a token. */
export interface Attachment {
  readonly path: string;
  readonly body: string | Uint8Array;
  readonly type: string;
  readonly repositoryId: number;
}

export type Token =
  | {
      readonly kind: 'installation';
      readonly installationId: number;
      /** Null: all of the installation. */
      readonly repositoryIds: ReadonlySet<number> | null;
      readonly permissions: AppPermissions;
      readonly expiresAt: string;
    }
  | {
      readonly kind: 'user';
      readonly userId: number;
      readonly appId: number | null;
      readonly expiresAt: string | null;
    };

export interface Urls {
  /** Without a slash at the end: `http://127.0.0.1:P` or `http://127.0.0.1:P/api/v3`. */
  readonly api: string;
  readonly web: string;
  /** The storage host, to which logs redirect and which must never see a token. */
  readonly storage: string;
}

/** The double's own time: it runs with the machine's, and tests move it on. */
interface DoubleClock {
  now(): Date;
  advance(milliseconds: number): void;
}

export function startState({ urls, folder }: { readonly urls: Urls; readonly folder: string }): State {
  const listeners: EventListener[] = [];
  // GitHub's numbers are large and never given twice.
  let last = 90_000;
  return {
    urls,
    clock: clock(),
    nextId: () => {
      last += 1;
      return last;
    },
    folder,
    accounts: new Map(),
    apps: new Map(),
    installations: new Map(),
    repositories: new Map(),
    redirects: new Map(),
    tokens: new Map(),
    attachments: new Map(),
    signed: new Set(),
    emit: (...news) => {
      for (const listener of listeners) listener(...news);
    },
    onEvent: (listener) => void listeners.push(listener),
  };
}

function clock(): DoubleClock {
  let ahead = 0;
  return {
    now: () => new Date(Date.now() + ahead),
    advance: (milliseconds) => {
      ahead += milliseconds;
    },
  };
}
