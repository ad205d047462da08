// All that is known of a thread in this moment: from the store, and its repository's configuration.

import type { ChangeSet } from '../../core/diff/diff.ts';
import type { StepSource } from '../../core/evidence.ts';
import type { Failure } from '../../core/failure.ts';
import type { Finding, Head } from '../../core/head.ts';
import type { Conclusion } from '../../core/issue.ts';
import { type GithubProject, getRepository, type Installation, isGithubProject } from '../../core/project.ts';
import type { WaitCode } from '../../core/reason.ts';
import type { Investigation } from '../../core/report.ts';
import { addSources, type SourcedIssue } from '../../core/shown-issue.ts';
import type { Source } from '../../core/source.ts';
import type { Subject, Thread, ThreadRecord } from '../../core/thread.ts';
import type { IssueStore } from '../../db/investigations.ts';
import type { Store } from '../../db/store.ts';
import { addLogContext, type Log } from '../../log.ts';
import type { Redactor } from '../../redact/redactor.ts';
import type { Changes } from '../../services/follow.ts';
import { findStepSource, type GatheredFacts } from '../../services/run-records.ts';
import type { GithubClients } from '../clients/github-clients.ts';
import type { ConfigurationReader } from '../configuration/read-configuration.ts';
import type { Mode, RepositoryConfig } from '../configuration/repository-config.ts';
import type { GithubPermissions } from '../projects/roles.ts';
import { recoverFrom } from './github-calls.ts';
import type { Outbox } from './outbox.ts';

/** What a job knows by itself: the record as it has it (null: as it is stored), and the pull request, where it has looked. */
interface Known {
  readonly record: ThreadRecord | null;
  readonly pull: LivePull | null;
}

/** Null where there is nothing (any more) to publish: an erased investigation, a hidden project. */
export async function loadView(
  deps: PublishDeps,
  threadId: string,
  { record, pull }: Known,
  signal: AbortSignal,
): Promise<View | null> {
  const { store } = deps;
  const stored = await store.findThread(threadId);
  if (stored === null) return null;
  const current = record ?? stored.record;
  const checks = await loadHead(deps, stored, current);
  const thread = followLead(stored, checks);
  const project = await store.findProject(thread.projectId);
  const investigation = await store.findInvestigation(thread.investigationId);
  if (project === null || !isGithubProject(project) || investigation === null) return null;
  addLogContext({ investigation: investigation.id, run: investigation.runId });
  const { config } = await deps.configuration.of(project, signal);
  const result = await loadResult(deps, investigation);
  return {
    thread,
    storedInvestigationId: stored.investigationId,
    record: current,
    project,
    config,
    ...toRights(await store.findInstallation(project.source.installationId), {
      opens: config.mode !== 'comment' && deps.ceiling !== 'comment',
    }),
    investigation,
    result,
    ...(await loadRunning(deps, investigation)),
    waitsFor: deps.waitsFor(investigation.runId),
    earlier: await loadEarlier(deps, current, thread.investigationId),
    published: await loadPublished(deps, current),
    ...{ checks, pull, failure: await loadFailure(deps, thread), redNames: await loadRedOnDefault(deps, thread) },
    webUrl: deps.webUrl,
    recordUrl: result === null ? '' : deps.recordUrl(result.issue),
    now: deps.now(),
  };
}

async function loadFailure({ store }: PublishDeps, { subject }: Thread): Promise<Failure | null> {
  return subject.kind === 'failure' ? await store.findFailure(subject.failureId) : null;
}

/** An installation that is not known is asked all the same: GitHub says what is wrong. */
export function toRights(
  installation: Installation | null,
  { opens }: Pick<View, 'opens'>,
): Pick<View, 'opens' | 'lacks' | 'seesChecks'> {
  if (installation === null) return { opens, lacks: [], seesChecks: false };
  const granted = new Map(Object.entries(installation.permissions));
  const lacks = ['contents', 'pull_requests'].filter((name) => (granted.get(name) ?? 'read') === 'read');
  return { opens: opens && lacks.length === 0, lacks, seesChecks: granted.has('checks') && granted.has('statuses') };
}

/** Whether nothing may leave: what would have is noted down instead. */
export function isObserved({ ceiling }: Pick<PublishDeps, 'ceiling'>, config: RepositoryConfig): boolean {
  return ceiling === 'observe' || config.mode === 'observe';
}

/** A run records its facts before it asks a model, and each step of the model after them. */
async function loadRunning(
  { store }: PublishDeps,
  { outcome, runId, progress }: Investigation,
): Promise<Pick<View, 'facts' | 'progressSource'>> {
  if (outcome.state !== 'running' && outcome.state !== 'queued') return { facts: null, progressSource: 'repository' };
  const [first, ...records] = await store.readTranscript(runId);
  if (first === undefined) return { facts: null, progressSource: 'repository' };
  const { conclusion: facts }: GatheredFacts = JSON.parse(first);
  const gathered = facts.investigationSteps[progress.step - 1];
  if (progress.step === 0 || gathered !== undefined) return { facts, progressSource: gathered?.source ?? 'repository' };
  return { facts, progressSource: findStepSource(records, progress.step) };
}

