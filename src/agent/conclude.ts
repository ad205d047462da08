// From what a run found to its conclusion: only what the checks let through, and in words what they did not.
import type { ChangeSet } from '../core/change-set.ts';
import type { InvestigationStep } from '../core/evidence.ts';
import type { Analysis, Conclusion, Step } from '../core/issue.ts';
import { audienceOf, type CutReason, textForPeople } from '../core/reason.ts';
import type { GuardedChange } from './change-guards.ts';
import type { GroundStep } from './check-citation.ts';
import { type CheckedClaim, type CheckedDraft, checkEvidence, type EvidenceGround } from './check-evidence.ts';
import type { ConclusionDraft } from './conclusion-draft.ts';
import { type Decision, decideOutcome } from './decide-outcome.ts';
import type { FailedCheckGround } from './failed-check.ts';
import { proposalSteps } from './proposal-steps.ts';
import { mergedSuspects, placeName, placeOf } from './proven-places.ts';
import { confidenceIn } from './weigh-proof.ts';

export interface FinishedRun {
  /** What the model handed in; null where it never did. */
  readonly draft: ConclusionDraft | null;
  /** What the facts alone gave; it fills what the model left open. */
  readonly facts: Conclusion;
  /** Files that a stack trace of the report runs through. */
  readonly framed: readonly string[];
  /** All steps of the Issue, in order, each with its number. */
  readonly steps: readonly (InvestigationStep & GroundStep)[];
  readonly changeSet: ChangeSet;
  readonly guarded: GuardedChange;
  readonly exists: EvidenceGround['exists'];
  readonly commitExists: EvidenceGround['commitExists'];
  readonly failedCheck?: FailedCheckGround | null;
  readonly usage: Analysis['usage'];
  readonly model: string;
  /** A budget ended the run. */
  readonly partial: boolean;
  /** Why the run ended as it did; null where it ended on its own. */
  readonly reason: CutReason | null;
  /** Learns what only the operator should know of what was left out. */
  readonly onLeftOut?: (reason: CutReason) => void;
}

/** The conclusion; a run without a draft gives an honest `inconclusive`. Throws only what `exists` and `commitExists` throw. */
export async function concludeRun(run: FinishedRun): Promise<Conclusion> {
  if (run.draft === null) return withoutDraft(run);
  const checked = await checkEvidence(run.draft, run);
  const decision = decideOutcome(checked, run.guarded);
  const { draft } = checked;
  const { guarded, facts } = run;
  const isFix = decision.outcome === 'code_fix' || guarded.verdict === 'blocked';
  // Edits that are not the result would look as if they were.
  const changeSet =
    isFix && decision.outcome !== 'inconclusive' ? guarded.allowed : { base: guarded.allowed.base, files: [] };
  const isBeside = decision.isBesideFailure === true;
  const steps = isBeside
    ? []
    : [...draft.solutionSteps, ...(draft.outcome === 'code_fix' ? proposalSteps(guarded) : [])];
  return {
    problem: draft.problem,
    rootCause: rootCause(checked, decision),
    stepsToReproduce: draft.stepsToReproduce.length > 0 ? numbered(draft.stepsToReproduce) : facts.stepsToReproduce,
    solutionSteps: solution(steps, checked, facts),
    changeSet,
    investigationSteps: shownSteps(run),
    analysis: {
      ...analysisOf(run),
      outcome: decision.outcome,
      partial: run.partial,
      reason: reasonOf(run, checked, decision),
      confidence: confidenceIn(run, checked, decision),
      suspects: mergedSuspects(isBeside ? [] : draft.suspects, facts.analysis.suspects),
      citations: checked.claims.flatMap(({ text, citations }) =>
        citations.map(({ step, quote }) => ({ claim: text, step, quote })),
      ),
      guards: guarded.guards,
      questions: questionsOf(draft, decision, facts),
    },
  };
}

function analysisOf(run: FinishedRun): Pick<Analysis, 'revision' | 'verdict' | 'model' | 'usage' | 'links'> {
  const { verdict, links } = run.facts.analysis;
  return { revision: run.changeSet.base, verdict, model: run.model, usage: run.usage, links };
}

function shownSteps({ steps }: FinishedRun): readonly InvestigationStep[] {
  return steps.map(({ action, result, analysis }) => ({ action, result, analysis }));
}

