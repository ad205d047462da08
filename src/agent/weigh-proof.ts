// What of a finished run counts for its confidence: claims, places, whether the change is made where the cause was shown.
import type { Conclusion } from '../core/issue.ts';
import type { GuardedChange } from './change-guards.ts';
import { changesCode } from './changes-code.ts';
import type { CheckedClaim, CheckedDraft } from './check-evidence.ts';
import { confidenceOf } from './confidence.ts';
import type { Decision } from './decide-outcome.ts';

interface WeighedRun {
  readonly facts: Conclusion;
  /** Files that a stack trace of the report runs through. */
  readonly framed: readonly string[];
  readonly guarded: GuardedChange;
  readonly partial: boolean;
}

/** The confidence that the proof of a finished run carries; null where no cause is proven. */
export function confidenceIn(run: WeighedRun, checked: CheckedDraft, { outcome, reason }: Decision): number | null {
  const { claims, quotations, dropped } = checked;
  const parses = run.guarded.guards.every(({ rule }) => rule !== 'person/does-not-parse');
  return confidenceOf({
    outcome,
    claims: {
      proven: claims.filter(({ support }) => support === 'proven').length,
      assumed: claims.filter(({ support }) => support === 'assumed').length,
      dropped: dropped.length,
    },
    quotations,
    place: firmestPlace(claims, run.framed),
    backed: (outcome === 'code_fix' && parses && mendsCause(claims, run.guarded)) || outcome === 'already_fixed',
    reproduced: run.facts.stepsToReproduce.length > 0,
    guards: outcome === 'code_fix' ? run.guarded.verdict : 'clean',
    partial: run.partial,
    downgraded: reason !== '',
  });
}

/** The change is made where a quotation of the repository shows the cause; any other edit that parses backs nothing. */
function mendsCause(claims: readonly CheckedClaim[], { allowed }: GuardedChange): boolean {
  const causes = new Set(
    claims.filter(({ seenInSource }) => seenInSource).flatMap(({ places }) => places.map(({ file }) => file)),
  );
  return allowed.files.some(
    (change) =>
      changesCode(change) &&
      (causes.has(change.path) || (change.kind === 'renamed' && causes.has(change.previousPath))),
  );
}

function firmestPlace(
  claims: readonly CheckedClaim[],
  framed: readonly string[],
): 'frame' | 'read' | 'exists' | 'none' {
  const places = claims.filter(({ support }) => support === 'proven').flatMap((claim) => claim.places);
  if (places.some(({ file, seen }) => seen && framed.includes(file))) return 'frame';
  if (places.some(({ seen }) => seen)) return 'read';
  return places.length > 0 ? 'exists' : 'none';
}
