// The next thing to be done so that GitHub shows what it should; one at a time, until nothing is left. Pure.
import { isEnded } from '../../core/report.ts';
import { type CommandReply, type PostedComment, triggerKey } from '../../core/thread.ts';
import { decideFix } from './fix-standing.ts';
import { digestOf } from './marker.ts';
import { findNumber, type View } from './view.ts';
import {
  areSuggestionsBack,
  areSuggestionsOver,
  decideComment,
  isRemoved,
  isSettled,
  isUnrequested,
  maySpeak,
  toUtterance,
  type WantedComment,
} from './wanted-comment.ts';

export type Step =
  | { readonly kind: 'react'; readonly number: number }
  /** Of a comment that a newer one has replaced. */
  | { readonly kind: 'delete'; readonly commentId: number }
  | { readonly kind: 'post'; readonly number: number; readonly comment: WantedComment }
  | { readonly kind: 'edit'; readonly standing: PostedComment; readonly comment: WantedComment }
  /** Shrinks it to one line, and folds it away as resolved. */
  | { readonly kind: 'settle'; readonly standing: PostedComment; readonly comment: WantedComment }
  /** Unfolds it, and says in it what is to be said now. */
  | { readonly kind: 'reopen'; readonly standing: PostedComment; readonly comment: WantedComment }
  /** Puts into our comment why a command was not carried out. */
  | { readonly kind: 'reply'; readonly number: number; readonly standing: PostedComment; readonly reply: CommandReply }
  /** Looks at the pull request that it is about. */
  | { readonly kind: 'look'; readonly number: number }
  /** Puts the change into its files as suggestions. */
  | { readonly kind: 'suggest'; readonly number: number }
  /** Folds the suggestions away as resolved. */
  | { readonly kind: 'fold' }
  /** Unfolds them. */
  | { readonly kind: 'unfold' }
  | { readonly kind: 'open' }
  | { readonly kind: 'follow' }
  /** Something is still expected. `isSilenced`: we have posted so much here that we are silent until then. */
  | { readonly kind: 'later'; readonly runAt: string; readonly isSilenced: boolean }
  | { readonly kind: 'done' };

/** What this job has done already. */
export interface Progress {
  /** Of this try: the pull request was looked at. */
  readonly hasFollowed: boolean;
  /** When to look at the pull request again; null: when something happens. */
  readonly followAt: string | null;
}

const HOUR_MS = 3_600_000;

/** New comments and pull requests of one thread in an hour. */
const MOST_POSTS = 5;

/** Between two edits of a comment that shows progress. */
const EDIT_MS = 20_000;

/** How soon a job looks whether a run that it waits for has died without a word. */
const WATCH_MS = 60_000;

export function decideStep(view: View, progress: Progress): Step {
  const first = decideFirst(view);
  if (first !== null) return first;
  const steps = [
    decideSuggestions(view),
    decideCommentStep(view),
    decideReply(view),
    decideFold(view),
    decideRequest(view),
    decideFollow(view, progress),
  ];
  const now = steps.find((step) => step !== null && step.kind !== 'later');
  return now ?? decideWait(view, steps, progress);
}

/** What comes before everything that is weighed. */
function decideFirst({ thread, record, investigation, pull }: View): Step | null {
  const { subject, trigger } = thread;
  const number = findNumber(subject);
  const isAsked = trigger.kind !== 'checks';
  if (isAsked && number !== null && record.seen !== triggerKey(trigger)) return { kind: 'react', number };
  const [old] = record.replaced;
  if (old !== undefined) return { kind: 'delete', commentId: old };
  const isDue = subject.kind === 'pull_request' && pull === null && isEnded(investigation.outcome);
  return isDue ? { kind: 'look', number: subject.number } : null;
}

/** When we may post again, where we have posted too much; null: now. */
export function findSilenceEnd({ record, now }: Pick<View, 'record' | 'now'>): string | null {
  const recent = keepRecentPosts(record.posts, now);
  const [oldest] = recent;
  if (recent.length < MOST_POSTS || oldest === undefined) return null;
  return new Date(Date.parse(oldest) + HOUR_MS).toISOString();
}

/** Those of the last hour. */
export function keepRecentPosts(posts: readonly string[], now: Date): readonly string[] {
  return posts.filter((at) => Date.parse(at) > now.getTime() - HOUR_MS);
}

