// The next thing to be done so that GitHub shows what it should; one at a time, until nothing is left. Pure.
import { isEnded } from '../../domain/investigation.ts';
import { type PostedComment, triggerKey } from '../../domain/thread.ts';
import type { View } from './deps.ts';
import { digestOf } from './marker.ts';
import { fixStanding } from './standing.ts';
import { isRemoved, utterance, type WantedComment, wantedComment } from './wanted.ts';

export type Step =
  | { readonly kind: 'react'; readonly number: number }
  /** Of a comment that a newer one has replaced. */
  | { readonly kind: 'delete'; readonly commentId: number }
  | { readonly kind: 'post'; readonly number: number; readonly comment: WantedComment }
  | { readonly kind: 'edit'; readonly standing: PostedComment; readonly comment: WantedComment }
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

export function nextStep(view: View, progress: Progress): Step {
  const { thread, record } = view;
  const { subject, trigger } = thread;
  if (subject.kind !== 'report' && record.seen !== triggerKey(trigger))
    return { kind: 'react', number: subject.number };
  const [old] = record.replaced;
  if (old !== undefined) return { kind: 'delete', commentId: old };
  const steps = [commentStep(view), requestStep(view), followStep(view, progress)];
  const now = steps.find((step) => step !== null && step.kind !== 'later');
  return now ?? waiting(view, steps, progress);
}

/** When we may post again, where we have posted too much; null: now. */
export function silentUntil({ record, now }: Pick<View, 'record' | 'now'>): string | null {
  const recent = recentPosts(record.posts, now);
  const [oldest] = recent;
  if (recent.length < MOST_POSTS || oldest === undefined) return null;
  return new Date(Date.parse(oldest) + HOUR_MS).toISOString();
}

/** Those of the last hour. */
export function recentPosts(posts: readonly string[], now: Date): readonly string[] {
  return posts.filter((at) => Date.parse(at) > now.getTime() - HOUR_MS);
}

function commentStep(view: View): Step | null {
  const { record, thread } = view;
  const comment = wantedComment(view);
  if (comment === null || thread.subject.kind === 'report') return null;
  if (record.unspoken === utterance(view, comment)) return null;
  const standing = record.comment;
  if (comment.how === 'edit' && standing !== null && !isRemoved(standing)) return editStep(view, standing, comment);
  return silenced(view) ?? { kind: 'post', number: thread.subject.number, comment };
}

function editStep(view: View, standing: PostedComment, comment: WantedComment): Step | null {
  const isSame = standing.digest === digestOf(comment.text) && standing.shows === comment.shows;
  if (isSame && standing.investigationId === view.thread.investigationId) return null;
  const due = Date.parse(standing.at) + EDIT_MS;
  if (comment.shows === 'facts' && due > view.now.getTime()) return later(due);
  return { kind: 'edit', standing, comment };
}

function requestStep(view: View): Step | null {
  if (view.result === null || fixStanding(view, view.result).kind !== 'opening') return null;
  return silenced(view) ?? { kind: 'open' };
}

/** While a newer analysis runs its end is awaited first. */
function followStep(view: View, { hasFollowed }: Progress): Step | null {
  const isOpen = view.record.pullRequest?.state === 'open';
  return isOpen && !hasFollowed && isEnded(view.investigation.outcome) ? { kind: 'follow' } : null;
}

function silenced(view: View): Step | null {
  const until = silentUntil(view);
  return until === null ? null : { kind: 'later', runAt: until, isSilenced: true };
}

function waiting(view: View, steps: readonly (Step | null)[], { followAt }: Progress): Step {
  const waits = steps.filter((step) => step?.kind === 'later');
  if (!isEnded(view.investigation.outcome)) {
    waits.push(later(view.now.getTime() + (view.facts === null ? WATCH_MS : EDIT_MS)));
  }
  if (followAt !== null) waits.push(later(Date.parse(followAt)));
  const [first] = waits.toSorted((one, other) => one.runAt.localeCompare(other.runAt));
  if (first === undefined) return { kind: 'done' };
  return { ...first, isSilenced: waits.some(({ isSilenced }) => isSilenced) };
}

function later(time: number): Extract<Step, { kind: 'later' }> {
  return { kind: 'later', runAt: new Date(time).toISOString(), isSilenced: false };
}
