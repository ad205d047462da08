// From what a run found to its conclusion: only what the checks let through. Of an answer that they refuse nothing is left.

import type { ChangeSet } from 'causeway-diff';
import { formatInlineCode } from 'causeway-safe-markdown';
import { sanitiseText } from 'causeway-visible-text';
import type { Conclusion, RunUsage, Step, Suspect } from '../core/issue/index.ts';
import type { Outcome } from '../core/outcome/index.ts';
import { type CutReason, describeForPeople, getAudience, type Refusal } from '../core/reason.ts';
import type { SourcedStep } from '../core/report/index.ts';
import { listChangedLines } from './changed-lines.ts';
import type { CheckedClaim, GroundStep } from './claims.ts';
import type { ConclusionDraft } from './conclusion-draft.ts';
import { computeConfidence } from './confidence.ts';
import { type GuardedChange, hasCodeChange } from './guard-change.ts';
import type { FailedCheckGround } from './relevance.ts';
import { type CheckedDraft, checkEvidence, type EvidenceGround, findRefusal } from './review.ts';
import type { Remark } from './transcript.ts';

export interface FinishedRun {
  /** What the model handed in; null where it never did. */
  readonly draft: ConclusionDraft | null;
  /** The conclusion from facts only; it fills what the model left open. */
  readonly facts: Conclusion;
  /** Files that a stack trace of the report runs through. */
  readonly framed: readonly string[];
  /** All steps of the Issue, in order, each with its number. */
  readonly steps: readonly (SourcedStep & GroundStep & { readonly remark?: Remark })[];
  readonly changeSet: ChangeSet;
  readonly guarded: GuardedChange;
  readonly exists: EvidenceGround['exists'];
  readonly commitExists: EvidenceGround['commitExists'];
  readonly failedCheck?: FailedCheckGround | null;
  /** A rule of the project about changes made with a model, for the person who decides; null: none was found. */
  readonly modelRule?: { readonly path: string; readonly text: string } | null;
  readonly usage: RunUsage;
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
  reportToOperator(run, checked);
  const decision = decideOutcome(checked, run.guarded);
  return decision.kind === 'refused' ? concludeRefused(run, decision.why) : concludeTaken(run, checked, decision);
}

