// A report: what was handed in, as it was accepted (redacted, NUL replaced).
import type { Verdict } from './check.ts';
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
  /** The text (and log) of the report: 1 byte to 1 MiB of UTF-8, already redacted. */
  readonly text: string;
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
export function guidanceSection(login: string, guidance: string): string {
  return guidance === '' ? '' : `\n\n## What ${login} asks to be heeded\n\n${guidance}`;
}

/** Whoever it names: logins change, and the report is known to be of one person. */
const SECTION = /(?:^|\n\n)## What \S+ asks to be heeded\n\n/;

/**
 * The report without it. From the first such heading on: the words below it may hold another one. Where somebody else's words hold one, the
 * report loses what follows there.
 */
export function withoutGuidance(report: string): string {
  const at = report.search(SECTION);
  return at < 0 ? report : report.slice(0, at);
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
 * Reads the report behind an address. Throws `usage` (not such an address, or it may not be read), `absent` (nothing there any more)
 * or `repository_unreachable` (no answer, rate limit); the message names the repair.
 */
export type ReadReportAddress = (url: string, signal: AbortSignal) => Promise<AddressedReport>;
