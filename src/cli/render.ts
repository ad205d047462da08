// An Issue and its steps as text for a terminal: cause, suspects with their code, change and fix.
import type { Change, FileDiff, Issue, Outcome, Step, Suspect } from '../core/issue.ts';
import type { RecordedStep } from '../db/store.ts';
import { displayWidth, printable, printableLine, type Style, style, truncate, wrap } from './terminal.ts';

const INDENT = '  ';

/** Wider lines are hard to read, however wide the terminal is. */
const WIDEST = 100;

/** Suspects after these are only in `--json`: a long list points nowhere. */
const SUSPECTS_SHOWN = 5;

const REASONS_SHOWN = 3;

const CITATIONS_SHOWN = 8;

const HEADLINES: Readonly<Record<Outcome, string>> = {
  code_fix: 'Cause found, with a fix',
  action_recommended: 'Cause found, with something to do',
  needs_information: 'More information is needed',
  already_fixed: 'Already fixed',
  not_a_bug: 'Not a bug',
  inconclusive: 'Inconclusive',
  facts_only: 'Facts only: no model was asked',
};

/** The readable report; ends with a line feed. Lines are wrapped at `columns` (at most 100), but for code, paths and addresses. */
export function renderIssue(issue: Issue, layout: Layout): string {
  const page: Page = { columns: Math.min(layout.columns, WIDEST), paint: style(layout.colour) };
  const { analysis } = issue;
  const sections = [
    headline(issue, page),
    prose('Problem', issue.problem, page),
    prose(analysis.outcome === 'facts_only' ? 'Where it points' : 'Root cause', issue.rootCause, page),
    evidence(issue, page),
    excerpt(issue, page),
    suspects(analysis.suspects, page),
    steps('How to reproduce', issue.stepsToReproduce, page),
    steps('What next', issue.solutionSteps, page),
    list('Questions', analysis.questions, page),
    remarks(issue, page),
    renderChange(issue.diff.files, page),
    footer(issue, page),
  ];
  const text = sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
  return `${text}\n`;
}

interface Page {
  readonly columns: number;
  readonly paint: Style;
}

function headline(issue: Issue, page: Page): string[] {
  const { outcome, partial, confidence } = issue.analysis;
  const remarks = [
    ...(partial && outcome !== 'facts_only' ? ['partial'] : []),
    ...(confidence === null ? [] : [`confidence ${Math.round(confidence * 100)} %`]),
  ];
  const paint = outcome === 'code_fix' || outcome === 'already_fixed' ? page.paint.green : page.paint.yellow;
  const silent = outcome === 'facts_only' && partial;
  const head = silent ? 'Facts only: the model gave no answer' : HEADLINES[outcome];
  return [page.paint.bold(paint([head, ...remarks].join(' · ')))];
}

function prose(title: string, text: string, page: Page): string[] {
  if (text.trim() === '') return [];
  return [page.paint.bold(title), ...wrap(printable(text.trim()), page.columns, INDENT)];
}

function suspects(all: readonly Suspect[], page: Page): string[] {
  if (all.length === 0) return [];
  const shown = all.slice(0, SUSPECTS_SHOWN);
  const rest = all.length - shown.length;
  return [
    page.paint.bold(shown.length === 1 ? 'Suspect' : 'Suspects (most likely first)'),
    ...shown.flatMap((suspect, at) => oneSuspect(suspect, `${INDENT}${at + 1}. `, page)),
    ...(rest > 0 ? [page.paint.dim(`${INDENT}and ${rest} more (--json lists all)`)] : []),
  ];
}

function oneSuspect(suspect: Suspect, lead: string, page: Page): string[] {
  const within = suspect.function === '' ? '' : page.paint.dim(` in ${printableLine(suspect.function)}`);
  const hanging = ' '.repeat(lead.length);
  return [
    `${lead}${page.paint.cyan(place(suspect))}${within}`,
    ...suspect.reasons
      .slice(0, REASONS_SHOWN)
      .flatMap((reason) => wrap(printableLine(reason), page.columns, `${hanging}  `, `${hanging}- `)),
  ];
}

function place(suspect: Suspect): string {
  return `${printableLine(suspect.file)}${suspect.line > 0 ? `:${suspect.line}` : ''}`;
}

