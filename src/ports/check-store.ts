// The door to what is remembered of checks: heads with what was found at them, the ledger of failures, and what a project's past cost.
import type { Check } from '../core/check.ts';
import type { CommitRange, Failure, LikeliestCommit, Sighting } from '../core/failure.ts';
import type { Finding, Head, HeadPlace, HeadRecord, HeadState } from '../core/head.ts';
import type { Run } from './store.ts';

export interface CheckStore extends HeadStore, FailureStore, BackfillStore {}

export interface HeadStore {
  /**
   * The head of that commit, made with state `waiting` (and `id`) where it is missing; its `head` job is due at `runAt`, or earlier where
   * it is already. A branch is noted where none was known.
   */
  noteHead(
    head: { readonly id: string; readonly projectId: string; readonly sha: string; readonly branch: string },
    times: { readonly runAt: string; readonly now: string },
  ): Promise<Head>;
  head(id: string): Promise<Head | null>;
  headOf(projectId: string, sha: string): Promise<Head | null>;
  /** The newest head of a pull request whose checks were judged (`red` or `green`); null: none. */
  headOfPullRequest(projectId: string, number: number): Promise<Head | null>;
  /** Those whose findings belong to the thread, newest first, at most 20. */
  headsOfThread(threadId: string): Promise<readonly Head[]>;
  /** Whether a red head of this branch, or of one of these pull requests, is remembered, so that a green one is of interest. */
  hasRed(
    projectId: string,
    of: { readonly branch: string; readonly pullRequests: readonly number[] },
  ): Promise<boolean>;
  /**
   * What was found at a head. Enqueues its `check-run` job, and the `publish` jobs of the threads of its pull request, of its findings
   * and of those that they no longer name.
   */
  saveHead(
    id: string,
    seen: {
      readonly state: HeadState;
      readonly place: HeadPlace | null;
      readonly findings: readonly Finding[];
      readonly leftOut: Head['leftOut'];
      /** Absent: none. */
      readonly stillWaiting?: Head['stillWaiting'];
      readonly endedAt: string;
    },
    now: string,
  ): Promise<void>;
  /** What stands on GitHub for it. Also what `analysis.links.checkRun` of the Issues of its own investigations says. */
  saveHeadRecord(id: string, record: HeadRecord, now: string): Promise<void>;
}

