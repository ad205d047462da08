// What should be on GitHub for a thread, and the next step to get there; one at a time, until nothing is left. Pure.

import { describeNotBegun, describeReason } from '../../core/check/index.ts';
import { type InvestigationOutcome, isEnded } from '../../core/report/index.ts';
import {
  type CommandReply,
  findUnfinished,
  listFurther,
  type PostedComment,
  toTriggerKey,
} from '../../core/thread/index.ts';
import {
  type Beside,
  type FurtherCause,
  MAX_PAGE,
  type PostPlace,
  type RedChecks,
  renderEndComment,
  renderFactsComment,
  renderResultComment,
  renderSettledComment,
} from '../render/index.ts';
import { decideFix, toRequestKey } from './decide-fix.ts';
import { digestOf, type MarkerKind, markerText } from './marker.ts';
import { findLead, getNumber, type HeadCause, hasFix, listCheckNames, type Result, type View } from './view.ts';
import { addFurther } from './whole-change.ts';

export type PublishStep =
  | { readonly kind: 'react'; readonly number: number }
  /** A comment that a newer one has replaced. */
  | { readonly kind: 'delete'; readonly commentId: number }
  | { readonly kind: 'post'; readonly number: number; readonly comment: WantedComment }
  /** A settled comment is also collapsed as resolved, and expanded when there is more to say again. */
  | { readonly kind: 'edit'; readonly posted: PostedComment; readonly comment: WantedComment }
  /** Says in our comment why a command wasn't carried out. */
  | { readonly kind: 'reply'; readonly number: number; readonly posted: PostedComment; readonly reply: CommandReply }
  /** Reads the pull request that the thread is about. */
  | { readonly kind: 'look'; readonly number: number }
  | { readonly kind: 'suggest'; readonly number: number }
  /** Collapses the suggestions as resolved. */
  | { readonly kind: 'fold' }
  | { readonly kind: 'open' }
  | { readonly kind: 'follow' }
  | PublishWait
  | { readonly kind: 'done' };

/** `isSilenced`: there are too many posts already, so nothing is posted until then. */
export interface PublishWait {
  readonly kind: 'later';
  readonly runAt: string;
  readonly isSilenced: boolean;
}

export interface WantedComment {
  readonly shows: PostedComment['shows'];
  readonly text: string;
  /** `post`: a new comment replaces the old one, because edits send no notification. */
  readonly how: 'post' | 'edit';
}

/** Of this run of the job. */
export interface PublishProgress {
  /** Our own pull request was looked at. */
  readonly hasFollowed: boolean;
  /** When to look at it again; null: when something happens. */
  readonly followAt: string | null;
}

const HOUR_MS = 3_600_000;
/** New comments and pull requests of one thread in an hour. */
const MOST_POSTS = 5;
/** Between two edits of a comment that shows progress. */
const EDIT_MS = 20_000;
/** A run may die without notice. */
const WATCH_MS = 60_000;
/** An unrequested comment needs this much. */
const LEAST_CONFIDENCE = 0.6;

export function decideStep(view: View, progress: PublishProgress): PublishStep {
  const { thread, record } = view;
  const number = getNumber(thread.subject);
  const isSeen = isUnrequested(view) || record.seen === toTriggerKey(thread.trigger);
  if (number !== null && !isSeen) return { kind: 'react', number };
  const [replaced] = record.replaced;
  if (replaced !== undefined) return { kind: 'delete', commentId: replaced };
  if (number !== null && needsPull(view)) return { kind: 'look', number };
  const steps: readonly (PublishStep | null)[] = [
    // Before the comment, which mentions them.
    number !== null && maySuggest(view) ? waitForSilence(view, { kind: 'suggest', number }) : null,
    decideCommentStep(view),
    decideReply(view),
    areSuggestionsOver(view) ? { kind: 'fold' } : null,
    ...decidePullRequest(view, progress),
  ];
  const next = steps.find((step) => step !== null && step.kind !== 'later');
  const waits = steps.filter((step) => step?.kind === 'later');
  return next ?? decideWait(view, waits, progress.followAt);
}

