// What is remembered: the verbs of the store. One verb is one transaction; the jobs that it causes are written in it.

import type { Account, Session, TokenRecord } from '../core/account.ts';
import type { ChangeSet } from '../core/change-set.ts';
import type { Check, Verdict } from '../core/check.ts';
import type { InvestigationStep, StepSource } from '../core/evidence.ts';
import type { CommitRange, Failure, LikeliestCommit, Sighting } from '../core/failure.ts';
import type { Finding, Head, HeadPlace, HeadRecord, HeadState } from '../core/head.ts';
import type { Investigation, InvestigationState } from '../core/investigation.ts';
import type { Conclusion, Issue, Outcome } from '../core/issue.ts';
import type { GithubProject, Installation, InstalledRepository, Project, ProjectSource } from '../core/project.ts';
import type { Urgency } from '../core/queue.ts';
import type { FailureReason } from '../core/reason.ts';
import type { Origin, Report } from '../core/report.ts';
import type { InvestigationSettings } from '../core/settings.ts';
import type {
  CommandReply,
  FixRequest,
  Person,
  PostedPullRequest,
  Subject,
  Thread,
  ThreadRecord,
  Trigger,
} from '../core/thread.ts';
import type { Webhook, WebhookState } from '../core/webhook.ts';

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
  checkWritable(): Promise<void>;
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
  listProjects(page: { readonly after?: string; readonly limit?: number }): Promise<readonly Project[]>;
  /** By id, or by `owner/name` whatever the case. Hidden ones are not found. */
  findProject(idOrName: string): Promise<Project | null>;
  /** Complete, newest first. */
  listIssueIds(projectId: string): Promise<readonly string[]>;
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
  findInvestigation(id: string): Promise<Investigation | null>;
  /** Newest first. */
  listInvestigations(filter: InvestigationFilter): Promise<readonly Investigation[]>;
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
  listSteps(runId: string, after: number): Promise<readonly RecordedStep[]>;
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

export interface IssueStore {
  findIssue(id: string): Promise<Issue | null>;
  /** The edits behind the Issue's diff (stored beside it, erased with it); null: no such Issue. */
  findChangeSet(issueId: string): Promise<ChangeSet | null>;
  /** Where each of the Issue's steps comes from, in their order; empty: no such Issue. */
  listStepSources(issueId: string): Promise<readonly StepSource[]>;
  /** Erases the Issue, its investigation, undelivered webhooks and, if nobody else is attached, the run with its steps; of those whose `sameAs` names it, the oldest takes its place. False: no such Issue. `by`: id of the account that did it, for the audit log; absent: the caller's own. */
  eraseIssue(id: string, now: string, by?: string): Promise<boolean>;
}

export interface AccountStore {
  /**
   * The account of that GitHub number (null: of that login); made where it is missing, its login brought up to date. Where another
   * account holds the login, that one's person has been renamed and loses it. `signingSecret` (`whsec_…`) is only used when it is made.
   */
  ensureAccount(account: {
    readonly login: string;
    readonly githubId: number | null;
    readonly signingSecret: string;
    readonly now: string;
  }): Promise<Account>;
  /** All of them, by login. */
  listAccounts(): Promise<readonly Account[]>;
  /** `repeated`: the key was used before, and nothing was done. */
  addToken(token: TokenRecord, hash: string, how?: Counted & Acting): Promise<'done' | 'repeated'>;
  /** The token and its account, revoked or expired ones too (the caller judges by its own clock); null: unknown. */
  findTokenByHash(hash: string): Promise<{ readonly token: TokenRecord; readonly account: Account } | null>;
  /** Newest first. */
  listTokens(accountId: string): Promise<readonly TokenRecord[]>;
  /** False where there is no such token of the account or it was revoked before. */
  revokeToken(id: string, accountId: string, now: string, how?: Acting): Promise<boolean>;
  touchToken(id: string, now: string): Promise<void>;
  /** Secrets that sign now, newest first: two during a rotation. */
  listSigningSecrets(accountId: string, now: string): Promise<readonly string[]>;
  /** The new secret signs from now on; the one before it beside it until `overlapUntil`. `repeated`: as with `addToken`. */
  rotateSigningSecret(
    rotation: {
      readonly accountId: string;
      readonly secret: string;
      readonly overlapUntil: string;
      readonly now: string;
    } & Counted &
      Acting,
  ): Promise<'done' | 'repeated'>;
  /** For the audit log: somebody had the account's signing secret shown. */
  recordSecretShown(accountId: string, now: string, how?: Acting): Promise<void>;
}

