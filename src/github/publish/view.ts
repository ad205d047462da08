// Everything that is known about a thread at the moment: what is stored, and its repository's configuration.

import type { ChangeSet } from 'causeway-diff';
import type { Redactor } from 'causeway-redact';
import type { Checks, Failure, Finding, Head } from '../../core/check/index.ts';
import { addSources, type Conclusion, isWithheld, type SourcedIssue } from '../../core/issue/index.ts';
import { decideThreshold, toJudged } from '../../core/outcome/index.ts';
import { type GithubProject, type Installation, isGithubProject } from '../../core/project/index.ts';
import type { WaitCode } from '../../core/reason.ts';
import type { Investigation, StepSource } from '../../core/report/index.ts';
import type { Source } from '../../core/source/index.ts';
import {
  listFurther,
  type Memory,
  type PostedPullRequest,
  type Subject,
  type Thread,
  type ThreadRecord,
} from '../../core/thread/index.ts';
import type { NamedVote, Store } from '../../db/index.ts';
import { addLogContext, type Log } from '../../log.ts';
import {
  type Changes,
  type CheckReader,
  type ContextAccess,
  findStepSource,
  type GatheredFacts,
  isContextReadable,
} from '../../services/index.ts';
import { type GithubClients, openRepository, recoverFrom } from '../clients/index.ts';
import type { ConfigurationReader, Mode, RepositoryConfig } from '../configuration/index.ts';
import type { GithubPermissions } from '../projects/index.ts';
import type { GithubWriter } from './github-writer.ts';

export interface PublishDeps {
  /** Issues are withheld here that not everybody who reads the repository may see. */
  readonly store: Store;
  /** Absent: `records`. */
  readonly memory?: Memory;
  readonly context: ContextAccess;
  /** Unredacted: commits are made from it. */
  readonly source: Pick<Source, 'open'>;
  readonly clients: GithubClients;
  readonly configuration: Pick<ConfigurationReader, 'of'>;
  readonly checks: Pick<Checks, 'listAll' | 'readIssue' | 'readOutput'>;
  readonly readCheck: CheckReader['readCheck'];
  readonly permissions: Pick<GithubPermissions, 'roleNow'>;
  readonly redactor: Redactor;
  readonly changes: Changes;
  readonly log: Log;
  readonly now: () => Date;
  /** The operator's limit on the mode of a repository. */
  readonly ceiling: Mode;
  readonly paused: () => boolean;
  /** What a run waits for; null: nothing. */
  readonly waitsFor: (runId: string) => WaitCode | null;
  /** A sentence on what was not read, for want of calls; "": nothing. Absent: everything is, sooner or later. */
  readonly notRead?: () => string;
  /** Null: no model. */
  readonly operatorModel: string | null;
  /** Models that a repository may choose instead. */
  readonly otherModels?: readonly string[];
  /** GitHub's address for people, such as https://github.com. */
  readonly webUrl: string;
  /** Without a trailing slash. */
  readonly apiUrl: string;
  readonly userAgent: string;
  /** Instead of Node's own, such as one through a proxy. */
  readonly fetch?: typeof fetch;
  /** Address of the full record of an Issue; "" for none. */
  readonly recordUrl: (issue: SourcedIssue) => string;
}

/** An Issue with the edits behind its diff. */
export interface Result {
  readonly issue: SourcedIssue;
  /** Null: deleted. */
  readonly changeSet: ChangeSet | null;
}

interface RatedResult extends Result {
  readonly votes: readonly NamedVote[];
}

/** The newest judged head of a pull request, as its thread sees it. */
interface HeadView {
  readonly head: Head;
  readonly causes: readonly HeadCause[];
  /** Names of the checks that the posted comment is about, if known. */
  readonly namesBefore: readonly string[];
}

export interface HeadCause {
  readonly finding: Finding;
  /** Of this thread; null: there is none, it belongs to another thread, or it was deleted. */
  readonly investigation: Investigation | null;
  /** Null until it has concluded. */
  readonly result: Result | null;
}

/** A pull request as GitHub has it now. */
export interface LivePull {
  readonly state: 'open' | 'closed';
  readonly headSha: string;
  readonly isDraft: boolean;
  readonly isFork: boolean;
}

