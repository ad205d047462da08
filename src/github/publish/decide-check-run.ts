// What our check run on a head should show now, or that there should be none.

import {
  type CheckRunButton,
  type Failure,
  type Finding,
  findBlamedStep,
  type Head,
  listDaysUntil,
  type RevertButton,
} from '../../core/check/index.ts';
import type { OutcomeView } from '../../core/outcome/index.ts';
import { type GithubProject, isGithubProject } from '../../core/project/index.ts';
import { toProof } from '../../core/proof/index.ts';
import { isOfferedAgain, type PutBack } from '../../core/put-back/index.ts';
import { isEnded } from '../../core/report/index.ts';
import { describeWithheld, type Thread } from '../../core/thread/index.ts';
import type { RepositoryConfig } from '../configuration/index.ts';
import {
  type CauseFix,
  type CauseInquiry,
  type CauseRevert,
  type CheckRunAnnotation,
  type CheckRunContent,
  findRangeOf,
  isCurrent,
  isRed,
  listAnnotations,
  renderDetails,
  renderSummary,
  renderTitle,
  type ShownCause,
} from '../render/index.ts';
import { describeNotRead, hasFix, loadResult, type PublishDeps, toRights } from './view.ts';

export interface WantedCheckRun {
  readonly status: 'in_progress' | 'completed';
  readonly title: string;
  readonly summary: string;
  readonly text: string;
  /** None while it runs: GitHub can't remove them. */
  readonly annotations: readonly CheckRunAnnotation[];
  readonly buttons: readonly Button[];
  readonly reverts: readonly OpenRevertButton[];
}

/** GitHub limits label and identifier to 20 characters, the description to 40. */
interface ShownButton {
  readonly label: string;
  readonly description: string;
  readonly identifier: string;
}

interface Button extends ShownButton, CheckRunButton {}

interface OpenRevertButton extends ShownButton, RevertButton {}

export interface CheckRunView {
  readonly head: Head;
  readonly project: GithubProject;
  readonly config: RepositoryConfig;
  /** Whether pull requests are opened here. */
  readonly opens: boolean;
  /** False where presses of buttons don't reach us: a fix is then requested by a comment. */
  readonly hasButtons: boolean;
  readonly causes: readonly FoundCause[];
  /** A sentence on what was not read; "": nothing. */
  readonly notRead: string;
  readonly webUrl: string;
  readonly now: Date;
}

interface FoundCause extends Omit<ShownCause, 'fix' | 'revert'> {
  readonly thread: Thread | null;
  /** The newest revert of the commit that alone may have brought it; null: there is none. */
  readonly putBack: PutBack | null;
}

/** GitHub shows at most three. */
const MOST_BUTTONS = 3;
const OPEN_FIX = 'open_fix';
const OPEN_REVERT = 'open_revert';
/** After that a pull request that didn't come can be requested again. */
const REQUEST_MS = 3_600_000;

/** Null: what is there stays, be it a check run or none. */
export function decideCheckRun(view: CheckRunView): WantedCheckRun | null {
  const { head } = view;
  const { checkRun, isBegun } = head.record;
  // A superseded commit gets no new check run; an existing one is completed.
  const isShown = checkRun !== null || isBegun === true || (isLive(head) && view.causes.length > 0);
  // Whether investigations begin is known a moment later.
  const isBeingJudged = head.state === 'waiting' && head.findings.some(mayStillBegin);
  if (!isShown || isBeingJudged) return null;
  const offered = listButtons(view);
  const offeredReverts = view.hasButtons ? listRevertButtons(view) : [];
  // A red branch that is put back is green sooner: of three buttons one is for that.
  const fixes = offered.slice(0, MOST_BUTTONS - Math.min(1, offeredReverts.length));
  const buttons = view.hasButtons ? fixes : [];
  const reverts = offeredReverts.slice(0, MOST_BUTTONS - buttons.length);
  const content = toContent(view, fixes, reverts);
  const status = isRunning(view) ? 'in_progress' : 'completed';
  return {
    status,
    title: renderTitle(content),
    summary: renderSummary(content),
    text: renderDetails(content),
    annotations: status === 'completed' && isLive(head) ? listAnnotations(content) : [],
    buttons,
    reverts,
  };
}

