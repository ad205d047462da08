// The door to what is remembered. One verb = one transaction; the jobs that a verb causes are written in it.
import type { ChangeSet } from '../core/change-set.ts';
import type { InvestigationStep } from '../core/evidence.ts';
import type { Investigation, InvestigationState } from '../core/investigation.ts';
import type { Conclusion, Issue } from '../core/issue.ts';
import type { Project, ProjectSource } from '../core/project.ts';
import type { FailureReason } from '../core/reason.ts';
import type { Report } from '../core/report.ts';
import type { InvestigationSettings } from '../core/settings.ts';
import type { AccountStore } from './account-store.ts';
import type { AgentStore } from './agent-store.ts';
import type { CheckStore } from './check-store.ts';
import type { ErasureStore } from './erasure-store.ts';
import type { GithubStore, ThreadPart } from './github-store.ts';
import type { OverviewStore } from './overview-store.ts';
import type { SessionStore } from './session-store.ts';
import type { WebhookStore } from './webhook-store.ts';

/** All times are ISO 8601 UTC with milliseconds and are given by the caller, so that clocks can be played. */
export interface Store
  extends AccountStore,
    AgentStore,
    CheckStore,
    ErasureStore,
    GithubStore,
    ProjectStore,
    InvestigationStore,
    IssueStore,
    OverviewStore,
    SessionStore,
    WebhookStore,
    AsyncDisposable {
  /** Throws `store_unusable` where the database does not answer a read and a write. */
  check(): Promise<void>;
  /** Deletes what is older than its retention: ended investigations with their issues, webhooks, idempotency keys. Returns the number of investigations erased. */
  sweep(limits: { readonly endedBefore: string; readonly keysBefore: string; readonly now: string }): Promise<number>;
}

export interface ProjectStore {
  /**
   * Makes the set of projects equal to `wanted`: a project is its source, and keeps id and name while others come and go;
   * those no longer wanted are hidden. Where a new one's name belongs to another, hidden or not, it gets the next free `-2`, `-3`.
   */
  syncProjects(
    wanted: readonly { readonly name: string; readonly source: ProjectSource }[],
    now: string,
  ): Promise<readonly Project[]>;
  /** By name, ascending. `after` is the last name of the page before. */
  projects(page: { readonly after?: string; readonly limit?: number }): Promise<readonly Project[]>;
  /** By id, or by `owner/name` whatever the case. Hidden ones are not found. */
  project(idOrName: string): Promise<Project | null>;
  /** Complete, newest first. */
  issueIds(projectId: string): Promise<readonly string[]>;
}

export interface Acceptance {
  readonly investigationId: string;
  readonly report: Report;
  readonly fingerprint: string;
  /** Same key and body: the same answer. Same key, other body: refused. Keys are the account's. */
  readonly idempotency: { readonly key: string; readonly bodyHash: string } | null;
  /** Where on GitHub the answer goes; null: nowhere. */
  readonly thread: ThreadPart | null;
  /** Throws `too_many_waiting` where it would start a run and so many of the account in the project have not ended; absent or null: no bound. */
  readonly mostWaiting?: number | null;
  readonly now: string;
}

export type Accepted =
  | {
      readonly kind: 'accepted';
      readonly investigationId: string;
      readonly runId: string;
      readonly joined: boolean;
      /** The run that a newer trigger of the thread put an end to; its handler must be aborted. */
      readonly replacedRunId: string | null;
    }
  | { readonly kind: 'repeated'; readonly investigationId: string }
  | { readonly kind: 'key_reused' };

/** The work that equal reports share. */
export interface Run {
  readonly id: string;
  readonly projectId: string;
  readonly accountId: string;
  readonly fingerprint: string;
  readonly revision: string;
  readonly fresh: boolean;
  /** Whether all the callers' reports were written by people who may write to the project. */
  readonly isTrusted: boolean;
  /** The oldest caller's. */
  readonly settings: InvestigationSettings;
  /** The report as its oldest caller still attached gave it. */
  readonly text: string;
  /** Rises each time that the run is started; writes of an older generation are refused (`lease_lost`). */
  readonly generation: number;
  readonly startedAt: string;
  /** When the first of its reports was accepted. */
  readonly acceptedAt: string;
  /** Of its oldest caller still attached; for the log. */
  readonly investigationId: string;
}

