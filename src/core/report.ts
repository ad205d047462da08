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