function decidePullRequest(view: View, { hasFollowed }: PublishProgress): readonly PublishStep[] {
  const { record, result, investigation } = view;
  const isOpening = result !== null && decideFix(view, result.issue).kind === 'opening';
  const isFollowed = record.pullRequest?.state === 'open' && !hasFollowed && isEnded(investigation.outcome);
  return [
    ...(isOpening ? [waitForSilence(view, { kind: 'open' })] : []),
    ...(isFollowed ? [{ kind: 'follow' } as const] : []),
  ];
}

/** Whether the pull request that the thread is about has to be read first. */
export function needsPull({ thread, pull, investigation }: View): boolean {
  return thread.subject.kind === 'pull_request' && pull === null && isEnded(investigation.outcome);
}

/** When to run again, if anything is still expected. */
export function decideWait(
  view: View,
  waits: readonly PublishWait[],
  followAt: string | null,
): PublishWait | { readonly kind: 'done' } {
  const all = [...waits];
  const { investigation, checks, facts, thread, now } = view;
  const isHeadRunning = checks !== null && isUnrequested(view) && !haveEnded(checks.causes);
  if (!isEnded(investigation.outcome) || isHeadRunning) {
    const hasProgress = facts !== null && getNumber(thread.subject) !== null && !isUnrequested(view);
    all.push(waitUntil(now.getTime() + (hasProgress ? EDIT_MS : WATCH_MS)));
  }
  if (followAt !== null) all.push(waitUntil(Date.parse(followAt)));
  const [first] = all.toSorted((one, other) => one.runAt.localeCompare(other.runAt));
  return first === undefined ? { kind: 'done' } : { ...first, isSilenced: all.some(({ isSilenced }) => isSilenced) };
}

function waitUntil(time: number): PublishWait {
  return { kind: 'later', runAt: new Date(time).toISOString(), isSilenced: false };
}

function waitForSilence(view: View, step: PublishStep): PublishStep {
  const until = findSilenceEnd(view);
  return until === null ? step : { kind: 'later', runAt: until, isSilenced: true };
}

/** When we may post again after too many posts; null: now. */
export function findSilenceEnd({ record, now }: View): string | null {
  const recent = keepRecentPosts(record.posts, now);
  const [oldest] = recent;
  if (recent.length < MOST_POSTS || oldest === undefined) return null;
  return new Date(Date.parse(oldest) + HOUR_MS).toISOString();
}

/** Those of the last hour. */
export function keepRecentPosts(posts: readonly string[], now: Date): readonly string[] {
  return posts.filter((at) => Date.parse(at) > now.getTime() - HOUR_MS);
}

function decideCommentStep(view: View): PublishStep | null {
  const { record, thread } = view;
  const comment = decideComment(view);
  const number = getNumber(thread.subject);
  if (comment === null || number === null || record.unspoken === toUtterance(view, comment)) return null;
  const posted = record.comment;
  if (comment.how === 'post' || posted === null || isRemoved(posted)) {
    return waitForSilence(view, { kind: 'post', number, comment });
  }
  const isSame = posted.digest === digestOf(comment.text) && posted.shows === comment.shows;
  if (isSame && posted.investigationId === thread.investigationId) return null;
  const due = Date.parse(posted.at) + EDIT_MS;
  return comment.shows === 'facts' && due > view.now.getTime() ? waitUntil(due) : { kind: 'edit', posted, comment };
}

/** Once for each text of ours; a command carried out since then answers it, too, and an answer does what was offered before it. */
function decideReply({ record, thread, votes, result }: View): PublishStep | null {
  const { comment: posted, reply } = record;
  const number = getNumber(thread.subject);
  if (posted === null || isRemoved(posted) || reply === undefined || number === null) return null;
  const answeredAt = posted.shows === 'result' && 'offer' in reply.why ? (result?.issue.createdAt ?? '') : '';
  const carriedOut = [thread.trigger.at, thread.fixRequest?.at ?? '', answeredAt, ...votes.map(({ at }) => at)];
  const since = Math.max(...carriedOut.map((at) => Date.parse(at) || 0));
  return posted.replied === reply.at || Date.parse(reply.at) < since ? null : { kind: 'reply', number, posted, reply };
}

