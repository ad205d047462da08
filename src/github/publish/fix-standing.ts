// Where the pull request of a result stands, and who asked for it, as far as it can be said without asking GitHub. Pure.

import type { Failure } from '../../core/failure.ts';
import type { SourcedIssue } from '../../core/shown-issue.ts';
import type { FixRequest, PostedPullRequest, Thread, ThreadRecord } from '../../core/thread.ts';
import type { FixStanding, MendedFailure, PullRequestGround } from '../render/ground.ts';
import type { LivePullRequest } from './outbox.ts';
import { findNumber, type Result, type View } from './view.ts';

/** From here on a fix of a red default branch is opened without being asked for. */
const SURE = 0.78;

export function decideFix(view: View, { issue }: Result): FixStanding {
  const { record, published } = view;
  const posted = record.pullRequest;
  const isThis = posted?.issueId === issue.id && !isAskedAgain(view.thread, posted);
  if (posted !== null && (isThis || isStillThere(posted, published, issue))) return describeOpened(posted);
  if (issue.analysis.outcome !== 'code_fix' || issue.diff.files.length === 0) return { kind: 'none' };
  const isAsked = isAskedFor(view, issue);
  if (!isAsked && !isOffered(view)) return { kind: 'none' };
  const reason = findForbidden(view, issue);
  if (reason !== null) return { kind: 'withheld', reason };
  if (!isAsked) return { kind: 'on_request' };
  const refused = findRefusal(view.thread, record.withheld);
  if (refused !== null) return { kind: 'withheld', reason: refused };
  const shown = findUnseen(view.thread, issue);
  return shown === null ? { kind: 'opening' } : { kind: 'withheld', reason: shown };
}

/** The same change of an earlier analysis is open: it is the pull request of this one as well. */
function isStillThere(posted: PostedPullRequest, published: SourcedIssue | null, issue: SourcedIssue): boolean {
  return posted.state === 'open' && published !== null && toChangeKey(published) === toChangeKey(issue);
}

/** Equal where two Issues say the same about cause and repair. */
export function toDiagnosis(issue: SourcedIssue): string {
  return JSON.stringify([issue.analysis.outcome, issue.rootCause, issue.diff, issue.analysis.questions]);
}

function toChangeKey(issue: SourcedIssue): string {
  return JSON.stringify(issue.diff);
}

function describeOpened(posted: PostedPullRequest): FixStanding {
  const { number, url, state, checks, attempts, handedOver } = posted;
  if (number === 0) return { kind: 'observed' };
  const isTrying = state === 'open' && attempts.at(-1)?.outcome === null;
  const pushed = attempts.filter(({ outcome }) => outcome !== null).length;
  return { kind: 'opened', number, url, state, checks, attempts: pushed, isTrying, isHandedOver: handedOver !== null };
}

/** Who has not asked for a pull request is told of one only where they would get it: nothing is pushed to forks. */
function isOffered({ opens, thread, pull }: View): boolean {
  const { kind } = thread.subject;
  return opens && (kind === 'issue' || kind === 'failure' || (kind === 'pull_request' && pull?.isFork === false));
}

/**
 * Whether somebody stands behind a pull request of this very analysis. One that red checks began answers no wish of before; and what was
 * pushed to a red default branch is only mended unseen where the fix is sure.
 */
function isAskedFor({ thread, investigation }: View, issue: SourcedIssue): boolean {
  const { fixRequest, trigger, subject } = thread;
  if (fixRequest === null || trigger.kind !== 'checks') return fixRequest !== null;
  // GitHub's times are whole seconds.
  if (Date.parse(fixRequest.at) + 1_000 <= Date.parse(investigation.createdAt)) return false;
  return subject.kind !== 'failure' || isAskedAfterSeeing(thread, issue) || isSure(issue);
}

function isSure({ analysis }: SourcedIssue): boolean {
  const { outcome, partial, verdict, confidence, guards } = analysis;
  const isProven = outcome === 'code_fix' && !partial && verdict === 'code';
  return isProven && (confidence ?? 0) >= SURE && guards.length === 0;
}

function findForbidden({ opens, lacks }: View, issue: SourcedIssue): string | null {
  const never = issue.analysis.guards.find(({ rule }) => rule.startsWith('never/'));
  if (never !== undefined) {
    return `${describeGuard(never)}.`;
  }
  if (opens) return null;
  if (lacks.length === 0) return 'pull requests are switched off here (mode `comment`).';
  const wanted = lacks.map((name) => `\`${name}: write\``).join(' and ');
  return `Causeway was not granted ${wanted} here. Whoever administers the App's installation can grant that in its settings on GitHub.`;
}