export interface View {
  /** If checks started it, its investigation is that of the leading cause. */
  readonly thread: Thread;
  /** The thread's investigation as it is stored. */
  readonly storedInvestigationId: string;
  readonly record: ThreadRecord;
  readonly project: GithubProject;
  readonly config: RepositoryConfig;
  /** Nothing is written on GitHub; what would be is stored instead. */
  readonly isObserved: boolean;
  /** Whether pull requests are opened, by configuration, by the operator's limit and by the granted permissions. */
  readonly opens: boolean;
  /** Permissions that a pull request needs and that weren't granted, by GitHub's names. */
  readonly lacks: readonly string[];
  /** Whether all checks are visible: if not, it can't be said that there are none. */
  readonly seesChecks: boolean;
  /** Somebody without write wrote part of the issue, so that its pull request waits until the answer has been read. */
  readonly isReadFirst: boolean;
  /** False: earlier answers are known by what GitHub shows alone. */
  readonly hasRecords: boolean;
  readonly investigation: Investigation;
  /** Null until it has concluded. */
  readonly result: Result | null;
  /** Null until they are recorded, and after the end. */
  readonly facts: Conclusion | null;
  /** Of the running step. */
  readonly progressSource: StepSource;
  readonly waitsFor: WaitCode | null;
  /** A sentence on what was not read; "": nothing. */
  readonly notRead: string;
  /** What the posted comment is about, if that is another investigation. */
  readonly earlier: Result | null;
  /** What the latest request led to, if another answer is shown instead; null: that answer is shown. */
  readonly latest: { readonly investigation: Investigation; readonly result: Result | null } | null;
  /** An answer that was shown until a person called it wrong. */
  readonly displaced: RatedResult | null;
  /** What people said of the answer by command, oldest first. */
  readonly votes: readonly NamedVote[];
  /** What the recorded pull request implements. */
  readonly published: SourcedIssue | null;
  /** What came onto its branch after that, oldest first. */
  readonly further: readonly Result[];
  /** The checks of its pull request; null: there are none, or they aren't judged yet. */
  readonly checks: HeadView | null;
  /** The pull request that it is about; null: none, or it wasn't read yet. */
  readonly pull: LivePull | null;
  /** The failure of the default branch that it is about. */
  readonly failure: Failure | null;
  /** The confidence from which its fix is opened without a request. */
  readonly threshold: number;
  /** Names of the checks that failed there for it. */
  readonly redNames: readonly string[];
  readonly webUrl: string;
  readonly recordUrl: string;
  readonly now: Date;
}

/** What an effect works with. */
export interface Work {
  readonly deps: PublishDeps;
  readonly github: GithubWriter;
  readonly view: View;
  readonly signal: AbortSignal;
}

/**
 * `known`: the job's own record and pull request, once it has them. Null where there is nothing (any more) to publish: a deleted investigation,
 * a hidden project.
 */
export async function loadView(
  deps: PublishDeps,
  threadId: string,
  known: { readonly record: ThreadRecord | null; readonly pull: LivePull | null },
  signal: AbortSignal,
): Promise<View | null> {
  const { store } = deps;
  const stored = await store.findThread(threadId);
  if (stored === null) return null;
  const record = known.record ?? stored.record;
  const checks = await loadChecks(store, stored, record);
  const thread = followLead(stored, checks);
  const { subject } = thread;
  const project = await store.findProject(thread.projectId);
  const investigation = await store.findInvestigation(thread.investigationId);
  if (project === null || !isGithubProject(project) || investigation === null) return null;
  addLogContext({ investigation: investigation.id, run: investigation.runId });
  const { config } = await deps.configuration.of(project, signal);
  const result = await loadResult(store, investigation);
  const { comment, pullRequest } = record;
  const isOfOther = comment !== null && comment.investigationId !== thread.investigationId;
  const earlier = isOfOther ? await store.findInvestigation(comment.investigationId) : null;
  const mayOpen = config.mode !== 'comment' && deps.ceiling !== 'comment';
  // A job of Actions knows nothing of an answer that was read before its command: there the draft is what is read.
  const isDraftRead = deps.memory === 'github' && thread.trigger.isForFix === true;
  return {
    thread,
    storedInvestigationId: stored.investigationId,
    record,
    project,
    config,
    isObserved: isObserved(deps, config),
    ...toRights(await store.findInstallation(project.source.installationId), mayOpen),
    hasRecords: deps.memory !== 'github',
    isReadFirst: !isDraftRead && isReadFirst(thread, project, investigation, config),
    investigation,
    result,
    ...(await loadProgress(deps, project, investigation, signal)),
    waitsFor: deps.waitsFor(investigation.runId),
    notRead: describeNotRead(deps),
    earlier: earlier === null ? null : await loadResult(store, earlier),
    ...(await loadRatings(store, thread, result)),
    ...(await loadPublished(store, pullRequest)),
    checks,
    pull: known.pull,
    failure: subject.kind === 'failure' ? await store.findFailure(subject.failureId) : null,
    threshold: await loadThreshold(store, thread, config),
    redNames: subject.kind === 'failure' ? await loadRedOnDefault(store, thread.id) : [],
    webUrl: deps.webUrl,
    recordUrl: result === null ? '' : deps.recordUrl(result.issue),
    now: deps.now(),
  };
}

