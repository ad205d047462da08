// The door to what people look over: issues by their headline, what things cost, what was held back, attempts, and who did what.
import type { Verdict } from '../core/check.ts';
import type { Head } from '../core/head.ts';
import type { InvestigationState } from '../core/investigation.ts';
import type { Outcome } from '../core/issue.ts';
import type { Origin } from '../core/report.ts';
import type { PostedPullRequest, Thread } from '../core/thread.ts';

export interface OverviewStore {
  /** Newest first. `after`: id of the last one of the page before. */
  issueLines(filter: {
    readonly projectId: string;
    readonly limit: number;
    readonly after?: string;
  }): Promise<readonly IssueLine[]>;
  /** Whether any report of that account about the project is kept. */
  hasReported(accountId: string, projectId: string): Promise<boolean>;
  /** How many Issues, investigations that have not ended, and open failures each project has; projects without any are left out. */
  projectCounts(projectIds: readonly string[]): Promise<ReadonlyMap<string, ProjectCounts>>;
  /** What the run's model calls have cost so far, whichever process made them. */
  runSpending(runId: string): Promise<Spending>;
  /** One row for each project and calendar month (UTC) since then (`2026-11`), the newest first. */
  usage(filter: { readonly projectIds: readonly string[]; readonly sinceMonth: string }): Promise<readonly UsageRow[]>;
  /** What became of the pull requests that were opened, the newest first. */
  openedPullRequests(projectIds: readonly string[], limit: number): Promise<readonly OpenedPullRequest[]>;
  /** Threads with something held back (mode `observe`), the last changed first. */
  heldThreads(projectId: string, limit: number): Promise<readonly Thread[]>;
  /** Heads whose check run is held back (mode `observe`), newest first. */
  heldHeads(projectId: string, limit: number): Promise<readonly Head[]>;
  /** Newest first: what the account itself did, and what anybody did in these projects. */
  auditEntries(filter: {
    readonly accountId: string;
    readonly projectIds: readonly string[];
    readonly limit: number;
    /** `number` of the last one of the page before. */
    readonly before?: number;
  }): Promise<readonly AuditEntry[]>;
}

export interface IssueLine {
  readonly id: string;
  readonly projectId: string;
  readonly origin: Origin;
  readonly reference: string;
  /** First 300 characters of each. */
  readonly problem: string;
  readonly rootCause: string;
  readonly outcome: Outcome;
  readonly partial: boolean;
  readonly verdict: Verdict | null;
  readonly confidence: number | null;
  readonly sameAs: string | null;
  readonly hasChange: boolean;
  readonly pullRequest: string | null;
  readonly createdAt: string;
}

export interface ProjectCounts {
  readonly issues: number;
  /** Queued or running. */
  readonly underWay: number;
  readonly openFailures: number;
  /** ISO 8601; "": never. */
  readonly lastIssueAt: string;
}

/** Money in US dollars. */
export interface Spending {
  readonly spentUsd: number;
  /** Set aside for a call under way. */
  readonly reservedUsd: number;
  readonly turns: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** Written to the provider's cache. */
  readonly cacheWriteTokens: number;
  readonly completionTokens: number;
}

export interface UsageRow extends Omit<Spending, 'reservedUsd'> {
  readonly projectId: string;
  readonly month: string;
  /** Accepted in that month, by what became of them. */
  readonly investigations: Readonly<Record<InvestigationState, number>>;
}

export interface OpenedPullRequest {
  readonly threadId: string;
  readonly projectId: string;
  readonly pullRequest: PostedPullRequest;
  readonly changedAt: string;
}

export interface AuditEntry {
  /** Rises with every entry. */
  readonly number: number;
  readonly at: string;
  /** Login of the account; `github 7` for somebody whom we know by GitHub's number alone. */
  readonly who: string;
  /** Such as `token.created`. */
  readonly verb: string;
  /** Id of what it was done to. */
  readonly subject: string;
  /** Null: of no project. */
  readonly projectId: string | null;
}
