// The comment that stands, and the one that should. Pure.
import type { PostedComment } from '../../core/thread.ts';
import type { View } from './deps.ts';

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

export function removed(comment: PostedComment): PostedComment {
  return { ...comment, digest: '', url: '' };
}

/** Whether it tells of the analysis that the thread is at. */
export function isOfThis(comment: PostedComment | null, { thread }: Pick<View, 'thread'>): boolean {
  return comment?.investigationId === thread.investigationId;
}