export interface Counted {
  /** A key that this use uses up, in the same transaction; remembered until it expires. Absent: it may be done any number of times. */
  readonly once?: { readonly hash: string; readonly expiresAt: string };
}

export interface Acting {
  /** True: at the terminal by the operator, in the place of the person; the audit log says so. */
  readonly byOperator?: boolean;
}

/** Money is in millionths of a US dollar, so that sums are exact. */
export interface AgentStore {
  /** The entries of the run's transcript, oldest first; empty where it has none. */
  readTranscript(runId: string): Promise<readonly string[]>;
  /** What was kept with each of those entries for the model alone, in the same order; null: nothing. */
  readOpaqueParts(runId: string): Promise<readonly (string | null)[]>;
  /**
   * Appends one entry (JSON, redacted); refused with `lease_lost` from an older generation. A run that has a transcript keeps its steps when
   * it is started again. `opaque`: kept with it as it is, encrypted; it goes with the transcript when the run ends.
   */
  appendTranscript(run: Run, entry: string, now: string, opaque?: string): Promise<void>;
  /** Sets money aside for a call before it is made. Reserved and spent money together may not exceed a limit: null where all fit, else the one that does not. */
  reserveMoney(run: Run, reservation: Reservation): Promise<LimitName | null>;
  /** Ends a reservation: so much was really spent. Of an older generation it changes nothing, since what that had set aside counts as spent. */
  settleMoney(run: Run, settlement: Settlement): Promise<void>;
}

export type LimitName = 'run' | 'repository' | 'all';

export interface Reservation {
  readonly amount: number;
  /** Of the run, of its project in this calendar month (UTC), of everything in this month. */
  readonly limits: Readonly<Record<LimitName, number>>;
  readonly now: string;
}

export interface Settlement {
  /** What was set aside. */
  readonly reserved: number;
  readonly spent: number;
  /** Of the call; absent: none was answered. */
  readonly tokens?: {
    readonly prompt: number;
    readonly cached: number;
    readonly cacheWrite?: number;
    readonly completion: number;
  };
  readonly now: string;
}

export interface CheckStore extends HeadStore, FailureStore, BackfillStore {}

export interface HeadStore {
  /**
   * The head of that commit, made with state `waiting` (and `id`) where it is missing; its `head` job is due at `runAt`, or earlier where
   * it is already. A branch is noted where none was known.
   */
  ensureHead(
    head: { readonly id: string; readonly projectId: string; readonly sha: string; readonly branch: string },
    times: { readonly runAt: string; readonly now: string },
  ): Promise<Head>;
  findHead(id: string): Promise<Head | null>;
  findHeadOfCommit(projectId: string, sha: string): Promise<Head | null>;
  /** The newest head of a pull request whose checks were judged (`red` or `green`); null: none. */
  findHeadOfPullRequest(projectId: string, number: number): Promise<Head | null>;
  /** Those whose findings belong to the thread, newest first, at most 20. */
  listHeadsOfThread(threadId: string): Promise<readonly Head[]>;
  /** Whether a red head of this branch, or of one of these pull requests, is remembered, so that a green one is of interest. */
  hasRedHead(
    projectId: string,
    of: { readonly branch: string; readonly pullRequests: readonly number[] },
  ): Promise<boolean>;
  /**
   * What was found at a head. Enqueues its `check-run` job, and the `publish` jobs of the threads of its pull request, of its findings
   * and of those that they no longer name.
   */
  saveHead(
    id: string,
    seen: {
      readonly state: HeadState;
      readonly place: HeadPlace | null;
      readonly findings: readonly Finding[];
      readonly leftOut: Head['leftOut'];
      /** Absent: none. */
      readonly stillWaiting?: Head['stillWaiting'];
      readonly endedAt: string;
    },
    now: string,
  ): Promise<void>;
  /** What stands on GitHub for it. Also what `analysis.links.checkRun` of the Issues of its own investigations says. */
  saveHeadRecord(id: string, record: HeadRecord, now: string): Promise<void>;
}

