// The door to reports that stand behind an address: a GitHub issue, or a failed Actions run or job.

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
