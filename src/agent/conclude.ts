// From what a run found to its conclusion: only what the checks let through, and in words what they did not.

import type { ChangeSet } from '../core/diff/diff.ts';
import type { SourcedStep } from '../core/evidence.ts';
import type { Analysis, Conclusion, Outcome, Step, Suspect } from '../core/issue.ts';
import { type CutReason, describeForPeople, getAudience } from '../core/reason.ts';
import { sanitiseText } from '../core/text.ts';
import { listChangedLines } from './changed-lines.ts';
import type { ConclusionDraft } from './conclusion-draft.ts';
import { type GuardedChange, hasCodeChange } from './guard-change.ts';
import {
  type CheckedClaim,
  type CheckedDraft,
  checkEvidence,
  type EvidenceGround,
  type FailedCheckGround,
  type GroundStep,
  hasClaimedCause,
} from './review.ts';

export interface FinishedRun {
  /** What the model handed in; null where it never did. */
  readonly draft: ConclusionDraft | null;
  /** The conclusion from facts only; it fills what the model left open. */
  readonly facts: Conclusion;
  /** Files that a stack trace of the report runs through. */
  readonly framed: readonly string[];
  /** All steps of the Issue, in order, each with its number. */
  readonly steps: readonly (SourcedStep & GroundStep)[];
  readonly changeSet: ChangeSet;
  readonly guarded: GuardedChange;
  readonly exists: EvidenceGround['exists'];
  readonly commitExists: EvidenceGround['commitExists'];
  readonly failedCheck?: FailedCheckGround | null;
  /** A rule of the project about changes made with a model, for the person who decides; null: none was found. */
  readonly modelRule?: { readonly path: string; readonly text: string } | null;
  readonly usage: Analysis['usage'];
  readonly model: string;
  /** A budget ended the run. */
  readonly partial: boolean;
  /** Why the run ended as it did; null where it ended on its own. */
  readonly reason: CutReason | null;
  /** Learns what only the operator should know of what was left out. */
  readonly onOperatorReason?: (reason: CutReason) => void;
}

/** The conclusion; without a draft it is `inconclusive`. Throws only what `exists` and `commitExists` throw. */
export async function concludeRun(run: FinishedRun): Promise<Conclusion> {
  if (run.draft === null) return concludeWithoutDraft(run);
  const checked = await checkEvidence(run.draft, run);
  const decision = decideOutcome(checked, run.guarded);
  const { draft } = checked;
  const { guarded, facts } = run;
  const isFix = decision.outcome === 'code_fix' || guarded.verdict === 'blocked';
  // Edits that are not the result would look as if they were.
  const changeSet =
    isFix && decision.outcome !== 'inconclusive' ? guarded.allowed : { base: guarded.allowed.base, files: [] };
  const isUnrelated = decision.isUnrelated === true;
  const steps = isUnrelated
    ? []
    : [
        ...draft.solutionSteps,
        ...(draft.outcome === 'code_fix' ? [...describeProposals(guarded), ...describeModelRule(run)] : []),
      ];
  return {
    problem: draft.problem,
    rootCause: describeRootCause(checked, decision),
    stepsToReproduce:
      draft.stepsToReproduce.length > 0 ? toNumberedSteps(draft.stepsToReproduce) : facts.stepsToReproduce,
    solutionSteps: chooseSolutionSteps(steps, checked, facts),
    changeSet,
    investigationSteps: toStoredSteps(run),
    analysis: {
      ...buildAnalysis(run),
      outcome: decision.outcome,
      partial: run.partial,
      reason: describeReason(run, checked, decision),
      confidence: weighRun(run, checked, decision),
      suspects: mergeSuspects(isUnrelated ? [] : listSuspects(checked, decision, changeSet), facts.analysis.suspects),
      citations: checked.claims.flatMap(({ text, citations }) =>
        citations.map(({ step, quote }) => ({ claim: text, step, quote })),
      ),
      guards: guarded.guards,
      questions: chooseQuestions(draft, decision, facts),
    },
  };
}

function buildAnalysis(
  run: FinishedRun,
): Pick<Conclusion['analysis'], 'revision' | 'verdict' | 'model' | 'usage' | 'links' | 'context'> {
  const { verdict, links, context } = run.facts.analysis;
  const found = { revision: run.changeSet.base, verdict, model: run.model, usage: run.usage, links };
  return context === undefined ? found : { ...found, context };
}

function toStoredSteps({ steps }: FinishedRun): readonly SourcedStep[] {
  return steps.map(({ action, result, analysis, source, repository }) => ({
    ...{ action, result, analysis },
    ...(source !== undefined && { source }),
    ...(repository !== undefined && { repository }),
  }));
}

