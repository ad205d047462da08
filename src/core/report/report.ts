// A report as submitted, and the investigation it starts.

import type { Verdict } from '../check/index.ts';
import type { InvestigationSettings } from '../project/index.ts';
import type { FailureReason } from '../reason.ts';

/** Bytes of UTF-8 that a report may have: 1 MiB. */
export const MAX_REPORT_BYTES = 1_048_576;

/** Characters of what a person adds to a request. */
export const MAX_GUIDANCE = 4_000;

/** An example report for first-time users. */
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
   * Instructions of the person who requested the analysis, stored separately because they are erased with the person.
   * Absent: none.
   */
  readonly guidance?: string;
  /** The caller's own name for it, returned unchanged; "" if none. */
  readonly reference: string;
  /** Branch, tag or sha; empty: the default branch. */
  readonly revision: string;
  /** Where the webhook goes; empty: nowhere. */
  readonly callbackUrl: string;
  /** Whether all of it was written by people with write access to the project. */
  readonly isTrusted: boolean;
  readonly settings: InvestigationSettings;
  /** For a failed check, the verdict without a model; absent: not about a check. */
  readonly verdict?: Verdict;
  /** True: never joined to an equal report. */
  readonly fresh: boolean;
}

/** Appended to the report; "" if there is no guidance. */
export function formatGuidance(login: string, guidance: string): string {
  return guidance === '' ? '' : `\n\n## Guidance from ${login}\n\n${guidance}`;
}

export interface AddressedReport {
  /** The problem as described, at most 1 MiB including `log`. */
  readonly text: string;
  /** Logs of the failure; "" if none. Both say what was cut. */
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
 * Reads the report at an address. Throws `usage` (unsupported address, or no access), `absent` (it no longer exists) or
 * `repository_unreachable` (no answer, rate limit); the message says how to repair it.
 */
export type ReadReportAddress = (url: string, signal: AbortSignal) => Promise<AddressedReport>;

export const INVESTIGATION_STATES = ['queued', 'running', 'concluded', 'gave_up', 'cancelled'] as const;

export type InvestigationState = (typeof INVESTIGATION_STATES)[number];

/** What the investigation is doing: the number of its last step (0 before the first) and the step's action. */
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
  /** Whether all who wrote its report may write to the repository. */
  readonly isTrusted: boolean;
  readonly createdAt: string;
}

/** Whether the state is final. */
export function isEnded(outcome: InvestigationOutcome): boolean {
  return outcome.state !== 'queued' && outcome.state !== 'running';
}

const IMAGE =
  /!\[[^\][!]{0,300}\]\([^()!]{1,1000}\)|<img\b[^<>]{0,1000}>|https:\/\/(?:github\.com\/user-attachments\/assets|user-images\.githubusercontent\.com)\/[\w./-]{1,300}/gi;

/** The images of a Markdown text, and how many characters of text it has besides. */
export function countImages(markdown: string): { readonly images: number; readonly characters: number } {
  const images = markdown.match(IMAGE)?.length ?? 0;
  const rest = images === 0 ? markdown : markdown.replace(IMAGE, '');
  return { images, characters: rest.replace(/\s+/g, '').length };
}
