// What of an Issue may be shown where, and links to the source that it names.
import type { InvestigationStep, StepSource } from './evidence.ts';
import type { Issue, Step } from './issue.ts';

/** An Issue with where each of its steps comes from, which the interface does not show. */
export interface SourcedIssue extends Omit<Issue, 'investigationSteps'> {
  readonly investigationSteps: readonly (InvestigationStep & { readonly source: StepSource })[];
}

export interface NumberedStep extends InvestigationStep {
  readonly source: StepSource;
  readonly number: number;
}

export interface ShownIssue {
  readonly issue: SourcedIssue;
  /** With the numbers that the text cites them by. */
  readonly steps: readonly NumberedStep[];
  /** Lookups of monitoring systems that are kept back. */
  readonly withheld: number;
}

const LEFT_OUT = '[left out: from monitoring]';

/** Shorter words of a result stand in the source as well. */
const LEAST_QUOTE = 8;

/** `sources`: of its steps, in their order. */
export function addSources(issue: Issue, sources: readonly StepSource[]): SourcedIssue {
  const steps = issue.investigationSteps.map((step, index) => ({ ...step, source: sources[index] ?? 'repository' }));
  return { ...issue, investigationSteps: steps };
}

export function filterIssue(issue: SourcedIssue, place: { readonly isPublic: boolean }): ShownIssue {
  const all = issue.investigationSteps.map((step, index) => ({ ...step, number: index + 1 }));
  const kept = place.isPublic ? all.filter(({ source }) => source === 'monitoring') : [];
  if (kept.length === 0) return { issue, steps: all, withheld: 0 };
  const hidden = new Set(kept.map(({ number }) => number));
  const steps = all.filter(({ number }) => !hidden.has(number));
  const clean = withoutQuotes(issue, kept, steps);
  return {
    issue: cleanWords(issue, clean),
    steps: steps.map((step) => ({ ...step, analysis: clean(step.analysis) })),
    withheld: kept.length,
  };
}

/** Takes out what was quoted from those lookups, and code that stands in their results alone. */
function withoutQuotes(
  issue: SourcedIssue,
  kept: readonly NumberedStep[],
  steps: readonly NumberedStep[],
): (text: string) => string {
  const numbers = new Set(kept.map(({ number }) => number));
  const told = kept.map(({ result }) => result).join('\n');
  const known = [issue.analysis.report, ...steps.map(({ result }) => result)].join('\n');
  const quotes = issue.analysis.citations
    .filter(({ step }) => numbers.has(step))
    .flatMap(({ quote }) => [quote.trim(), ...quote.split('\n').map((line) => line.trim())])
    .filter((quote) => quote.length >= LEAST_QUOTE && !known.includes(quote))
    .sort((a, b) => b.length - a.length);
  return (text) =>
    quotes
      .reduce((all, quote) => all.replaceAll(quote, LEFT_OUT), text)
      .replace(/(?<!`)`+([^`]{8,400})`+|["“]([^"“”]{8,400})["”]/g, (whole, span?: string, words?: string) => {
        const inside = span ?? words ?? '';
        return told.includes(inside) && !known.includes(inside) ? LEFT_OUT : whole;
      });
}

function cleanWords(issue: SourcedIssue, clean: (text: string) => string): SourcedIssue {
  const each = (steps: readonly Step[]): readonly Step[] =>
    steps.map((step) => ({ ...step, description: clean(step.description) }));
  const { analysis } = issue;
  return {
    ...issue,
    problem: clean(issue.problem),
    rootCause: clean(issue.rootCause),
    stepsToReproduce: each(issue.stepsToReproduce),
    solutionSteps: each(issue.solutionSteps),
    analysis: {
      ...analysis,
      reason: clean(analysis.reason),
      questions: analysis.questions.map(clean),
      suspects: analysis.suspects.map((suspect) => ({ ...suspect, reasons: suspect.reasons.map(clean) })),
    },
  };
}

/** The address of a place such as `src/a.ts:12` in the repository; null for everything else. */
export type SourceLinks = (text: string) => string | null;

export const NO_LINKS: SourceLinks = () => null;

const PLACE = /^(.{1,400}?):(\d{1,9})(?:[-–:](\d{1,9}))?$/;

/**
 * Links `path:line` and `path:from-to` where the path is one that the investigation has looked at, at the commit that
 * it looked at.
 */
export function buildSourceLinks(
  place: { readonly webUrl: string; readonly repository: string },
  issue: Pick<Issue, 'diff' | 'investigationSteps' | 'analysis'>,
): SourceLinks {
  const paths = knownPaths(issue);
  const { revision } = issue.analysis;
  return (text) => {
    const [, path = '', from = '', to] = PLACE.exec(text) ?? [];
    if (from === '' || !paths.has(path) || !/^[0-9a-f]{40,64}$/.test(revision)) return null;
    const end = to === undefined || !text.includes('-') ? '' : `-L${to}`;
    return `${place.webUrl}/${place.repository}/blob/${revision}/${path.split('/').map(encoded).join('/')}#L${from}${end}`;
  };
}

/** Suspects and changed files, and what the lookups name. */
function knownPaths({
  diff,
  investigationSteps,
  analysis,
}: Parameters<typeof buildSourceLinks>[1]): ReadonlySet<string> {
  const looked = investigationSteps.flatMap(({ action }) =>
    action
      .split(/[\s;,]+/)
      .map((word) => word.replace(/:\d.*$/s, ''))
      .filter((word) => /[./]/.test(word)),
  );
  const old = diff.files.flatMap(({ previousFileName, fileName, status }) =>
    status === 'added' ? [] : [previousFileName ?? fileName],
  );
  return new Set([...analysis.suspects.map(({ file }) => file), ...old, ...looked].filter(isPlain));
}

function isPlain(path: string): boolean {
  return (
    path !== '' &&
    !path.startsWith('/') &&
    !path.split('/').some((part) => part === '' || part === '.' || part === '..')
  );
}

function encoded(part: string): string {
  return encodeURIComponent(part.toWellFormed()).replace(
    /[!'()*~_]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
