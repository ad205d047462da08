// What the comment on a thread's subject should say now. Pure.

import { describeReason } from '../../core/check.ts';
import { isEnded } from '../../core/report.ts';
import type { PostedComment } from '../../core/thread.ts';
import { renderEndComment, renderFactsComment, renderResultComment, renderSettledComment } from '../render/comment.ts';

import type { FurtherCause, Place, RedChecks } from '../render/ground.ts';
import { describeNotBegun } from '../render/not-begun.ts';
import { MAX_PAGE } from '../render/page.ts';

import { decideFix, toDiagnosis, toRequestKey } from './fix-standing.ts';
import { type MarkerKind, markerText } from './marker.ts';
import { type Cause, findLead, findNumber, type HeadView, listRedNames, type Result, type View } from './view.ts';

/** Null: what stands may stay, be it a comment or none. */
export function decideComment(view: View): WantedComment | null {
  if (findNumber(view.thread.subject) === null) return null;
  const standing = findStanding(view);
  if (isRemoved(standing) || (standing !== null && isStillSettled(view, standing))) return null;
  const over = standing === null ? null : settleWhenGreen(view, standing);
  if (over !== null) return over;
  // Facts stand where a person asked before the checks did: they wait for the end, whatever it is.
  const isTold = isUnrequested(view) && standing?.shows !== 'facts';
  return isTold ? decideUnrequested(view, standing) : decideRequested(view, standing);
}

/** One that people took away is none for whoever asks for another analysis. */
function findStanding(view: View): PostedComment | null {
  const { comment } = view.record;
  return isRemoved(comment) && !isOfThis(comment, view) ? null : comment;
}

function decideRequested(view: View, standing: PostedComment | null): WantedComment | null {
  const { outcome } = view.investigation;
  if (!isEnded(outcome)) return describeProgress(view, standing);
  if (outcome.state === 'concluded') return view.result && describeResult(view, view.result, standing);
  return outcome.state === 'gave_up' || outcome.state === 'cancelled' ? describeEnd(view, standing) : null;
}

/** Names what is to be said, and at whose wish, so that GitHub is not asked again to take what it has refused. */
export function toUtterance({ thread }: Pick<View, 'thread'>, { shows }: Pick<WantedComment, 'shows'>): string {
  return [thread.investigationId, shows, toRequestKey(thread)].join(' ').trim();
}

/** Nothing before there are facts, unless the run cannot begin for lack of disk space, which can take hours. An earlier result stays until there is a newer one. */
function describeProgress(view: View, standing: PostedComment | null): WantedComment | null {
  const { facts, waitsFor, investigation, progressSource } = view;
  if (standing?.shows === 'result' || (facts === null && waitsFor !== 'disk_full')) return null;
  const text = renderFactsComment({
    place: toPlace(view, 'facts'),
    facts,
    progress: { ...investigation.progress, source: progressSource },
    waitsFor,
  });
  return { shows: 'facts', text, how: standing?.shows === 'facts' ? 'edit' : 'post' };
}

function describeResult(view: View, result: Result, standing: PostedComment | null): WantedComment {
  const isKnown = standing?.shows === 'result' && (isOfThis(standing, view) || isSameDiagnosis(view, result));
  return { shows: 'result', text: renderResult(view, result), how: isKnown ? 'edit' : 'post' };
}

function isSameDiagnosis({ earlier }: View, { issue }: Result): boolean {
  return earlier !== null && toDiagnosis(earlier.issue) === toDiagnosis(issue);
}

/** A person who stopped it before anything was said needs no comment about it. What an earlier analysis found stays, below. */
function describeEnd(view: View, standing: PostedComment | null): WantedComment | null {
  const { outcome } = view.investigation;
  if (outcome.state !== 'gave_up' && outcome.state !== 'cancelled') return null;
  const isSilent = standing === null || standing.shows === 'settled';
  if (isSilent && outcome.state === 'cancelled') return null;
  if (standing?.shows === 'result' && isOfThis(standing, view)) return null;
  const text = renderEndComment({ place: toPlace(view, 'result'), reason: outcome.reason });
  if (standing === null) return { shows: 'result', text, how: 'post' };
  const before = standing.shows === 'result' ? view.earlier : null;
  if (before === null) return { shows: 'result', text, how: 'edit' };
  const head = `${text}\n\n---\n\n`;
  const earlier = renderResult(view, before, MAX_PAGE - head.length);
  return { shows: 'result', text: `${head}${earlier}`, how: 'edit' };
}

