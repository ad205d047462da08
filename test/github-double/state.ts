// What the GitHub double knows: the state model by which tests put things in and look at what is there.
import type { Attachment, Clock, Token, Urls } from './state-beside.ts';
import type { CheckRun, CheckSuite, CommitStatus, WorkflowRun } from './state-checks.ts';
import type { Pull, ReviewComment } from './state-pulls.ts';

/** Colleagues of the double who want to know what GitHub would announce: the signed webhook sender. `event` as in `X-GitHub-Event`. */
export interface EventSink {
  emit(event: string, payload: object, installationId: number | null): void;
}

export type Level = 'read' | 'write' | 'admin';
export type Permissions = Readonly<Record<string, Level>>;

/** A person, an organisation, or the bot of an App. */
export interface Account {
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
  permissions: Permissions;
  events: readonly string[];
  readonly createdAt: string;
}

export interface Installation {
  readonly id: number;
  readonly appId: number;
  readonly accountId: number;
  selection: 'all' | 'selected';
  /** Of `selected`; of `all` every repository of the account counts. */
  readonly repositoryIds: Set<number>;
  permissions: Permissions;
  events: readonly string[];
  suspendedAt: string | null;
  suspendedById: number | null;
  readonly createdAt: string;
  updatedAt: string;
}

export type RepositoryRole = 'pull' | 'triage' | 'push' | 'maintain' | 'admin';

export interface Repository {
  readonly id: number;
  ownerId: number;
  name: string;
  /** The bare git repository on disk. */
  readonly gitDir: string;
  description: string | null;
  isPrivate: boolean;
  isArchived: boolean;
  /** DMCA: every call is answered with 451. */
  isBlocked: boolean;
  defaultBranch: string;
  readonly parentId: number | null;
  /** By account id. `roleName` differs from the base for custom roles. */
  readonly collaborators: Map<number, { readonly base: RepositoryRole; readonly roleName: string }>;
  readonly labels: Map<string, Label>;
  /** Issues and pull requests share their numbers. */
  readonly issues: Map<number, Issue>;
  readonly comments: Map<number, Comment>;
  readonly suites: Map<number, CheckSuite>;
  readonly checkRuns: Map<number, CheckRun>;
  readonly statuses: CommitStatus[];
  readonly workflowRuns: Map<number, WorkflowRun>;
  /** Those of all pull requests. */
  readonly reviewComments: Map<number, ReviewComment>;
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

export interface Issue {
  readonly id: number;
  readonly number: number;
  title: string;
  body: string | null;
  /** Null: a deleted account ("ghost"). */
  readonly authorId: number | null;
  /** The App through which a bot wrote it. */
  readonly viaAppId: number | null;
  labels: string[];
  state: 'open' | 'closed';
  stateReason: 'completed' | 'not_planned' | 'reopened' | null;
  locked: boolean;
  readonly reactions: Reaction[];
  readonly createdAt: string;
  updatedAt: string;
  closedAt: string | null;
  closedById: number | null;
  readonly pull: Pull | null;
  readonly edits: Edit[];
}

/** A body as it was from that moment on; empty while nobody has edited it, then the first text too. */
export interface Edit {
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
  readonly edits: Edit[];
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
  readonly clock: Clock;
  /** A number that was never given before. */
  readonly nextId: () => number;
  /** Where bare repositories are made; removed with the double. */
  readonly folder: string;
  readonly accounts: Map<number, Account>;
  readonly apps: Map<number, App>;
  readonly installations: Map<number, Installation>;
  readonly repositories: Map<number, Repository>;
  /** Former `owner/name`, in lower case, of repositories that moved. */
  readonly redirects: Map<string, number>;
  readonly tokens: Map<string, Token>;
  /** By path on the web address. */
  readonly attachments: Map<string, Attachment>;
  readonly sink: EventSink;
}