/** What a person with write must have seen before they ask; null where nothing is left to be seen, or they have. */
function findUnseen(thread: Thread, issue: SourcedIssue): string | null {
  const guards = issue.analysis.guards.filter(({ rule }) => rule.startsWith('person/'));
  if (guards.length === 0 || isAskedAfterSeeing(thread, issue)) return null;
  const what = guards.slice(0, 3).map(describeGuard);
  const how = findNumber(thread.subject) === null ? ' once more' : ' with `/analyse fix`';
  return `${what.join('; ')}. Read the change first; someone with write access can then ask for it${how}.`;
}

function describeGuard({ file, reason }: SourcedIssue['analysis']['guards'][number]): string {
  return file === '' ? reason : `\`${file.replaceAll('`', '')}\`: ${reason}`;
}

/** A request that came with the trigger was made before there was anything to see. */
function isAskedAfterSeeing({ fixRequest }: Pick<Thread, 'fixRequest'>, issue: SourcedIssue): boolean {
  // GitHub dates a comment by whole seconds: within the same one it counts as before.
  return fixRequest !== null && Date.parse(fixRequest.at) > Date.parse(issue.createdAt);
}

type Withheld = NonNullable<ThreadRecord['withheld']>;

export function createRefusal(thread: Thread, reason: string): Withheld {
  return { investigationId: thread.investigationId, reason, request: toRequestKey(thread) };
}

/** Why the present request was refused, in words; null: it was not, or somebody has asked anew since. */
function findRefusal(thread: Thread, withheld: ThreadRecord['withheld']): string | null {
  if (withheld?.investigationId !== thread.investigationId) return null;
  return withheld.request === toRequestKey(thread) ? withheld.reason : null;
}

/** Who stands behind a pull request that was opened: a later trigger changes nothing about that. */
export function findRequester({ requestedBy }: PostedPullRequest, { fixRequest }: Thread): FixRequest | null {
  return requestedBy ?? fixRequest;
}

/** ISO 8601. GitHub's clock may be ahead of ours, by which requests are dated: it was closed when we see that it is, at the latest. */
export function toClosingTime({ closedAt }: Pick<LivePullRequest, 'closedAt'>, now: Date): string {
  return new Date(Math.min(Date.parse(closedAt ?? now.toISOString()), now.getTime())).toISOString();
}

/** Whether somebody asks for it anew that was closed unmerged; a request made while it was open was for that one. */
function isAskedAgain({ fixRequest }: Thread, { state, requestedBy, closedAt }: PostedPullRequest): boolean {
  if (state !== 'closed' || fixRequest === null || requestedBy === undefined) return false;
  return [requestedBy.at, closedAt ?? requestedBy.at].every((at) => Date.parse(fixRequest.at) > Date.parse(at));
}

/** Tells one request of a thread from the next. */
export function toRequestKey({ fixRequest }: Thread): string {
  return fixRequest === null ? '' : `${fixRequest.id} ${fixRequest.at}`;
}

/** Nothing where a person asked for something else to be mended. `posted`: where it is open already. */
export function describeMended(
  { thread, failure, redNames, project }: View,
  issue: SourcedIssue,
  posted?: PostedPullRequest,
): Pick<PullRequestGround, 'failure' | 'isForPush'> {
  if (failure === null) return {};
  const fixRequest = posted === undefined ? thread.fixRequest : findRequester(posted, thread);
  const isForPush = !isAskedAfterSeeing({ fixRequest }, issue);
  // By now its own may be that of a later time, with which this change has nothing to do.
  const range = posted === undefined ? failure.range : (posted.range ?? null);
  const since = posted === undefined ? null : findSince(failure, issue);
  const shown = { checkNames: redNames, headline: failure.headline };
  return { failure: { branch: project.source.defaultBranch, failure: shown, range, since }, isForPush };
}

/** The end of pull requests, or that nobody saw it for long, says nothing of the default branch. */
function findSince({ state, closed, isOnDefault }: Failure, { createdAt }: SourcedIssue): MendedFailure['since'] {
  if (closed?.by !== 'green') return null;
  if (state === 'closed') return { kind: 'gone', sha: closed.sha };
  // GitHub's times are whole seconds: what was green within the second of the result was so after it.
  const isBack = isOnDefault && Date.parse(closed.at) >= Math.floor(Date.parse(createdAt) / 1_000) * 1_000;
  return isBack ? { kind: 'back', sha: closed.sha } : null;
}
