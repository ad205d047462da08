// What may leave for GitHub, and how we find again what has left: one adapter really sends it, the other only notes it down.
import type { FileMode } from '../../core/diff/diff.ts';
import type { ThreadRecord } from '../../core/thread.ts';

export interface Outbox {
  /** 👀 on a comment, or on the issue itself. Once more changes nothing. */
  react(target: { readonly number: number; readonly commentId: number | null }, signal: AbortSignal): Promise<void>;
  /** Comments that our own bot has written there since then (ISO 8601), oldest first. */
  ownComments(number: number, since: string, signal: AbortSignal): Promise<readonly OwnComment[]>;
  createComment(number: number, body: string, signal: AbortSignal): Promise<OwnComment>;
  updateComment(id: number, body: string, signal: AbortSignal): Promise<void>;
  deleteComment(id: number, signal: AbortSignal): Promise<void>;
  /** Folds a comment or a review away as resolved. Once more changes nothing. */
  minimize(nodeId: string, signal: AbortSignal): Promise<void>;
  unminimize(nodeId: string, signal: AbortSignal): Promise<void>;
  /** Reviews that our own bot has written there, oldest first. */
  ownReviews(number: number, signal: AbortSignal): Promise<readonly OwnReview[]>;
  /** One review that only comments. Refused (422) where a comment does not stand on the commit's part of the diff. */
  createReview(number: number, review: NewReview, signal: AbortSignal): Promise<OwnReview>;
  /** The commit that a branch stands at; null: no such branch. */
  branch(name: string, signal: AbortSignal): Promise<BranchHead | null>;
  /** Names of branches that begin so. */
  branchesNamed(prefix: string, signal: AbortSignal): Promise<readonly string[]>;
  createBranch(name: string, sha: string, signal: AbortSignal): Promise<void>;
  /** Only forward. */
  moveBranch(name: string, sha: string, signal: AbortSignal): Promise<void>;
  /** Whether all commits of the branch are in the base. */
  isPartOf(branch: string, base: string, signal: AbortSignal): Promise<boolean>;
  /** One commit on top of `expectedHead`, refused where the branch stands elsewhere. Its full sha. */
  commit(commit: NewCommit, signal: AbortSignal): Promise<string>;
  /** The pull request with that branch of ours as its head, the newest first where there are several; null: none. */
  pullRequestOf(branch: string, signal: AbortSignal): Promise<LivePullRequest | null>;
  openPullRequest(request: NewPullRequest, signal: AbortSignal): Promise<LivePullRequest>;
  /** Null where there is nothing to follow. */
  pullRequest(number: number, signal: AbortSignal): Promise<LivePullRequest | null>;
  updatePullRequest(number: number, body: string, signal: AbortSignal): Promise<void>;
  markReady(nodeId: string, signal: AbortSignal): Promise<void>;
  requestReviewers(number: number, reviewers: Reviewers, signal: AbortSignal): Promise<void>;
  /** What of the record is to be remembered. */
  keep(record: ThreadRecord): ThreadRecord;
}

/** Logins, and slugs of teams of the repository's own organisation. */
export interface Reviewers {
  readonly people: readonly string[];
  readonly teams: readonly string[];
}

export interface OwnComment {
  readonly id: number;
  readonly nodeId: string;
  readonly url: string;
  readonly body: string;
}

export interface OwnReview {
  readonly id: number;
  readonly nodeId: string;
  readonly body: string;
}

export interface NewReview {
  readonly commitId: string;
  readonly body: string;
  readonly comments: readonly ReviewComment[];
}

/** On lines of the file as the commit has it, both ends among them. */
export interface ReviewComment {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly body: string;
}

export interface BranchHead {
  readonly sha: string;
  readonly message: string;
  readonly parents: readonly string[];
  /** Whether our bot is its author. */
  readonly isOurs: boolean;
}

export interface CommitMessage {
  readonly headline: string;
  readonly body: string;
}

export interface NewCommit {
  readonly branch: string;
  readonly expectedHead: string;
  readonly message: CommitMessage;
  readonly files: CommitFiles;
}

export interface CommitFiles {
  readonly written: readonly { readonly path: string; readonly text: string; readonly mode: FileMode }[];
  readonly removed: readonly string[];
  /** Whether one of the files is executable, before or after. */
  readonly hasExecutables: boolean;
}

export interface NewPullRequest {
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly isDraft: boolean;
}

export interface LivePullRequest {
  readonly number: number;
  readonly nodeId: string;
  readonly url: string;
  readonly branch: string;
  readonly base: string;
  /** Of the base branch, as the pull request knows it. */
  readonly baseSha: string;
  readonly headSha: string;
  readonly state: 'open' | 'merged' | 'closed';
  readonly isDraft: boolean;
  readonly body: string;
  readonly createdAt: string;
  /** Null: it is open. */
  readonly closedAt: string | null;
}

/** `held` is what was noted before. Its ids and addresses are 0 and "": they name nothing. */
export function createRecordingOutbox(before: ThreadRecord): Outbox {
  const held = { comment: before.held?.comment ?? '', pullRequest: before.held?.pullRequest ?? '' };
  const note = (comment: string) => {
    held.comment = comment;
  };
  return {
    react: async () => {},
    ownComments: async () => [],
    createComment: async (_number, body) => {
      note(body);
      return { id: 0, nodeId: '', url: '', body };
    },
    updateComment: async (_id, body) => note(body),
    deleteComment: async () => {},
    minimize: async () => {},
    unminimize: async () => {},
    ownReviews: async () => [],
    createReview: async (_number, { body }) => ({ id: 0, nodeId: '', body }),
    branch: async () => null,
    branchesNamed: async () => [],
    createBranch: async () => {},
    moveBranch: async () => {},
    isPartOf: async () => false,
    commit: async () => '',
    pullRequestOf: async () => null,
    openPullRequest: async (request) => {
      held.pullRequest = `${request.title}\n\n${request.body}`;
      return nowhere(request);
    },
    pullRequest: async () => null,
    updatePullRequest: async () => {},
    markReady: async () => {},
    requestReviewers: async () => {},
    keep: () => ({
      ...before,
      held: held.comment === '' && held.pullRequest === '' ? before.held : { ...held },
    }),
  };
}

function nowhere({ branch, base, isDraft, body }: NewPullRequest): LivePullRequest {
  return {
    ...{ number: 0, nodeId: '', url: '', branch, base, baseSha: '', headSha: '', state: 'open' },
    ...{ isDraft, body, createdAt: '', closedAt: null },
  };
}
