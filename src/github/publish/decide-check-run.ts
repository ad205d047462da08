// What our check run on a head should show now, or that there should be none.

import type { Failure } from '../../core/failure.ts';
import type { CheckRunButton, Finding, Head } from '../../core/head.ts';
import { type GithubProject, isGithubProject } from '../../core/project.ts';
import { isEnded } from '../../core/report.ts';
import type { Thread } from '../../core/thread.ts';
import type { FailureStore } from '../../db/failures.ts';
import type { HeadStore } from '../../db/heads.ts';
import type { RepositoryConfig } from '../configuration/repository-config.ts';
import { type CheckRunAnnotation, listAnnotations } from '../render/check-run-annotations.ts';
import { type CauseFix, type CheckRunGround, type Inquiry, isRed } from '../render/check-run-ground.ts';
import { renderDetails, renderSummary } from '../render/check-run-text.ts';
import { renderTitle } from '../render/check-run-title.ts';
import { loadResult, type PublishDeps, toRights } from './view.ts';

export interface WantedCheckRun {
  readonly status: 'in_progress' | 'completed';
  readonly title: string;
  readonly summary: string;
  readonly text: string;
  /** None while it runs: GitHub takes none away again. */
  readonly annotations: readonly CheckRunAnnotation[];
  readonly buttons: readonly (CheckRunButton & ButtonFace)[];
}

interface ButtonFace {
  /** At most 20 characters. */
  readonly label: string;
  /** At most 40. */
  readonly description: string;
  /** At most 20; see `buttonNumber`. */
  readonly identifier: string;
}

/** GitHub shows no more. */
const MOST_BUTTONS = 3;

const OPEN_FIX = 'open_fix';

/** A pull request that has not come by then may be asked for again. */
const ASKED_MS = 3_600_000;

/** Null: what stands may stay, be it a check run or none. */
export function decideCheckRun(view: CheckRunView): WantedCheckRun | null {
  if (!isToBeShown(view) || isBeingJudged(view)) return null;
  const buttons = listButtons(view);
  const ground = toGround(view, buttons);
  const status = isRunning(view) ? 'in_progress' : 'completed';
  return {
    status,
    title: renderTitle(ground),
    summary: renderSummary(ground),
    text: renderDetails(ground),
    annotations: status === 'completed' && isLive(view) ? listAnnotations(ground) : [],
    buttons,
  };
}

/** Whether something is under way: it is looked at again, whether or not anybody tells how that has ended. */
export function isAwaited(view: CheckRunView): boolean {
  return isRunning(view) || view.causes.some((cause) => isOpening(view, cause));
}

function isRunning(view: CheckRunView): boolean {
  return isLive(view) && view.causes.some(({ inquiry }) => inquiry.kind === 'running');
}

/** Which of the buttons it is, from 0; null: none of ours. */
export function readButtonNumber(identifier: string): number | null {
  if (identifier === OPEN_FIX) return 0;
  const number = /^open_fix_([2-9])$/.exec(identifier)?.[1];
  return number === undefined ? null : Number(number) - 1;
}

/** Whether the head is one that people still look at. */
export function isLive({ head }: Pick<CheckRunView, 'head'>): boolean {
  return head.state !== 'superseded' && head.state !== 'ignored';
}

/** None is made that says nothing, or that nobody looks at any more; one that stands is brought to its end. */
function isToBeShown(view: CheckRunView): boolean {
  const { checkRun, isBegun } = view.head.record;
  if (checkRun !== null || isBegun === true) return true;
  return isLive(view) && view.causes.length > 0;
}

/** A moment later it is known whether investigations begin: marks and an end would come too early, and GitHub takes no mark back. */
function isBeingJudged({ head }: CheckRunView): boolean {
  return head.state === 'waiting' && head.findings.some(mayStillBegin);
}

function mayStillBegin({ investigationId, notBegun }: Finding): boolean {
  return investigationId === null && (notBegun?.code === 'pending' || notBegun?.code === 'uninformative');
}

function toGround(view: CheckRunView, buttons: WantedCheckRun['buttons']): CheckRunGround {
  const { head, project, causes, webUrl } = view;
  return {
    ...{ repository: project.name, webUrl, head },
    isPublic: !project.source.isPrivate,
    defaultBranch: project.source.defaultBranch,
    causes: causes.map((cause) => ({ ...cause, fix: describeFix(view, cause, buttons) })),
  };
}