function concludeTaken(run: FinishedRun, checked: CheckedDraft, decision: Taken): Conclusion {
  const { draft } = checked;
  const { guarded, facts } = run;
  // Edits that are not the result would look as if they were.
  const isFix = decision.outcome === 'code_fix' || guarded.verdict === 'blocked';
  const changeSet =
    isFix && decision.outcome !== 'inconclusive' ? guarded.allowed : { base: guarded.allowed.base, files: [] };
  const { isLead = false, isUnfixed = false } = decision;
  const isProposal = draft.outcome === 'code_fix' && !isLead && !isUnfixed;
  const steps = [
    ...(isLead ? [] : draft.solutionSteps),
    ...(isProposal ? [...describeProposals(guarded), ...describeModelRule(run)] : []),
  ];
  return {
    problem: isLead ? facts.problem : draft.problem,
    rootCause: describeRootCause(checked, decision),
    stepsToReproduce:
      draft.stepsToReproduce.length > 0 ? toNumberedSteps(draft.stepsToReproduce) : facts.stepsToReproduce,
    solutionSteps: chooseSolutionSteps(steps, checked, facts),
    changeSet,
    ...(changeSet.files.length > 0 && draft.title !== '' && { changeTitle: draft.title }),
    investigationSteps: toStoredSteps(run.steps),
    analysis: {
      ...buildAnalysis(run),
      outcome: decision.outcome,
      partial: run.partial,
      reason: describeConclusionReason(run, checked, decision),
      confidence: weighRun(run, checked, decision),
      suspects: mergeShownSuspects(isLead ? [] : listSuspects(checked, decision, changeSet), facts.analysis.suspects),
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
): Pick<Conclusion['analysis'], 'revision' | 'verdict' | 'model' | 'usage' | 'links' | 'context' | 'claims'> {
  const { verdict, links, context, claims = [] } = run.facts.analysis;
  const found = { revision: run.changeSet.base, verdict, model: run.model, usage: run.usage, links, claims };
  return context === undefined ? found : { ...found, context };
}

type RunStep = FinishedRun['steps'][number];

/** What the model remarked on a step is its meaning. */
function toStoredSteps(steps: readonly RunStep[]): readonly SourcedStep[] {
  return steps.map(({ action, result, analysis, remark, source, repository }) => ({
    action,
    result,
    analysis: remark?.text ?? analysis,
    ...(source !== undefined && { source }),
    ...(repository !== undefined && { repository }),
  }));
}

/** From the first edit on, steps show what the model wrote into the source. */
function listStepsBeforeEdits(steps: readonly RunStep[]): readonly RunStep[] {
  const first = steps.findIndex(({ kind }) => kind === 'edit');
  return first === -1 ? steps : steps.slice(0, first);
}

function removeRemark({ remark: _, ...step }: RunStep): RunStep {
  return step;
}

function toNumberedSteps(descriptions: readonly string[]): readonly Step[] {
  return descriptions.map((description, index) => ({ stepNumber: index + 1, description }));
}

/** The facts, with the lookups before the first edit; nothing of what the review has refused. */
function concludeRefused(run: FinishedRun, why: Refusal): Conclusion {
  return concludeUnknown(run, {
    cause: "I don't know the cause.",
    steps: listStepsBeforeEdits(run.steps).map(removeRemark),
    partial: run.partial,
    reason: describeForPeople(findInterruption(run) ?? { code: 'answer_refused', why }),
  });
}

/** What kept the model from correcting its answer. A model that was only asked to conclude soon has answered. */
function findInterruption({ reason }: FinishedRun): CutReason | null {
  return reason?.code === 'run_budget' && reason.phase === 'concluding' ? null : reason;
}

/** Only facts. Edits are omitted: nothing explains them. An answer that could not be read is not shown as a remark. */
function concludeWithoutDraft(run: FinishedRun): Conclusion {
  const { steps, changeSet } = run;
  const left = changeSet.files.length > 0 ? ' Unfinished edits are left out, because nothing explains them.' : '';
  return concludeUnknown(run, {
    cause: "I don't know the cause: the investigation ended before a conclusion.",
    steps: steps.map((step) => (step.remark?.isOfAnswer === true ? removeRemark(step) : step)),
    partial: true,
    reason: `${describeForPeople(run.reason ?? { code: 'no_conclusion' })} ${steps.length} steps were taken; nothing was ruled out for certain.${left}`,
  });
}

interface Unknown extends Pick<Conclusion['analysis'], 'partial' | 'reason'> {
  /** First sentence of the root cause. */
  readonly cause: string;
  readonly steps: readonly RunStep[];
}

function concludeUnknown(run: FinishedRun, { cause, steps, partial, reason }: Unknown): Conclusion {
  const { facts, changeSet } = run;
  const [first] = facts.analysis.suspects;
  const why = first?.reasons.slice(0, 2).join('; ') ?? '';
  const pointing = first ? ` Closest match: ${formatPlaceWithFunction(first)}${why === '' ? '' : ` (${why})`}.` : '';
  return {
    ...facts,
    rootCause: `${cause}${pointing}`,
    changeSet: { base: changeSet.base, files: [] },
    investigationSteps: toStoredSteps(steps),
    analysis: {
      ...facts.analysis,
      ...buildAnalysis(run),
      outcome: 'inconclusive',
      partial,
      reason,
      confidence: null,
    },
  };
}

/** Claims in the model's order. References to steps in its text are removed; only citations that hold are named. */
function describeRootCause({ claims }: CheckedDraft, { outcome, isLead = false }: Taken): string {
  const found = claims.map(formatClaim).join(' ');
  if (isLead) return `I don't know why the check failed. Unconfirmed lead: ${found}`;
  if (claims.length > 0) return found;
  return outcome === 'needs_information'
    ? "I don't know the cause yet: information is missing."
    : "I don't know the cause.";
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

function reportToOperator({ onOperatorReason }: FinishedRun, checked: CheckedDraft): void {
  for (const reason of listLeftOut(checked)) if (getAudience(reason) === 'operator') onOperatorReason?.(reason);
}

function listLeftOut({ draft, dropped, quotations }: CheckedDraft): readonly CutReason[] {
  return [
    ...(dropped.length > 0
      ? [{ code: 'claims_dropped' as const, dropped: dropped.length, given: draft.rootCause.length }]
      : []),
    ...(quotations.false > 0
      ? [{ code: 'quotes_not_found' as const, missing: quotations.false, given: quotations.given }]
      : []),
  ];
}

function describeConclusionReason(run: FinishedRun, checked: CheckedDraft, decision: Taken): string {
  const { draft } = checked;
  const parts = [
    run.reason === null ? '' : describeForPeople(run.reason),
    decision.isBlocked ? BLOCKED : '',
    decision.isUnfixed ? UNFIXED : '',
    decision.isLead ? LEAD : '',
    ...listLeftOut(checked).map(describeForPeople),
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

function chooseQuestions(draft: ConclusionDraft, { outcome }: Taken, facts: Conclusion): readonly string[] {
  if (draft.questions.length > 0) return draft.questions;
  return outcome === 'inconclusive' || outcome === 'needs_information' ? facts.analysis.questions : [];
}

type Decision = Taken | { readonly kind: 'refused'; readonly why: Refusal };

interface Taken {
  readonly kind: 'taken';
  readonly outcome: Outcome;
  /** Causeway may not make a part of the fix, so the outcome is less than the model's. */
  readonly isBlocked?: boolean;
  /** The cause is proven, and no edit changes code: it is shown with what to do. */
  readonly isUnfixed?: boolean;
  /** What the failing test imports is the cause that is claimed, and nothing shows that the failure gets there. */
  readonly isLead?: boolean;
}

const BLOCKED = 'Causeway may not make a part of the fix, so it is only proposed: see the guards and the steps.';

const UNFIXED = 'The model changed no code, so there is a cause but no fix.';

const LEAD = 'The failing test imports this file, but nothing shows that the failure gets there.';

/** Refused where the proof that an outcome needs is missing. */
function decideOutcome(checked: CheckedDraft, { allowed, verdict }: GuardedChange): Decision {
  const { outcome } = checked.draft;
  const why = findRefusal(checked);
  if (why === 'other_failure' && checked.relevance === 'lead')
    return { kind: 'taken', outcome: 'inconclusive', isLead: true };
  if (why !== null) return { kind: 'refused', why };
  if (outcome !== 'code_fix') return { kind: 'taken', outcome };
  if (verdict === 'blocked') return { kind: 'taken', outcome: 'action_recommended', isBlocked: true };
  if (!allowed.files.some(hasCodeChange)) return { kind: 'taken', outcome: 'action_recommended', isUnfixed: true };
  return { kind: 'taken', outcome };
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
  { outcome }: Taken,
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
function mergeShownSuspects(own: ConclusionDraft['suspects'], facts: readonly Suspect[]): readonly Suspect[] {
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

/** The confidence in a finished run; null where no cause is proven. */
function weighRun(
  run: FinishedRun,
  checked: CheckedDraft,
  { outcome, isBlocked = false, isUnfixed = false }: Taken,
): number | null {
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
    downgraded: isBlocked || isUnfixed,
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
