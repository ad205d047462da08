// A thread: one subject on GitHub, what was asked there and by whom, and what Causeway has put there.

import type { Role } from './account.ts';
import type { CommitRange } from './failure.ts';

export type Subject =
  | { readonly kind: 'issue'; readonly number: number }
  | { readonly kind: 'pull_request'; readonly number: number }
  /** A failure of the default branch: it has no place on GitHub but check runs and the pull request that mends it. */
  | { readonly kind: 'failure'; readonly failureId: string }
  /** An Issue of the API: it has no place on GitHub but the pull request that somebody asked for. */
  | { readonly kind: 'report'; readonly issueId: string };

/** A person on GitHub: the number is who it is, the login what they are called just now. */
export interface Person {
  readonly id: number;
  readonly login: string;
}

/** That somebody with write asks for a pull request, and when: what they had not seen by then they have not asked for. */
export interface FixRequest extends Person {
  readonly at: string;
}

/** What made the analysis start, pinned when it arrived. */
export interface Trigger {
  /** `checks`: nobody asked; red checks did. `by` is then who stands behind the commit: its pusher, or the author of the pull request. */
  readonly kind: 'label' | 'comment' | 'button' | 'api' | 'checks';
  readonly by: Person;
  /** Of that person at that moment. */
  readonly role: Role;
  /** The comment that asked; null for a label, a button or a call. */
  readonly commentId: number | null;
  /** What the person added to the command; "" for nothing. */
  readonly guidance: string;
  /** When GitHub says that it happened. */
  readonly at: string;
}

export interface Thread {
  readonly id: string;
  readonly projectId: string;
  readonly subject: Subject;
  /** The latest investigation that a person asked for, whether or not it has ended. */
  readonly investigationId: string;
  readonly trigger: Trigger;
  /** Who with write stands behind a pull request; null: nobody so far, so that none is opened. */
  readonly fixRequest: FixRequest | null;
  readonly record: ThreadRecord;
  readonly createdAt: string;
}

/** What stands on GitHub as far as we know. Written by the publisher alone, and only after GitHub said so. */
export interface ThreadRecord {
  /** `triggerKey` of the trigger that was answered with 👀; "" before the first. */
  readonly seen: string;
  readonly comment: PostedComment | null;
  /** Comments that a newer one replaces and that are still to be deleted. */
  readonly replaced: readonly number[];
  readonly pullRequest: PostedPullRequest | null;
  /** Why no pull request was opened for `investigationId`, in words for the comment; null: no reason against it (so far). */
  readonly withheld: {
    readonly investigationId: string;
    readonly reason: string;
    /** Who asked, and when: a new request is looked at anew. */
    readonly request: string;
  } | null;
  /** When we posted (comments and pull requests, not edits), newest last, of the last hour: a conversation of two bots ends here. */
  readonly posts: readonly string[];
  /** In mode `observe`: what would have been posted. */
  readonly held: { readonly comment: string; readonly pullRequest: string } | null;
  /** The last command that was not carried out. Written by the command's handler, not by the publisher. Absent: none. */
  readonly reply?: CommandReply;
  /** What GitHub took no comment for, such as that of a locked issue: not tried again before something else is to be said or asked for. */
  readonly unspoken?: string;
  /** The suggestions in a pull request, as one review. Absent: there are none. */
  readonly suggested?: PostedSuggestions;
}

/** Why a command was not carried out, and when it was given: a later one that is carried out makes it void. */
export interface CommandReply {
  readonly why:
    | {
        readonly code:
          | 'fix_needs_write'
          | 'nothing_to_stop'
          | 'branch_in_fork'
          | 'overtaken'
          | 'nothing_failed'
          | 'no_feedback_yet';
      }
    | { readonly code: 'already_open'; readonly number: number; readonly url: string }
    | { readonly code: 'did_you_mean'; readonly command: 'fix' | 'stop' | 'retry' };
  readonly at: string;
}

export interface PostedSuggestions {
  /** Of the review. 0: there was nothing to suggest, which is not looked at again. */
  readonly reviewId: number;
  readonly nodeId: string;
  readonly investigationId: string;
  /** The head that they were made for. */
  readonly headSha: string;
  readonly isMinimized?: boolean;
}

export interface PostedComment {
  readonly id: number;
  readonly url: string;
  /** The investigation that it tells of. */
  readonly investigationId: string;
  /** For GitHub's GraphQL; absent in records of old. */
  readonly nodeId?: string;
  /** Folded away by us as resolved. */
  readonly isMinimized?: boolean;
  /** `facts`: while it runs. `result`: what came of it, be it an Issue or the reason that there is none. `settled`: the one line that is left once the checks are green. */
  readonly shows: 'facts' | 'result' | 'settled';
  /** `at` of the reply that was put into it since we last wrote it. Absent: none was. */
  readonly replied?: string;
  /** Of the text as we last wrote it: an unchanged text is not written again. Empty, like `url`, where somebody has deleted the comment. */
  readonly digest: string;
  readonly at: string;
}

export interface PostedPullRequest {
  readonly number: number;
  readonly url: string;
  readonly nodeId: string;
  readonly branch: string;
  /** The branch that it is to be merged into. */
  readonly base: string;
  /** Our last commit on it. */
  readonly headSha: string;
  /** The Issue that it carries out. */
  readonly issueId: string;
  /** Of a red default branch: the commits that it became red with, as they were when this was opened. Null: not known. */
  readonly range?: CommitRange | null;
  /** Who with write stands behind it, whoever asks for another analysis later. Absent in records of old. */
  readonly requestedBy?: FixRequest;
  readonly state: 'open' | 'merged' | 'closed';
  /** What was asked for before was asked for this one. Absent where it is open, or in records of old. */
  readonly closedAt?: string;
  readonly checks: ChecksState;
  /** When a further attempt was last pushed: its checks cannot be older. Absent: none was. */
  readonly pushedAt?: string;
  /** Whether the reviewers of the configuration were asked. */
  readonly isReviewAsked?: boolean;
  /** The further attempts on its own red checks. */
  readonly attempts: readonly PullRequestAttempt[];
  /** The comment that hands it over to people; null: not handed over. */
  readonly handedOver: number | null;
}

/** Of the live head. `none`: nothing checks it. `moved`: somebody else has pushed, so that it is theirs now. */
export type ChecksState = 'waiting' | 'green' | 'red' | 'none' | 'moved';

export interface PullRequestAttempt {
  /** The head whose checks were red. */
  readonly headSha: string;
  readonly investigationId: string;
  /** What became of it; null while it runs. */
  readonly outcome: 'pushed' | 'nothing' | null;
}

export const EMPTY_RECORD: ThreadRecord = {
  seen: '',
  comment: null,
  replaced: [],
  pullRequest: null,
  withheld: null,
  posts: [],
  held: null,
};

/** Tells one trigger of a thread from the others: GitHub's times are whole seconds, in which two people may ask. */
export function triggerKey({ at, commentId }: Pick<Trigger, 'at' | 'commentId'>): string {
  return `${at} ${commentId ?? ''}`.trim();
}

/** Names a subject within its project. */
export function toSubjectKey(subject: Subject): string {
  switch (subject.kind) {
    case 'report':
      return `report ${subject.issueId}`;
    case 'failure':
      return `failure ${subject.failureId}`;
    case 'issue':
    case 'pull_request':
      return `${subject.kind} ${subject.number}`;
  }
}