function mayStillBegin({ investigationId, notBegun }: Finding): boolean {
  return investigationId === null && (notBegun?.code === 'pending' || notBegun?.code === 'uninformative');
}

/** Whether an investigation or a pull request is under way. */
export function isAwaited(view: CheckRunView): boolean {
  return isRunning(view) || view.causes.some((cause) => isOpening(view, cause));
}

function isRunning({ head, causes }: CheckRunView): boolean {
  return isLive(head) && causes.some(({ inquiry }) => inquiry.kind === 'running');
}

/** Whether people still look at the head. */
export function isLive({ state }: Head): boolean {
  return state !== 'superseded' && state !== 'ignored';
}

/** Which of our buttons it is, `at` from 0; null: none. */
export function readButton(identifier: string): { readonly kind: 'fix' | 'revert'; readonly at: number } | null {
  const [, name, number = '1'] = /^(open_fix|open_revert)(?:_([2-9]))?$/.exec(identifier) ?? [];
  return name === undefined ? null : { kind: name === OPEN_FIX ? 'fix' : 'revert', at: Number(number) - 1 };
}

function toContent(
  view: CheckRunView,
  buttons: readonly Button[],
  reverts: readonly OpenRevertButton[],
): CheckRunContent {
  const { head, project, causes, webUrl, notRead } = view;
  return {
    repository: project.name,
    webUrl,
    head,
    notRead,
    isPublic: !project.source.isPrivate,
    defaultBranch: project.source.defaultBranch,
    causes: causes.map((cause) => ({
      ...cause,
      fix: describeFix(view, cause, buttons),
      revert: describeRevertOf(view, cause, reverts),
    })),
  };
}

function listButtons(view: CheckRunView): readonly Button[] {
  return view.causes
    .filter((cause) => isOffered(view, cause) && !isRequested(view, cause))
    .flatMap(({ finding: { investigationId }, thread }) =>
      thread === null || investigationId === null ? [] : [{ threadId: thread.id, investigationId }],
    )
    .slice(0, MOST_BUTTONS)
    .map((button, index) => {
      const number = index === 0 ? '' : ` ${index + 1}`;
      return {
        ...button,
        label: `Open fix${number}`,
        description: index === 0 ? 'Open a pull request (needs write)' : `Pull request for fix${number} (needs write)`,
        identifier: index === 0 ? OPEN_FIX : `${OPEN_FIX}_${index + 1}`,
      };
    });
}

/** One for each commit, whichever of its failures is first. */
function listRevertButtons(view: CheckRunView): readonly OpenRevertButton[] {
  const found = new Map<string, string>();
  for (const cause of view.causes) {
    const sha = view.opens && view.config.limits.ciRunsDay > 0 ? findStepOf(view, cause) : null;
    if (sha === null || found.has(sha) || !isOfferedAgain(cause.putBack)) continue;
    found.set(sha, cause.finding.failureId);
  }
  return [...found].map(([sha, failureId], index) => {
    const number = index === 0 ? '' : `_${index + 1}`;
    const label = `Open revert${index === 0 ? '' : ` ${index + 1}`}`;
    const description = `Draft that reverts ${sha.slice(0, 7)} (needs write)`;
    return { failureId, sha, label, description, identifier: `${OPEN_REVERT}${number}` };
  });
}

/** The commit that can be taken back for it; null: none, or it is over here. */
function findStepOf({ head }: CheckRunView, { finding, failure }: FoundCause): string | null {
  if (head.place?.kind !== 'default' || failure === null || !isRed(finding)) return null;
  return (finding.opening ?? failure.opening) === failure.opening ? (findBlamedStep(failure)?.sha ?? null) : null;
}

