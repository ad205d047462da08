// The door to whoever runs the checks of a project: what they say, of which commits, and what the project wants to be done with it.
import type { Annotation, Check, NamedCheck } from '../core/check.ts';
import { CausewayError } from '../core/errors.ts';
import type { CommitRange } from '../core/failure.ts';
import type { HeadPlace } from '../core/head.ts';
import type { GithubProject } from '../core/project.ts';
import type { InvestigationSettings } from '../core/settings.ts';
import type { Person } from '../core/thread.ts';

/** What a project wants to be done with its red checks. */
export interface CheckRules {
  /** Globs of names of checks: `include` empty is all; `exclude` is stronger. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Globs of branches (of a pull request: its base); empty is all. */
  readonly branches: readonly string[];
  /** Whether pull requests may be opened here. */
  readonly opens: boolean;
  readonly settings: InvestigationSettings;
}

/** What a red check says beyond its name. */
export interface CheckWords {
  /** Its log, of a longer one what tells of its cause and its end, at most `CHECK_LOG_BYTES`, or what was asked for; "" where there is none. */
  readonly log: string;
  /** Why there is no log, in words; "" where there is one, or never is. */
  readonly noLog: string;
  readonly annotations: readonly Annotation[];
}

/** A log of any length in at most so many bytes, with words for what was cut. Throws the signal's reason. */
export type ShortenLog = (chunks: AsyncIterable<Uint8Array>, bytes: number, signal: AbortSignal) => Promise<string>;

export const CHECK_LOG_BYTES = 4 * 1_024 * 1_024;

/** What the change under test touches. */
export interface ChangedFiles {
  readonly paths: readonly string[];
  /** Whether there are more than were read. */
  readonly isCut: boolean;
}

/** One red check of the past. */
export interface PastCheck {
  readonly sha: string;
  readonly branch: string;
  readonly pullRequest: number | null;
  readonly check: Check;
}

/** Whoever keeps the checks asks for patience, or gave no answer: the same is asked again at `retryAt`. */
export class ChecksBusy extends CausewayError {
  readonly retryAt: Date;

  constructor(message: string, retryAt: Date, options?: ErrorOptions) {
    super('github_failed', message, options);
    this.retryAt = retryAt;
  }
}

/** What was asked for is gone, or closed to us: asking again brings nothing. */
export class ChecksClosed extends CausewayError {
  constructor(message: string, options?: ErrorOptions) {
    super('github_failed', message, options);
  }
}

/** Everything throws ChecksBusy, ChecksClosed, and the signal's reason. */
export interface Checks {
  /** Our own user there: in its name investigations begin that nobody asked for. */
  self(signal: AbortSignal): Promise<Person>;
  rules(project: GithubProject, signal: AbortSignal): Promise<CheckRules>;
  /** All checks of a commit but our own, and but those that were cancelled, skipped or given up: they say nothing of it. */
  of(project: GithubProject, sha: string, signal: AbortSignal): Promise<readonly NamedCheck[]>;
  /**
   * What the commit is the head of now; null: of nothing (any more). `branch` as the event named it, "" for none. `pullRequest`: that it was
   * of before, where that is known.
   */
  place(
    project: GithubProject,
    head: { readonly sha: string; readonly branch: string; readonly pullRequest?: number | null },
    signal: AbortSignal,
  ): Promise<HeadPlace | null>;
  /** Never throws for a log that is gone or may not be read: `noLog` says so. */
  said(project: GithubProject, check: Check, signal: AbortSignal, logBytes?: number): Promise<CheckWords>;
  /** Null: not known. */
  changed(
    project: GithubProject,
    head: { readonly sha: string; readonly place: HeadPlace },
    signal: AbortSignal,
  ): Promise<ChangedFiles | null>;
  /** Whether the first is among the forebears of the second; false too where one of them is not known (any more), or they are one. */
  leads(
    project: GithubProject,
    ends: { readonly from: string; readonly to: string },
    signal: AbortSignal,
  ): Promise<boolean>;
  /** Null: one of them is not known (any more), or the first does not lead to the second. */
  range(
    project: GithubProject,
    ends: { readonly from: string; readonly to: string },
    signal: AbortSignal,
  ): Promise<CommitRange | null>;
  /**
   * One page of red checks since then, newest first, with what reading it has cost in calls, at most `mostCalls`; `next` null: that was the
   * last.
   */
  past(
    project: GithubProject,
    page: { readonly since: string; readonly cursor: string; readonly mostCalls: number },
    signal: AbortSignal,
  ): Promise<{ readonly checks: readonly PastCheck[]; readonly calls: number; readonly next: string | null }>;
}