/** The one line that is to be left of the standing comment; null: it is not over, or is no more than that already. */
function settleWhenGreen(view: View, standing: PostedComment): WantedComment | null {
  const { checks } = view;
  if (checks?.head.state !== 'green' || standing.shows === 'settled' || !isOver(view, standing)) return null;
  const { thread, result, earlier } = view;
  const known = isOfThis(standing, view) ? result : earlier;
  const text = renderSettledComment({
    place: toPlace({ ...view, thread: { ...thread, investigationId: standing.investigationId } }, 'result'),
    sha: checks.head.sha,
    names: checks.namesBefore,
    isFlaky: isFlaky(checks),
    issue: known?.issue ?? null,
  });
  return { shows: 'settled', text, how: 'edit' };
}

/** What a person asked for is shown first, and is over only when the checks turn green after that. */
function isOver(view: View, standing: PostedComment): boolean {
  if (isUnrequested(view)) return true;
  const { checks, result, investigation } = view;
  if (standing.shows !== 'result' || !isOfThis(standing, view)) return false;
  if (checks === null || result === null || !isEnded(investigation.outcome)) return false;
  return Date.parse(checks.head.endedAt) > Date.parse(result.issue.createdAt);
}

/** Whether the one line stays as it is: until the checks are red anew, or a person asks anew. */
function isStillSettled(view: View, standing: PostedComment): boolean {
  if (standing.shows !== 'settled') return false;
  return isUnrequested(view) ? view.checks?.head.state === 'green' : isOfThis(standing, view);
}

/** Whether the suggestions are over: as soon as the comment is, or where people took that away. */
export function areSuggestionsOver({ record, checks }: View): boolean {
  const { suggested, comment } = record;
  if (suggested === undefined || suggested.reviewId === 0 || suggested.isMinimized === true) return false;
  return checks?.head.state === 'green' && (comment?.shows === 'settled' || isRemoved(comment));
}

/** Whether suggestions that were folded away hold again: red anew of the same cause, at the very head that they were made for. */
export function areSuggestionsBack(view: View): boolean {
  const { suggested } = view.record;
  if (suggested === undefined || suggested.reviewId === 0 || suggested.isMinimized !== true) return false;
  if (suggested.investigationId !== view.thread.investigationId || suggested.headSha !== view.pull?.headSha)
    return false;
  return isUnrequested(view) && maySpeak(view);
}

export function isUnrequested({ thread }: Pick<View, 'thread'>): boolean {
  return thread.trigger.kind === 'checks';
}

/** Also where people took our comment away: it is not made again there unasked. */
export function maySpeak(view: View): boolean {
  const { config, checks, record } = view;
  if (config.comments !== 'all' || isRemoved(record.comment) || checks?.head.state !== 'red') return false;
  // What has not ended may say more, and a comment that calls people is said once.
  if (checks.head.stillWaiting.length > 0) return false;
  return isSettled(checks.causes) && isWorthSaying(checks.causes) && isReviewable(view);
}

/** Whether the pull request is open, waits for a review, and still stands at the head that was judged. */
function isReviewable({ checks, pull }: View): boolean {
  const place = checks?.head.place;
  if (pull?.state !== 'open' || pull.isDraft || place?.kind !== 'pull_request') return false;
  return pull.headSha === place.sha;
}

/** In its final form alone; after that it is only ever edited, which calls nobody. */
function decideUnrequested(view: View, standing: PostedComment | null): WantedComment | null {
  if (view.result === null || !maySpeak(view)) return null;
  return { shows: 'result', text: renderResult(view, view.result), how: standing === null ? 'post' : 'edit' };
}

export interface WantedComment {
  readonly shows: PostedComment['shows'];
  readonly text: string;
  /** `post`: a new one takes the place of the standing one, so that those who wait hear of it. */
  readonly how: 'post' | 'edit';
}