export interface RecordedStep extends InvestigationStep {
  /** From 1, without gaps, per run. */
  readonly number: number;
}

export interface InvestigationFilter {
  /** Absent: of all there are. */
  readonly projectIds?: readonly string[];
  readonly state?: InvestigationState;
  readonly reference?: string;
  readonly limit: number;
  /** The id of the last investigation of the page before. */
  readonly after?: string;
}

export type Cancelled =
  /** `runEnded`: nobody waits for the run any more; its job is gone and a running handler must be aborted. */
  | { readonly kind: 'cancelled'; readonly runId: string; readonly runEnded: boolean }
  | { readonly kind: 'ended' }
  | { readonly kind: 'absent' };

export interface InvestigationStore {
  /** Report and job together. Joins a queued or running run of the same account, project, revision and fingerprint unless `fresh` (of either). */
  accept(acceptance: Acceptance): Promise<Accepted>;
  investigation(id: string): Promise<Investigation | null>;
  /** Newest first. */
  investigations(filter: InvestigationFilter): Promise<readonly Investigation[]>;
  /** Takes the run for a new generation and, unless it has a transcript to go on with, forgets the steps of an earlier one; null where it has ended or is gone. */
  startRun(runId: string, now: string): Promise<Run | null>;
  /** `entryOf`: a transcript entry that tells the step by its number, written with it. */
  recordStep(
    run: Run,
    step: InvestigationStep,
    now: string,
    entryOf?: (number: number) => string,
  ): Promise<RecordedStep>;
  /** Steps after number `after` (0: all). */
  steps(runId: string, after: number): Promise<readonly RecordedStep[]>;
  /** Ends the run: an Issue and a webhook for everyone attached, the oldest first; the others' `sameAs` names the oldest's Issue. Returns the Issue ids. */
  conclude(run: Run, conclusion: Conclusion, now: string): Promise<readonly string[]>;
  /**
   * Ends the run with the Issue of an equal one (account, project, fingerprint, and the sha it was read at) concluded since `since`
   * by the same model (null: none) and not cut short by a budget or an outage, if there is one, and with a copy of its steps;
   * `sameAs` names that Issue. Returns the Issue ids, empty where there is none.
   */
  concludeFromEqual(
    run: Run,
    equal: { readonly sha: string; readonly since: string; readonly model: string | null },
    now: string,
  ): Promise<readonly string[]>;
  /** Ends the run without an Issue; everyone attached is told. `run` by id where no generation is held (a dead job). Returns the ids of their investigations. */
  giveUp(run: Run | string, reason: FailureReason, now: string): Promise<readonly string[]>;
  /** Ends one caller's investigation: `cancelled` where somebody wished it (the reason's code says so), else `gave_up`. `by`: see `eraseIssue`. */
  cancel(id: string, reason: FailureReason, now: string, by?: string): Promise<Cancelled>;
}

/** An Issue as the interface shows it, ready to be sent. */
export interface IssueJson {
  readonly project: Project;
  /** What `issue` gives, as JSON in UTF-8. Others are given the same bytes: nobody may change them. */
  readonly json: Uint8Array<ArrayBuffer>;
}

export interface IssueStore {
  issue(id: string): Promise<Issue | null>;
  /** Null also where its project is hidden. */
  issueJson(id: string): Promise<IssueJson | null>;
  /** The edits behind the Issue's diff (stored beside it, erased with it); null: no such Issue. */
  changeSet(issueId: string): Promise<ChangeSet | null>;
  /** Erases the Issue, its investigation, undelivered webhooks and, if nobody else is attached, the run with its steps; of those whose `sameAs` names it, the oldest takes its place. False: no such Issue. `by`: id of the account that did it, for the audit log; absent: the caller's own. */
  eraseIssue(id: string, now: string, by?: string): Promise<boolean>;
}
