// A head: a commit whose checks are judged together, their findings, and what is on GitHub for them.

import type { Excerpt, FirstTest, UnreadFile } from 'causeway-ci-log';
import type { Person } from '../project/index.ts';
import type { CommitRange } from './failure.ts';
import type { KnownMatch } from './known-issue.ts';
import type { Override, Reason, Verdict } from './verdict.ts';

/** What a commit is the head of, according to GitHub. */
export type HeadPlace =
  /** `pushedBy`: the person with write access who pushed it; null: unknown. */
  | {
      readonly kind: 'default';
      readonly branch: string;
      readonly pushedBy: Person | null;
      /** The branch has newer commits. On a busy branch this is common by the time the checks have ended. */
      readonly isBehind?: boolean;
      /** That person was erased and must not be named again. */
      readonly isForgotten?: boolean;
    }
  /** A branch without a pull request. */
  | { readonly kind: 'branch'; readonly branch: string }
  | {
      readonly kind: 'pull_request';
      readonly number: number;
      /** The head branch; in a fork its name can be anything. */
      readonly branch: string;
      readonly base: { readonly branch: string; readonly sha: string };
      /** The head of the pull request itself, which differs from the head's commit in a merge queue. */
      readonly sha: string;
      readonly isQueue: boolean;
      readonly isFork: boolean;
      readonly isDraft: boolean;
      /** Null: a deleted user. */
      readonly author: Person | null;
      /** GitHub calls the author a bot. Absent: it doesn't. */
      readonly isBot?: boolean;
      /**
       * Whether the author has write access, so that an analysis can start automatically. Of a bot's: whether a person
       * with write access pushed the head.
       */
      readonly isTrusted: boolean;
      /** The pull request was closed or merged; its head is `superseded` without a successor. */
      readonly isClosed?: boolean;
      /** The author was erased and must not be named again. */
      readonly isForgotten?: boolean;
    };

/**
 * `waiting`: some checks are unfinished (if those make no progress, the others are judged and the state is `red`).
 * `superseded`: no longer a head, or its pull request was closed or merged. `ignored`: not examined.
 */
export type HeadState = 'waiting' | 'red' | 'green' | 'superseded' | 'ignored';

export interface Head {
  readonly id: string;
  readonly projectId: string;
  readonly sha: string;
  /** As the event named it; "" if it named none. */
  readonly branch: string;
  readonly state: HeadState;
  /** Null until it is looked up. */
  readonly place: HeadPlace | null;
  /**
   * Ordered by how many pull requests and people they affect. For checks that fail now, or failed before they passed on
   * the same commit.
   */
  readonly findings: readonly Finding[];
  /** Failed checks that were not examined, with the reason as text: excluded by configuration, or too many. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  /** Checks that were still unfinished when the others were judged, at most 20. */
  readonly stillWaiting: readonly string[];
  /** When the last check ended; "" before that. */
  readonly endedAt: string;
  readonly record: HeadRecord;
  /** When a person last re-ran our check run: investigations that ended before are begun again. "" for never. */
  readonly rerequestedAt: string;
  readonly createdAt: string;
  readonly changedAt: string;
}

/** Failed checks with the same cause. */
export interface Finding {
  readonly failureId: string;
  readonly checks: readonly FoundCheck[];
  readonly verdict: Verdict;
  /** The most informative first; redacted. */
  readonly reasons: readonly Reason[];
  /** `new`: never seen before. `known`: seen, and open. `regression`: closed by a passing default branch, and back. */
  readonly standing: 'new' | 'known' | 'regression';
  /** Which opening of its failure it belongs to. Absent in findings stored by an older version. */
  readonly opening?: number;
  /** The commits that brought the failure to the default branch in that opening; absent: unknown, or none did. */
  readonly range?: CommitRange;
  readonly excerpt: Excerpt;
  /** The first failed test and what ran it; absent: none is named, or its runner is not known. */
  readonly firstTest?: FirstTest;
  /** Whether the change touches what fails, or what the failing test covers; absent: unknown. */
  readonly isTouched?: boolean;
  /** Files touched by the change, at most 300; absent: unknown. */
  readonly changed?: readonly string[];
  /** Files of the change that the failure names or its tests reach, at most 50, the most certain first; absent: unknown. */
  readonly reached?: readonly ReachedFile[];
  /** Of an inconclusive verdict; absent: it leans to nothing. */
  readonly leaning?: Leaning;
  /**
   * The pull request whose analysis explains the failure here as well; null: none. Absent in findings stored by an older
   * version, where the pull request that had the failure first counts.
   */
  readonly sharedFrom?: number | null;
  /** The same checks on the base, if they agree; absent: unknown, or some pass and some fail. */
  readonly base?: 'green' | 'red';
  /** Result files of the checks that are not read, at most 5; absent: none. */
  readonly unread?: readonly UnreadFile[];
  /** Places named by the checks, as repository paths where they could be mapped. */
  readonly places: readonly NamedPlace[];
  /** The investigation of its cause, started here or elsewhere; null: none. */
  readonly investigationId: string | null;
  readonly threadId: string | null;
  /** Whether the thread belongs to this head, so that its pull request targets it. */
  readonly isOwnThread: boolean;
  /** Why no investigation began; null if one did. */
  readonly notBegun: NotBegun | null;
  /** Where the first failed test of a flaky failure is, and who owns that; absent: unknown. */
  readonly testFile?: { readonly path: string; readonly owners: readonly string[] };
  /** The issue that people tied such failures to; absent: none. */
  readonly known?: KnownMatch;
  /** What a person with write said of it; absent: nothing. Not stored with the finding. */
  readonly override?: Override;
  /** The same of another failure of one of its checks, which does not hold for this one. */
  readonly lapsed?: Override;
  /** The job that we ran once more before anything was said, and when; absent: none. */
  readonly rerun?: { readonly runId: number; readonly at: string };
}

