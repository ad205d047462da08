// Whether a quotation proves anything: it stands in the step that is cited, and not only because the model itself wrote it there.
import type { ChangeSet } from '../core/change-set.ts';
import type { ConclusionDraft } from './conclusion-draft.ts';
import { isTelling, type Quotable, quotable, standsIn } from './quotation.ts';
import { changedLines } from './secret-hunks.ts';

/** A step as its number stands in the transcript, with the result as the model saw it. */
export interface GroundStep {
  readonly number: number;
  /** The exact query in words. */
  readonly action: string;
  readonly result: string;
  /** What the step was, `found` if absent. Edits and failures repeat the model's own words and prove nothing. */
  readonly kind?: 'found' | 'nothing' | 'failed' | 'edit';
}

type Citation = ConclusionDraft['rootCause'][number]['citations'][number];

interface ReadyStep {
  readonly step: GroundStep;
  /** Folded only when a quotation is searched in it, and once. */
  readonly text: () => Quotable;
}

export function readySteps(steps: readonly GroundStep[]): StepTexts {
  return new Map(
    steps.map((step) => {
      let text: Quotable | undefined;
      const ready = (): Quotable => {
        text ??= quotable(step.result);
        return text;
      };
      return [step.number, { step, text: ready }];
    }),
  );
}

export type StepTexts = ReadonlyMap<number, ReadyStep>;

interface CitationCheck {
  readonly steps: StepTexts;
  readonly written: Written;
  readonly faults: string[];
  readonly name: string;
}

interface Written {
  /** Number of the first edit. */
  readonly from: number;
  readonly text: Quotable;
}

/** What the edits put in. */
export function writtenBy(steps: readonly GroundStep[], changeSet: ChangeSet): Written {
  const edits = steps.filter(({ kind }) => kind === 'edit').map(({ number }) => number);
  const lines = changeSet.files.flatMap((change) => changedLines(change).inserted);
  return { from: edits.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...edits), text: quotable(lines.join('')) };
}

/** Whether the quotation stands in the step that is cited; if not, `faults` gets the reason. */
export function holds({ step, quote }: Citation, { steps, written, faults, name }: CitationCheck): boolean {
  const ready = quotable(quote);
  const isOwn = step > written.from && standsIn(ready, written.text);
  const fault = isOwn ? 'your own edit wrote it' : citationFault(ready, steps.get(step), steps);
  if (fault !== '') faults.push(`${name}: the citation of step ${step} ${shown(quote)} does not hold: ${fault}.`);
  return fault === '';
}

/** So much of a quotation as tells which one is meant. */
function shown(quote: string): string {
  const line = quote.replace(/\s+/g, ' ').trim();
  return `“${line.length > 60 ? `${line.slice(0, 60)}…` : line}”`;
}

function citationFault(quote: Quotable, cited: ReadyStep | undefined, steps: StepTexts): string {
  if (!isTelling(quote)) return 'it is too short or too common to prove anything; add the line before or after it';
  if (cited === undefined) return `there is no such step; steps run to ${Math.max(0, ...steps.keys())}`;
  const { step, text } = cited;
  if (step.kind === 'edit') return 'an edit shows your own text; cite a step that looked something up';
  if (step.kind === 'failed') return 'that step failed and shows nothing';
  // A search that found nothing repeats the words that were searched for.
  if (step.kind === 'nothing' && standsIn(quote, quotable(step.action)))
    return 'it repeats your query, and nothing was found';
  if (standsIn(quote, text())) return '';
  const other = [...steps.values()].find((ready) => isLookup(ready.step) && standsIn(quote, ready.text()));
  return other
    ? `the quotation stands in step ${other.step.number} instead`
    : 'the quotation does not stand in its result; copy it exactly';
}

/** Whether the step shows the report or the log that came with it: the words of the one who reports. */
export function isOfReport({ action }: GroundStep): boolean {
  return /^(?:ci_log\b|find signals in the report\b)/.test(action);
}

export function isLookup({ kind }: GroundStep): boolean {
  return kind === undefined || kind === 'found';
}