async function loadEarlier(deps: PublishDeps, { comment }: ThreadRecord, current: string): Promise<Result | null> {
  if (comment === null || comment.investigationId === current) return null;
  const investigation = await deps.store.findInvestigation(comment.investigationId);
  return investigation === null ? null : await loadResult(deps, investigation);
}

async function loadPublished({ store }: PublishDeps, { pullRequest }: ThreadRecord): Promise<SourcedIssue | null> {
  return pullRequest === null ? null : await loadIssue(store, pullRequest.issueId);
}

export interface PublishDeps {
  readonly store: Store;
  /** As it is, with its secrets: what is committed is made from it. */
  readonly source: Pick<Source, 'open'>;
  readonly clients: Pick<GithubClients, 'repository' | 'identity'>;
  readonly configuration: Pick<ConfigurationReader, 'of'>;
  readonly permissions: Pick<GithubPermissions, 'roleNow'>;
  readonly redactor: Pick<Redactor, 'redact'>;
  readonly changes: Changes;
  readonly log: Log;
  readonly now: () => Date;
  /** The operator's: a repository's own mode counts below it alone. */
  readonly ceiling: Mode;
  readonly paused: () => boolean;
  /** What a run waits for, such as a model out of reach; null: for nothing. */
  readonly waitsFor: (runId: string) => WaitCode | null;
  /** Name of the operator's model; null: none. */
  readonly operatorModel: string | null;
  /** Those that a repository may choose instead. */
  readonly otherModels?: readonly string[];
  /** Base address for people, such as https://github.com. */
  readonly webUrl: string;
  /** Base address of the API, without a slash at its end. */
  readonly apiUrl: string;
  readonly userAgent: string;
  /** Instead of node's own, such as one through a proxy. */
  readonly fetch?: typeof fetch;
  /** Where people read the whole record of an Issue; "" where there is no such place. */
  readonly recordUrl: (issue: SourcedIssue) => string;
}

/** An Issue with the edits behind its diff. */
export interface Result {
  readonly issue: SourcedIssue;
  /** Null: erased. */
  readonly changeSet: ChangeSet | null;
}

/** The newest judged head of a pull request, as its thread sees it. */
export interface HeadView {
  readonly head: Head;
  readonly causes: readonly Cause[];
  /** Names of the checks that the standing comment is about, where a head tells them. */
  readonly namesBefore: readonly string[];
}

export interface Cause {
  readonly finding: Finding;
  /** Of this very thread; null: none was begun, it belongs elsewhere, or it was erased. */
  readonly investigation: Investigation | null;
  /** Null until it has concluded. */
  readonly result: Result | null;
}

/** A pull request of anybody's, asked for in this very job. */
export interface LivePull {
  readonly state: 'open' | 'closed';
  readonly headSha: string;
  readonly isDraft: boolean;
  readonly isFork: boolean;
}

/** All that is known of a thread in this moment. */
export interface View {
  /** Where red checks asked, its investigation is that of the cause that leads. */
  readonly thread: Thread;
  /** The thread's investigation as it is stored. */
  readonly storedInvestigationId: string;
  readonly record: ThreadRecord;
  readonly project: GithubProject;
  readonly config: RepositoryConfig;
  /** Whether pull requests are opened here, by the repository's own word, the operator's, and what the installation was granted. */
  readonly opens: boolean;
  /** What a pull request needs to be written and was not granted, by GitHub's names. */
  readonly lacks: readonly string[];
  /** Whether we may see all checks: where not, it cannot be said that there are none. */
  readonly seesChecks: boolean;
  readonly investigation: Investigation;
  /** Null until it has concluded. */
  readonly result: Result | null;
  /** Null until they are recorded, and after the end. */
  readonly facts: Conclusion | null;
  /** Where the step comes from at which the run is. */
  readonly progressSource: StepSource;
  readonly waitsFor: WaitCode | null;
  /** What the standing comment tells of, where that is another investigation's. */
  readonly earlier: Result | null;
  /** What the recorded pull request carries out. */
  readonly published: SourcedIssue | null;
  /** What the checks of its pull request say; null: of none, or nothing yet. */
  readonly checks: HeadView | null;
  /** The pull request that it is about; null: it is about none, or GitHub was not asked yet. */
  readonly pull: LivePull | null;
  /** The failure of the default branch that it is about; null: it is about something else, or that was erased. */
  readonly failure: Failure | null;
  /** Names of the checks that are, or were, red there for it; of pull requests, which call their checks what they like, none. */
  readonly redNames: readonly string[];
  readonly webUrl: string;
  readonly recordUrl: string;
  readonly now: Date;
}

/** What an effect works with. */
export interface Work {
  readonly deps: PublishDeps;
  readonly outbox: Outbox;
  readonly view: View;
  readonly signal: AbortSignal;
}