export interface FailureStore {
  failure(id: string): Promise<Failure | null>;
  failureOf(projectId: string, fingerprint: string): Promise<Failure | null>;
  /** Newest last seen first. `after`: id of the last one of the page before. */
  failures(
    projectId: string,
    filter: { readonly state?: Failure['state']; readonly limit: number; readonly after?: string },
  ): Promise<readonly Failure[]>;
  /**
   * Links red checks to their failure, each once by its key; made (with `id`) where the fingerprint is new. A closed one is opened anew,
   * without the investigation and thread of before, if it was closed before the sighting's `at`; what was seen before that only counts.
   * Within 24 hours in the pull request that it was looked into for, it keeps both, unless that brought nothing.
   * One that is told of again as of the default branch, since its commit is by now, counts there; one that was of no pull request, as of that
   * which was opened since, with its trust. One in `redNow` that is told of again as of a pull request, after that or a former one was done, goes
   * on there: closed by such an end, the failure is open as it was before. The headline is that of the first sighting, and then that of the
   * first one on the default branch.
   * `standing`: as it was before, where all was green; told again for sightings that were told before. One that was not closed by a green
   * default branch is `new` again.
   */
  recordSightings(
    failure: {
      readonly id: string;
      readonly projectId: string;
      readonly fingerprint: string;
      readonly headline: string;
      /** Keys of sightings whose checks are red at this moment, at a head that is looked at. Absent: none, such as where the past is told. */
      readonly redNow?: readonly string[];
    },
    sightings: readonly Sighting[],
    now: string,
  ): Promise<{ readonly failure: Failure; readonly standing: Finding['standing'] }>;
  /**
   * What its single sightings say, as far as they are still kept, each commit counted once however many of its checks were red; of the newest
   * 1,000. Without those of that very commit, pull request and branch.
   */
  habits(
    failureId: string,
    of: {
      readonly isTrustedOnly: boolean;
      readonly besides: { readonly sha: string; readonly pullRequest: number | null; readonly branch: string };
    },
  ): Promise<Habits>;
  /** A sighting turned out to be chance: it passed at the same commit. Counted once for each key. */
  markFlaky(failureId: string, keys: readonly string[], now: string): Promise<void>;
  saveRange(failureId: string, range: NonNullable<Failure['range']>): Promise<void>;
  /** Of the failure that the run looks into; null: of none, or of some that differ in it, or it is not known. */
  rangeOfRun(runId: string): Promise<CommitRange | null>;
  /** Of the failures that the run looks into, those whose range has that commit and leaves none out; refused with `lease_lost` from an older generation. */
  saveLikeliest(run: Run, likeliest: LikeliestCommit): Promise<void>;
  /** Whether any failure of the project is open that was seen on the default branch. */
  hasOpenOnDefault(projectId: string): Promise<boolean>;
  /** Whether the failure is open, and was seen at this pull request after that was green or closed the last time. */
  isOpenIn(failureId: string, pullRequest: number): Promise<boolean>;
  /** How many investigations the account with that GitHub number has begun in the project since then. */
  begunSince(projectId: string, by: { readonly githubId: number; readonly since: string }): Promise<number>;
  /** What has to be known for `closeGreen`: of which red commits of the default branch it is asked whether they lead to which green ones. */
  mendings(projectId: string, green: GreenHead): Promise<readonly Pick<CommitRange, 'from' | 'to'>[]>;
  /**
   * Failures of the default branch are closed where each check that had them, at each commit, was green after that at another commit that
   * contains it, as `contained` says; returned as they are then. Later is not enough: checks of an older commit may be slow, and what passes
   * at the same commit passed by chance.
   */
  closeGreen(
    projectId: string,
    green: GreenHead & { readonly contained: readonly Pick<CommitRange, 'from' | 'to'>[] },
    now: string,
  ): Promise<readonly Failure[]>;
  /**
   * It was closed or merged, or is green, since `at`; what was seen there later goes on. Failures that were seen at pull requests which are
   * all done, and not on the default branch, are closed, with no word.
   */
  closeOfPullRequest(projectId: string, number: number, at: string): Promise<void>;
  /** A check of the default branch was green there then; the newest 20 of each check are kept. */
  noteGreen(projectId: string, green: NotedGreen): Promise<void>;
  /** Those, newest first. */
  lastGreens(projectId: string, check: CheckId): Promise<readonly Green[]>;
}

/** A check was green there. */
export interface Green {
  readonly sha: string;
  readonly at: string;
  /** GitHub's number of the run; null: a commit status, or it is not known. */
  readonly runId: number | null;
}

export interface NotedGreen extends Pick<Green, 'sha' | 'at'> {
  readonly check: CheckId;
  /** Absent: not known. */
  readonly runId?: number | null | undefined;
}

/** A commit of the default branch with its green checks; `at`: when the last one ended. */
interface GreenHead {
  readonly sha: string;
  readonly checks: readonly CheckId[];
  readonly at: string;
  /** Failures that are red at this very commit: they stay open. Absent: none. */
  readonly red?: readonly string[];
}

/** Several Apps may have checks of one name. */
export type CheckId = Pick<Check, 'app' | 'name'>;

/** Where and how often a failure was seen. */
export interface Habits {
  /** Commits; of them those where it passed without a change; of these those of the default branch. */
  readonly heads: number;
  readonly flakyHeads: number;
  readonly flakyOnDefault: number;
  readonly pullRequests: number;
  /** Without those of pull requests. */
  readonly branches: number;
  /** On the default branch, ISO 8601; "": never. */
  readonly lastOnDefaultAt: string;
}

/** What the last 14 days of a project say about what it would have cost. */
export interface Backfill {
  readonly projectId: string;
  readonly state: 'waiting' | 'done';
  /** Where to go on. */
  readonly cursor: string;
  /** Calls to GitHub so far; red checks that were read. */
  readonly calls: number;
  readonly checks: number;
  readonly since: string;
  readonly forecast: Forecast | null;
}

/** For 30 days, from what was seen. */
export interface Forecast {
  readonly redChecks: number;
  /** Distinct failures that an investigation would have been begun for. */
  readonly investigations: number;
  readonly usd: number;
}

export interface BackfillStore {
  backfill(projectId: string): Promise<Backfill | null>;
  saveBackfill(backfill: Backfill, now: string): Promise<void>;
  /** US dollars of an investigation, on average over the last 100 that a model took part in; null: there were none. */
  meanCost(): Promise<number | null>;
}
