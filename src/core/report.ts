// A report as a caller handed it in, and the investigation that it starts.
import type { Verdict } from './check.ts';
import type { FailureReason } from './reason.ts';
import type { InvestigationSettings } from './settings.ts';

/** Bytes of UTF-8 that a report may have: 1 MiB. */
export const MAX_REPORT_BYTES = 1_048_576;

/** A report that a newcomer can hand in as it is. */
export interface ExampleReport {
  readonly projectId: string;
  readonly data: string;
}

export type Origin = 'api' | 'github-issue' | 'check-run' | 'cli';

export interface Report {
  readonly projectId: string;
  readonly accountId: string;
  readonly origin: Origin;
  /** The text (and log) of the report: 1 byte to 1 MiB of UTF-8 together with `guidance`, already redacted. */
  readonly text: string;
  /**
   * What the person who asked wants regarded, to be read behind the text; kept apart, since it is erased with the
   * person. Absent: nothing.
   */
  readonly guidance?: string;
  /** The caller's own name for it, echoed; empty where none was given. */
  readonly reference: string;
  /** Branch, tag or sha; empty: the default branch. */
  readonly revision: string;
  /** Where the webhook goes; empty: nowhere. */
  readonly callbackUrl: string;
  /** Whether every word of it was written by someone who may write to the project. */
  readonly isTrusted: boolean;
  readonly settings: InvestigationSettings;
  /** On a failed check, what is known without a model; absent: it is of none. */
  readonly verdict?: Verdict;
  /** True: never joined to an equal report. */
  readonly fresh: boolean;
}

/** What follows the report. "" where nothing is asked for. */
export function formatGuidance(login: string, guidance: string): string {
  return guidance === '' ? '' : `\n\n## What ${login} asks to be heeded\n\n${guidance}`;
}

export interface AddressedReport {
  /** What is reported, in words; at most 1 MiB together with `log`. */
  readonly text: string;
  /** Logs of what failed; empty where there are none. Both say in words what was cut. */
  readonly log: string;
  readonly repository: {
    /** Where it can be cloned from, without credentials. */
    readonly url: string;
    /** `owner/name`. */
    readonly name: string;
  };
  /** Full sha that the report is about; empty: the default branch. */
  readonly revision: string;
}

/**
 * Reads the report behind an address. Throws `usage` (not such an address, or it may not be read), `absent` (nothing
 * there any more) or `repository_unreachable` (no answer, rate limit); the message names the repair.
 */
export type ReadReportAddress = (url: string, signal: AbortSignal) => Promise<AddressedReport>;

/** Without the kind of secret: one word is the same in logs, pages, prompts and patches. */
export const REDACTED = '[redacted]';

export const INVESTIGATION_STATES = ['queued', 'running', 'concluded', 'gave_up', 'cancelled'] as const;

export type InvestigationState = (typeof INVESTIGATION_STATES)[number];

/** What the investigation is doing now: the number of the last step (0 before the first) and its action. */
interface Progress {
  readonly step: number;
  readonly action: string;
}

export type InvestigationOutcome =
  | { readonly state: 'queued' }
  | { readonly state: 'running' }
  | { readonly state: 'concluded'; readonly issueId: string }
  | { readonly state: 'gave_up'; readonly reason: FailureReason }
  | { readonly state: 'cancelled'; readonly reason: FailureReason };

export interface Investigation {
  readonly id: string;
  readonly runId: string;
  readonly accountId: string;
  readonly projectId: string;
  readonly origin: Origin;
  readonly reference: string;
  readonly outcome: InvestigationOutcome;
  readonly progress: Progress;
  readonly createdAt: string;
}

/** Whether nothing more will happen to it. */
export function isEnded(outcome: InvestigationOutcome): boolean {
  return outcome.state !== 'queued' && outcome.state !== 'running';
}
