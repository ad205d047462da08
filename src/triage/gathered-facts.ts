// All that is known of a report without a model.
import type { ReadLog } from 'causeway-ci-log';
import type { CommitInfo } from 'causeway-git-objects';
import type { ReportClaim, Step } from '../core/issue/index.ts';
import type { SourcedStep } from '../core/report/index.ts';
import type { Examined } from './examine.ts';
import type { RangeRanking } from './rank-commits.ts';
import type { RankedFunction, RankedSuspect } from './ranked.ts';
import type { Expectations } from './reproduction.ts';
import type { Revisions } from './resolve-revision.ts';
import type { Signals } from './signals.ts';
import type { VersionRange } from './version-range.ts';

export interface Facts {
  readonly revisions: Revisions;
  /** Name of the default branch; "" where it is unknown. */
  readonly defaultBranch: string;
  readonly signals: Signals;
  /** Of the report, the most informative first. */
  readonly logs: readonly ReadLog[];
  readonly problem: string;
  /** Whether nothing was given but logs. */
  readonly isOnlyLog: boolean;
  /** Whether the report asks for something new, and shows no error. */
  readonly isWish: boolean;
  readonly stepsToReproduce: readonly Step[];
  readonly expectations: Expectations;
  /** The whole ranking, best first, at most 30; places are of `revisions.asked`. */
  readonly suspects: readonly RankedSuspect[];
  /** Those of them that are worth showing, at most 8; empty: no reliable suspect. */
  readonly shown: readonly RankedSuspect[];
  /** In the first suspects, best first, at most 50. */
  readonly functions: readonly RankedFunction[];
  /** Files of stack frames that are innermost in no trace: they only lead there. */
  readonly callers: ReadonlySet<string>;
  /** The first of `shown`, looked at closely; null if none is shown. */
  readonly examined: Examined | null;
  /** Of the commits of `range`; null: there are none, or too few to be ranked. */
  readonly ranking: RangeRanking | null;
  /** What changed between the last good version that the report names and the first bad one; null: it names none. */
  readonly between: VersionRange | null;
  /** What the report names of this code, what does not hold first. */
  readonly claims: readonly ReportClaim[];
  /** Stack frames that belong to packages the repository does not hold, by name. */
  readonly dependencies: readonly string[];
  /** What in the report does not fit the commit, in words. */
  readonly mismatches: readonly string[];
  /** Commits that took out lines which the report prints: it tells of a time before them. */
  readonly removals: readonly CommitInfo[];
  readonly steps: readonly SourcedStep[];
}
