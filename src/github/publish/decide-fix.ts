// Whether a result gets a pull request, and who requested it, as far as it can be said without asking GitHub. Pure.

import type { Failure } from '../../core/check/index.ts';
import { isSureEnough, type SourcedIssue } from '../../core/issue/index.ts';
import { isWithoutCi, toProof } from '../../core/proof/index.ts';
import {
  describeWithheld,
  type FixRequest,
  type PostedPullRequest,
  type Thread,
  type ThreadRecord,
  type WithheldReason,
} from '../../core/thread/index.ts';
import type { FixedFailure, FixState, PullRequestText } from '../render/index.ts';
import type { LivePullRequest } from './github-writer.ts';
import { getNumber, hasFix, type View } from './view.ts';

export function decideFix(view: View, issue: SourcedIssue): FixState {
  const { record, thread } = view;
  if (record.pullRequest !== null && isPullRequestOf(view, record.pullRequest, issue)) {
    return describePosted(record.pullRequest);
  }
  const isRequested = isRequestedFor(view, issue);
  if (!hasFix(issue) || (!isRequested && !isOffered(view))) return { kind: 'none' };
  const forbidden = findForbidden(view, issue);
  if (forbidden !== null) return { kind: 'withheld', reason: forbidden };
  const waits = view.isReadFirst && !isRequestedAfter(thread.fixRequest, issue);
  if (!isRequested || waits) return { kind: 'on_request', isReadFirst: waits };
  const reason = findFixRefusal(thread, record) ?? findUnread(view, issue);
  if (reason !== null) return { kind: 'withheld', reason };
  return { kind: view.isObserved ? 'observed' : 'opening' };
}

/** Or of an earlier analysis with the same change, as long as it is open. */
function isPullRequestOf({ thread, published }: View, posted: PostedPullRequest, issue: SourcedIssue): boolean {
  if (posted.issueId === issue.id) return !isRequestedAgain(thread, posted);
  return posted.state === 'open' && JSON.stringify(published?.diff) === JSON.stringify(issue.diff);
}

function describePosted({ number, url, state, checks, attempts, handedOver, proof }: PostedPullRequest): FixState {
  const isTrying = state === 'open' && attempts.at(-1)?.outcome === null;
  return {
    kind: 'opened',
    number,
    url,
    state,
    // Where there is no CI, it isn't waited for.
    checks: checks === 'waiting' && proof !== undefined && isWithoutCi(proof) ? 'none' : checks,
    isTrying,
    isHandedOver: handedOver !== null,
    proof: toProof(proof)?.state ?? null,
  };
}

/** A pull request is only offered where it would be opened: nothing is pushed to forks. */
function isOffered({ opens, thread, pull }: View): boolean {
  const { kind } = thread.subject;
  return opens && (kind === 'issue' || kind === 'failure' || (kind === 'pull_request' && pull?.isFork === false));
}

/** A request made before checks started this analysis doesn't count. A push to a failing default branch counts if the fix is sure. */
function isRequestedFor({ thread, investigation, threshold }: View, issue: SourcedIssue): boolean {
  const { fixRequest, trigger, subject } = thread;
  if (fixRequest === null || trigger.kind !== 'checks') return fixRequest !== null;
  // GitHub's times are whole seconds.
  if (Date.parse(fixRequest.at) + 1_000 <= Date.parse(investigation.createdAt)) return false;
  return subject.kind !== 'failure' || isRequestedAfter(fixRequest, issue) || isSure(issue, threshold);
}

/** A fix for a failing default branch is opened without a request. */
function isSure({ analysis }: SourcedIssue, threshold: number): boolean {
  const { outcome, partial, verdict, confidence, guards, secondLook } = analysis;
  const isProven = outcome === 'code_fix' && !partial && verdict === 'code' && guards.length === 0;
  return isProven && isSureEnough(confidence, secondLook, threshold);
}

function findForbidden({ opens, lacks }: View, issue: SourcedIssue): string | null {
  const never = issue.analysis.guards.find(({ rule }) => rule.startsWith('never/'));
  if (never !== undefined) return `${describeGuard(never)}.`;
  if (opens) return null;
  if (lacks.length === 0) return 'pull requests are turned off here (mode `comment`).';
  const wanted = lacks.map((name) => `\`${name}: write\``).join(' and ');
  return `Causeway wasn't granted ${wanted} here. An administrator can grant it in the settings of the App's installation on GitHub.`;
}