/** Somebody has taken our comment away: it is not written again for the same analysis. */
export function isRemoved(comment: PostedComment | null): boolean {
  return comment?.digest === '';
}

export function markRemoved(comment: PostedComment): PostedComment {
  return { ...comment, digest: '', url: '' };
}

/** Whether it tells of the analysis that the thread is at. */
function isOfThis(comment: PostedComment | null, { thread }: Pick<View, 'thread'>): boolean {
  return comment?.investigationId === thread.investigationId;
}

/** `most`: characters. */
function renderResult(view: View, result: Result, most = MAX_PAGE): string {
  const { thread, record, checks } = view;
  const isCurrent = view.result === result;
  const { suggested } = record;
  // Folded away when the checks were green: they come back at no later head.
  const isOffered = suggested !== undefined && suggested.reviewId !== 0 && suggested.isMinimized !== true;
  const isSuggested = isCurrent && isOffered && suggested.investigationId === thread.investigationId;
  const causes = isCurrent && thread.trigger.kind === 'checks' ? (checks?.causes ?? []) : [];
  const lead = findLead(causes);
  return renderResultComment({
    place: toPlace(view, 'result'),
    ...result,
    fix: decideFix(view, result),
    recordUrl: isCurrent ? view.recordUrl : '',
    most,
    isSuggested,
    ...(lead !== null && { checks: describeRedChecks(causes, lead, findBase(view)) }),
  });
}

function findBase({ checks, project }: View): string {
  const place = checks?.head.place;
  return place?.kind === 'pull_request' ? place.base.branch : project.source.defaultBranch;
}

/** Below it nobody is told who did not ask. */
const LEAST_CONFIDENCE = 0.6;

/** Whether no investigation of the head runs any more. */
export function isSettled(causes: readonly Cause[]): boolean {
  return causes.every(({ investigation }) => investigation === null || isEnded(investigation.outcome));
}

/** Flaky checks, the machine and a red base are nobody's news, nor is a guess, such as that the failing test only uses what was changed. */
function isWorthSaying(causes: readonly Cause[]): boolean {
  return causes.some(({ finding, result }) => {
    if (finding.verdict !== 'code' || result === null) return false;
    if (finding.isTouched !== true && finding.base === undefined) return false;
    const { outcome, confidence } = result.issue.analysis;
    return outcome !== 'facts_only' && (confidence ?? 0) >= LEAST_CONFIDENCE;
  });
}

/** Every check of a green head that was red had passed there without a change. */
function isFlaky({ causes }: HeadView): boolean {
  return causes.length > 0 && causes.every(({ finding }) => finding.verdict === 'flaky');
}

/** For the comment whose result is the lead's. `base`: the branch that the pull request is for. */
function describeRedChecks(causes: readonly Cause[], lead: Cause, base: string): RedChecks {
  const { verdict, excerpt, isTouched = false, base: onBase } = lead.finding;
  const further = causes.filter((cause) => cause !== lead && isStillRed(cause)).map(describeFurther);
  const fault = { isTouched, greenOn: onBase === 'green' ? base : '' };
  return { names: listRedNames(lead.finding), verdict, fault, excerpt, further };
}

function isStillRed({ finding }: Cause): boolean {
  return finding.checks.some(({ isRed }) => isRed);
}

function describeFurther({ finding, investigation, result }: Cause): FurtherCause {
  const names = listRedNames(finding);
  if (result !== null) return { names, issue: result.issue, notFound: '' };
  const [reason] = finding.reasons;
  const isReasonKnown = investigation === null && reason !== undefined;
  const why = isReasonKnown ? describeReason(reason) : 'its analysis ended without a result';
  return { names, issue: null, notFound: finding.notBegun === null ? why : describeNotBegun(finding.notBegun) };
}

export function toPlace({ project, thread, webUrl }: View, kind: MarkerKind): Place {
  return {
    repository: project.name,
    webUrl,
    isPublic: !project.source.isPrivate,
    subject: thread.subject,
    marker: markerText({ threadId: thread.id, investigationId: thread.investigationId, kind }),
    askedBy: thread.trigger.by.login,
  };
}
