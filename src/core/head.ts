// A head: a commit whose checks are looked at together, what they say, and what stands on GitHub about it.
import type { Reason, Verdict } from './check.ts';
import type { Person } from './thread.ts';

/** What a commit is the head of, as GitHub says. */
export type HeadPlace =
  /** `pushedBy`: who with write stands behind it; null: nobody that we know. */
  | {
      readonly kind: 'default';
      readonly branch: string;
      readonly pushedBy: Person | null;
      /** Other commits stand on it by now: on a busy branch most, by the time their checks have ended. */
      readonly isBehind?: boolean;
      /** Whoever stood behind it was erased, and is not named again. */
      readonly isForgotten?: boolean;
    }
  /** A branch without a pull request. */
  | { readonly kind: 'branch'; readonly branch: string }
  | {
      readonly kind: 'pull_request';
      readonly number: number;
      /** Of the head; a fork may call its branches what it likes. */
      readonly branch: string;
      readonly base: { readonly branch: string; readonly sha: string };
      /** Of the pull request itself: another than the head's own where that is a commit of the merge queue. */
      readonly sha: string;
      readonly isQueue: boolean;
      readonly isFork: boolean;
      readonly isDraft: boolean;
      /** Null: a deleted user. */
      readonly author: Person | null;
      /** Whether the author may write, so that an analysis starts unasked. */
      readonly isTrusted: boolean;
      /** It was closed or merged: its head is `superseded`, though nothing took its place. */
      readonly isClosed?: boolean;
      /** Its author was erased, and is not named again. */
      readonly isForgotten?: boolean;
    };

/**
 * `waiting`: not all checks have ended; where those that are left do not move, what is red among the others is `red`
 * all the same. `superseded`: it is no head any more, closed or merged pull requests among them. `ignored`: nothing
 * here is looked at.
 */
export type HeadState = 'waiting' | 'red' | 'green' | 'superseded' | 'ignored';

export interface Head {
  readonly id: string;
  readonly projectId: string;
  readonly sha: string;
  /** As the event named it; "" where it named none. */
  readonly branch: string;
  readonly state: HeadState;
  /** Null until it was looked up. */
  readonly place: HeadPlace | null;
  /**
   * Those that count for pull requests and people first. Of checks that are red now, or were before they passed at the
   * same commit.
   */
  readonly findings: readonly Finding[];
  /** Red checks that were not looked at, and why, in words: left out by configuration, too many. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  /**
   * Names of checks that had not moved for long when the others were judged without them, at most 20; empty where all
   * have ended.
   */
  readonly stillWaiting: readonly string[];
  /** When the last of the checks ended; "" before. */
  readonly endedAt: string;
  readonly record: HeadRecord;
  readonly createdAt: string;
  readonly changedAt: string;
}

/** Red checks of one cause. */
export interface Finding {
  readonly failureId: string;
  readonly checks: readonly FoundCheck[];
  readonly verdict: Verdict;
  /** The most informative first; cleaned of secrets. */
  readonly reasons: readonly Reason[];
  /**
   * `new`: never seen before. `known`: seen, and open. `regression`: it was closed by a green default branch, and is
   * back.
   */
  readonly standing: 'new' | 'known' | 'regression';
  readonly excerpt: Excerpt;
  /** Whether the change under test touches what fails, or what the failing test is for; absent: not known. */
  readonly isTouched?: boolean;
  /** Files that the change under test touches, at most 300; absent: not known. */
  readonly changed?: readonly string[];
  /** The same checks on the base, where all of them are alike; absent: not known, or some are this and some that. */
  readonly base?: 'green' | 'red';
  /** Places that the checks name, in paths of the repository where they could be mapped. */
  readonly places: readonly NamedPlace[];
  /** What tells of its cause, begun here or elsewhere; null: none. */
  readonly investigationId: string | null;
  readonly threadId: string | null;
  /** Whether the thread is this head's own, so that its pull request is one for it. */
  readonly isOwnThread: boolean;
  /** Why no investigation was begun; null where there is one. */
  readonly notBegun: NotBegun | null;
}

/** Why no investigation begins for a finding unless a person asks for it. */
export type NotBegun =
  /** The checks are judged, and whether one begins is not decided yet. */
  | { readonly code: 'pending' }
  /** The check says too little about its cause. */
  | { readonly code: 'uninformative' }
  | { readonly code: 'erased' }
  /** A person asked for one in a comment on the pull request. */
  | { readonly code: 'requested' }
  /** The verdict itself: the cause is elsewhere, or a re-run says more. */
  | { readonly code: Exclude<Verdict, 'code' | 'inconclusive'> }
  | { readonly code: 'no_pull_request' | 'fork' | 'draft' | 'bot_author' | 'untrusted_author' }
  | { readonly code: 'checks_running'; readonly names: readonly string[] }
  /** The most that begin by themselves, for one commit or in a repository within 24 hours. */
  | { readonly code: 'commit_limit' | 'daily_limit'; readonly limit: number; readonly isPullRequest: boolean };

interface NamedPlace {
  readonly path: string;
  readonly line: number;
  readonly message: string;
  /** Whether the check has marked that line itself. */
  readonly isMarked?: boolean;
}

interface FoundCheck {
  readonly name: string;
  /**
   * Slug of the App that reports it; "" for a commit status. Absent: not known, of a finding that was stored before
   * this was.
   */
  readonly app?: string;
  readonly runId: number | null;
  readonly url: string;
  /** Whether it is red now: false for one that passed since at the same commit. */
  readonly isRed: boolean;
}

/** A log cut to its cause. */
export interface Excerpt {
  /** Name of the failed step; "" where unknown. */
  readonly step: string;
  /** The first error line; "" where nothing tells. One line of at most 300 characters. */
  readonly headline: string;
  /** Lines around the cause, in order; at most 60, 8 KiB. */
  readonly lines: readonly string[];
  /** What was cut, in words; "" for nothing. */
  readonly cut: string;
  /** Names of failed tests, at most 50. */
  readonly tests: readonly string[];
}

/** What stands on GitHub as far as we know. Written by the publisher alone. */
export interface HeadRecord {
  readonly checkRun: PostedCheckRun | null;
  /** In mode `observe`: what would have been shown. */
  readonly held: string | null;
  /** GitHub took no check run here, such as where the permission is missing: not tried again for this head. */
  readonly isRefused?: boolean;
  /** One was about to be made: whether it was, only GitHub knows where `checkRun` is null. */
  readonly isBegun?: boolean;
}

export interface PostedCheckRun {
  readonly id: number;
  readonly url: string;
  readonly status: 'in_progress' | 'completed';
  /** Of what it shows as we last wrote it. */
  readonly digest: string;
  /** How many annotations it has: GitHub adds to them, and takes none away. */
  readonly annotations: number;
  /** What its buttons ask for, in their order. Absent: it has none. */
  readonly buttons?: readonly CheckRunButton[];
  readonly at: string;
}

/** "Open fix": the pull request of that thread, for what that investigation found. */
export interface CheckRunButton {
  readonly threadId: string;
  readonly investigationId: string;
}

export const EMPTY_HEAD_RECORD: HeadRecord = { checkRun: null, held: null };
export const EMPTY_EXCERPT: Excerpt = { step: '', headline: '', lines: [], cut: '', tests: [] };