/** What a person with write access has to read before they request it; null: nothing, or they have. */
function findUnread({ thread, hasRecords }: View, issue: SourcedIssue): string | null {
  const { fixRequest, subject } = thread;
  const guards = issue.analysis.guards.filter(({ rule }) => rule.startsWith('person/'));
  if (guards.length === 0 || isRequestedAfter(fixRequest, issue)) return null;
  const how = getNumber(subject) === null ? ' again' : ' with `/analyse fix`';
  const what = guards.slice(0, 3).map(describeGuard).join('; ');
  // Each job makes another change: what was read isn't what it would open.
  if (!hasRecords) return `${what}. Read the change, and apply it by hand if it is right: an action doesn't open it.`;
  return `${what}. Read the change first; someone with write access can then request it${how}.`;
}

function describeGuard({ file, reason }: SourcedIssue['analysis']['guards'][number]): string {
  return file === '' ? reason : `\`${file.replaceAll('`', '')}\`: ${reason}`;
}

/** GitHub dates a comment by whole seconds: within the same second it counts as before. */
function isRequestedAfter(request: FixRequest | null, issue: SourcedIssue): boolean {
  return request !== null && Date.parse(request.at) > Date.parse(issue.createdAt);
}

export function createRefusal(thread: Thread, reason: WithheldReason): NonNullable<ThreadRecord['withheld']> {
  return { investigationId: thread.investigationId, reason, request: toRequestKey(thread) };
}

/** Why the current request was refused; null: it wasn't, or there is a newer request. */
function findFixRefusal(thread: Thread, { withheld }: ThreadRecord): string | null {
  const isCurrent = withheld?.investigationId === thread.investigationId && withheld.request === toRequestKey(thread);
  return isCurrent ? describeWithheld(withheld.reason) : null;
}

/** Identifies a request of a thread. */
export function toRequestKey({ fixRequest }: Thread): string {
  return fixRequest === null ? '' : `${fixRequest.id} ${fixRequest.at}`;
}

/** Who is behind an opened pull request: later requests don't change that. */
export function findRequester({ requestedBy }: PostedPullRequest, { fixRequest }: Thread): FixRequest | null {
  return requestedBy ?? fixRequest;
}

/** A pull request that was closed unmerged is requested again; requests made while it was open were for that one. */
function isRequestedAgain({ fixRequest }: Thread, { state, requestedBy, closedAt }: PostedPullRequest): boolean {
  if (state !== 'closed' || fixRequest === null || requestedBy === undefined) return false;
  return [requestedBy.at, closedAt ?? requestedBy.at].every((at) => Date.parse(fixRequest.at) > Date.parse(at));
}

/** GitHub's clock may be ahead of ours, by which requests are dated: it was closed now at the latest. */
export function toClosingTime({ closedAt }: LivePullRequest, now: Date): string {
  return new Date(Math.min(Date.parse(closedAt ?? now.toISOString()), now.getTime())).toISOString();
}

/** The failure of the default branch that a pull request fixes. `posted`: null before it is opened. */
export function describeFixed(
  { thread, failure, redNames, project }: View,
  issue: SourcedIssue,
  posted: PostedPullRequest | null,
): Pick<PullRequestText, 'failure' | 'isForPush'> {
  if (failure === null) return { failure: null, isForPush: false };
  const request = posted === null ? thread.fixRequest : findRequester(posted, thread);
  const fixed: FixedFailure = {
    branch: project.source.defaultBranch,
    checkNames: redNames,
    headline: failure.headline,
    // The failure's own range may be that of a later time by now.
    range: posted === null ? failure.range : (posted.range ?? null),
    since: posted === null ? null : findPassing(failure, issue),
  };
  return { failure: fixed, isForPush: !isRequestedAfter(request, issue) };
}

/** Only a passing default branch says something about it: failures are also closed with their pull requests, or after some time. */
function findPassing({ state, closed, isOnDefault }: Failure, { createdAt }: SourcedIssue): FixedFailure['since'] {
  if (closed?.by !== 'green') return null;
  if (state === 'closed') return { kind: 'gone', sha: closed.sha };
  const isAfter = Date.parse(closed.at) >= Math.floor(Date.parse(createdAt) / 1_000) * 1_000;
  return isOnDefault && isAfter ? { kind: 'back', sha: closed.sha } : null;
}