export interface FailureStore {
  findFailure(id: string): Promise<Failure | null>;
  findFailureByFingerprint(projectId: string, fingerprint: string): Promise<Failure | null>;
  /** Newest last seen first. `after`: id of the last one of the page before. */
  listFailures(
    projectId: string,
    filter: { readonly state?: Failure['state']; readonly limit: number; readonly after?: string },
  ): Promise<readonly Failure[]>;
  /**
   * Links red checks to their failure, each once by its key; made (with `id`) where the fingerprint is new. A closed one is opened anew,
   * without the investigation and thread of before, if it was closed before the sighting's `at`; what was seen before that only counts.
   * Within 24 hours in the pull request that it was looked into for, it keeps both, unless that brought nothing.
   * One that is told of again as of the default branch, since its commit is by now, counts there; one that was of no pull request, as of that
   * which was opened since, with its trust. One in `redNow` that is told of again as of a pull request, after that or a former one was done, goes
   * on there: closed by such an end, the failure is open as it was before. The headline is that of the first sighting, and then that of the
   * first one on the default branch.
   * `standing`: as it was before, where all was green; told again for sightings that were told before. One that was not closed by a green
   * default branch is `new` again.
   */
  recordSightings(
    failure: {
      readonly id: string;
      readonly projectId: string;
      readonly fingerprint: string;
      readonly headline: string;
      /** Keys of sightings whose checks are red at this moment, at a head that is looked at. Absent: none, such as where the past is told. */
      readonly redNow?: readonly string[];
    },
    sightings: readonly Sighting[],
    now: string,
  ): Promise<{ readonly failure: Failure; readonly standing: Finding['standing'] }>;
  /**
   * What its single sightings say, as far as they are still kept, each commit counted once however many of its checks were red; of the newest
   * 1,000. Without those of that very commit, pull request and branch.
   */
  readFailureStatistics(
    failureId: string,
    of: {
      readonly isTrustedOnly: boolean;
      readonly besides: { readonly sha: string; readonly pullRequest: number | null; readonly branch: string };
    },
  ): Promise<FailureStatistics>;
  /** A sighting turned out to be chance: it passed at the same commit. Counted once for each key. */
  markFlaky(failureId: string, keys: readonly string[], now: string): Promise<void>;
  saveRange(failureId: string, range: NonNullable<Failure['range']>): Promise<void>;
  /** Of the failure that the run looks into; null: of none, or of some that differ in it, or it is not known. */
  findRangeOfRun(runId: string): Promise<CommitRange | null>;
  /** Of the failures that the run looks into, those whose range has that commit and leaves none out; refused with `lease_lost` from an older generation. */
  saveLikeliestCommit(run: Run, likeliest: LikeliestCommit): Promise<void>;
  /** Whether any failure of the project is open that was seen on the default branch. */
  hasOpenOnDefault(projectId: string): Promise<boolean>;
  /** Whether the failure is open, and was seen at this pull request after that was green or closed the last time. */
  isOpenIn(failureId: string, pullRequest: number): Promise<boolean>;
  /** How many investigations the account with that GitHub number has begun in the project since then. */
  countInvestigationsSince(
    projectId: string,
    by: { readonly githubId: number; readonly since: string },
  ): Promise<number>;
  /** What has to be known for `closeGreen`: of which red commits of the default branch it is asked whether they lead to which green ones. */
  listPossibleFixes(projectId: string, green: PassingHead): Promise<readonly Pick<CommitRange, 'from' | 'to'>[]>;
  /**
   * Failures of the default branch are closed where each check that had them, at each commit, was green after that at another commit that
   * contains it, as `contained` says; returned as they are then. Later is not enough: checks of an older commit may be slow, and what passes
   * at the same commit passed by chance.
   */
  closeFixedFailures(
    projectId: string,
    green: PassingHead & { readonly contained: readonly Pick<CommitRange, 'from' | 'to'>[] },
    now: string,
  ): Promise<readonly Failure[]>;
  /**
   * It was closed or merged, or is green, since `at`; what was seen there later goes on. Failures that were seen at pull requests which are
   * all done, and not on the default branch, are closed, with no word.
   */
  closeFailuresOfPullRequest(projectId: string, number: number, at: string): Promise<void>;
  /** A check of the default branch was green there then; the newest 20 of each check are kept. */
  recordPassingCheck(projectId: string, green: NewPassingCheck): Promise<void>;
  /** Those, newest first. */
  listPassingChecks(projectId: string, check: CheckId): Promise<readonly PassingCheck[]>;
}

