// A thread: one subject on GitHub, what was requested there and by whom, and what Causeway has posted.

import type { CommitRange, KnownRefusal, PatternMatch, RerunRefusal } from '../check/index.ts';
import type { Person, Role } from '../project/index.ts';
import type { ProofProgress, RunOfDay } from '../proof/index.ts';
import type { WithheldReason } from './withheld.ts';

export type Subject =
  | { readonly kind: 'issue'; readonly number: number }
  | { readonly kind: 'pull_request'; readonly number: number }
  /** A failure of the default branch: on GitHub it has only check runs and the pull request that fixes it. */
  | { readonly kind: 'failure'; readonly failureId: string }
  /** An Issue of the API: on GitHub it has only the requested pull request. */
  | { readonly kind: 'report'; readonly issueId: string };

/** A request for a pull request by a person with write access. Covers only results that existed at that time. */
export interface FixRequest extends Person {
  readonly at: string;
}

/** What started the analysis, pinned when it arrived. */
export interface Trigger {
  /** `checks`: failing checks started it. `by` is then the pusher of the commit, or the author of the pull request. */
  readonly kind: 'label' | 'comment' | 'button' | 'api' | 'checks';
  readonly by: Person;
  /** The role at that time. */
  readonly role: Role;
  /** Null for a label, a button or a call. */
  readonly commentId: number | null;
  /** What was added to the command; "" for nothing. */
  readonly guidance: string;
  /** Whether it was the command `fix`, and so began the analysis that it is for. */
  readonly isForFix?: boolean;
  /** GitHub's time. */
  readonly at: string;
  /** What it started; absent in triggers that an earlier version stored. */
  readonly investigationId?: string;
}

export interface Thread {
  readonly id: string;
  readonly projectId: string;
  readonly subject: Subject;
  /**
   * The latest one requested by a person, finished or not; once that has ended with a worse answer than an earlier one,
   * or with none, the earlier one.
   */
  readonly investigationId: string;
  readonly trigger: Trigger;
  /** Null: not requested, so no pull request is opened. */
  readonly fixRequest: FixRequest | null;
  readonly record: ThreadRecord;
  readonly createdAt: string;
}

/** What is on GitHub as far as we know. Only the publisher writes it, after GitHub has confirmed a change. */
export interface ThreadRecord {
  /** Key (`toTriggerKey`) of the last trigger that got its 👀; "" before the first. */
  readonly seen: string;
  readonly comment: PostedComment | null;
  /** Replaced comments that are still to be deleted. */
  readonly replaced: readonly number[];
  readonly pullRequest: PostedPullRequest | null;
  /**
   * Why no pull request was opened for `investigationId`; null: nothing is known against it.
   */
  readonly withheld: {
    readonly investigationId: string;
    readonly reason: WithheldReason;
    /** Identifies the refused request: a new one is checked again. */
    readonly request: string;
  } | null;
  /**
   * When we posted within the last hour (comments and pull requests, not edits), newest last: this stops two bots that
   * answer each other.
   */
  readonly posts: readonly string[];
  /** In mode `observe`: what would be posted. */
  readonly held: { readonly comment: string; readonly pullRequest: string } | null;
  /** The last command that wasn't carried out. Written by the command's handler, not by the publisher. */
  readonly reply?: CommandReply;
  /**
   * The comment that GitHub refused, such as on a locked issue: not tried again until there is another comment or
   * request.
   */
  readonly unspoken?: string;
  /** The suggestions in a pull request, as one review. */
  readonly suggested?: PostedSuggestions;
}

/** What a person can write after `/analyse`. */
export const COMMAND_NAMES = [
  ...(['fix', 'stop', 'retry', 'rerun', 'mine', 'not-mine', 'prove'] as const),
  ...(['right', 'wrong', 'known', 'revert', 'help'] as const),
] as const;

export type CommandName = (typeof COMMAND_NAMES)[number];

/** What a person may do here by commands; `analyse`: the bare one. */
export interface Offer {
  readonly role: Role;
  readonly commands: readonly (CommandName | 'analyse')[];
}

