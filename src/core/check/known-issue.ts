// Known failures: issues of the same repository to which people tied a failure, or a pattern of what failed checks say.
import { formatCounted } from '../counted.ts';
import type { Person } from '../project/index.ts';

/**
 * What failed checks have to do with an issue that people tied such failures to. `known`: the issue covers them.
 * `touched`: it does not, since the change under test touches this file, where they fail. `returned`: the issue was
 * closed before they failed.
 */
export type KnownMatch =
  | { readonly code: 'known'; readonly issue: number }
  | { readonly code: 'touched'; readonly issue: number; readonly path: string }
  | { readonly code: 'returned'; readonly issue: number; readonly endedAt: string };

/** What is tied: a failure of the ledger, or a pattern as it was given. */
export type KnownSign =
  | { readonly kind: 'failure'; readonly failureId: string }
  | { readonly kind: 'pattern'; readonly pattern: string };

export type KnownTie = KnownSign & {
  /** Null: erased. */
  readonly by: Person | null;
  readonly at: string;
};

/** A pattern that was shown with its matches, and counts once a person confirms it. */
export interface ProposedPattern {
  readonly pattern: string;
  readonly by: Person | null;
  readonly at: string;
}

/** `gone`: deleted, moved to another repository, or made into a discussion. */
export type KnownEnd = 'closed' | 'gone' | 'person';

export interface KnownIssue {
  readonly id: string;
  readonly projectId: string;
  /** GitHub's. */
  readonly number: number;
  /** As it was read when it was tied or labelled, redacted; "" if unknown. */
  readonly title: string;
  /** `idle`: nothing is tied to it. After its end, what was tied tells that a failure is back. */
  readonly state: 'idle' | 'open' | 'ended';
  readonly ended: { readonly at: string; readonly by: KnownEnd } | null;
  /** Whether it has the label `known failure`. */
  readonly isLabelled: boolean;
  /** Failures that its text named when it was labelled. */
  readonly named: readonly string[];
  readonly proposed: ProposedPattern | null;
  /** The oldest first. */
  readonly ties: readonly KnownTie[];
  readonly record: KnownRecord;
  readonly createdAt: string;
}

/** Our comment on the issue. Only the publisher writes it. */
export interface KnownRecord {
  /** `url`: "" where people deleted it: it is not written again. `at`: when we last wrote it. */
  readonly comment: { readonly id: number; readonly url: string; readonly digest: string; readonly at: string } | null;
  /** GitHub refused it, such as on a locked issue. */
  readonly isRefused?: boolean;
}

export const EMPTY_KNOWN_RECORD: KnownRecord = { comment: null };

/** One red check that an issue covers, or that failed after its end. */
export interface KnownHit {
  /** Identifies the red check, as in its sighting. */
  readonly key: string;
  readonly failureId: string;
  readonly sha: string;
  readonly pullRequest: number | null;
  readonly checkName: string;
  readonly isAfterEnd: boolean;
  readonly at: string;
}

export interface KnownHits {
  readonly count: number;
  readonly last: KnownHit | null;
  /** The newest first, at most 20, each with the commit that failed there last; how many there are. */
  readonly pulls: readonly { readonly number: number; readonly sha: string }[];
  readonly pullRequestCount: number;
  /** Those that failed after the end of the issue. */
  readonly afterEnd: number;
}

/** The issue that a failure is tied to, as pages and the API show it. */
export interface KnownOfFailure {
  readonly number: number;
  readonly title: string;
  readonly state: KnownIssue['state'];
  readonly endedAt: string | null;
  /** The pattern by which it is; null: it was tied itself. */
  readonly pattern: string | null;
  readonly by: Person | null;
  readonly at: string;
}

/** The label that makes an issue a candidate. */
export const KNOWN_LABEL = 'known failure';

/** What an issue is on GitHub now. `gone`: not in this repository any more. */
export type IssueState =
  | {
      readonly kind: 'open' | 'closed';
      readonly title: string;
      readonly isPullRequest: boolean;
      /** ISO 8601; "" where it is open. */
      readonly closedAt: string;
    }
  | { readonly kind: 'gone' };