/** A check was green there. */
export interface PassingCheck {
  readonly sha: string;
  readonly at: string;
  /** GitHub's number of the run; null: a commit status, or it is not known. */
  readonly runId: number | null;
}

export interface NewPassingCheck extends Pick<PassingCheck, 'sha' | 'at'> {
  readonly check: CheckId;
  /** Absent: not known. */
  readonly runId?: number | null | undefined;
}

/** A commit of the default branch with its green checks; `at`: when the last one ended. */
interface PassingHead {
  readonly sha: string;
  readonly checks: readonly CheckId[];
  readonly at: string;
  /** Failures that are red at this very commit: they stay open. Absent: none. */
  readonly red?: readonly string[];
}

/** Several Apps may have checks of one name. */
export type CheckId = Pick<Check, 'app' | 'name'>;

/** Where and how often a failure was seen. */
export interface FailureStatistics {
  /** Commits; of them those where it passed without a change; of these those of the default branch. */
  readonly heads: number;
  readonly flakyHeads: number;
  readonly flakyOnDefault: number;
  readonly pullRequests: number;
  /** Without those of pull requests. */
  readonly branches: number;
  /** On the default branch, ISO 8601; "": never. */
  readonly lastOnDefaultAt: string;
}

/** What the last 14 days of a project say about what it would have cost. */
export interface Backfill {
  readonly projectId: string;
  readonly state: 'waiting' | 'done';
  /** Where to go on. */
  readonly cursor: string;
  /** Calls to GitHub so far; red checks that were read. */
  readonly calls: number;
  readonly checks: number;
  readonly since: string;
  readonly forecast: Forecast | null;
}

/** For 30 days, from what was seen. */
export interface Forecast {
  readonly redChecks: number;
  /** Distinct failures that an investigation would have been begun for. */
  readonly investigations: number;
  readonly usd: number;
}

export interface BackfillStore {
  findBackfill(projectId: string): Promise<Backfill | null>;
  saveBackfill(backfill: Backfill, now: string): Promise<void>;
  /** US dollars of an investigation, on average over the last 100 that a model took part in; null: there were none. */
  readMeanCost(): Promise<number | null>;
}

/** In numbers; what it was is gone. */
export interface ErasedAccount {
  readonly sessions: number;
  readonly tokens: number;
  /** Webhooks of theirs, with the addresses that they went to. */
  readonly webhooks: number;
  /** Threads and heads that named them. */
  readonly mentions: number;
  /** Investigations that they started: those are their project's, of no account, and without what they asked to be heeded. */
  readonly kept: number;
}

export interface ErasedProject {
  readonly id: string;
  readonly investigations: number;
  readonly issues: number;
  readonly threads: number;
  readonly heads: number;
  readonly failures: number;
}

export interface ErasureStore {
  /**
   * The person of that login (whatever its case, a former one too) or of that number on GitHub: sessions, tokens, secrets, webhooks, login,
   * number, and what they asked to be heeded. By number also somebody who never had an account, but is named. Null: nobody of that name is known. Who comes again is somebody new.
   */
  eraseAccount(loginOrNumber: string, now: string): Promise<ErasedAccount | null>;
  /**
   * The project of that id or name, hidden or not, with all that is its own, in whatever state; what runs for it ends with `lease_lost`.
   * Cut short it is hidden until GitHub or PROJECTS shows it again, and the same call erases the rest. Null: there is none.
   */
  eraseProject(idOrName: string, now: string): Promise<ErasedProject | null>;
}