function toNumberedSteps(descriptions: readonly string[]): readonly Step[] {
  return descriptions.map((description, index) => ({ stepNumber: index + 1, description }));
}

/** Only facts. Edits are omitted: nothing explains them. */
function concludeWithoutDraft(run: FinishedRun): Conclusion {
  const { facts, steps, changeSet } = run;
  const [first] = facts.analysis.suspects;
  const pointing = first
    ? ` Closest match: ${formatPlaceWithFunction(first)} (${first.reasons.slice(0, 2).join('; ')}).`
    : '';
  const left = changeSet.files.length > 0 ? ' Unfinished edits are left out, because nothing explains them.' : '';
  return {
    ...facts,
    rootCause: `I don't know the cause: the investigation ended before a conclusion.${pointing}`,
    changeSet: { base: changeSet.base, files: [] },
    investigationSteps: toStoredSteps(run),
    analysis: {
      ...facts.analysis,
      ...buildAnalysis(run),
      outcome: 'inconclusive',
      partial: true,
      reason: `${describeForPeople(run.reason ?? { code: 'no_conclusion' })} ${steps.length} steps were taken; nothing was ruled out for certain.${left}`,
      confidence: null,
    },
  };
}

/** Claims in the model's order. References to steps in its text are removed; only citations that hold are named. */
function describeRootCause({ claims }: CheckedDraft, { outcome, reason, isUnrelated = false }: Decision): string {
  if (claims.length === 0) {
    return outcome === 'needs_information'
      ? "I don't know the cause yet: information is missing."
      : `I don't know the cause. ${reason}`.trim();
  }
  const found = claims.map(formatClaim).join(' ');
  return isUnrelated ? `I don't know why the check failed. Found, but not shown to be the cause: ${found}` : found;
}

function formatClaim({ text, support, citations, places }: CheckedClaim): string {
  const bare = text
    .replace(/\[\s*steps?\b[^\]]{0,80}\]/gi, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<![.\s])[.\s]+$/, '');
  const where = places.filter(({ file }) => !bare.includes(file)).map(formatPlace);
  const place = where.length > 0 ? ` (${where.join(', ')})` : '';
  const steps = [...new Set(citations.map(({ step }) => step))].sort((a, b) => a - b);
  const cited = steps.length > 0 ? ` ${steps.map((step) => `[step ${step}]`).join('')}` : '';
  const mark = support === 'assumed' ? 'Assumption: ' : '';
  return `${mark}${bare.replace(/^assumption:\s*/i, '')}${place}${cited}.`;
}