/** What a command is answered with, mostly why it wasn't carried out. `at`: when it was given, so that a later command supersedes it. */
export interface CommandReply {
  readonly why:
    | {
        /** `not_kept`: a vote, where no records are kept. */
        readonly code:
          | 'fix_needs_write'
          | 'revert_needs_write'
          /** Where no records are kept a revert could not be followed. */
          | 'revert_not_here'
          | 'nothing_to_revert'
          | 'prove_needs_write'
          | 'prove_needs_pull'
          | 'prove_closed'
          /** The mode allows no branch of ours. */
          | 'prove_off'
          | 'nothing_to_stop'
          | 'branch_in_fork'
          | 'overtaken'
          | 'nothing_failed'
          | 'not_kept'
          /** `checks_not_kept`: as `not_kept`, of what is said of checks. `no_checks`: nothing is red here. */
          | 'checks_not_kept'
          | 'no_checks'
          | 'override_needs_write'
          | 'override_needs_reason'
          /** Of what the change broke, or its base: running it again says nothing. */
          | 'rerun_of_code'
          /** `rerun_before`: the checks of this commit were run again before. `rerun_limit`: of this person today. */
          | 'rerun_before'
          | 'rerun_limit'
          | 'rerun_not_granted'
          /** Other checks are not done yet. */
          | 'rerun_running';
      }
    /** A later command of the same person was: it takes the place of an answer that no longer holds. `command`: what follows `/analyse`. */
    | { readonly code: 'carried_out'; readonly command: string }
    /** Names of what is red: none of them is the one that was named. */
    | { readonly code: 'override_which_check'; readonly names: readonly string[] }
    | { readonly code: 'known_not_kept' | 'known_needs_write' }
    /** `issue`: null where none was named. */
    | { readonly code: 'known_refused'; readonly issue: number | null; readonly refusal: KnownRefusal }
    | {
        readonly code: 'known_proposed';
        readonly issue: number;
        readonly pattern: string;
        readonly matches: readonly PatternMatch[];
      }
    | { readonly code: 'known_tied'; readonly issue: number; readonly pattern: string }
    | { readonly code: 'rerun_refused'; readonly refusal: RerunRefusal }
    | {
        readonly code: 'already_open' | 'already_merged' | 'revert_open' | 'revert_merged';
        readonly number: number;
        readonly url: string;
      }
    /** The proof of a pull request begins. `ahead`: the one that goes first; null: none. `run`: which of the day. */
    | {
        readonly code: 'prove_begun';
        readonly proofId: string;
        readonly pullRequest: number;
        readonly run: RunOfDay | null;
        readonly ahead: { readonly pullRequest: number; readonly url: string } | null;
      }
    /** It had begun. `url`: of its check run; "" for none yet. */
    | { readonly code: 'prove_runs'; readonly url: string }
    /** What it came to. `said`: names in it come from logs. `url`: of its check run; "" for none. */
    | {
        readonly code: 'prove_ended';
        readonly proofId: string;
        readonly head: string;
        readonly said: string;
        readonly url: string;
      }
    | { readonly code: 'prove_limit'; readonly limit: number; readonly freeAt: string | null }
    /** `offer`: absent in replies that an earlier version stored. */
    | { readonly code: 'did_you_mean'; readonly command: CommandName; readonly offer?: Offer }
    | { readonly code: 'nothing_to_judge'; readonly offer?: Offer }
    /** `unknown`: not a command. `answered`: words that would have started an analysis. `closed`: as well as that. */
    | { readonly code: 'help' | 'unknown' | 'answered' | 'closed'; readonly offer: Offer };
  readonly at: string;
  /** Who gave it; absent: erased, or stored by an earlier version. */
  readonly to?: Person;
}

export interface PostedSuggestions {
  /** 0: there was nothing to suggest, which isn't checked again. */
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
  /** The investigation that it is about. */
  readonly investigationId: string;
  /** For GitHub's GraphQL. */
  readonly nodeId?: string;
  /** Collapsed by us as resolved. */
  readonly isMinimized?: boolean;
  /**
   * `facts`: while it runs. `result`: an Issue, or the reason why there is none. `settled`: one line, once the checks
   * pass.
   */
  readonly shows: 'facts' | 'result' | 'settled';
  /** The latest analysis whose worse answer it has below its own; absent: none. */
  readonly also?: string;
  /** `at` of the reply that was added since we last wrote it. */
  readonly replied?: string;
  /**
   * Of the text as we last wrote it: an unchanged text isn't written again. Empty, like `url`, if people have deleted
   * the comment.
   */
  readonly digest: string;
  readonly at: string;
}

export interface PostedPullRequest {
  readonly number: number;
  readonly url: string;
  readonly nodeId: string;
  readonly branch: string;
  /** The branch that it merges into. */
  readonly base: string;
  /** Our last commit on it. */
  readonly headSha: string;
  /** The Issue that it implements. */
  readonly issueId: string;
  /** Of a failing default branch: the commits that it began to fail with, as known when this was opened. */
  readonly range?: CommitRange | null;
  /** Who requested it. Later requests don't change that. */
  readonly requestedBy?: FixRequest;
  readonly state: 'open' | 'merged' | 'closed';
  /** Requests made before that were for this one. Absent: it is open. */
  readonly closedAt?: string;
  readonly checks: ChecksState;
  /** When another attempt was last pushed: its checks can't be older. */
  readonly pushedAt?: string;
  /** Whether reviews were requested from the configured reviewers. */
  readonly isReviewAsked?: boolean;
  /** Further attempts after its own checks failed. */
  readonly attempts: readonly PullRequestAttempt[];
  /** Absent: there is nothing to prove it with, or it isn't wanted. */
  readonly proof?: ProofProgress;
  /** Id of the comment that hands it over to people; null: it wasn't handed over. */
  readonly handedOver: number | null;
}

/** Of the live head. `none`: it has no checks. `moved`: others have pushed, so the branch is theirs now. */
export type ChecksState = 'waiting' | 'green' | 'red' | 'none' | 'moved';

export interface PullRequestAttempt {
  /** The head whose checks failed. */
  readonly headSha: string;
  readonly investigationId: string;
  /** Null while it runs. */
  readonly outcome: 'pushed' | 'nothing' | null;
}

/** The investigations whose changes came onto the branch after the first one, oldest first. */
export function listFurther({ proof, attempts }: Pick<PostedPullRequest, 'proof' | 'attempts'>): readonly string[] {
  const second = proof?.secondTry;
  const pushed = attempts.filter(({ outcome }) => outcome === 'pushed').map(({ investigationId }) => investigationId);
  return [...(second !== undefined && second.issueId !== null ? [second.investigationId] : []), ...pushed];
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

/** Identifies a trigger of a thread. GitHub's times are whole seconds, so the time isn't enough. */
export function toTriggerKey({ at, commentId }: Pick<Trigger, 'at' | 'commentId'>): string {
  return `${at} ${commentId ?? ''}`.trim();
}

/** Unique within a project. */
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