function describeRevertOf(view: CheckRunView, cause: FoundCause, buttons: readonly OpenRevertButton[]): CauseRevert {
  const { putBack } = cause;
  const sha = findStepOf(view, cause) ?? putBack?.step.sha ?? '';
  const button = buttons.find((one) => one.sha === sha);
  const state = putBack?.state;
  if (button !== undefined) {
    const refused = state?.kind === 'refused' ? state.reason : null;
    return { kind: 'offered', sha, button: button.label, refused };
  }
  switch (state?.kind) {
    case undefined:
      return { kind: 'none' };
    case 'requested':
    case 'opening':
      return { kind: 'opening', sha };
    case 'opened':
      return { kind: 'opened', sha, pull: state.pull };
    case 'refused':
      return isRed(cause.finding) ? { kind: 'refused', sha, reason: state.reason } : { kind: 'none' };
  }
}

function describeFix(view: CheckRunView, cause: FoundCause, buttons: readonly Button[]): CauseFix {
  const { finding, thread, inquiry } = cause;
  const posted = thread?.record.pullRequest ?? null;
  const isOfThis = inquiry.kind === 'concluded' && posted?.issueId === inquiry.issue.id;
  // The failure may be back while its earlier fix still waits for a review.
  const isOwn = thread?.subject.kind === 'failure' && finding.isOwnThread;
  const isEarlier = !isOfThis && isOwn && isCurrent(cause) && posted?.state === 'open';
  if (posted !== null && posted.number > 0 && (isOfThis || isEarlier)) {
    return {
      kind: 'opened',
      number: posted.number,
      url: posted.url,
      state: posted.state,
      isEarlier,
      proof: toProof(posted.proof)?.state ?? null,
    };
  }
  const former = isCurrent(cause) ? null : readFormerFix(inquiry);
  if (former !== null) return former;
  const offer = describeOffer(view, cause, buttons);
  if (offer !== null) return offer;
  return isOpening(view, cause) ? { kind: 'opening' } : { kind: 'none' };
}

/** Without a button there is one command for all causes, and on the default branch nowhere to give it. */
function describeOffer(view: CheckRunView, cause: FoundCause, buttons: readonly Button[]): CauseFix | null {
  const { hasButtons } = view;
  const button = buttons.find(({ investigationId }) => investigationId === cause.finding.investigationId);
  if (button === undefined) return null;
  const refused = findCauseRefusal(cause);
  const earlier = hasButtons ? null : findEarlier(view, cause);
  if (earlier !== null) return earlier;
  if (hasButtons) return { kind: 'on_request', button: button.label, refused };
  const isAskable = cause.thread?.subject.kind === 'pull_request' && button === buttons[0];
  return isAskable ? { kind: 'on_request', button: null, refused } : { kind: 'none' };
}

/** Ours of an earlier job, of which there are no records. */
function findEarlier({ project, webUrl }: CheckRunView, { thread, finding }: FoundCause): CauseFix | null {
  const withheld = thread?.record.withheld ?? null;
  const isOfThis = withheld?.investigationId === finding.investigationId;
  if (withheld === null || !isOfThis || withheld.reason.code !== 'earlier_open') return null;
  const { number } = withheld.reason;
  const url = `${webUrl}/${project.name}/pull/${number}`;
  return { kind: 'opened', number, url, state: 'open', isEarlier: true };
}

/** Since the failure is back, its thread follows another pull request; null: none is known to have ended. */
function readFormerFix(inquiry: CauseInquiry): CauseFix | null {
  if (inquiry.kind !== 'concluded') return null;
  const { links, outcomes } = inquiry.issue.analysis;
  const url = links.pullRequest ?? '';
  const number = Number(/\/pull\/(\d{1,9})$/.exec(url)?.[1]);
  const state = outcomes === null ? undefined : ENDED_AS[outcomes.state];
  if (!(number > 0) || state === undefined) return null;
  return { kind: 'opened', number, url, state, isEarlier: false };
}

const ENDED_AS: Partial<Readonly<Record<OutcomeView['state'], 'merged' | 'closed'>>> = {
  merged: 'merged',
  merged_edited: 'merged',
  reverted: 'merged',
  closed: 'closed',
  fixed_elsewhere: 'closed',
};