export function describeNotRead({ notRead }: PublishDeps): string {
  return notRead?.() ?? '';
}

/** In public anybody can write an issue, and CI runs what comes of it with its secrets. Red checks have no such author. */
function isReadFirst(
  { subject }: Thread,
  { source }: GithubProject,
  { isTrusted }: Investigation,
  { pullRequest }: RepositoryConfig,
): boolean {
  if (subject.kind !== 'issue' || isTrusted) return false;
  return (pullRequest.ofStrangers ?? (source.isPrivate ? 'label' : 'ask')) === 'ask';
}

export function isObserved({ ceiling }: PublishDeps, { mode }: RepositoryConfig): boolean {
  return ceiling === 'observe' || mode === 'observe';
}

/** What the installation's permissions allow. Where it isn't known, GitHub decides. */
export function toRights(
  installation: Installation | null,
  mayOpen: boolean,
): { readonly opens: boolean; readonly lacks: readonly string[]; readonly seesChecks: boolean } {
  if (installation === null) return { opens: mayOpen, lacks: [], seesChecks: false };
  const granted = new Map(Object.entries(installation.permissions));
  const lacks = ['contents', 'pull_requests'].filter((name) => (granted.get(name) ?? 'read') === 'read');
  const seesChecks = granted.has('checks') && granted.has('statuses');
  return { opens: mayOpen && lacks.length === 0, lacks, seesChecks };
}

/** A run records its facts before it calls a model, and each step of the model after them. */
async function loadProgress(
  deps: PublishDeps,
  project: GithubProject,
  { outcome, runId, progress }: Investigation,
  signal: AbortSignal,
): Promise<Pick<View, 'facts' | 'progressSource'>> {
  const isUnended = outcome.state === 'running' || outcome.state === 'queued';
  const [first, ...records] = isUnended ? await deps.store.readTranscript(runId) : [];
  if (first === undefined) return { facts: null, progressSource: 'repository' };
  const { conclusion: facts }: GatheredFacts = JSON.parse(first);
  const isShown = await isContextReadable(deps, project, facts.analysis.context ?? [], signal);
  if (!isShown) return { facts: null, progressSource: 'repository' };
  const gathered = facts.investigationSteps[progress.step - 1];
  if (progress.step === 0 || gathered !== undefined) return { facts, progressSource: gathered?.source ?? 'repository' };
  return { facts, progressSource: findStepSource(records, progress.step) };
}

/** Null: it hasn't concluded, or its result was deleted. */
export async function loadResult(store: Store, { outcome }: Investigation): Promise<Result | null> {
  const issue = outcome.state === 'concluded' ? await loadIssue(store, outcome.issueId) : null;
  return issue === null ? null : { issue, changeSet: await store.findChangeSet(issue.id) };
}

async function loadPublished(
  store: Store,
  posted: PostedPullRequest | null,
): Promise<Pick<View, 'published' | 'further'>> {
  if (posted === null) return { published: null, further: [] };
  return { published: await loadIssue(store, posted.issueId), further: await loadFurther(store, posted) };
}

/** What was deleted counts with no change. */
export async function loadFurther(store: Store, posted: PostedPullRequest): Promise<readonly Result[]> {
  const further: Result[] = [];
  for (const id of listFurther(posted)) {
    const investigation = await store.findInvestigation(id);
    const result = investigation === null ? null : await loadResult(store, investigation);
    if (result !== null) further.push(result);
  }
  return further;
}

async function loadRatings(
  store: Store,
  thread: Thread,
  result: Result | null,
): Promise<Pick<View, 'latest' | 'displaced' | 'votes'>> {
  return {
    latest: await loadLatest(store, thread),
    displaced: await loadDisplaced(store, thread),
    votes: result === null ? [] : await store.listNamedVotes(result.issue.id),
  };
}

async function loadLatest(store: Store, { trigger, investigationId }: Thread): Promise<View['latest']> {
  const { kind, investigationId: id } = trigger;
  if (kind === 'checks' || id === undefined || id === investigationId) return null;
  const investigation = await store.findInvestigation(id);
  return investigation && { investigation, result: await loadResult(store, investigation) };
}

