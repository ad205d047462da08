// A failure: a distinct cause of failed checks in one project, identified by its fingerprint.
import { describeBisect, type LoneTest } from './bisect.ts';
import type { CommitTie } from './commit-tie.ts';
import { describeCommitTie } from './commit-tie.ts';
import type { Verdict } from './verdict.ts';

/** One failed check as it was observed. */
export interface Sighting {
  /** Identifies the failed check, however often it is reported. */
  readonly key: string;
  readonly sha: string;
  /** "" if GitHub names none. */
  readonly branch: string;
  /** Null: no pull request. */
  readonly pullRequest: number | null;
  /** Whether it was seen on the default branch. */
  readonly isOnDefault: boolean;
  /**
   * Whether someone with write access is responsible: the default branch, the merge queue, or a pull request of theirs
   * that is not from a fork. Other sightings never count as flaky.
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
  /** Of the cause, without details that differ between sightings. */
  readonly fingerprint: string;
  /**
   * The first error line, after the failed test where it only compares values, redacted, one line of at most 300 characters: from the first sighting, or the first on the
   * default branch once there is one.
   */
  readonly headline: string;
  readonly state: 'open' | 'closed';
  /** How often it was opened: 1 at first, plus one each time it returned after it was closed. */
  readonly opening: number;
  /** Whether it was seen on the default branch since it was last opened. */
  readonly isOnDefault: boolean;
  /** All failed checks with this cause. */
  readonly hits: number;
  /** How many of them passed on the same commit without a change. */
  readonly flakyHits: number;
  readonly firstSeen: Sighting;
  readonly lastSeen: Sighting;
  /** Names of checks and branches where it was seen, newest first, at most 20 each. */
  readonly checkNames: readonly string[];
  readonly branches: readonly string[];
  /** As above, by number. */
  readonly pullRequests: readonly number[];
  /** The investigation of its cause; null if none has begun since it was last opened. */
  readonly investigationId: string | null;
  /** Where the result is shown; null: nowhere. */
  readonly threadId: string | null;
  /** When it was last closed: sightings from before belong to the earlier opening, also while it is open again. */
  readonly closed: Closing | null;
  /** For the default branch: the commits after the last passing one, up to the first failing one. */
  readonly range: CommitRange | null;
}

/** `by`: a passing default branch, the end of the pull requests that had it, or 30 days without a sighting. */
export interface Closing {
  readonly sha: string;
  readonly at: string;
  readonly by: 'green' | 'pull_request' | 'unseen';
}

export interface CommitRange {
  /** Last passing, first failing. */
  readonly from: string;
  readonly to: string;
  /** How many commits there are; `commits` has the newest 20. */
  readonly total: number;
  readonly commits: readonly RangeCommit[];
  /** How many of them are on the branch itself, by first parents: a merge brings the others. Absent: not known. */
  readonly steps?: number;
  /** Absent: no commit is clearly likeliest, or it was not examined yet. */
  readonly likeliest?: LikeliestCommit;
  /** `commits`, the likeliest first; those that nothing tells apart stay in their order. Absent: not examined. */
  readonly ranks?: readonly RankedCommit[];
  /** The failing test alone, to bisect with; null: it cannot be run so. Absent: not examined. */
  readonly test?: LoneTest | null;
}

interface RangeCommit {
  readonly sha: string;
  readonly author: string;
  readonly subject: string;
  /** The merge that brought it to the branch; absent: it is on the branch itself, or that is not known. */
  readonly by?: string;
}

export interface RankedCommit {
  readonly sha: string;
  /** The most telling first; empty: nothing ties it to the failure. */
  readonly ties: readonly CommitTie[];
}

/** The likeliest commit of a range, where it stands out. Older versions stored `reason`, as text with paths. */
export type LikeliestCommit = (RankedCommit | { readonly sha: string; readonly reason: string }) & {
  /** Whether of all commits only this one, or those that came with it, changed what the failing test reaches. Absent: no. */
  readonly isAlone?: boolean;
};

/** Such as `touches src/cart.ts, which the failing lines name`; "" for nothing. */
export function describeLikeliest(likeliest: LikeliestCommit): string {
  if ('reason' in likeliest) return likeliest.reason;
  const [first] = likeliest.ties;
  return first === undefined ? '' : describeCommitTie(first);
}

/** What a range says of one of its commits. */
interface ShownCommit {
  readonly isLikeliest: boolean;
  /** "": nothing ties it to the failure. */
  readonly reason: string;
}

type ListedCommit = CommitRange['commits'][number] & ShownCommit;