function listButtons(view: CheckRunView): WantedCheckRun['buttons'] {
  const asking = view.causes.filter((cause) => isOffered(view, cause) && !isRequested(view, cause));
  const ids = asking.flatMap(({ finding, thread }) =>
    thread === null || finding.investigationId === null
      ? []
      : [{ threadId: thread.id, investigationId: finding.investigationId }],
  );
  return ids.slice(0, MOST_BUTTONS).map((button, index) => ({ ...button, ...describeButton(index) }));
}

function describeButton(index: number): ButtonFace {
  if (index === 0) {
    return { label: 'Open fix', description: 'Opens a pull request (needs write)', identifier: OPEN_FIX };
  }
  const number = index + 1;
  return {
    label: `Open fix ${number}`,
    description: `Pull request for fix ${number} (needs write)`,
    identifier: `${OPEN_FIX}_${number}`,
  };
}

function describeFix(view: CheckRunView, cause: FoundCause, buttons: WantedCheckRun['buttons']): CauseFix {
  const { finding, thread, inquiry } = cause;
  const posted = thread?.record.pullRequest ?? null;
  const isOfThis = inquiry.kind === 'concluded' && posted?.issueId === inquiry.issue.id;
  // A failure of the default branch may come back while what mended it before still waits for a review.
  const isEarlier = !isOfThis && thread?.subject.kind === 'failure' && finding.isOwnThread && posted?.state === 'open';
  if (posted !== null && posted.number > 0 && (isOfThis || isEarlier)) {
    return { kind: 'opened', number: posted.number, url: posted.url, state: posted.state, isEarlier };
  }
  const button = buttons.find(({ investigationId }) => investigationId === finding.investigationId);
  if (button !== undefined) return { kind: 'on_request', button: button.label, refused: findRefusal(cause) };
  return isOpening(view, cause) ? { kind: 'opening' } : { kind: 'none' };
}

/** Whether a person with write may have the change of this cause here as a pull request. */
function isOffered(view: CheckRunView, cause: FoundCause): boolean {
  const { finding, thread, inquiry } = cause;
  if (!view.opens || !isRed(finding)) return false;
  if (thread === null || !finding.isOwnThread || !allowsRequests(view.head, cause)) return false;
  if (inquiry.kind !== 'concluded' || inquiry.changeSet === null || !leads(view, cause)) return false;
  if (inquiry.issue.analysis.guards.some(({ rule }) => rule.startsWith('never/'))) return false;
  const posted = thread.record.pullRequest;
  return posted === null || (posted.state !== 'open' && posted.issueId !== inquiry.issue.id);
}

/** A thread has one pull request: that of what somebody asked for, else of the first of its causes that has a change. */
function leads({ causes }: CheckRunView, { finding, thread, inquiry }: FoundCause): boolean {
  if (!hasChange(inquiry) || thread === null) return false;
  if (thread.trigger.kind !== 'checks' || thread.subject.kind !== 'pull_request') {
    return thread.investigationId === finding.investigationId;
  }
  return causes.find((cause) => cause.thread?.id === thread.id && hasChange(cause.inquiry))?.finding === finding;
}

function hasChange(inquiry: FoundCause['inquiry']): boolean {
  if (inquiry.kind !== 'concluded') return false;
  const { analysis, diff } = inquiry.issue;
  return analysis.outcome === 'code_fix' && diff.files.length > 0;
}

/** A failure of the default branch is to be mended as long as it is open; nothing is pushed for forks, drafts, or those who may not write. */
function allowsRequests(head: CheckRunView['head'], { finding, failure, thread }: FoundCause): boolean {
  if (thread?.subject.kind === 'failure') {
    return failure?.state === 'open' && failure.investigationId === finding.investigationId;
  }
  const { place } = head;
  if (place?.kind !== 'pull_request' || !isLive({ head })) return false;
  return !place.isFork && !place.isDraft && place.isTrusted;
}

function isOpening(view: CheckRunView, cause: FoundCause): boolean {
  return isOffered(view, cause) && isRequested(view, cause);
}

/** Just now, by somebody who has seen the result; and nothing was said against it. */
function isRequested({ now }: CheckRunView, cause: FoundCause): boolean {
  const { thread, inquiry } = cause;
  const request = thread?.fixRequest ?? null;
  if (request === null || inquiry.kind !== 'concluded' || findRefusal(cause) !== '') return false;
  const at = Date.parse(request.at);
  return at > Date.parse(inquiry.issue.createdAt) && at > now.getTime() - ASKED_MS;
}

