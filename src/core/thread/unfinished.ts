// What people take over where our own pull request doesn't hold: its branch, and what CI says against it.

import { toProof } from '../proof/index.ts';
import type { PostedPullRequest } from './thread.ts';

/** A pull request of ours that people take over. Names in it come from logs and are untrusted. */
export interface UnfinishedPull {
  readonly url: string;
  readonly branch: string;
  /** Full sha of our last commit on it. */
  readonly headSha: string;
  /** Names of the checks that fail with its fix; empty: it isn't that. */
  readonly failing: readonly string[];
  /** What else speaks against it, without a full stop; "" for nothing. */
  readonly reason: string;
}

/** Null: it wasn't handed over, somebody has taken it over, or nothing speaks against it any more. */
export function findUnfinished(posted: PostedPullRequest | null): UnfinishedPull | null {
  if (posted === null || posted.handedOver === null || posted.state !== 'open') return null;
  const proof = toProof(posted.proof);
  const isDoubted = posted.checks === 'red' || (posted.checks !== 'moved' && proof?.state === 'not_reproduced');
  return isDoubted ? toUnfinished(posted, proof?.failing ?? []) : null;
}

export function toUnfinished(posted: PostedPullRequest, failing: readonly string[]): UnfinishedPull {
  const { url, branch, headSha } = posted;
  const reason = failing.length > 0 ? '' : (toProof(posted.proof)?.reason ?? '');
  return { url, branch, headSha, failing, reason };
}
