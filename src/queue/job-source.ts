// What an engine offers to the worker: jobs to claim, to keep and to end.
import type { JobKind } from '../core/queue.ts';
import type { Claim, ClaimEnd } from './claims.ts';

export interface ClaimRequest {
  readonly kind: JobKind;
  /** Jobs of one group at a time, over all processes. */
  readonly perGroup: number;
  /** At most so many; at least one. */
  readonly free: number;
  /** The organisation that is to leave the last slot free, where another one is known; null: none. */
  readonly lastButFor: string | null;
}

export interface LostClaim {
  readonly claim: Claim;
  /** True: the job is gone; false: another has it, or may take it. */
  readonly removed: boolean;
}

/** The jobs of some kinds, as one worker sees them; disposed by it. */
export interface JobSource extends AsyncDisposable {
  /** To be called until it has succeeded once, before anything else; again it does nothing. */
  begin(): Promise<void>;
  /** Between two looks: makes claimable what nobody works on any more. */
  tend(held: readonly Claim[]): Promise<void>;
  /** Those of the kinds for which a claim may be worth its cost. */
  promising(kinds: readonly JobKind[]): Promise<readonly JobKind[]>;
  /** The next jobs in groups below their limit: people's first, and organisations by turns; none: there are none. Each counts as a try from here on. */
  claim(request: ClaimRequest): Promise<readonly Claim[]>;
  /** Ends a claim; false where it was lost before. */
  end(held: Claim, end: ClaimEnd): Promise<boolean>;
  /** Those of the claims that are worth nothing any more. */
  lostAmong(held: readonly Claim[]): Promise<readonly LostClaim[]>;
  /** Says that the worker is alive. */
  renew(held: readonly Claim[]): Promise<void>;
  /** Whether no job is due or runs, in this process or elsewhere. */
  isIdle(): Promise<boolean>;
  /** `listener` is called when there may be more to do; `removed`: a job may be gone that runs here. Disposing ends it. */
  onChange(listener: (removed: boolean) => void): Disposable;
}
