// A put-back: the revert of the commit that broke the default branch, from a person's request to the end of its draft.

import type { BlamedStep } from '../check/index.ts';
import type { Person } from '../project/index.ts';
import { isLastingRefusal, type PutBackRefusal } from './refusal.ts';
import type { RevertProof } from './revert-proof.ts';

export interface PutBack {
  readonly id: string;
  readonly projectId: string;
  readonly failureId: string;
  /** The commit of the default branch that is taken back, and why that one. */
  readonly step: BlamedStep;
  readonly request: PutBackRequest;
  readonly state: PutBackState;
  readonly createdAt: string;
}

/** By somebody with write access. */
export interface PutBackRequest extends Person {
  readonly at: string;
  /** Number of the issue or pull request on which it was given as a comment, which is then answered there; null: none. */
  readonly number: number | null;
}

export type PutBackState =
  | { readonly kind: 'requested' }
  /**
   * GitHub may have opened it: the pull request is looked for before another is opened. `reverts`: number of the one that is
   * taken back. `tries`: answers that were lost.
   */
  | { readonly kind: 'opening'; readonly reverts: number; readonly tries: number }
  /** `isTold`: the comment that answers the request is there, or none is due. */
  | { readonly kind: 'refused'; readonly reason: PutBackRefusal; readonly isTold: boolean }
  | { readonly kind: 'opened'; readonly pull: PostedRevert };

/** GitHub's own revert, as far as we know. */
export interface PostedRevert {
  readonly number: number;
  readonly url: string;
  /** GitHub names it. */
  readonly branch: string;
  /** GitHub's commit on it. */
  readonly headSha: string;
  /** The pull request that it takes back. */
  readonly reverts: number;
  readonly state: 'open' | 'merged' | 'closed';
  /** Whether it was opened as a draft: not every plan has them. */
  readonly isDraft: boolean;
  /** Others have pushed to it, made it ready or opened it again, so it is theirs: nothing of it is closed or proven. */
  readonly isTaken: boolean;
  readonly proof: RevertProof;
  /** The commit with which the default branch passed without it, for which we closed it; null: we did not. */
  readonly closedFor: string | null;
}

/** Whether a person may request it (again). `last`: the newest of the commit; null: there is none. */
export function isOfferedAgain(last: PutBack | null): boolean {
  if (last === null) return true;
  const { state } = last;
  return state.kind === 'refused'
    ? !isLastingRefusal(state.reason)
    : state.kind === 'opened' && state.pull.state === 'closed';
}

/** Whether something is still to be done for it. */
export function isPutBackUnderWay({ state }: Pick<PutBack, 'state'>): boolean {
  switch (state.kind) {
    case 'requested':
    case 'opening':
      return true;
    case 'refused':
      return !state.isTold;
    case 'opened':
      return state.pull.state === 'open';
  }
}