/** Whether people with write access can have the change of this cause as a pull request. */
function isOffered(view: CheckRunView, cause: FoundCause): boolean {
  const { finding, thread, inquiry } = cause;
  if (!view.opens || !isRed(finding) || thread === null || !finding.isOwnThread) return false;
  if (inquiry.kind !== 'concluded' || inquiry.changeSet === null) return false;
  if (!allowsRequests(view.head, cause, thread) || !isLeading(view, cause, thread)) return false;
  if (inquiry.issue.analysis.guards.some(({ rule }) => rule.startsWith('never/'))) return false;
  const posted = thread.record.pullRequest;
  return posted === null || (posted.state !== 'open' && posted.issueId !== inquiry.issue.id);
}

/** A thread has one pull request: for what was requested, else for the first cause with a change. */
function isLeading({ causes }: CheckRunView, { finding, inquiry }: FoundCause, thread: Thread): boolean {
  const hasChange = (of: CauseInquiry) => of.kind === 'concluded' && hasFix(of.issue);
  if (!hasChange(inquiry)) return false;
  if (thread.trigger.kind !== 'checks' || thread.subject.kind !== 'pull_request') {
    return thread.investigationId === finding.investigationId;
  }
  return causes.find((cause) => cause.thread?.id === thread.id && hasChange(cause.inquiry))?.finding === finding;
}

/** A failure of the default branch as long as it is open; nothing is pushed for forks, drafts and people without write access. */
function allowsRequests(head: Head, { finding, failure }: FoundCause, { subject }: Thread): boolean {
  if (subject.kind === 'failure') {
    return failure?.state === 'open' && failure.investigationId === finding.investigationId;
  }
  const { place } = head;
  if (place?.kind !== 'pull_request' || !isLive(head) || place.isFork || place.isDraft) return false;
  return place.isTrusted || place.isBot === true;
}

function isOpening(view: CheckRunView, cause: FoundCause): boolean {
  return isOffered(view, cause) && isRequested(view, cause);
}

/** Lately, by somebody who has seen the result; and it wasn't refused. */
function isRequested({ now }: CheckRunView, cause: FoundCause): boolean {
  const { thread, inquiry } = cause;
  const request = thread?.fixRequest ?? null;
  if (request === null || inquiry.kind !== 'concluded' || findCauseRefusal(cause) !== '') return false;
  const at = Date.parse(request.at);
  return at > Date.parse(inquiry.issue.createdAt) && at > now.getTime() - REQUEST_MS;
}

function findCauseRefusal({ thread, finding }: FoundCause): string {
  const withheld = thread?.record.withheld ?? null;
  return withheld !== null && withheld.investigationId === finding.investigationId
    ? describeWithheld(withheld.reason)
    : '';
}

/** Null where there is nothing (any more) to show: no such head, a hidden project. */
export async function loadCheckRunView(
  deps: PublishDeps,
  headId: string,
  signal: AbortSignal,
): Promise<CheckRunView | null> {
  const { store } = deps;
  const head = await store.findHead(headId);
  const project = head === null ? null : await store.findProject(head.projectId);
  if (head === null || project === null || !isGithubProject(project)) return null;
  const { config } = await deps.configuration.of(project, signal);
  const installation = await store.findInstallation(project.source.installationId);
  const { opens } = toRights(installation, config.mode === 'fix' && deps.ceiling === 'fix');
  const causes: FoundCause[] = [];
  for (const finding of head.findings) causes.push(await loadCause(deps, head, finding));
  const hasButtons = !(await deps.clients.identity(signal)).isShared;
  const notRead = describeNotRead(deps);
  return { head, project, config, opens, hasButtons, causes, notRead, webUrl: deps.webUrl, now: deps.now() };
}

async function loadCause(deps: PublishDeps, head: Head, finding: Finding): Promise<FoundCause> {
  const { store } = deps;
  const failure = await store.findFailure(finding.failureId);
  const threadId = finding.threadId ?? failure?.threadId ?? null;
  const thread = threadId === null ? null : await store.findThread(threadId);
  // The comment, else the pull request, else the check run where it began. This head's own texts are here already.
  const { comment, pullRequest } = thread !== null && !finding.isOwnThread ? thread.record : {};
  const known = comment?.url || pullRequest?.url || (await findBegun(store, head, { finding, failure })) || '';
  const reportUrl = isElsewhereOnly(head, finding, failure) ? '' : known;
  const inquiry = isAskedFor(head, finding)
    ? await loadRequested(deps, head, thread)
    : await loadInquiry(deps, finding.investigationId);
  const days = await loadDays(deps, head, finding);
  return { finding, failure, thread, putBack: await loadPutBackOf(deps, head, finding), inquiry, reportUrl, days };
}