function numbered(descriptions: readonly string[]): readonly Step[] {
  return descriptions.map((description, index) => ({ stepNumber: index + 1, description }));
}

/** Facts alone, said as such. Edits are left out: nothing explains them. */
function withoutDraft(run: FinishedRun): Conclusion {
  const { facts, steps, changeSet } = run;
  const [first] = facts.analysis.suspects;
  const pointing = first ? ` Closest match: ${placeName(first)} (${first.reasons.slice(0, 2).join('; ')}).` : '';
  const left = changeSet.files.length > 0 ? ' Edits that were begun are left out, since nothing explains them.' : '';
  return {
    ...facts,
    rootCause: `I don't know the cause: the investigation ended before a conclusion.${pointing}`,
    changeSet: { base: changeSet.base, files: [] },
    investigationSteps: shownSteps(run),
    analysis: {
      ...facts.analysis,
      ...analysisOf(run),
      outcome: 'inconclusive',
      partial: true,
      reason: `${textForPeople(run.reason ?? { code: 'no_conclusion' })} ${steps.length} steps were taken; nothing was ruled out for certain.${left}`,
      confidence: null,
    },
  };
}

/** Claims in the model's order. Only a step that holds is named, so what looks like such a reference in the text itself goes. */
function rootCause({ claims }: CheckedDraft, { outcome, reason, isBesideFailure = false }: Decision): string {
  if (claims.length === 0) {
    return outcome === 'needs_information'
      ? "I don't know the cause yet: information is missing."
      : `I don't know the cause. ${reason}`.trim();
  }
  const found = claims.map(claimSentence).join(' ');
  return isBesideFailure ? `I don't know why the check failed. Found, but not shown to be the cause: ${found}` : found;
}

function claimSentence({ text, support, citations, places }: CheckedClaim): string {
  const bare = text
    .replace(/\[\s*steps?\b[^\]]{0,80}\]/gi, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<![.\s])[.\s]+$/, '');
  const where = places.filter(({ file }) => !bare.includes(file)).map(placeOf);
  const place = where.length > 0 ? ` (${where.join(', ')})` : '';
  const steps = [...new Set(citations.map(({ step }) => step))].sort((a, b) => a - b);
  const cited = steps.length > 0 ? ` ${steps.map((step) => `[step ${step}]`).join('')}` : '';
  const mark = support === 'assumed' ? 'Assumption: ' : '';
  return `${mark}${bare.replace(/^assumption:\s*/i, '')}${place}${cited}.`;
}

function reasonOf(run: FinishedRun, { draft, dropped, quotations }: CheckedDraft, decision: Decision): string {
  const leftOut: readonly CutReason[] = [
    ...(dropped.length > 0
      ? [{ code: 'claims_dropped' as const, dropped: dropped.length, given: draft.rootCause.length }]
      : []),
    ...(quotations.false > 0
      ? [{ code: 'quotes_not_found' as const, missing: quotations.false, given: quotations.given }]
      : []),
  ];
  for (const reason of leftOut) if (audienceOf(reason) === 'operator') run.onLeftOut?.(reason);
  const parts = [
    run.reason === null ? '' : textForPeople(run.reason),
    decision.reason,
    ...leftOut.map(textForPeople),
    draft.fixedBy.length > 0 && decision.outcome === 'already_fixed' ? `Fixed by ${draft.fixedBy.join(', ')}.` : '',
    draft.ruledOut.length > 0
      ? `Ruled out, as the model says: ${draft.ruledOut.map((text) => text.replace(/(?<![.\s])[.\s]+$/, '')).join('; ')}.`
      : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function solution(steps: readonly string[], { draft }: CheckedDraft, facts: Conclusion): readonly Step[] {
  if (steps.length > 0) return numbered(steps);
  // What the facts advise would stand in the way of the questions.
  if (draft.outcome === 'needs_information') return numbered(['Answer the questions, and send the report again.']);
  return facts.solutionSteps;
}

function questionsOf(draft: ConclusionDraft, { outcome }: Decision, facts: Conclusion): readonly string[] {
  if (draft.questions.length > 0) return draft.questions;
  return outcome === 'inconclusive' || outcome === 'needs_information' ? facts.analysis.questions : [];
}