function excerpt(issue: Issue, page: Page): string[] {
  const [first] = issue.analysis.suspects;
  const lines = first === undefined ? [] : codeExcerpt(issue, first);
  if (first === undefined || lines.length === 0) return [];
  const digits = String(lines.at(-1)?.number ?? 0).length;
  return [
    page.paint.bold(`${printableLine(first.file)} at ${issue.analysis.revision.slice(0, 12)}`),
    ...lines.map((line) => {
      const hit = line.number === first.line;
      const text = `${hit ? '>' : ' '} ${String(line.number).padStart(digits)} | ${printable(line.text)}`;
      const cut = truncate(text.trimEnd(), page.columns - INDENT.length);
      return `${INDENT}${hit ? page.paint.bold(cut) : page.paint.dim(cut)}`;
    }),
  ];
}

function steps(title: string, all: readonly Step[], page: Page): string[] {
  if (all.length === 0) return [];
  return [page.paint.bold(title), ...all.flatMap((step) => item(`${step.stepNumber}. `, step.description, page))];
}

function list(title: string, all: readonly string[], page: Page): string[] {
  return all.length === 0 ? [] : [page.paint.bold(title), ...all.flatMap((text) => item('- ', text, page))];
}

function item(mark: string, text: string, page: Page): string[] {
  const lead = `${INDENT}${mark}`;
  return wrap(printable(text.trim()), page.columns, ' '.repeat(lead.length), lead);
}

/** What the references to steps lead to. Facts alone show their one line in the excerpt. */
function evidence({ analysis, investigationSteps }: Issue, page: Page): string[] {
  if (analysis.outcome === 'facts_only' || analysis.citations.length === 0) return [];
  const shown = analysis.citations.slice(0, CITATIONS_SHOWN).flatMap(({ step, quote }, at) => {
    const [first = ''] = printable(quote).trim().split('\n');
    const action = printableLine(investigationSteps[step - 1]?.action ?? '');
    const lead = `${INDENT}[step ${step}] `;
    const isSame = analysis.citations[at - 1]?.step === step;
    return [
      ...(isSame ? [] : [page.paint.dim(truncate(`${lead}${action}`, page.columns))]),
      truncate(`${' '.repeat(lead.length)}${first.trim()}`, page.columns),
    ];
  });
  const rest = analysis.citations.length - CITATIONS_SHOWN;
  return [
    page.paint.bold('Evidence'),
    ...shown,
    ...(rest > 0 ? [page.paint.dim(`${INDENT}and ${rest} more (--json lists all)`)] : []),
  ];
}

/** Why the outcome is what it is; without a model the words above say it already. */
function remarks({ analysis }: Issue, page: Page): string[] {
  const said = analysis.outcome === 'facts_only' && !analysis.partial ? '' : analysis.reason;
  const told = (held: boolean) =>
    analysis.guards
      .filter(({ rule }) => rule.startsWith('never/') === held)
      .map(({ file, reason }) => (file === '' ? reason : `${file}: ${reason}`));
  return [
    ...prose('Remarks', said, page),
    ...list('Left out of the change', told(true), page),
    ...list('Look at before you apply it', told(false), page),
  ];
}

function modelFacts(
  model: string,
  { turns, promptTokens, completionTokens, costUsd }: Issue['analysis']['usage'],
): string[] {
  const tokens = (promptTokens + completionTokens).toLocaleString('en');
  const cost = costUsd > 0 ? `$${costUsd.toFixed(2)}` : 'no price known';
  return [printableLine(model), `${turns} turns, ${tokens} tokens, ${cost}`];
}

function footer(issue: Issue, page: Page): string[] {
  const { analysis, investigationSteps } = issue;
  const facts = [
    `${investigationSteps.length} steps (all in --json)`,
    ...(analysis.revision === '' ? [] : [`commit ${analysis.revision.slice(0, 12)}`]),
    ...(analysis.model === null ? [] : modelFacts(analysis.model, analysis.usage)),
  ];
  return wrap(facts.join(' · '), page.columns, '').map(page.paint.dim);
}

/** Lines of all files together; a longer change is read from its patch. */
const LINES_SHOWN = 60;

const CHANGE_INDENT = '  ';

interface ChangedLine {
  readonly sign: '+' | '-';
  readonly text: string;
}

