// The causes of a head's red checks with what was found of each: which one leads, and whether there is anything to be said unasked. Pure.
import type { Finding } from '../../core/head.ts';
import { isEnded } from '../../core/investigation.ts';
import type { FurtherCause, RedChecks } from '../render/ground.ts';
import type { Cause, HeadView, Result } from './deps.ts';

/** Below it nobody is told who did not ask. */
const LEAST_CONFIDENCE = 0.6;

/** The first with a fix, else the first with a result, one of a model before bare facts; null: none has one. */
export function leadOf(causes: readonly Cause[]): Cause | null {
  const known = causes.filter(({ result }) => result !== null);
  return (
    known.find(({ result }) => result !== null && isFix(result)) ??
    known.find(({ result }) => result?.issue.analysis.outcome !== 'facts_only') ??
    known[0] ??
    null
  );
}

function isFix({ issue }: Result): boolean {
  return issue.analysis.outcome === 'code_fix' && issue.diff.files.length > 0;
}

/** Whether no investigation of the head runs any more. */
export function isSettled(causes: readonly Cause[]): boolean {
  return causes.every(({ investigation }) => investigation === null || isEnded(investigation.outcome));
}

/** Flaky checks, the machine and a red base are nobody's news, nor is a guess, such as that the failing test only uses what was changed. */
export function isWorthSaying(causes: readonly Cause[]): boolean {
  return causes.some(({ finding, result }) => {
    if (finding.verdict !== 'code' || result === null) return false;
    if (finding.isTouched !== true && finding.base === undefined) return false;
    const { outcome, confidence } = result.issue.analysis;
    return outcome !== 'facts_only' && (confidence ?? 0) >= LEAST_CONFIDENCE;
  });
}

/** Every check of a green head that was red had passed there without a change. */
export function isFlaky({ causes }: HeadView): boolean {
  return causes.length > 0 && causes.every(({ finding }) => finding.verdict === 'flaky');
}

/** For the comment whose result is the lead's. `base`: the branch that the pull request is for. */
export function redChecksOf(causes: readonly Cause[], lead: Cause, base: string): RedChecks {
  const { verdict, excerpt, isTouched = false, base: onBase } = lead.finding;
  const further = causes.filter((cause) => cause !== lead && isStillRed(cause)).map(furtherOf);
  const fault = { isTouched, greenOn: onBase === 'green' ? base : '' };
  return { names: redNames(lead.finding), verdict, fault, excerpt, further };
}

export function redNames({ checks }: Finding): readonly string[] {
  return checks.map(({ name }) => name);
}

function isStillRed({ finding }: Cause): boolean {
  return finding.checks.some(({ isRed }) => isRed);
}

function furtherOf({ finding, investigation, result }: Cause): FurtherCause {
  const names = redNames(finding);
  if (result !== null) return { names, issue: result.issue, notFound: '' };
  const why = finding.notBegun || (investigation === null ? finding.reasons[0] : '');
  return { names, issue: null, notFound: why || 'its analysis ended without a result' };
}
