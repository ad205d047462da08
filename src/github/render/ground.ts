// What a text for GitHub is rendered from. Rendering is pure: the same ground gives the same text.

import type { Verdict } from '../../core/check.ts';
import type { ChangeSet } from '../../core/diff/diff.ts';
import type { StepSource } from '../../core/evidence.ts';
import type { CommitRange, Failure } from '../../core/failure.ts';
import type { Excerpt } from '../../core/head.ts';
import type { Conclusion } from '../../core/issue.ts';
import type { FailureReason, WaitCode } from '../../core/reason.ts';
import type { SourcedIssue } from '../../core/shown-issue.ts';
import type { ChecksState, Subject } from '../../core/thread.ts';

/** What every text needs to know of its place. */
export interface Place {
  /** `owner/name`. */
  readonly repository: string;
  /** GitHub's base address for people, such as https://github.com. */
  readonly webUrl: string;
  readonly isPublic: boolean;
  readonly subject: Subject;
  /**
   * Hidden line by which we find our own text again; see publish/marker.ts. It is the last line of every text, and looked for only
   * there: what is quoted in between may hold anything.
   */
  readonly marker: string;
  /** Login of who asked, without @. */
  readonly askedBy: string;
}

/** Where the pull request of a result stands. */
export type FixStanding =
  /** There is no change to publish. */
  | { readonly kind: 'none' }
  /** There is one, and nobody with write has asked for it: says how. */
  | { readonly kind: 'on_request' }
  /** It is not published, in words. */
  | { readonly kind: 'withheld'; readonly reason: string }
  /** It is being opened. */
  | { readonly kind: 'opening' }
  /** It would be, but nothing may leave here. */
  | { readonly kind: 'observed' }
  | {
      readonly kind: 'opened';
      readonly number: number;
      readonly url: string;
      readonly state: 'open' | 'merged' | 'closed';
      readonly checks: ChecksState;
      /** Whether a further attempt runs just now. */
      readonly isTrying: boolean;
      /** Further attempts made so far. */
      readonly attempts: number;
      readonly isHandedOver: boolean;
    };

/** The red checks that a result is about, where nobody but they asked. */
export interface RedChecks {
  /** Names, the first ones first. */
  readonly names: readonly string[];
  readonly verdict: Verdict;
  /** Of the verdict `code`. `greenOn`: the base branch where the same checks are green; "" where they are not, or it is not known. */
  readonly fault: { readonly isTouched: boolean; readonly greenOn: string };
  readonly excerpt: Excerpt;
  /** Red checks of other causes at the same head. */
  readonly further: readonly FurtherCause[];
}

export interface FurtherCause {
  readonly names: readonly string[];
  /** What was found; null: nothing. */
  readonly issue: SourcedIssue | null;
  /** Why nothing was, in words; "" where something was. */
  readonly notFound: string;
}

export interface FactsGround {
  readonly place: Place;
  /** Null: not known yet. */
  readonly facts: Conclusion | null;
  /** Where the run is: the number of the last step and its action. */
  readonly progress: { readonly step: number; readonly action: string; readonly source: StepSource };
  /** What it waits for, such as a model out of reach; null: for nothing. */
  readonly waitsFor: WaitCode | null;
}

export interface ResultGround {
  readonly place: Place;
  readonly issue: SourcedIssue;
  /** The edits behind the Issue's diff (`store.changeSet`): shown as a patch. Null: erased, so that the diff is not shown. */
  readonly changeSet: ChangeSet | null;
  readonly fix: FixStanding;
  /** Absent: a person asked. */
  readonly checks?: RedChecks;
  /** Whether the change stands in the pull request's files as suggestions. */
  readonly isSuggested?: boolean;
  /** Address where the whole record can be read; "" where there is none. */
  readonly recordUrl: string;
  /** Fewer characters than the usual 60,000, where something else stands before it. */
  readonly most?: number;
}

export interface EndGround {
  readonly place: Place;
  /** Why there is no result: given up, cancelled by a person. */
  readonly reason: FailureReason;
}

/** What is left of a result once the checks are green. */
export interface SettledGround {
  readonly place: Place;
  /** The green head. */
  readonly sha: string;
  /** Names of the checks that were red; empty where they are not known. */
  readonly names: readonly string[];
  /** Whether they passed at the very commit that they had failed at. */
  readonly isFlaky: boolean;
  /** What had been found; null: nothing, or it was erased. */
  readonly issue: SourcedIssue | null;
}

export interface PullRequestGround {
  readonly place: Place;
  readonly issue: SourcedIssue;
  /** The failure of a branch that it mends; absent where it is for something else. */
  readonly failure?: MendedFailure;
  /** Whether that person did not ask, but pushed what is red. */
  readonly isForPush?: boolean;
  /** Login of the person with write who stands behind it, without @; "" where that is not known. */
  readonly requestedBy: string;
  /** Where the subject's own comment stands; "" for none. */
  readonly commentUrl: string;
  /** Null for the first commit; what was red for a further attempt. */
  readonly attempt: { readonly number: number; readonly failedChecks: readonly string[] } | null;
  /** Of the live head, as far as known. */
  readonly checks: ChecksState;
}

export interface MendedFailure {
  readonly branch: string;
  readonly failure: Pick<Failure, 'checkNames' | 'headline'>;
  /** The commits that the branch became red with before this was made; null: not known. */
  readonly range: CommitRange | null;
  /** What has become of the branch since, without this change. `sha`: where it was not red any more. */
  readonly since: null | { readonly kind: 'gone' | 'back'; readonly sha: string };
}

export interface HandOverGround {
  readonly place: Place;
  readonly attempts: number;
  readonly failedChecks: readonly { readonly name: string; readonly url: string }[];
  /** What the last attempt found, if anything. */
  readonly lastIssue: SourcedIssue | null;
}