/** The lines of the section; empty where nothing changes. Lines are cut to `columns`. */
export function renderChange(
  files: readonly FileDiff[],
  page: { readonly columns: number; readonly paint: Style },
): string[] {
  if (files.length === 0) return [];
  const { paint } = page;
  const rows = files.flatMap((file) => {
    const hunks = file.changes.map(hunkOf);
    return [
      `${CHANGE_INDENT}${paint.cyan(nameOf(file))} ${sizeOf(hunks.flat())}`,
      ...hunks.flatMap((hunk, at) => hunkRows(file.changes[at], hunk, page)),
    ];
  });
  const rest = rows.length - LINES_SHOWN;
  return [
    paint.bold('Change (--patch FILE writes it)'),
    ...rows.slice(0, LINES_SHOWN),
    ...(rest > 0 ? [paint.dim(`${CHANGE_INDENT}and ${rest} more lines (--patch FILE has all)`)] : []),
  ];
}

function nameOf({ fileName, previousFileName, status }: FileDiff): string {
  const name = printableLine(fileName);
  if (status === 'renamed' && previousFileName) return `${printableLine(previousFileName)} → ${name}`;
  return status === 'added' || status === 'deleted' ? `${name} (${status})` : name;
}

/** An added line may be empty text, so the type tells what stands on each side. */
function hunkOf({ type, lines }: Change): readonly ChangedLine[] {
  return [
    ...(type === 'add' ? [] : lines.map(({ oldCode }) => ({ sign: '-' as const, text: oldCode }))),
    ...(type === 'delete'
      ? []
      : lines.flatMap(({ newCode }) => newCode.split('\n').map((text) => ({ sign: '+' as const, text })))),
  ];
}

function sizeOf(lines: readonly ChangedLine[]): string {
  const count = (sign: '+' | '-') => lines.filter((line) => line.sign === sign).length;
  return `+${count('+')} -${count('-')}`;
}

function hunkRows(
  change: Change | undefined,
  hunk: readonly ChangedLine[],
  { columns, paint }: { readonly columns: number; readonly paint: Style },
): string[] {
  const line = change?.lines[0]?.lineNumber ?? 0;
  const rows = hunk.map(({ sign, text }) => {
    const row = truncate(`${sign} ${printable(text)}`.trimEnd(), columns - 2 * CHANGE_INDENT.length);
    return `${CHANGE_INDENT}${CHANGE_INDENT}${sign === '+' ? paint.green(row) : paint.red(row)}`;
  });
  return [`${CHANGE_INDENT}${CHANGE_INDENT}${paint.dim(whereOf(change?.type, line))}`, ...rows];
}

function whereOf(type: Change['type'] | undefined, line: number): string {
  if (type !== 'add') return `line ${line}`;
  return line === 0 ? 'at the top' : `after line ${line}`;
}

interface Layout {
  readonly columns: number;
  readonly colour: boolean;
}

/** Fewer columns than this hold no part of a sentence that says something. */
const LEAST_MEANING = 24;

/** ` 3  what was asked · what it means`, cut to the columns. */
export function renderStep(step: RecordedStep, layout: Layout): string {
  const paint = style(layout.colour);
  const number = String(step.number).padStart(2);
  const room = Math.max(20, layout.columns - number.length - 2);
  const action = truncate(printableLine(step.action), room);
  const meaning = printableLine(step.analysis);
  const left = room - displayWidth(action) - 3;
  const rest = meaning !== '' && left >= LEAST_MEANING ? paint.dim(` · ${truncate(meaning, left)}`) : '';
  return `${paint.cyan(number)}  ${action}${rest}`;
}

interface ExcerptLine {
  readonly number: number;
  readonly text: string;
}

/** A numbered line as steps show it: `  41 | code`, `> 42: code`. */
const NUMBERED = /^[ >*]*(\d{1,7})\s?[|│:](?: (.*)|(\S.*)|)$/;

const LINES_AROUND = 3;

/** At most seven consecutive lines around the suspect's; empty where no step holds them. */
function codeExcerpt(issue: Issue, suspect: Suspect): readonly ExcerptLine[] {
  for (const step of issue.investigationSteps) {
    if (!step.action.includes(suspect.file)) continue;
    const lines = numberedLines(step.result).filter((line) => Math.abs(line.number - suspect.line) <= LINES_AROUND);
    if (lines.some((line) => line.number === suspect.line)) return lines;
  }
  return [];
}

function numberedLines(text: string): ExcerptLine[] {
  return text.split('\n').flatMap((line) => {
    const match = NUMBERED.exec(line);
    return match === null ? [] : [{ number: Number(match[1]), text: match[2] ?? match[3] ?? '' }];
  });
}