/** Why no investigation begins automatically. */
export type NotBegun =
  /** Not decided yet. */
  | { readonly code: 'pending' }
  /** The check says too little about its cause. */
  | { readonly code: 'uninformative' }
  | { readonly code: 'erased' }
  /** A person requested one in a comment on the pull request. */
  | { readonly code: 'requested' }
  /** People tied it to that issue. */
  | { readonly code: 'known'; readonly issue: number }
  /** A person with write said that it isn't this change's. */
  | { readonly code: 'not_mine' }
  /** The verdict rules it out: the cause is elsewhere, or a re-run says more. */
  | { readonly code: Exclude<Verdict, 'code' | 'inconclusive'> }
  | { readonly code: 'no_pull_request' | 'fork' | 'draft' | 'bot_author' | 'untrusted_author' }
  | { readonly code: 'checks_running'; readonly names: readonly string[] }
  /** The limit of automatic investigations, for one commit or for a repository in 24 hours. */
  | { readonly code: 'commit_limit' | 'daily_limit'; readonly limit: number; readonly isPullRequest: boolean }
  /** The one for pull requests of bots, for a repository in 24 hours. */
  | { readonly code: 'bot_limit'; readonly limit: number };

/**
 * What speaks for the change where nothing is certain. `path`: from the failing test's file to the one that the change
 * touches, through what the one imports of the next.
 */
export interface Leaning {
  readonly to: 'code';
  readonly path: readonly string[];
}

/** `isCertain`: the failure names it, or the failing test is for it; false: the test only uses it. */
interface ReachedFile {
  readonly path: string;
  readonly isCertain: boolean;
  /** What of it is changed, at most 5 places, the nearest to what the failure names first; absent: not known. */
  readonly lines?: readonly ChangedSpan[];
}

/** Lines of a file after a change; of lines that are gone, the one before which they stood. */
export interface ChangedSpan {
  readonly from: number;
  readonly to: number;
}

interface NamedPlace {
  readonly path: string;
  readonly line: number;
  readonly message: string;
  /** Whether the check annotated this line. */
  readonly isMarked?: boolean;
}

interface FoundCheck {
  readonly name: string;
  /** Slug of the App that reports it; "" for a commit status. Absent in findings stored by an older version. */
  readonly app?: string;
  readonly runId: number | null;
  readonly url: string;
  /** False if it has passed on the same commit since. */
  readonly isRed: boolean;
}

/** What is on GitHub as far as we know. Only the publisher writes it. */
export interface HeadRecord {
  readonly checkRun: PostedCheckRun | null;
  /** In mode `observe`: what would have been shown. */
  readonly held: string | null;
  /** GitHub refused the check run, for example because of a missing permission; not tried again for this head. */
  readonly isRefused?: boolean;
  /** Creation was started. If `checkRun` is null, only GitHub knows whether it succeeded. */
  readonly isBegun?: boolean;
}

export interface PostedCheckRun {
  readonly id: number;
  readonly url: string;
  readonly status: 'in_progress' | 'completed';
  /** Digest of what we last wrote. */
  readonly digest: string;
  /** How many annotations it has; GitHub can add annotations but not remove them. */
  readonly annotations: number;
  /** The actions of its buttons "Open fix", in order. Absent: no buttons. */
  readonly buttons?: readonly CheckRunButton[];
  /** The same of its buttons "Open revert". */
  readonly reverts?: readonly RevertButton[];
  readonly at: string;
}

/** "Open fix": opens the pull request of that thread with that investigation's result. */
export interface CheckRunButton {
  readonly threadId: string;
  readonly investigationId: string;
}

/** "Open revert": opens the revert of that commit. */
export interface RevertButton {
  readonly failureId: string;
  readonly sha: string;
}

export const EMPTY_HEAD_RECORD: HeadRecord = { checkRun: null, held: null };
export const EMPTY_EXCERPT: Excerpt = { step: '', headline: '', lines: [], cut: '', tests: [] };