/** Null: it has not, or what it concluded was erased. */
export async function loadResult(
  { store }: { readonly store: Pick<IssueStore, 'findIssue' | 'findChangeSet' | 'listStepSources'> },
  { outcome }: Investigation,
): Promise<Result | null> {
  if (outcome.state !== 'concluded') return null;
  const issue = await loadIssue(store, outcome.issueId);
  return issue === null ? null : { issue, changeSet: await store.findChangeSet(issue.id) };
}

/** With the source of each of its steps; null: erased. */
export async function loadIssue(
  store: Pick<IssueStore, 'findIssue' | 'listStepSources'>,
  id: string,
): Promise<SourcedIssue | null> {
  const issue = await store.findIssue(id);
  return issue === null ? null : addSources(issue, await store.listStepSources(id));
}

/** Null: not a pull request, or none of its heads was judged. */
async function loadHead(deps: PublishDeps, thread: Thread, record: ThreadRecord): Promise<HeadView | null> {
  const { projectId, subject } = thread;
  if (subject.kind !== 'pull_request') return null;
  const head = await deps.store.findHeadOfPullRequest(projectId, subject.number);
  if (head === null) return null;
  const causes: Cause[] = [];
  for (const finding of head.findings) {
    const id = finding.threadId === thread.id ? finding.investigationId : null;
    const investigation = id === null ? null : await deps.store.findInvestigation(id);
    const result = investigation === null ? null : await loadResult(deps, investigation);
    causes.push({ finding, investigation, result });
  }
  return { head, causes, namesBefore: await loadNamesBefore(deps, thread, record) };
}

/** Of the newest head whose finding the comment tells of. */
async function loadNamesBefore(
  { store }: PublishDeps,
  { id }: Thread,
  { comment }: ThreadRecord,
): Promise<readonly string[]> {
  if (comment === null) return [];
  const heads = await store.listHeadsOfThread(id);
  const told = heads.find(({ findings }) =>
    findings.some(({ investigationId }) => investigationId === comment.investigationId),
  );
  const own = told?.findings.filter(({ threadId }) => threadId === id) ?? [];
  return [...new Set(own.flatMap(listRedNames))];
}

/** Of the newest commit of the default branch whose finding this thread is for; empty where there is none (any more). */
async function loadRedOnDefault({ store }: PublishDeps, { id, subject }: Thread): Promise<readonly string[]> {
  if (subject.kind !== 'failure') return [];
  const heads = (await store.listHeadsOfThread(id)).filter(({ place }) => place?.kind === 'default');
  const own = heads.flatMap(({ findings }) => findings).find((one) => one.isOwnThread && one.threadId === id);
  return own === undefined ? [] : [...new Set(listRedNames(own))];
}

/**
 * The thread with the lead of the head as its analysis: a head has several causes, and the thread has one. Where a person asked, that is what
 * they asked for.
 */
function followLead(thread: Thread, view: HeadView | null): Thread {
  if (thread.trigger.kind !== 'checks' || view === null) return thread;
  const lead = findLead(view.causes)?.investigation;
  return lead ? { ...thread, investigationId: lead.id } : thread;
}

/** The first with a fix, else the first with a result, one of a model before bare facts; null: none has one. */
export function findLead(causes: readonly Cause[]): Cause | null {
  const known = causes.filter(({ result }) => result !== null);
  return (
    known.find(({ result }) => result !== null && isFix(result)) ??
    known.find(({ result }) => result?.issue.analysis.outcome !== 'facts_only') ??
    known[0] ??
    null
  );
}

function isFix({ issue }: Result): boolean {
  return issue.analysis.outcome === 'code_fix' && issue.diff.files.length > 0;
}

export function listRedNames({ checks }: Finding): readonly string[] {
  return checks.map(({ name }) => name);
}

/** Of the issue or pull request where people are told; null: there is no such place. */
export function findNumber(subject: Subject): number | null {
  return subject.kind === 'issue' || subject.kind === 'pull_request' ? subject.number : null;
}

/** What is not there for us counts as closed. */
const GONE: LivePull = { state: 'closed', headSha: '', isDraft: false, isFork: true };

export function lookAtPull(
  { deps, view, signal }: Pick<Work, 'deps' | 'view' | 'signal'>,
  number: number,
): Promise<LivePull> {
  const caller = deps.clients.repository(view.project.source, 'read');
  const pull = { ...getRepository(view.project), pull_number: number };
  const look = async (): Promise<LivePull> => {
    const { data } = await caller.call(({ rest }, request) => rest.pulls.get({ ...pull, request }), signal);
    return {
      state: data.state === 'open' ? 'open' : 'closed',
      headSha: data.head.sha,
      isDraft: data.draft ?? false,
      isFork: data.head.repo?.id !== data.base.repo.id,
    };
  };
  return recoverFrom(['gone', 'refused'], look, (error) => {
    deps.log.info({ thread: view.thread.id, err: error }, 'a pull request cannot be looked at');
    return GONE;
  });
}
