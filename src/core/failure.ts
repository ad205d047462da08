// A failure: a distinct cause of red checks in one project, known by its fingerprint wherever it is seen.
import type { Verdict } from './check.ts';

/** One red check as it was seen. */
export interface Sighting {
  /** Equal for the same red check seen again, whoever tells of it. */
  readonly key: string;
  readonly sha: string;
  /** "" where GitHub names none. */
  readonly branch: string;
  /** Null: no pull request. */
  readonly pullRequest: number | null;
  /** Whether it was seen on the default branch. */
  readonly isOnDefault: boolean;
  /**
   * Whether somebody with write stands behind it: the default branch, the merge queue, a pull request of theirs that is
   * no fork's. What others bring about is no reason to think better of a check.
   */
  readonly isTrusted: boolean;
  /** Slug of the App that reports the check; "" for a commit status. */
  readonly app: string;
  readonly checkName: string;
  readonly verdict: Verdict;
  /** When the check ended, ISO 8601. */
  readonly at: string;
}

export interface Failure {
  readonly id: string;
  readonly projectId: string;
  /** Of the cause, without what differs between two sightings of it. */
  readonly fingerprint: string;
  /**
   * Its first error line, cleaned of secrets, one line of at most 300 characters: as it was seen first, or, once it was
   * seen on the default branch, as it was seen first there.
   */
  readonly headline: string;
  readonly state: 'open' | 'closed';
  /** How often it was opened: 1 at first, one more each time it came back after it had been closed. */
  readonly opening: number;
  /** Whether it was seen on the default branch since it was (last) opened. */
  readonly isOnDefault: boolean;
  /** Red checks that were this failure, ever. */
  readonly hits: number;
  /** Of these, the ones that passed at the same commit without a change. */
  readonly flakyHits: number;
  readonly firstSeen: Sighting;
  readonly lastSeen: Sighting;
  /** Names of checks and branches that it was seen in, the newest first, at most 20 each. */
  readonly checkNames: readonly string[];
  readonly branches: readonly string[];
  /** Numbers, likewise. */
  readonly pullRequests: readonly number[];
  /** What tells of its cause; null: none was begun (since it was last opened). */
  readonly investigationId: string | null;
  /** Where that is shown; null: nowhere. */
  readonly threadId: string | null;
  /** Of the last time. */
  readonly closed: Closing | null;
  /** On the default branch: the commits after the last green one up to the first red one. */
  readonly range: CommitRange | null;
}

/** `by`: a green default branch, the end of the pull requests that had it, or 30 days in which nobody saw it. */
export interface Closing {
  readonly sha: string;
  readonly at: string;
  readonly by: 'green' | 'pull_request' | 'unseen';
}

export interface CommitRange {
  /** Last green, first red. */
  readonly from: string;
  readonly to: string;
  /** How many there are; of these the newest first, at most 20. */
  readonly total: number;
  readonly commits: readonly { readonly sha: string; readonly author: string; readonly subject: string }[];
  /** Absent: none stands out, or nobody has looked yet. */
  readonly likeliest?: LikeliestCommit;
}

/** The commit of a range that stands out, by what each of them touches. */
export interface LikeliestCommit {
  readonly sha: string;
  /** What it does, in plain words with paths, such as `touches src/cart.ts, which the failing lines name`. */
  readonly reason: string;
}
