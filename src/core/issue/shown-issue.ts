// Which parts of an Issue may be shown where, and links to the source it names.
import type { SourceLinks } from 'causeway-safe-markdown';
import type { InvestigationStep, StepSource } from '../report/index.ts';
import { findContextFile, listRead, nameContextFile } from './context.ts';
import type { Issue, Step } from './issue.ts';

/** An Issue with the source of each step, and the title of its change: the API shows neither. */
export interface SourcedIssue extends Omit<Issue, 'investigationSteps'> {
  /** In the model's words; absent: it gave none. */
  readonly changeTitle?: string;
  readonly investigationSteps: readonly (InvestigationStep & { readonly source: StepSource })[];
}

export interface NumberedStep extends InvestigationStep {
  readonly source: StepSource;
  readonly number: number;
}

export interface ShownIssue {
  readonly issue: SourcedIssue;
  /** Numbered as the text cites them. */
  readonly steps: readonly NumberedStep[];
  /** Number of hidden lookups of monitoring systems. */
  readonly withheld: number;
}

const LEFT_OUT = '[left out: from monitoring]';

/** Shorter quotes also occur in the source by chance. */
const LEAST_QUOTE = 8;

/** `sources`: one per step, in order. `changeTitle`: "" for none. */
export function addSources(issue: Issue, sources: readonly StepSource[], changeTitle = ''): SourcedIssue {
  const steps = issue.investigationSteps.map((step, index) => ({ ...step, source: sources[index] ?? 'repository' }));
  return { ...issue, investigationSteps: steps, ...(changeTitle !== '' && { changeTitle }) };
}

export function filterIssue(issue: SourcedIssue, place: { readonly isPublic: boolean }): ShownIssue {
  const all = issue.investigationSteps.map((step, index) => ({ ...step, number: index + 1 }));
  const kept = place.isPublic ? all.filter(({ source }) => source === 'monitoring') : [];
  if (kept.length === 0) return { issue, steps: all, withheld: 0 };
  const hidden = new Set(kept.map(({ number }) => number));
  const steps = all.filter(({ number }) => !hidden.has(number));
  const clean = createQuoteRemover(issue, kept, steps);
  return {
    issue: cleanWords(issue, clean),
    steps: steps.map((step) => ({ ...step, analysis: clean(step.analysis) })),
    withheld: kept.length,
  };
}

/** Removes quotations of the hidden lookups, and code that occurs only in their results. */
function createQuoteRemover(
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
  const { analysis, changeTitle } = issue;
  return {
    ...issue,
    ...(changeTitle !== undefined && { changeTitle: clean(changeTitle) }),
    problem: clean(issue.problem),
    rootCause: clean(issue.rootCause),
    stepsToReproduce: each(issue.stepsToReproduce),
    solutionSteps: each(issue.solutionSteps),
    analysis: {
      ...analysis,
      reason: clean(analysis.reason),
      questions: analysis.questions.map(clean),
      claims: analysis.claims.map((claim) => ({ ...claim, note: clean(claim.note) })),
      secondLook: analysis.secondLook && { ...analysis.secondLook, reason: clean(analysis.secondLook.reason) },
      suspects: analysis.suspects.map((suspect) => ({ ...suspect, reasons: suspect.reasons.map(clean) })),
    },
  };
}

export const NO_LINKS: SourceLinks = () => null;

const PLACE = /^(.{1,400}?):(\d{1,9})(?:[-–:](\d{1,9}))?$/;

/** Links `path:line` and `path:from-to` at the analysed commit, if the investigation has looked at the path. */
export function buildSourceLinks(
  place: { readonly webUrl: string; readonly repository: string },
  issue: Pick<Issue, 'diff' | 'investigationSteps' | 'analysis'>,
): SourceLinks {
  const paths = listKnownPaths(issue);
  const context = listRead(issue.analysis.context);
  return (text) => {
    const [, file = '', from = '', to] = PLACE.exec(text) ?? [];
    const other = findContextFile(file, context);
    const { repository, revision } = other?.of ?? { ...place, revision: issue.analysis.revision };
    if (from === '' || !paths.has(file)) return null;
    const last = to === undefined || !text.includes('-') ? from : to;
    const lines = { path: other?.path ?? file, from: Number(from), to: Number(last) };
    return buildLineAddress({ webUrl: place.webUrl, repository }, revision, lines);
  };
}

/** Where the lines of a file are shown at a commit; null where that is none. */
export function buildLineAddress(
  { webUrl, repository }: { readonly webUrl: string; readonly repository: string },
  revision: string,
  { path, from, to }: { readonly path: string; readonly from: number; readonly to: number },
): string | null {
  if (!/^[0-9a-f]{40,64}$/.test(revision)) return null;
  const end = to > from ? `-L${to}` : '';
  return `${webUrl}/${repository}/blob/${revision}/${path.split('/').map(encodePart).join('/')}#L${from}${end}`;
}

/** Suspects, changed files, and files named by lookups. */
function listKnownPaths({
  diff,
  investigationSteps,
  analysis,
}: Parameters<typeof buildSourceLinks>[1]): ReadonlySet<string> {
  const words = investigationSteps.flatMap(({ action }) =>
    action
      .split(/[\s;,]+/)
      .map((word) => word.replace(/:\d.*$/s, ''))
      .filter((word) => /[./]/.test(word)),
  );
  // A lookup in another repository names its files without it.
  const elsewhere = listRead(analysis.context).flatMap(({ repository }) =>
    words.map((word) => nameContextFile(repository, word)),
  );
  const old = diff.files.flatMap(({ previousFileName, fileName, status }) =>
    status === 'added' ? [] : [previousFileName ?? fileName],
  );
  return new Set([...analysis.suspects.map(({ file }) => file), ...old, ...words, ...elsewhere].filter(isPlainPath));
}

function isPlainPath(path: string): boolean {
  return (
    path !== '' &&
    !path.startsWith('/') &&
    !path.split('/').some((part) => part === '' || part === '.' || part === '..')
  );
}

function encodePart(part: string): string {
  return encodeURIComponent(part.toWellFormed()).replace(
    /[!'()*~_]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