function decideCommentStep(view: View): Step | null {
  const { record, thread } = view;
  const comment = decideComment(view);
  const number = findNumber(thread.subject);
  if (comment === null || number === null) return null;
  if (record.unspoken === toUtterance(view, comment)) return null;
  const standing = record.comment;
  if (comment.how === 'edit' && standing !== null && !isRemoved(standing)) return decideEdit(view, standing, comment);
  return waitForSilence(view) ?? { kind: 'post', number, comment };
}

function decideEdit(view: View, standing: PostedComment, comment: WantedComment): Step | null {
  const isSame = standing.digest === digestOf(comment.text) && standing.shows === comment.shows;
  if (isSame && standing.investigationId === view.thread.investigationId) return null;
  const due = Date.parse(standing.at) + EDIT_MS;
  if (comment.shows === 'facts' && due > view.now.getTime()) return waitUntil(due);
  if (comment.shows === 'settled') return { kind: 'settle', standing, comment };
  return { kind: standing.isMinimized === true ? 'reopen' : 'edit', standing, comment };
}

/** Once for each text of ours: a new one does not have it yet. */
function decideReply({ record, thread }: View): Step | null {
  const { comment, reply } = record;
  const number = findNumber(thread.subject);
  if (comment === null || isRemoved(comment) || reply === undefined || number === null) return null;
  if (comment.replied === reply.at) return null;
  // What was carried out since is the answer.
  const since = Math.max(Date.parse(thread.trigger.at), Date.parse(thread.fixRequest?.at ?? '') || 0);
  return Date.parse(reply.at) < since ? null : { kind: 'reply', number, standing: comment, reply };
}

/** Before the comment, which then says that they are there. */
function decideSuggestions(view: View): Step | null {
  if (areSuggestionsBack(view)) return { kind: 'unfold' };
  const number = findNumber(view.thread.subject);
  if (number === null || !maySuggest(view)) return null;
  return waitForSilence(view) ?? { kind: 'suggest', number };
}

function decideFold(view: View): Step | null {
  return areSuggestionsOver(view) ? { kind: 'fold' } : null;
}

function decideRequest(view: View): Step | null {
  if (view.result === null || decideFix(view, view.result).kind !== 'opening') return null;
  return waitForSilence(view) ?? { kind: 'open' };
}

/** While a newer analysis runs its end is awaited first. */
function decideFollow(view: View, { hasFollowed }: Progress): Step | null {
  const isOpen = view.record.pullRequest?.state === 'open';
  return isOpen && !hasFollowed && isEnded(view.investigation.outcome) ? { kind: 'follow' } : null;
}

function waitForSilence(view: View): Step | null {
  const until = findSilenceEnd(view);
  return until === null ? null : { kind: 'later', runAt: until, isSilenced: true };
}

function decideWait(view: View, steps: readonly (Step | null)[], { followAt }: Progress): Step {
  const waits = steps.filter((step) => step?.kind === 'later');
  if (isWaiting(view)) {
    const isTold = view.facts !== null && findNumber(view.thread.subject) !== null && !isUnrequested(view);
    waits.push(waitUntil(view.now.getTime() + (isTold ? EDIT_MS : WATCH_MS)));
  }
  if (followAt !== null) waits.push(waitUntil(Date.parse(followAt)));
  const [first] = waits.toSorted((one, other) => one.runAt.localeCompare(other.runAt));
  if (first === undefined) return { kind: 'done' };
  return { ...first, isSilenced: waits.some(({ isSilenced }) => isSilenced) };
}

/** For the end of what runs; of a head all is awaited, since a comment tells all of it. */
function isWaiting({ investigation, checks, thread }: View): boolean {
  const isOfHead = checks !== null && isUnrequested({ thread });
  return !isEnded(investigation.outcome) || (isOfHead && !isSettled(checks.causes));
}

function waitUntil(time: number): Extract<Step, { kind: 'later' }> {
  return { kind: 'later', runAt: new Date(time).toISOString(), isSilenced: false };
}

/** Once for each result, at the head that was analysed; never what a person must look at first. Unasked where a comment is allowed alone. */
function maySuggest(view: View): boolean {
  const { thread, record, result, pull, investigation } = view;
  if (thread.subject.kind !== 'pull_request' || result === null || !isEnded(investigation.outcome)) return false;
  if (record.suggested?.investigationId === thread.investigationId) return false;
  const { outcome, guards, revision } = result.issue.analysis;
  if (outcome !== 'code_fix' || result.issue.diff.files.length === 0 || guards.length > 0) return false;
  if (pull?.state !== 'open' || pull.headSha !== revision) return false;
  return !isUnrequested(view) || maySpeak(view);
}