/** Also of a failure that has ended since, as its commits were known when this head was judged. */
async function loadPutBackOf(
  { store }: PublishDeps,
  { place, projectId }: Head,
  finding: Finding,
): Promise<PutBack | null> {
  if (place?.kind !== 'default') return null;
  const failure = await store.findFailure(finding.failureId);
  const step = failure === null ? null : findBlamedStep({ ...failure, state: 'open', isOnDefault: true });
  return step === null ? null : await store.findPutBackOfCommit(projectId, step.sha);
}

/** Up to the day of the head, so that its check run says the same on another day. */
async function loadDays({ store }: PublishDeps, head: Head, { failureId }: Finding): Promise<readonly number[]> {
  const days = listDaysUntil(new Date(head.endedAt || head.createdAt));
  const counts = await store.readDailySightings({ failureIds: [failureId], since: days[0] ?? '' });
  const byDay = new Map(counts.map(({ day, count }) => [day, count]));
  return days.map((day) => byDay.get(day) ?? 0);
}

/** The check run of the pull request whose analysis is shown, or else where the failure began. */
async function findBegun(
  store: PublishDeps['store'],
  { projectId, sha }: Head,
  cause: Pick<FoundCause, 'finding' | 'failure'>,
): Promise<string | undefined> {
  const { sharedFrom } = cause.finding;
  if (typeof sharedFrom === 'number') {
    return (await store.findHeadOfPullRequest(projectId, sharedFrom))?.record.checkRun?.url;
  }
  const first = findRangeOf(cause)?.to ?? cause.failure?.firstSeen.sha ?? sha;
  return first === sha ? undefined : (await store.findHeadOfCommit(projectId, first))?.record.checkRun?.url;
}

/** Whether another pull request had the failure first, and what is found for that says nothing of this one. */
function isElsewhereOnly({ place }: Head, { sharedFrom, verdict }: Finding, failure: Failure | null): boolean {
  if (sharedFrom !== null || (verdict !== 'code' && verdict !== 'inconclusive')) return false;
  if (place === null || place.kind === 'default' || failure === null) return false;
  const number = failure.firstSeen.pullRequest;
  return number !== null && !(place.kind === 'pull_request' && place.number === number);
}

/** Whether a person's analysis of the pull request can only be about this finding. */
function isAskedFor({ findings }: Head, finding: Finding): boolean {
  const isRequested = ({ investigationId, notBegun }: Finding) =>
    investigationId === null && notBegun?.code === 'requested';
  return isRequested(finding) && findings.filter(isRed).length === 1;
}

/** What a person had analysed at this very commit. How a run without a result ended is said in the comment. */
async function loadRequested(deps: PublishDeps, head: Head, thread: Thread | null): Promise<CauseInquiry> {
  const inquiry = await loadInquiry(deps, thread?.investigationId ?? null);
  const isOfHead =
    (inquiry.kind === 'running' && isLive(head)) ||
    (inquiry.kind === 'concluded' && inquiry.issue.analysis.revision === head.sha);
  return isOfHead ? inquiry : { kind: 'none' };
}

async function loadInquiry(deps: PublishDeps, investigationId: string | null): Promise<CauseInquiry> {
  if (investigationId === null) return { kind: 'none' };
  const investigation = await deps.store.findInvestigation(investigationId);
  if (investigation === null) return { kind: 'deleted' };
  const { outcome, runId } = investigation;
  if (!isEnded(outcome)) return { kind: 'running', waitsFor: deps.waitsFor(runId) };
  if (outcome.state === 'gave_up' || outcome.state === 'cancelled') return { kind: 'ended', reason: outcome.reason };
  const result = await loadResult(deps.store, investigation);
  if (result === null) return { kind: 'deleted' };
  return { kind: 'concluded', ...result, recordUrl: deps.recordUrl(result.issue) };
}