/** Once for each result, at the analysed head, and never what a person has to read first. */
function maySuggest(view: View): boolean {
  const { thread, record, result, pull, investigation } = view;
  if (thread.subject.kind !== 'pull_request' || result === null || !isEnded(investigation.outcome)) return false;
  if (record.suggested?.investigationId === thread.investigationId) return false;
  const { guards, revision } = result.issue.analysis;
  if (!hasFix(result.issue) || guards.length > 0 || pull?.state !== 'open' || pull.headSha !== revision) return false;
  return !isUnrequested(view) || mayComment(view);
}

/** When the checks pass and the comment is settled, or removed by people. */
function areSuggestionsOver({ record, checks }: View): boolean {
  const { suggested, comment } = record;
  if (suggested === undefined || suggested.reviewId === 0 || suggested.isMinimized === true) return false;
  return checks?.head.state === 'green' && (comment?.shows === 'settled' || isRemoved(comment));
}

/** Identifies what is to be said and for which request: what GitHub has refused isn't sent again. */
export function toUtterance({ thread }: View, { shows }: WantedComment): string {
  return [thread.investigationId, shows, toRequestKey(thread)].join(' ').trim();
}

/** Null: the comment stays as it is, or there is none. */
export function decideComment(view: View): WantedComment | null {
  const { record, thread } = view;
  const isOfThis = record.comment?.investigationId === thread.investigationId;
  // A comment that people removed isn't posted again for the same analysis.
  if (getNumber(thread.subject) === null || (isRemoved(record.comment) && isOfThis)) return null;
  const posted = isRemoved(record.comment) ? null : record.comment;
  const isGreen = view.checks?.head.state === 'green';
  if (posted?.shows === 'settled' && (isUnrequested(view) ? isGreen : isOfThis)) return null;
  if (posted !== null && isGreen && isPostOver(view, posted)) return settle(view, posted);
  // Facts were requested by a person before the checks: they get an end, whatever it is.
  const isUnasked = isUnrequested(view) && posted?.shows !== 'facts';
  return isUnasked ? decideUnrequested(view, posted) : decideRequested(view, posted);
}

/** Only once it is final; later edits send no notification. */
function decideUnrequested(view: View, posted: PostedComment | null): WantedComment | null {
  if (view.result === null || !mayComment(view)) return null;
  return { shows: 'result', text: renderResult(view, view.result), how: posted === null ? 'post' : 'edit' };
}

function decideRequested(view: View, posted: PostedComment | null): WantedComment | null {
  const { outcome } = view.investigation;
  if (!isEnded(outcome)) return decideFacts(view, posted);
  if (outcome.state === 'gave_up' || outcome.state === 'cancelled') return decideEnd(view, posted, outcome);
  const { result } = view;
  if (result === null) return null;
  return { shows: 'result', text: renderRequested(view, result), how: isKnown(view, result, posted) ? 'edit' : 'post' };
}

/** Whether the answer was announced, or that the latest analysis led to another: a vote changes which one is shown. */
function isKnown(view: View, result: Result, posted: PostedComment | null): boolean {
  if (posted?.shows !== 'result') return false;
  const { earlier, thread } = view;
  const latestId = thread.trigger.investigationId ?? view.latest?.investigation.id;
  if (latestId !== undefined && [posted.investigationId, posted.also].includes(latestId)) return true;
  const isOfThis = posted.investigationId === thread.investigationId;
  const isSame = isOfThis || (earlier !== null && isSameDiagnosis(earlier, result));
  return isSame && findKeptOut(view)?.isFolded !== true;
}

/** The answer is below the end of a later analysis that has none. */
function renderRequested(view: View, result: Result): string {
  const ended = view.latest?.investigation.outcome;
  if (ended?.state !== 'gave_up' && ended?.state !== 'cancelled') return renderResult(view, result);
  const head = `${renderEndComment(toPlace(view, 'result'), ended.reason)}\n\n---\n\n`;
  return `${head}${renderResult(view, result, MAX_PAGE - head.length)}`;
}