export const LEAST_LITERALS = 12;
export const MOST_FAILURES = 3;
export const MATCHED_DAYS = 30;

/** A failure with what a pattern, or a command without one, can mean. */
export interface NamedFailure {
  readonly id: string;
  /** Redacted, and untrusted. */
  readonly headline: string;
}

/** What a pattern would have matched, of one failure. */
export interface PatternMatch extends NamedFailure {
  readonly checks: number;
  /** The newest first. */
  readonly pullRequests: readonly number[];
  /** A line that matched. */
  readonly line: string;
}

/** Why nothing was tied. */
export type KnownRefusal =
  | {
      readonly code:
        | 'known_needs_issue'
        /** A line below the command may be meant as the pattern. */
        | 'known_pattern_below'
        | 'known_issue_gone'
        | 'known_issue_closed'
        | 'known_is_pull_request'
        | 'known_no_failure'
        | 'known_failure_absent'
        | 'known_nothing_proposed'
        | 'known_nothing_tied'
        | 'known_pattern_unmatched'
        | 'known_pattern_large'
        | 'known_pattern_secret';
    }
  | { readonly code: 'known_which_failure'; readonly failures: readonly NamedFailure[] }
  | { readonly code: 'known_pattern_invalid'; readonly why: string }
  | { readonly code: 'known_pattern_short'; readonly literals: number }
  | { readonly code: 'known_pattern_broad'; readonly failures: number }
  | { readonly code: 'known_pattern_passes'; readonly check: string };

/** A sentence with the repair. Names are left to the caller, as `check` and `why`: they are untrusted. */
export function describeKnownRefusal(refusal: KnownRefusal): string {
  switch (refusal.code) {
    case 'known_needs_issue':
      return 'Write it as `/analyse known #123`, with an open issue of this repository, and the pattern in quotes behind it if there is one: `/analyse known #123 "connection reset by peer"`.';
    case 'known_pattern_below':
      return 'Nothing was tied: the pattern has to stand in quotes on the line of the command, as in `/analyse known #123 "connection reset by peer"`.';
    case 'known_issue_gone':
      return 'There is no such issue in this repository. Name an open one.';
    case 'known_issue_closed':
      return 'That issue is closed, and a closed issue covers nothing. Reopen it first, or name an open one.';
    case 'known_is_pull_request':
      return 'That number is a pull request. Name an open issue.';
    case 'known_no_failure':
      return 'No failed check is known here. Give the command on a pull request whose check failed, add the id of the failure from its page, or give a pattern in quotes.';
    case 'known_failure_absent':
      return 'No failure of this repository has that id. Copy it from the page of the failure.';
    case 'known_nothing_proposed':
      return 'No pattern waits for a confirmation there. Give the pattern first: `/analyse known #123 "connection reset by peer"`.';
    case 'known_nothing_tied':
      return 'Nothing is tied to that issue, so there is nothing to end.';
    case 'known_which_failure':
      return `${formatCounted(refusal.failures.length, 'failure')} were found here. Add the id of the one that is meant.`;
    case 'known_pattern_invalid':
      return `The pattern isn't a regular expression of RE2 (no look-around, no back references): ${refusal.why}. Put a backslash before special characters that are meant as they are.`;
    case 'known_pattern_large':
      return 'The pattern is too large. Use at most 300 characters and small repetitions.';
    case 'known_pattern_secret':
      return 'The pattern contains what looks like a secret, which is not stored. Leave that part out.';
    case 'known_pattern_short':
      return `The pattern has only ${formatCounted(refusal.literals, 'literal character')} that must be there, and needs ${LEAST_LITERALS}. Quote more of the line.`;
    case 'known_pattern_unmatched':
      return `The pattern matches no line that was recorded of a failed check in the last ${MATCHED_DAYS} days. It is compared with each line on its own: copy a part of the line that names the error.`;
    case 'known_pattern_broad':
      return `The pattern matches ${refusal.failures} different failures of the last ${MATCHED_DAYS} days, and may match ${MOST_FAILURES}. Quote more of the line.`;
    case 'known_pattern_passes':
      return 'The pattern also matches the log of a check that passed, so it says nothing about a failure. Quote the line that only the failed log has.';
  }
}
