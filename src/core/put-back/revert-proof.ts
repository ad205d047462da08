// The proof of a revert: red at the commit of the default branch that it stands on, green on the revert. Pure.

import { type BaseCheck, type GreenFacts, judgeGreenHalf, type ProvenCheck, type RedHalf } from '../proof/index.ts';

export type RevertProof =
  | { readonly kind: 'waiting' }
  /** `base`: the commit of the default branch at which they failed. `turned`: names of the failed tests; empty: none is named. */
  | {
      readonly kind: 'proven';
      readonly base: string;
      readonly checks: readonly ProvenCheck[];
      readonly turned: readonly string[];
    }
  /** They fail on the revert as well, so it doesn't help. */
  | { readonly kind: 'still_red'; readonly checks: readonly string[] }
  /** Others fail that don't on the base. */
  | { readonly kind: 'breaks'; readonly checks: readonly string[] }
  | {
      readonly kind: 'unclear';
      /**
       * `not_red`: the failure is not seen at the commit that the revert stands on. `flaky`: a check had both results at
       * one commit. `not_run`: no check ran on the revert, or not this one. `too_long`: they have not ended.
       */
      readonly because: 'not_red' | 'flaky' | 'not_run' | 'too_long';
    };

export interface RevertFacts {
  readonly base: string;
  /** Checks of the failure that are red there for it; null: its checks have not ended. */
  readonly red: RedHalf | null;
  readonly onBase: readonly BaseCheck[];
  /** On the revert. */
  readonly checks: GreenFacts['checks'];
  /** Whether they are waited for no longer. */
  readonly isLate: boolean;
}

export function judgeRevert({ base, red, onBase, checks, isLate }: RevertFacts): RevertProof {
  const late: RevertProof = { kind: 'unclear', because: checks.length === 0 ? 'not_run' : 'too_long' };
  if (red === null) return isLate ? { kind: 'unclear', because: 'not_red' } : WAITING;
  if (red.checks.length === 0) return { kind: 'unclear', because: 'not_red' };
  const isWaiting = checks.length === 0 || checks.some(({ state }) => state === 'waiting');
  if (isWaiting && !isLate) return WAITING;
  const still = checks.filter(
    ({ name, app, state }) => state === 'red' && red.checks.some((one) => one.name === name && one.app === app),
  );
  if (still.length > 0) return { kind: 'still_red', checks: still.map(({ name }) => name) };
  const judged = judgeGreenHalf({ half: red, base: onBase, checks, isLate });
  if (judged.kind === 'wait') return late;
  if (judged.kind === 'red') return { kind: 'breaks', checks: judged.checks };
  switch (judged.verdict.state) {
    case 'proven':
      return { kind: 'proven', base, checks: judged.verdict.checks, turned: judged.verdict.turned };
    case 'fails_otherwise':
      return { kind: 'unclear', because: 'flaky' };
    case 'not_covered':
      return { kind: 'unclear', because: 'not_run' };
    default:
      return late;
  }
}

const WAITING: RevertProof = { kind: 'waiting' };