/** The likeliest first, with what ties each to the failure; in git's order where nothing tells them apart. */
export function orderRange({ commits, likeliest, ranks = [] }: CommitRange): readonly ListedCommit[] {
  const places = new Map(ranks.map(({ sha }, at) => [sha, at]));
  const ties = new Map(ranks.map((one) => [one.sha, one.ties]));
  const rank = (sha: string) => (sha === likeliest?.sha ? -1 : (places.get(sha) ?? ranks.length));
  return commits
    .toSorted((a, b) => rank(a.sha) - rank(b.sha))
    .map((commit): ListedCommit => {
      if (commit.sha === likeliest?.sha) return { ...commit, isLikeliest: true, reason: describeLikeliest(likeliest) };
      const [first] = ties.get(commit.sha) ?? [];
      return { ...commit, isLikeliest: false, reason: first === undefined ? '' : describeCommitTie(first) };
    });
}

/** Whether its commits were compared with the failure, and nothing ties any of them to it. */
export function isUntold({ total, ranks, likeliest }: CommitRange): boolean {
  return total > 1 && likeliest === undefined && ranks?.every(({ ties }) => ties.length === 0) === true;
}

/** Nobody's commit brings chance, or the failure of a machine. */
export function mayNameCommits(verdict: Verdict): boolean {
  return verdict !== 'flaky' && verdict !== 'infrastructure';
}

/** The commits that brought it, as far as its last verdict allows to name them. */
export function findRange({ range, lastSeen }: Failure): CommitRange | null {
  return mayNameCommits(lastSeen.verdict) ? range : null;
}

/** The commit that it most likely came with: the likeliest of its range, or the only one. Null: none is named. */
export function findBlamedCommit(
  failure: Failure,
): (CommitRange['commits'][number] & { readonly reason: string }) | null {
  const range = findRange(failure);
  const sha = range?.likeliest?.sha ?? (range?.total === 1 ? range.to : undefined);
  const commit = range?.commits.find((one) => one.sha === sha);
  const likeliest = range?.likeliest;
  return commit === undefined
    ? null
    : { ...commit, reason: likeliest === undefined ? '' : describeLikeliest(likeliest) };
}

/** A commit of the default branch that can be taken back for a failure. */
export interface BlamedStep {
  readonly sha: string;
  /** `only`: none other lies between pass and failure. `alone`: the failing test reaches what none other changed. */
  readonly why: 'only' | 'alone';
}

/** The commit of the default branch that alone may have brought an open failure. Null: it may be any of several, or none. */
export function findBlamedStep(failure: Failure): BlamedStep | null {
  const range = failure.state === 'open' && failure.isOnDefault ? findRange(failure) : null;
  if (range === null) return null;
  if (range.total === 1 || range.steps === 1) return { sha: range.to, why: 'only' };
  const { likeliest } = range;
  const commit = likeliest?.isAlone === true ? range.commits.find(({ sha }) => sha === likeliest.sha) : undefined;
  return commit === undefined ? null : { sha: commit.by ?? commit.sha, why: 'alone' };
}

/** Whether most of its failed checks passed on the same commit later. */
export function isMostlyFlaky({ hits, flakyHits }: Pick<Failure, 'hits' | 'flakyHits'>): boolean {
  return flakyHits * 2 > hits;
}

/** A failure as the API and webhooks show it: while it is open, it is not closed by anything. */
export interface FailureView extends Omit<Failure, 'fingerprint' | 'threadId' | 'firstSeen' | 'lastSeen' | 'range'> {
  readonly firstSeen: SightingView;
  readonly lastSeen: SightingView;
  readonly range: RangeView | null;
}

export interface RangeView extends Pick<CommitRange, 'from' | 'to' | 'total'> {
  /** Its sha. */
  readonly likeliest: string | null;
  /** The newest 20, the likeliest first; in git's order where nothing ties any to the failure. */
  readonly commits: readonly (CommitRange['commits'][number] & Pick<RankedCommit, 'ties'>)[];
  /** One line for a shell; "": only one commit, or the failing test cannot be run alone. */
  readonly bisect: string;
}

type SightingView = Pick<Sighting, 'sha' | 'branch' | 'pullRequest' | 'checkName' | 'verdict' | 'at'>;

export function toFailureView(failure: Failure): FailureView {
  const { fingerprint: _, threadId: __, firstSeen, lastSeen, ...rest } = failure;
  const range = findRange(failure);
  return {
    ...rest,
    closed: failure.state === 'closed' ? failure.closed : null,
    firstSeen: toSightingView(firstSeen),
    lastSeen: toSightingView(lastSeen),
    range: range && toRangeView(range),
  };
}

function toSightingView({ sha, branch, pullRequest, checkName, verdict, at }: Sighting): SightingView {
  return { sha, branch, pullRequest, checkName, verdict, at };
}

export function toRangeView(range: CommitRange): RangeView {
  const { from, to, total, likeliest, ranks = [] } = range;
  const ties = new Map(ranks.map((one) => [one.sha, one.ties]));
  const commits = orderRange(range).map(({ sha, author, subject }) => {
    return { sha, author, subject, ties: ties.get(sha) ?? [] };
  });
  return { from, to, total, likeliest: likeliest?.sha ?? null, commits, bisect: describeBisect(range)?.line ?? '' };
}