export interface GithubStore extends DeliveryStore, InstallationStore, ThreadStore, ToldStore {}

/** What is told of a project once. It is forgotten with the project. */
export interface ToldStore {
  /** `digest` names what it was, such as one state of a file. */
  hasConfigNotice(projectId: string, digest: string): Promise<boolean>;
  saveConfigNotice(projectId: string, digest: string, now: string): Promise<void>;
}

export interface NewDelivery {
  /** GitHub's X-GitHub-Delivery. */
  readonly id: string;
  /** GitHub's X-GitHub-Event. */
  readonly event: string;
  /** The body as it arrived, valid UTF-8. Kept sealed, and wiped once it was handled. */
  readonly body: string;
  /** Equal for deliveries that mean the same, whatever their id and event name: the signature covers neither. */
  readonly meaning: string;
  /** Deliveries of one group (one issue or pull request, else one repository, person or installation) are handled one after the other, in the order in which they came (people's before automatic ones). */
  readonly group: string;
  /** Waits behind none that is not: such as access that was taken back. */
  readonly isUrgent: boolean;
  readonly urgency: Urgency;
  /** Whose turn it takes: GitHub's number of the installation; null: nobody's. */
  readonly installationId: number | null;
}

export interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly body: string;
  /** ISO 8601 UTC: when it came, or came again after it had failed. */
  readonly receivedAt: string;
}

export type DeliveryEnd = 'done' | 'failed';