/** A later answer that isn't the one shown; with guidance it is shown whole. Null: none, or it says the same. */
function findKeptOut({ latest, result, thread }: View): { readonly later: Result; readonly isFolded: boolean } | null {
  const later = latest?.result ?? null;
  if (later === null || result === null || isSameDiagnosis(later, result)) return null;
  return { later, isFolded: thread.trigger.guidance !== '' };
}

/** An earlier result stays until there is a newer one. A full disk can delay the facts for hours, which is said. */
function decideFacts(view: View, posted: PostedComment | null): WantedComment | null {
  const { facts, waitsFor, progressSource: source, investigation } = view;
  if (posted?.shows === 'result' || (facts === null && waitsFor !== 'disk_full')) return null;
  const text = renderFactsComment(toPlace(view, 'facts'), { facts, ...investigation.progress, source, waitsFor });
  return { shows: 'facts', text, how: posted?.shows === 'facts' ? 'edit' : 'post' };
}

/** Without an answer from before. */
function decideEnd(
  view: View,
  posted: PostedComment | null,
  { state, reason }: Extract<InvestigationOutcome, { state: 'gave_up' | 'cancelled' }>,
): WantedComment | null {
  const isQuiet = posted === null || posted.shows === 'settled';
  const isShown = posted?.shows === 'result' && posted.investigationId === view.thread.investigationId;
  if (isShown || (isQuiet && state === 'cancelled')) return null;
  const text = renderEndComment(toPlace(view, 'result'), reason);
  return { shows: 'result', text, how: posted === null ? 'post' : 'edit' };
}

function isSameDiagnosis(one: Result, other: Result): boolean {
  const [a, b] = [one, other].map(({ issue: { analysis, rootCause, diff } }) =>
    JSON.stringify([analysis.outcome, rootCause, diff, analysis.questions]),
  );
  return a === b;
}

/** Whether the comment is over now that the checks pass. A requested result has to be shown before. */
function isPostOver(view: View, posted: PostedComment): boolean {
  if (posted.shows === 'settled') return false;
  if (isUnrequested(view)) return true;
  const { checks, result, investigation, thread } = view;
  if (posted.shows !== 'result' || posted.investigationId !== thread.investigationId) return false;
  if (checks === null || result === null || !isEnded(investigation.outcome)) return false;
  return Date.parse(checks.head.endedAt) > Date.parse(result.issue.createdAt);
}

function settle(view: View, posted: PostedComment): WantedComment | null {
  const { checks, thread, result, earlier } = view;
  if (checks === null) return null;
  const { head, causes, namesBefore: names } = checks;
  const known = posted.investigationId === thread.investigationId ? result : earlier;
  const place = toPlace({ ...view, thread: { ...thread, investigationId: posted.investigationId } }, 'result');
  const isFlaky = causes.length > 0 && causes.every(({ finding }) => finding.verdict === 'flaky');
  const text = renderSettledComment(place, { sha: head.sha, names, isFlaky, issue: known?.issue ?? null });
  return { shows: 'settled', text, how: 'edit' };
}

/** Checks started the analysis. */
function isUnrequested({ thread }: View): boolean {
  return thread.trigger.kind === 'checks';
}

/** Whether an unrequested comment may be posted: about the change under test, known well enough, on a pull request under review. */
function mayComment({ config, checks, record, pull }: View): boolean {
  if (config.comments !== 'all' || isRemoved(record.comment) || checks?.head.state !== 'red') return false;
  const { head, causes } = checks;
  // A comment notifies people once, so everything has to have ended.
  if (head.stillWaiting.length > 0 || !haveEnded(causes) || !causes.some(isWorthSaying)) return false;
  if (pull?.state !== 'open' || pull.isDraft || head.place?.kind !== 'pull_request') return false;
  return pull.headSha === head.place.sha;
}