async function loadDisplaced(store: Store, { id, subject, trigger }: Thread): Promise<RatedResult | null> {
  if (getNumber(subject) === null || trigger.kind === 'checks') return null;
  const issueId = await store.findDisplaced(id);
  const issue = issueId === null ? null : await loadIssue(store, issueId);
  if (issue === null) return null;
  return { issue, changeSet: await store.findChangeSet(issue.id), votes: await store.listNamedVotes(issue.id) };
}

export async function loadIssue(store: Store, id: string): Promise<SourcedIssue | null> {
  const issue = await store.findIssue(id);
  if (issue === null) return null;
  const changeTitle = isWithheld(issue) ? '' : await store.findChangeTitle(id);
  return addSources(issue, await store.listStepSources(id), changeTitle);
}

async function loadChecks(store: Store, thread: Thread, { comment }: ThreadRecord): Promise<HeadView | null> {
  const { projectId, subject } = thread;
  const head = subject.kind === 'pull_request' ? await store.findHeadOfPullRequest(projectId, subject.number) : null;
  if (head === null) return null;
  const causes: HeadCause[] = [];
  for (const finding of head.findings) {
    const id = finding.threadId === thread.id ? finding.investigationId : null;
    const investigation = id === null ? null : await store.findInvestigation(id);
    const result = investigation === null ? null : await loadResult(store, investigation);
    causes.push({ finding, investigation, result });
  }
  const heads = comment === null ? [] : await store.listHeadsOfThread(thread.id);
  const commented = heads.find(({ findings }) =>
    findings.some(({ investigationId }) => investigationId === comment?.investigationId),
  );
  const own = commented?.findings.filter(({ threadId }) => threadId === thread.id) ?? [];
  return { head, causes, namesBefore: [...new Set(own.flatMap(listCheckNames))] };
}

/** Only a failing default branch gets a pull request without a request. */
async function loadThreshold(store: Store, thread: Thread, { pullRequest }: RepositoryConfig): Promise<number> {
  const isNeeded = thread.subject.kind === 'failure' && pullRequest.threshold === null;
  const followed = isNeeded ? await store.listCalibrated([thread.projectId]) : [];
  return decideThreshold(toJudged(followed), pullRequest.threshold).value;
}

/** Of the newest commit of the default branch that has a finding of this thread. Pull requests may name their checks as they like. */
async function loadRedOnDefault(store: Store, threadId: string): Promise<readonly string[]> {
  const heads = (await store.listHeadsOfThread(threadId)).filter(({ place }) => place?.kind === 'default');
  const own = heads.flatMap(({ findings }) => findings).find((one) => one.isOwnThread && one.threadId === threadId);
  return own === undefined ? [] : [...new Set(listCheckNames(own))];
}

/** A head has several causes and the thread one analysis: that of the leading cause, unless a person requested one. */
function followLead(thread: Thread, checks: HeadView | null): Thread {
  if (thread.trigger.kind !== 'checks' || checks === null) return thread;
  const lead = findLead(checks.causes)?.investigation;
  return lead ? { ...thread, investigationId: lead.id } : thread;
}

/** The first cause with a fix, else with a model's result, else with any result. */
export function findLead(causes: readonly HeadCause[]): HeadCause | null {
  const known = causes.filter(({ result }) => result !== null);
  return (
    known.find(({ result }) => result !== null && hasFix(result.issue)) ??
    known.find(({ result }) => result?.issue.analysis.outcome !== 'facts_only') ??
    known[0] ??
    null
  );
}

export function hasFix({ analysis, diff }: SourcedIssue): boolean {
  return analysis.outcome === 'code_fix' && diff.files.length > 0;
}

export function listCheckNames({ checks }: Finding): readonly string[] {
  return checks.map(({ name }) => name);
}

/** Number of the issue or pull request to comment on; null: there is none. */
export function getNumber(subject: Subject): number | null {
  return subject.kind === 'issue' || subject.kind === 'pull_request' ? subject.number : null;
}

/** A pull request that isn't there for us counts as closed. */
export function readPull({ deps, view, signal }: Omit<Work, 'github'>, number: number): Promise<LivePull> {
  const open = openRepository(deps, view.project, 'read', signal);
  const read = async (): Promise<LivePull> => {
    const data = await open(({ rest }, place) => rest.pulls.get({ ...place, pull_number: number }));
    return {
      state: data.state === 'open' ? 'open' : 'closed',
      headSha: data.head.sha,
      isDraft: data.draft ?? false,
      isFork: data.head.repo?.id !== data.base.repo.id,
    };
  };
  return recoverFrom(['gone', 'refused'], read, (error) => {
    deps.log.info({ thread: view.thread.id, err: error }, 'cannot read the pull request');
    return { state: 'closed', headSha: '', isDraft: false, isFork: true };
  });
}