export interface DeliveryStore {
  /**
   * The delivery and its job, once: `repeated` where its id was seen, or its meaning since `meaningSince`. One that has failed comes again
   * under its own id, with the body of this time: somebody had GitHub send it anew.
   */
  acceptDelivery(
    delivery: NewDelivery,
    times: { readonly now: string; readonly meaningSince: string },
  ): Promise<'stored' | 'repeated'>;
  /** To be handled; null where it was handled before or is unknown. */
  findDelivery(id: string): Promise<Delivery | null>;
  /** Wipes the body; that it was seen is kept. `detail` says why it failed and holds no secret; "" otherwise. */
  endDelivery(id: string, end: DeliveryEnd, detail: string): Promise<void>;
  /** Those of the ids that wait or were handled. One that has failed may come again: GitHub is asked for it where it counts it as failed, too. */
  findSeenDeliveries(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface InstallationStore {
  /**
   * Makes the projects of one installation equal to its repositories: a project is its repository's number, and keeps its id
   * when it is renamed or moves to another installation; those no longer listed are hidden. Returns the ones that were hidden.
   */
  syncInstallation(
    installation: Installation,
    repositories: readonly InstalledRepository[],
    now: string,
  ): Promise<readonly Project[]>;
  /** One repository as it is now: made, renamed, moved, shown again. Of an installation that is not known: null, and nothing happens. */
  putRepository(installationId: number, repository: InstalledRepository, now: string): Promise<GithubProject | null>;
  /** Hides the project of that repository and cancels nothing; null where none is shown, or it belongs to another installation by now. */
  hideRepository(
    repository: { readonly id: number; readonly installationId: number },
    now: string,
  ): Promise<Project | null>;
  /** Forgets the installation and hides all its projects, which are returned. */
  removeInstallation(installationId: number, now: string): Promise<readonly Project[]>;
  listInstallations(): Promise<readonly Installation[]>;
  findInstallation(id: number): Promise<Installation | null>;
  /** The shown project of GitHub's repository number. */
  findProjectOfRepository(repositoryId: number): Promise<GithubProject | null>;
  /** Ids of the investigations of a project that have not ended. */
  listOpenInvestigations(projectId: string): Promise<readonly string[]>;
  /** Ids of hidden GitHub projects: their mirrors may go. */
  listHiddenProjects(): Promise<readonly string[]>;
}

/** How an accepted report belongs to a thread. */
export type ThreadPart =
  /**
   * A person asked: the thread is made (with `threadId`) or, where the subject has one, its trigger is replaced, and with it the request
   * for a pull request: who asked for that of an earlier analysis does not stand behind what this one finds. Its investigation becomes this one, and the one in flight is cancelled in the same transaction.
   */
  | {
      readonly kind: 'opens';
      readonly threadId: string;
      readonly subject: Subject;
      readonly trigger: Trigger;
      readonly fixRequest: Person | null;
      /** Whether GitHub has taken the 👀 at the trigger already. */
      readonly isSeen: boolean;
    }
  /**
   * Red checks are looked into, and nobody asked: the thread of their subject is made (with `threadId`) where there is none, and is from now
   * on that of this trigger; other investigations of it go on. The failure's investigation becomes this one. Where `isLead` is false the
   * thread's own investigation stays as it is, if it is there: a head may have several causes. A request for a pull request is only replaced
   * by another person's, never by none.
   */
  | {
      readonly kind: 'found';
      readonly threadId: string;
      readonly subject: Subject;
      readonly trigger: Trigger;
      readonly fixRequest: Person | null;
      readonly failureId: string;
      readonly isLead: boolean;
    }
  /** A further attempt on the thread's own pull request: what a person asked for stays as it is. */
  | { readonly kind: 'follows'; readonly threadId: string };

/** What became of the request for the pull request of an Issue; but for the first, nothing was changed. */
export type FixOfIssue =
  | { readonly kind: 'requested'; readonly thread: Thread }
  /** Its thread is at another analysis by now. `issueId`: of that one; null: it has none (yet). */
  | { readonly kind: 'superseded'; readonly investigationId: string; readonly issueId: string | null }
  /** Asked for within the last 10 minutes, and refused: why, in words. */
  | { readonly kind: 'withheld'; readonly reason: string };

/**
 * Whatever may change what a thread should show enqueues its `publish` job in the same transaction: acceptance, facts, conclusion,
 * giving up, cancelling, a request for a pull request.
 */
export interface ThreadStore {
  findThread(id: string): Promise<Thread | null>;
  findThreadOfSubject(projectId: string, subject: Subject): Promise<Thread | null>;
  /** The thread whose pull request has this branch as its head. */
  findThreadOfBranch(projectId: string, branch: string): Promise<Thread | null>;
  /** The thread with this pull request. */
  findThreadOfPullRequest(projectId: string, number: number): Promise<Thread | null>;
  /** Ids of the investigations of a thread that have not ended, further attempts among them; the oldest first. */
  listOpenInvestigationsOfThread(threadId: string): Promise<readonly string[]>;
  /** Someone with write asks for the pull request of a thread: for that of what it was at by then. */
  requestFix(threadId: string, request: FixRequest, now: string): Promise<void>;
  /** A command in the thread was not carried out: its comment says why. */
  saveCommandReply(threadId: string, reply: CommandReply, now: string): Promise<void>;
  /** Someone with write asks for the pull request of an Issue: of the thread that it belongs to, else of a new one of kind `report`. Null: no such Issue. */
  requestFixOfIssue(
    issueId: string,
    request: { readonly by: Person; readonly threadId: string; readonly now: string },
  ): Promise<FixOfIssue | null>;
  /** What stands on GitHub now. Also what `analysis.links` of the Issues of its investigations says. */
  saveThreadRecord(threadId: string, record: ThreadRecord, now: string): Promise<void>;
  /** Enqueues the `publish` job: something on GitHub may have changed. */
  schedulePublish(threadId: string, runAt: string): Promise<void>;
  /** The same for every thread that waits for the run. */
  schedulePublishOfRun(runId: string, runAt: string): Promise<void>;
}

export interface OverviewStore {
  /** Newest first. `after`: id of the last one of the page before. */
  listIssueLines(filter: {
    readonly projectId: string;
    readonly limit: number;
    readonly after?: string;
  }): Promise<readonly IssueLine[]>;
  /** Whether any report of that account about the project is kept. */
  hasReported(accountId: string, projectId: string): Promise<boolean>;
  /** How many Issues, investigations that have not ended, and open failures each project has; projects without any are left out. */
  countByProject(projectIds: readonly string[]): Promise<ReadonlyMap<string, ProjectCounts>>;
  /** What the run's model calls have cost so far, whichever process made them. */
  readRunSpending(runId: string): Promise<Spending>;
  /** One row for each project and calendar month (UTC) since then (`2026-11`), the newest first. */
  readUsage(filter: {
    readonly projectIds: readonly string[];
    readonly sinceMonth: string;
  }): Promise<readonly UsageRow[]>;
  /** What became of the pull requests that were opened, the newest first. */
  listOpenedPullRequests(projectIds: readonly string[], limit: number): Promise<readonly OpenedPullRequest[]>;
  /** Threads with something held back (mode `observe`), the last changed first. */
  listHeldThreads(projectId: string, limit: number): Promise<readonly Thread[]>;
  /** Heads whose check run is held back (mode `observe`), newest first. */
  listHeldHeads(projectId: string, limit: number): Promise<readonly Head[]>;
  /** Newest first: what the account itself did, and what anybody did in these projects. */
  listAuditEntries(filter: {
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

export interface SessionStore {
  /** Null: there is no such account. */
  findAccount(id: string): Promise<Account | null>;
  /** A code with which somebody at this machine signs in, once; codes of the account that were not used until now are forgotten. */
  addSignInCode(code: {
    readonly hash: string;
    readonly accountId: string;
    readonly expiresAt: string;
    readonly now: string;
  }): Promise<void>;
  /** Whose code it is, this once; null: unknown, used or expired. */
  useSignInCode(hash: string, now: string): Promise<Account | null>;
  /** False where this was used before; it is remembered until it expires: states of sign-ins, and forms that must count once. */
  useOnce(hash: string, times: { readonly expiresAt: string; readonly now: string }): Promise<boolean>;
  addSession(session: Session, hash: string): Promise<void>;
  /** Expired ones too: the caller judges by its own clock. */
  findSessionByHash(hash: string): Promise<{ readonly session: Session; readonly account: Account } | null>;
  /** The last started first. */
  listSessions(accountId: string): Promise<readonly Session[]>;
  /** Notes that it was used, to the minute. */
  touchSession(id: string, now: string): Promise<void>;
  /** False where the account has no such session. */
  endSession(id: string, accountId: string, now: string): Promise<boolean>;
  /** Ends every session of the person and revokes every token: they took the App's authorization back. */
  endAccess(githubId: number, now: string): Promise<void>;
}

export interface WebhookStore {
  findWebhook(id: string): Promise<Webhook | null>;
  /** What the webhook says now: the Issue, or the failure; null once it was erased. */
  readWebhookData(id: string): Promise<Issue | FailedInvestigation | null>;
  /** Newest first. */
  listWebhooks(accountId: string, limit: number, those?: WebhookFilter): Promise<readonly Webhook[]>;
  /** Counts one attempt, keeps what came of it, and says where the webhook stands after it. */
  recordAttempt(id: string, result: AttemptRecord): Promise<void>;
  /** Attempts, the newest first; at most the last 100 are kept. */
  listAttempts(webhookId: string): Promise<readonly WebhookAttempt[]>;
  /** Makes its job due now, with the whole schedule before it. False: no such webhook of the account, it is under way already, or what it tells of was erased. */
  resendWebhook(id: string, accountId: string, now: string): Promise<boolean>;
}

export interface WebhookFilter {
  /** Id of one of the account: only what was made before it; nothing where there is no such one (any more). */
  readonly before?: string;
  readonly state?: WebhookState;
}

/** What came of one attempt. */
export interface AttemptRecord {
  readonly state: WebhookState;
  /** "" where it was delivered. */
  readonly error: string;
  readonly at: string;
  /** Milliseconds that the attempt took; 0 where nothing was sent. */
  readonly ms: number;
}

export interface WebhookAttempt {
  /** From 1. */
  readonly number: number;
  readonly at: string;
  readonly ok: boolean;
  readonly error: string;
  readonly ms: number;
}

/** `data` of `issue.failed`. */
export interface FailedInvestigation {
  readonly investigationId: string;
  readonly projectId: string;
  readonly reference: string;
  readonly reason: FailureReason;
}