function isWorthSaying({ finding, result }: HeadCause): boolean {
  if (finding.verdict !== 'code' || finding.override?.whose === 'not_mine' || result === null) return false;
  // That a failing test uses what was changed is only a guess.
  if (finding.isTouched !== true && finding.base === undefined) return false;
  const { outcome, confidence } = result.issue.analysis;
  return outcome !== 'facts_only' && (confidence ?? 0) >= LEAST_CONFIDENCE;
}

function haveEnded(causes: readonly HeadCause[]): boolean {
  return causes.every(({ investigation }) => investigation === null || isEnded(investigation.outcome));
}

/** People deleted our comment. */
export function isRemoved(comment: PostedComment | null): boolean {
  return comment?.digest === '';
}

function renderResult(view: View, result: Result, most = MAX_PAGE): string {
  const { thread, record, checks } = view;
  const isCurrent = view.result === result;
  const { suggested } = record;
  const isOffered = suggested !== undefined && suggested.reviewId !== 0 && suggested.isMinimized !== true;
  const isStarted = isCurrent && isUnrequested(view);
  const red = isStarted && checks !== null ? describeRedChecks(view, checks.causes) : null;
  const fix = decideFix(view, result.issue);
  const posted = fix.kind === 'opened' ? record.pullRequest : null;
  return renderResultComment({
    place: toPlace(view, 'result'),
    ...(posted === null ? result : addFurther(result, view.further, posted)),
    fix,
    ...(posted !== null &&
      listFurther(posted).length > 0 && {
        attempt: 1 + posted.attempts.filter(({ outcome }) => outcome === 'pushed').length,
      }),
    unfinished: findUnfinished(posted),
    lastAttempt: posted === null ? null : (view.further.at(-1)?.issue ?? null),
    recordUrl: isCurrent ? view.recordUrl : '',
    notRead: view.notRead,
    isAtOnce: !view.hasRecords && thread.trigger.isForFix === true,
    most,
    isSuggested: isCurrent && isOffered && suggested.investigationId === thread.investigationId,
    ...(isCurrent && { votes: view.votes, beside: describeBeside(view) }),
    ...(red !== null && { checks: red }),
  });
}

function describeBeside(view: View): Beside | null {
  const keptOut = findKeptOut(view);
  const askedBy = view.thread.trigger.by.login;
  if (keptOut !== null) return { kind: 'kept_out', ...keptOut.later, askedBy, isFolded: keptOut.isFolded };
  return view.displaced && { kind: 'displaced', ...view.displaced };
}

/** For a comment whose result is that of the leading cause. */
function describeRedChecks({ checks, project }: View, causes: readonly HeadCause[]): RedChecks | null {
  const lead = findLead(causes);
  if (lead === null) return null;
  const { verdict, excerpt, isTouched = false, base } = lead.finding;
  const place = checks?.head.place;
  const branch = place?.kind === 'pull_request' ? place.base.branch : project.source.defaultBranch;
  const others = causes.filter((cause) => cause !== lead && cause.finding.checks.some(({ isRed }) => isRed));
  const fault = { isTouched, greenOn: base === 'green' ? branch : '' };
  return { names: listCheckNames(lead.finding), verdict, fault, excerpt, further: others.map(describeFurther) };
}

function describeFurther({ finding, investigation, result }: HeadCause): FurtherCause {
  const names = listCheckNames(finding);
  if (result !== null) return { names, issue: result.issue, notFound: '' };
  const [reason] = finding.reasons;
  if (finding.notBegun !== null) return { names, issue: null, notFound: describeNotBegun(finding.notBegun) };
  const isKnown = investigation === null && reason !== undefined;
  return { names, issue: null, notFound: isKnown ? describeReason(reason) : 'the analysis ended without a result' };
}

export function toPlace({ project, thread, webUrl }: View, kind: MarkerKind): PostPlace {
  return {
    repository: project.name,
    webUrl,
    isPublic: !project.source.isPrivate,
    subject: thread.subject,
    marker: markerText({ threadId: thread.id, investigationId: thread.investigationId, kind }),
    askedBy: thread.trigger.by.login,
  };
}