function findRefusal({ thread, finding }: FoundCause): string {
  const withheld = thread?.record.withheld ?? null;
  return withheld?.investigationId === finding.investigationId ? (withheld?.reason ?? '') : '';
}

export interface CheckRunDeps
  extends Pick<
    PublishDeps,
    | 'clients'
    | 'configuration'
    | 'redactor'
    | 'log'
    | 'now'
    | 'ceiling'
    | 'paused'
    | 'waitsFor'
    | 'webUrl'
    | 'recordUrl'
  > {
  readonly store: Pick<HeadStore, 'findHead' | 'findHeadOfCommit' | 'saveHeadRecord'> &
    Pick<FailureStore, 'findFailure'> &
    Pick<
      PublishDeps['store'],
      | 'findProject'
      | 'findInstallation'
      | 'findThread'
      | 'findInvestigation'
      | 'findIssue'
      | 'findChangeSet'
      | 'listStepSources'
    >;
}

/** All that is known of a head in this moment. */
export interface CheckRunView {
  readonly head: Head;
  readonly project: GithubProject;
  readonly config: RepositoryConfig;
  /** Whether pull requests are opened here, by the repository's own word, the operator's, and what the installation was granted. */
  readonly opens: boolean;
  readonly causes: readonly FoundCause[];
  readonly webUrl: string;
  readonly now: Date;
}

/** A finding with all that belongs to it. */
interface FoundCause {
  readonly finding: Finding;
  readonly failure: Failure | null;
  readonly thread: Thread | null;
  readonly inquiry: Inquiry;
  readonly toldAt: string;
}

/** Null where there is nothing (any more) to show: no such head, a hidden project. */
export async function loadCheckRunView(
  deps: CheckRunDeps,
  headId: string,
  signal: AbortSignal,
): Promise<CheckRunView | null> {
  const { store } = deps;
  const head = await store.findHead(headId);
  if (head === null) return null;
  const project = await store.findProject(head.projectId);
  if (project === null || !isGithubProject(project)) return null;
  const { config } = await deps.configuration.of(project, signal);
  const opens = config.mode === 'fix' && deps.ceiling === 'fix';
  const rights = toRights(await store.findInstallation(project.source.installationId), { opens });
  const causes: FoundCause[] = [];
  for (const finding of head.findings) causes.push(await loadCause(deps, head, finding));
  return { head, project, config, opens: rights.opens, causes, webUrl: deps.webUrl, now: deps.now() };
}

async function loadCause(deps: CheckRunDeps, head: Head, finding: Finding): Promise<FoundCause> {
  const { store } = deps;
  const failure = await store.findFailure(finding.failureId);
  const threadId = finding.threadId ?? failure?.threadId ?? null;
  const thread = threadId === null ? null : await store.findThread(threadId);
  const inquiry = await loadInquiry(deps, finding);
  return { finding, failure, thread, inquiry, toldAt: await findReportUrl(deps, head, { finding, failure, thread }) };
}

async function loadInquiry(deps: CheckRunDeps, { investigationId }: Finding): Promise<Inquiry> {
  if (investigationId === null) return { kind: 'none' };
  const investigation = await deps.store.findInvestigation(investigationId);
  if (investigation === null) return { kind: 'lost' };
  const { outcome, runId } = investigation;
  if (!isEnded(outcome)) return { kind: 'running', waitsFor: deps.waitsFor(runId) };
  if (outcome.state === 'gave_up' || outcome.state === 'cancelled') return { kind: 'ended', reason: outcome.reason };
  const result = await loadResult(deps, investigation);
  return result === null ? { kind: 'lost' } : { kind: 'concluded', ...result, recordUrl: deps.recordUrl(result.issue) };
}

/** The comment, else the pull request, else the check run where it was seen first. This head's own texts are here already. */
async function findReportUrl(
  { store }: CheckRunDeps,
  head: Head,
  { finding, failure, thread }: Omit<FoundCause, 'inquiry' | 'toldAt'>,
): Promise<string> {
  if (thread !== null && !finding.isOwnThread) {
    const { comment, pullRequest } = thread.record;
    const url = comment?.url || pullRequest?.url;
    if (url) return url;
  }
  if (failure === null || failure.firstSeen.sha === head.sha) return '';
  const first = await store.findHeadOfCommit(head.projectId, failure.firstSeen.sha);
  return first?.record.checkRun?.url ?? '';
}