function describeReason(run: FinishedRun, { draft, dropped, quotations }: CheckedDraft, decision: Decision): string {
  const leftOut: readonly CutReason[] = [
    ...(dropped.length > 0
      ? [{ code: 'claims_dropped' as const, dropped: dropped.length, given: draft.rootCause.length }]
      : []),
    ...(quotations.false > 0
      ? [{ code: 'quotes_not_found' as const, missing: quotations.false, given: quotations.given }]
      : []),
  ];
  for (const reason of leftOut) if (getAudience(reason) === 'operator') run.onOperatorReason?.(reason);
  const parts = [
    run.reason === null ? '' : describeForPeople(run.reason),
    decision.reason,
    ...leftOut.map(describeForPeople),
    draft.fixedBy.length > 0 && decision.outcome === 'already_fixed' ? `Fixed by ${draft.fixedBy.join(', ')}.` : '',
    draft.ruledOut.length > 0
      ? `Ruled out, as the model says: ${draft.ruledOut.map((text) => text.replace(/(?<![.\s])[.\s]+$/, '')).join('; ')}.`
      : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function chooseSolutionSteps(steps: readonly string[], { draft }: CheckedDraft, facts: Conclusion): readonly Step[] {
  if (steps.length > 0) return toNumberedSteps(steps);
  // The advice from facts would distract from the questions.
  if (draft.outcome === 'needs_information')
    return toNumberedSteps(['Answer the questions, and send the report again.']);
  return facts.solutionSteps;
}

function chooseQuestions(draft: ConclusionDraft, { outcome }: Decision, facts: Conclusion): readonly string[] {
  if (draft.questions.length > 0) return draft.questions;
  return outcome === 'inconclusive' || outcome === 'needs_information' ? facts.analysis.questions : [];
}

interface Decision {
  readonly outcome: Outcome;
  /** Why it is not the model's; "" where it is. */
  readonly reason: string;
  /** What was claimed is true and has nothing to do with the check that failed. */
  readonly isUnrelated?: boolean;
}

/** Downgraded where the proof that an outcome needs is missing. */
function decideOutcome(checked: CheckedDraft, guarded: GuardedChange): Decision {
  const { outcome } = checked.draft;
  const proven = checked.claims.some(({ support }) => support === 'proven');
  const inSource = checked.claims.some(({ seenInSource }) => seenInSource);
  if (proven && !checked.isAboutFailure && hasClaimedCause({ outcome })) return decideUnrelated();
  switch (outcome) {
    case 'code_fix':
      return decideCodeFix(checked, guarded);
    case 'already_fixed':
      if (checked.draft.fixedBy.length === 0)
        return decideInconclusive('no commit that was seen in the history is named as the fix');
      return inSource
        ? { outcome, reason: '' }
        : decideInconclusive('no quotation from the repository shows that the commit fixes it');
    case 'not_a_bug':
      return inSource
        ? { outcome, reason: '' }
        : decideInconclusive('no quotation from the repository shows that this is intended');
    case 'action_recommended':
      return proven
        ? { outcome, reason: '' }
        : decideInconclusive(`${outcome} needs at least one quotation that holds, and none does`);
    case 'needs_information':
    case 'inconclusive':
      return { outcome, reason: '' };
  }
}

function decideCodeFix({ claims }: CheckedDraft, { allowed, verdict }: GuardedChange): Decision {
  if (!claims.some(({ support }) => support === 'proven'))
    return decideInconclusive('no quotation that holds shows the cause, so the edits are only a guess');
  if (!claims.some(({ seenInSource }) => seenInSource))
    return decideInconclusive('only the report is quoted and nothing from the repository, so the edits are a guess');
  if (verdict === 'blocked') {
    return {
      outcome: 'action_recommended',
      reason: 'Causeway may not make a part of the fix, so it is only proposed: see the guards and the steps.',
    };
  }
  if (allowed.files.length === 0) return decideInconclusive('a code fix was announced, but no file was changed');
  if (!allowed.files.some(hasCodeChange)) return decideInconclusive('the change only touches comments and blanks');
  return { outcome: 'code_fix', reason: '' };
}

function decideUnrelated(): Decision {
  const reason =
    'None of the quotes is about the failed check: not the failing test, its error, its stack trace or the change under test.';
  return { outcome: 'inconclusive', reason, isUnrelated: true };
}

function decideInconclusive(why: string): Decision {
  return { outcome: 'inconclusive', reason: `Not shown: ${why}.` };
}

const MAX_PROPOSALS = 10;

const MAX_LINES = 40;

const MAX_CHARACTERS = 3_000;

/** One description per file that was left out; of what is withheld for a secret or a path, no content. */
function describeProposals({ blocked }: GuardedChange): readonly string[] {
  const shown = blocked.slice(0, MAX_PROPOSALS).map(describeProposal);
  const more = blocked.length - shown.length;
  return more > 0 ? [...shown, `${more} more files of the proposal are left out.`] : shown;
}

/** Whether such a change is welcome is for people to decide. */
function describeModelRule({ modelRule }: FinishedRun): readonly string[] {
  if (!modelRule) return [];
  const { path, text } = modelRule;
  return [
    `Before you send this change: ${formatInlineCode(path)} has a rule about contributions made with a model: “${sanitiseText(text, 300)}”`,
  ];
}

function describeProposal({ change, guard }: GuardedChange['blocked'][number]): string {
  const name = guard.file === '' ? 'The change' : `\`${guard.file.replaceAll('`', "'")}\``;
  const head = `${name} is left out of the diff: ${guard.reason}.`;
  if (/^never\/(?:secret|path|content|size)$/.test(guard.rule)) return head;
  const { removed, inserted } = listChangedLines(change);
  const lines = [...removed.map((line) => `-${line}`), ...inserted.map((line) => `+${line}`)];
  const verb = { added: 'create it', deleted: 'delete it', modified: 'edit it', renamed: 'rename and edit it' }[
    change.kind
  ];
  const rest = lines.length > MAX_LINES ? [`… ${lines.length - MAX_LINES} more lines`] : [];
  const text = [...lines.slice(0, MAX_LINES), ...rest].map((line) => line.replace(/\n$/, '')).join('\n');
  return `${head} The proposal, to be made by a person, was to ${verb}:\n${formatCodeBlock(sanitiseText(text, MAX_CHARACTERS))}`;
}

/** As a block of code that nothing inside can end. */
function formatCodeBlock(text: string): string {
  return text.replace(/^/gm, '    ');
}

const MAX_SUSPECTS = 8;

/** The least score of a suspect of a checked conclusion: half, since the list is sorted best first. */
const LEAST_SCORE = 0.5;

/**
 * The places of what the model claims as the cause, one a file, those of edited files first: a claim can also name a
 * place that does it right. Then those that it names in other files.
 */
function listSuspects(
  { draft, claims }: CheckedDraft,
  { outcome }: Decision,
  changeSet: ChangeSet,
): ConclusionDraft['suspects'] {
  if (outcome !== 'code_fix' && outcome !== 'action_recommended') return draft.suspects;
  const edited = new Set(changeSet.files.map((file) => (file.kind === 'renamed' ? file.previousPath : file.path)));
  const places = claims
    .filter(({ support }) => support === 'proven')
    .flatMap(({ text, places: of }) =>
      of.map(({ file, line }) => ({ file, line, function: '', why: sanitiseText(text, 200) })),
    )
    .filter(({ file }, index, all) => all.findIndex((each) => each.file === file) === index)
    .sort((a, b) => Number(edited.has(b.file)) - Number(edited.has(a.file)));
  const further = draft.suspects.filter(({ file }) => places.every((place) => place.file !== file));
  const named = places.map(
    (place) => draft.suspects.find(({ file, line }) => file === place.file && line === place.line) ?? place,
  );
  return [...named, ...further];
}

/** The model's come first with at least the facts' best score; what the facts say of the same file is kept with it. */
function mergeSuspects(own: ConclusionDraft['suspects'], facts: readonly Suspect[]): readonly Suspect[] {
  const score = Math.max(LEAST_SCORE, ...facts.map((suspect) => suspect.score));
  const files = new Set(own.map(({ file }) => file));
  const first = own.map(({ why, ...place }): Suspect => {
    const known = facts.find(({ file }) => file === place.file);
    const name = place.function === '' && known?.line === place.line ? known.function : place.function;
    return {
      ...place,
      function: name,
      score,
      reasons: [why, ...(known?.reasons ?? [])].filter((reason) => reason !== ''),
    };
  });
  return [...first, ...facts.filter(({ file }) => !files.has(file))].slice(0, MAX_SUSPECTS);
}

/** `src/a.ts:14` as inline code, which a backtick inside must not end. */
function formatPlace({ file, line }: { readonly file: string; readonly line: number }): string {
  return formatInlineCode(line > 0 ? `${file}:${line}` : file);
}

/** The same with the function. */
function formatPlaceWithFunction(suspect: Pick<Suspect, 'file' | 'line' | 'function'>): string {
  return suspect.function === ''
    ? formatPlace(suspect)
    : `${formatPlace(suspect)}, in ${formatInlineCode(suspect.function)}`;
}

function formatInlineCode(text: string): string {
  return `\`${text.replaceAll('`', "'").replaceAll('\n', ' ')}\``;
}

/** What was proven about a result. */
export interface Proof {
  readonly outcome: Outcome;
  /** Claims by their support; dropped ones count as claimed and not proven. */
  readonly claims: { readonly proven: number; readonly assumed: number; readonly dropped: number };
  readonly quotations: { readonly given: number; readonly false: number };
  /**
   * The best place of a proven claim: a frame of the report's trace, a file of the cited steps, a file that exists,
   * none.
   */
  readonly place: 'frame' | 'read' | 'exists' | 'none';
  /**
   * `already_fixed`: the commit was found. `code_fix`: the edits parse and change code at a place of a proven claim.
   */
  readonly backed: boolean;
  /** Claims that a quotation of the repository proves. */
  readonly inSource: number;
  readonly reproduced: boolean;
  readonly guards: 'clean' | 'needs_person' | 'blocked';
  readonly partial: boolean;
  /** The outcome is not the one that the model gave, since its proof is missing. */
  readonly downgraded: boolean;
}

/** Quotations are the only proof of the cause itself. */
const CLAIMS = 0.4;

/**
 * A stack frame shows that the program was there; a file that was read and cited is likely; one that merely exists says
 * little.
 */
const PLACE = { frame: 0.2, read: 0.12, exists: 0.04, none: 0 } as const;

/**
 * Edits that parse, at a cause that was shown, prove an understanding of the source; a commit in the history is its own
 * proof.
 */
const BACKED = 0.2;

/** Where no edit or commit can back a result (`not_a_bug`, `action_recommended`): for each further claim proven. */
const FURTHER_CLAIM = 0.05;

const MOST_FURTHER = 3;

/** A failure that can be shown again can be shown to be gone. */
const REPRODUCED = 0.1;

/** A change to what checks the change proves itself less. */
const GUARDS = { clean: 0.1, needs_person: 0.04, blocked: 0 } as const;

/** Nothing was run, so nothing is ever certain. */
const MOST = 0.95;

const PARTIAL_MOST = 0.6;

const DOWNGRADED_MOST = 0.3;

/** Half of the belief goes with the last quotation: who invents some is less to be believed in the rest. */
const FALSE_QUOTATIONS = 0.5;

/**
 * `0.95 × (0.4 × share of claims proven + place + backed + reproduction + guards) × (1 − 0.5 × share of false
 * quotations)`, capped at 0.6 for a partial run and at 0.3 for a downgraded outcome; rounded down to hundredths. Null
 * where no cause is claimed or proven: a number would look as if one were. Without edits or a commit behind it
 * a result reaches 0.66 at most, 0.80 where four claims of `not_a_bug` or `action_recommended` are proven by the
 * repository; 0.78, from which a pull request may open unasked,
 * takes every claim proven and a failure that was seen, or a frame.
 */
export function computeConfidence(proof: Proof): number | null {
  if (proof.outcome === 'inconclusive' || proof.outcome === 'needs_information' || proof.outcome === 'facts_only')
    return null;
  const { proven, assumed, dropped } = proof.claims;
  if (proven === 0) return null;
  const sum =
    CLAIMS * (proven / (proven + assumed + dropped)) +
    PLACE[proof.place] +
    (proof.backed ? BACKED : weighFurtherClaims(proof)) +
    (proof.reproduced ? REPRODUCED : 0) +
    (proof.backed ? GUARDS[proof.guards] : 0);
  const { given, false: invented } = proof.quotations;
  const honest = given === 0 ? 1 : 1 - FALSE_QUOTATIONS * (invented / given);
  const most = Math.min(proof.partial ? PARTIAL_MOST : 1, proof.downgraded ? DOWNGRADED_MOST : 1);
  // Never rounded up over a threshold; the millionth takes back what adding fractions lost.
  return Math.floor(Math.min(MOST * sum * honest, most) * 100 + 1e-6) / 100;
}

function weighFurtherClaims({ outcome, inSource }: Proof): number {
  if (outcome !== 'not_a_bug' && outcome !== 'action_recommended') return 0;
  return FURTHER_CLAIM * Math.min(MOST_FURTHER, Math.max(0, inSource - 1));
}

/** The confidence that the proof of a finished run carries; null where no cause is proven. */
function weighRun(run: FinishedRun, checked: CheckedDraft, { outcome, reason }: Decision): number | null {
  const { claims, quotations, dropped } = checked;
  const parses = run.guarded.guards.every(({ rule }) => rule !== 'person/does-not-parse');
  return computeConfidence({
    outcome,
    claims: {
      proven: claims.filter(({ support }) => support === 'proven').length,
      assumed: claims.filter(({ support }) => support === 'assumed').length,
      dropped: dropped.length,
    },
    quotations,
    place: findBestPlace(claims, run.framed),
    backed: (outcome === 'code_fix' && parses && isFixOfCause(claims, run.guarded)) || outcome === 'already_fixed',
    inSource: claims.filter(({ support, seenInSource }) => support === 'proven' && seenInSource).length,
    reproduced: run.facts.stepsToReproduce.length > 0,
    guards: outcome === 'code_fix' ? run.guarded.verdict : 'clean',
    partial: run.partial,
    downgraded: reason !== '',
  });
}

/** The change is made where a quotation of the repository shows the cause; any other edit that parses backs nothing. */
function isFixOfCause(claims: readonly CheckedClaim[], { allowed }: GuardedChange): boolean {
  const causes = new Set(
    claims.filter(({ seenInSource }) => seenInSource).flatMap(({ places }) => places.map(({ file }) => file)),
  );
  return allowed.files.some(
    (change) =>
      hasCodeChange(change) &&
      (causes.has(change.path) || (change.kind === 'renamed' && causes.has(change.previousPath))),
  );
}

function findBestPlace(
  claims: readonly CheckedClaim[],
  framed: readonly string[],
): 'frame' | 'read' | 'exists' | 'none' {
  const places = claims.filter(({ support }) => support === 'proven').flatMap((claim) => claim.places);
  if (places.some(({ file, seen }) => seen && framed.includes(file))) return 'frame';
  if (places.some(({ seen }) => seen)) return 'read';
  return places.length > 0 ? 'exists' : 'none';
}
