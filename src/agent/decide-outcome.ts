// The outcome that the proof carries: the model's own, or a lesser one with the reason in words.
import type { Outcome } from '../core/issue.ts';
import type { GuardedChange } from './change-guards.ts';
import { changesCode } from './changes-code.ts';
import { type CheckedDraft, claimsCause } from './check-evidence.ts';

export interface Decision {
  readonly outcome: Outcome;
  /** Why it is not the model's; "" where it is. */
  readonly reason: string;
  /** What was claimed is true and has nothing to do with the check that failed. */
  readonly isBesideFailure?: boolean;
}

/** Downgraded where the proof that an outcome needs is missing. */
export function decideOutcome(checked: CheckedDraft, guarded: GuardedChange): Decision {
  const { outcome } = checked.draft;
  const proven = checked.claims.some(({ support }) => support === 'proven');
  const inSource = checked.claims.some(({ seenInSource }) => seenInSource);
  if (proven && !checked.isAboutFailure && claimsCause({ outcome })) return besideFailure();
  switch (outcome) {
    case 'code_fix':
      return codeFix(checked, guarded);
    case 'already_fixed':
      if (checked.draft.fixedBy.length === 0)
        return inconclusive('no commit that was seen in the history is named as the fix');
      return inSource
        ? { outcome, reason: '' }
        : inconclusive('no quotation of the repository shows that the commit fixes it');
    case 'not_a_bug':
      return inSource
        ? { outcome, reason: '' }
        : inconclusive('no quotation of the repository shows that it is meant so');
    case 'action_recommended':
      return proven
        ? { outcome, reason: '' }
        : inconclusive(`${outcome} needs at least one quotation that holds, and none does`);
    case 'needs_information':
    case 'inconclusive':
      return { outcome, reason: '' };
  }
}

function codeFix({ claims }: CheckedDraft, { allowed, verdict }: GuardedChange): Decision {
  if (!claims.some(({ support }) => support === 'proven'))
    return inconclusive('no quotation that holds shows the cause, so the edits are only a guess');
  if (!claims.some(({ seenInSource }) => seenInSource))
    return inconclusive(
      'only the words of the report are quoted, and nothing of the repository, so the edits are a guess',
    );
  if (verdict === 'blocked') {
    return {
      outcome: 'action_recommended',
      reason: 'A part of the fix may not be made by Causeway, so that it is a proposal: see the guards and the steps.',
    };
  }
  if (allowed.files.length === 0) return inconclusive('a code fix was announced, but no file was changed');
  if (!allowed.files.some(changesCode)) return inconclusive('the change alters nothing but comments and blanks');
  return { outcome: 'code_fix', reason: '' };
}

function besideFailure(): Decision {
  const reason =
    'None of the quotes is about the failed check: not the failing test, its error, its stack trace or the change under test.';
  return { outcome: 'inconclusive', reason, isBesideFailure: true };
}

function inconclusive(why: string): Decision {
  return { outcome: 'inconclusive', reason: `Not shown: ${why}.` };
}
