// An Issue and its steps as text for a terminal: cause, suspects with their code, change and fix.

import { type Excerpt, readReport } from 'causeway-ci-log';
import type { Change, FileDiff } from 'causeway-diff';
import { toPrintable, toPrintableLine } from 'causeway-safe-markdown';
import {
  createIssueView,
  describeContext,
  describeCost,
  describeLook,
  describeMissingClaims,
  describeNext,
  findContextFile,
  findExcerpt,
  type Issue,
  type Step,
  type Suspect,
} from '../core/issue/index.ts';
import type { RecordedStep } from '../db/index.ts';
import { createStyle, displayWidth, type Style, truncateColumns, wrap } from './terminal.ts';

export interface TextLayout {
  readonly columns: number;
  readonly colour: boolean;
}

interface TerminalPage {
  readonly columns: number;
  readonly paint: Style;
}

const INDENT = '  ';
/** Wider lines are hard to read, however wide the terminal is; a file or another program gets them whole. */
const MAX_COLUMNS = 100;
const MAX_SUSPECTS = 5;
const MAX_REASONS = 3;
const MAX_CITATIONS = 8;
/** Lines of all files together; a longer change is read from its patch. */
const MAX_CHANGE_LINES = 60;
const EXCERPT = 7;
const SEARCH_EXCERPT = 5;
/** Of a search, what is read before the rest: the headline, what was found and why, the code, and what comes next. */
const FIRST_LINES = 12;
const RULE = 40;
const MAX_OTHERS = 3;
const MAX_LOG_LINES = 20;
/** The meaning of a step is left out where fewer columns are left for it. */
const MIN_MEANING = 24;

/**
 * The readable report; ends with a line feed. Lines are wrapped at `columns` (at most 100, or infinite), except code,
 * paths and addresses.
 */
export function renderIssue(issue: Issue, layout: TextLayout): string {
  const page: TerminalPage = {
    columns: layout.columns === Number.POSITIVE_INFINITY ? layout.columns : Math.min(layout.columns, MAX_COLUMNS),
    paint: createStyle(layout.colour),
  };
  const { outcome, partial, reason, questions, secondLook } = issue.analysis;
  const { headline, blocking, toCheck } = createIssueView(issue);
  const isSearch = outcome === 'facts_only';
  const isFixed = outcome === 'code_fix' || outcome === 'already_fixed';
  const listGuards = (guards: Issue['analysis']['guards']) =>
    guards.map(({ file, reason: why }) => (file === '' ? why : `${file}: ${why}`));
  const sections = [
    [page.paint.bold((isFixed ? page.paint.green : page.paint.yellow)(headline))],
    ...(isSearch
      ? renderSearch(issue, page)
      : [
          renderProse('Problem', issue.problem, page),
          renderProse('Root cause', issue.rootCause, page),
          renderCitations(issue, page),
          renderDiffExcerpt(issue, page),
          renderSuspectLines(issue.analysis.suspects, page),
          renderProse('Owners', issue.analysis.ownership?.owners.join(', ') ?? '', page),
          renderStepLines('How to reproduce', issue.stepsToReproduce, page),
          renderStepLines('What to do', issue.solutionSteps, page),
          renderList('Questions', questions, page),
        ]),
    renderProse('Second review', secondLook === null ? '' : describeLook(secondLook), page),
    // Without a model, the text above says it already.
    renderProse('Why this outcome', isSearch && !partial ? '' : reason, page),
    renderList('Left out of the change', listGuards(blocking), page),
    renderList('Check before applying', listGuards(toCheck), page),
    renderDiffLines(issue.diff.files, page),
    renderIssueFooter(issue, page),
  ];
  const text = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${text.join('\n\n')}\n`;
}

/**
 * What was found, why, and what to do next within 12 lines; the rest below a rule. The reader has just written the report,
 * so it isn't repeated; of a log the relevant part is shown.
 */
function renderSearch(issue: Issue, page: TerminalPage): readonly string[][] {
  const { report, suspects, citations, questions } = issue.analysis;
  const [log] = readReport(report).logs;
  const { rootCause, solutionSteps } = issue;
  const cause = renderProse('', rootCause, page);
  const isPlaced = citations.length > 0;
  const next = renderProse('', describeNext(solutionSteps), page);
  const room = Math.min(SEARCH_EXCERPT, FIRST_LINES - cause.length - next.length - 4);
  const asked = renderList('Questions', questions, page);
  const isAsked = !isPlaced && asked.length > 0;
  const isSaid = !isAsked && solutionSteps.length === 1 && !solutionSteps[0]?.description.includes('\n');
  return [
    cause,
    isPlaced ? renderExcerpt(issue, Math.max(1, room), page) : [],
    isAsked ? asked : next,
    [page.paint.dim('─'.repeat(RULE))],
    renderProse('', describeMissingClaims(issue.analysis), page),
    renderOtherSuspects(suspects.slice(1), page),
    renderProse('Owners', issue.analysis.ownership?.owners.join(', ') ?? '', page),
    renderStepLines('What to do', isSaid ? [] : solutionSteps, page),
    isAsked ? [] : asked,
    log === undefined ? [] : renderLog(log.excerpt, page),
  ];
}

/** Lines of the log, with the failed tests that they don't name. */
function renderLog({ lines, tests }: Excerpt, page: TerminalPage): string[] {
  const shown = lines.slice(0, MAX_LOG_LINES).map((line) => `${INDENT}${toPrintable(line)}`);
  const unsaid = tests.filter((test) => shown.every((line) => !line.includes(test))).slice(0, MAX_SUSPECTS);
  return [
    page.paint.bold('What the log says'),
    ...(unsaid.length === 0 ? [] : wrap(toPrintableLine(`Failed: ${unsaid.join(', ')}`), page.columns, INDENT)),
    ...shown,
    ...renderMoreLine(lines.length - shown.length, page),
  ];
}

/** ` 3  what was looked up · what it means`, cut to the columns. */
export function renderStep(step: RecordedStep, layout: TextLayout): string {
  const paint = createStyle(layout.colour);
  const number = String(step.number).padStart(2);
  const width = Math.max(20, layout.columns - number.length - 2);
  const action = truncateColumns(toPrintableLine(step.action), width);
  const meaning = toPrintableLine(step.analysis);
  const left = width - displayWidth(action) - 3;
  const rest = meaning !== '' && left >= MIN_MEANING ? paint.dim(` · ${truncateColumns(meaning, left)}`) : '';
  return `${paint.cyan(number)}  ${action}${rest}`;
}

function renderProse(title: string, text: string, { columns, paint }: TerminalPage): string[] {
  if (text.trim() === '') return [];
  const lines = wrap(toPrintable(text.trim()), columns, title === '' ? '' : INDENT);
  return title === '' ? lines : [paint.bold(title), ...lines];
}

function renderStepLines(title: string, steps: readonly Step[], page: TerminalPage): string[] {
  const items = steps.flatMap(({ stepNumber, description }) => renderMarkedItem(`${stepNumber}. `, description, page));
  return items.length === 0 ? [] : [page.paint.bold(title), ...items];
}

function renderList(title: string, all: readonly string[], page: TerminalPage): string[] {
  return all.length === 0 ? [] : [page.paint.bold(title), ...all.flatMap((text) => renderMarkedItem('- ', text, page))];
}

function renderMarkedItem(mark: string, text: string, { columns }: TerminalPage): string[] {
  const lead = `${INDENT}${mark}`;
  return wrap(toPrintable(text.trim()), columns, ' '.repeat(lead.length), lead);
}

function renderSuspectLines(all: readonly Suspect[], page: TerminalPage): string[] {
  if (all.length === 0) return [];
  const { columns, paint } = page;
  const title = all.length === 1 ? 'Suspect' : 'Suspects (most likely first)';
  const items = all.slice(0, MAX_SUSPECTS).flatMap(({ file, line, function: name, reasons }, at) => {
    const place = paint.cyan(`${toPrintableLine(file)}${line > 0 ? `:${line}` : ''}`);
    const hanging = ' '.repeat(INDENT.length + 3);
    return [
      `${INDENT}${at + 1}. ${place}${name === '' ? '' : paint.dim(` in ${toPrintableLine(name)}`)}`,
      ...reasons
        .slice(0, MAX_REASONS)
        .flatMap((reason) => wrap(toPrintableLine(reason), columns, `${hanging}  `, `${hanging}- `)),
    ];
  });
  return [paint.bold(title), ...items, ...renderMoreLine(all.length - MAX_SUSPECTS, page)];
}

/** A line for each: the text above has the first. */
function renderOtherSuspects(others: readonly Suspect[], page: TerminalPage): string[] {
  if (others.length === 0) return [];
  const items = others.slice(0, MAX_OTHERS).flatMap(({ file, line, function: name, reasons: [reason = ''] }) => {
    const place = page.paint.cyan(`${toPrintableLine(file)}${line > 0 ? `:${line}` : ''}`);
    const within = name === '' ? '' : ` in ${toPrintableLine(name)}`;
    const why = reason === '' ? '' : `: ${toPrintableLine(reason)}`;
    return wrap(`${place}${page.paint.dim(within)}${why}`, page.columns, `${INDENT}  `, `${INDENT}- `);
  });
  return [page.paint.bold('Also possible'), ...items, ...renderMoreLine(others.length - MAX_OTHERS, page)];
}

function renderMoreLine(count: number, { paint }: TerminalPage): string[] {
  return count > 0 ? [paint.dim(`${INDENT}and ${count} more (--json lists all)`)] : [];
}

/** What the step numbers in the text refer to. A search shows its one line in the excerpt. */
function renderCitations(
  { analysis: { outcome, citations }, investigationSteps }: Issue,
  page: TerminalPage,
): string[] {
  if (outcome === 'facts_only' || citations.length === 0) return [];
  const { columns, paint } = page;
  const lines = citations.slice(0, MAX_CITATIONS).flatMap(({ step, quote }, at) => {
    const [first = ''] = toPrintable(quote).trim().split('\n');
    const lead = `${INDENT}[step ${step}] `;
    const line = truncateColumns(`${' '.repeat(lead.length)}${first.trim()}`, columns);
    if (citations[at - 1]?.step === step) return [line];
    const action = toPrintableLine(investigationSteps[step - 1]?.action ?? '');
    return [paint.dim(truncateColumns(`${lead}${action}`, columns)), line];
  });
  return [paint.bold('Evidence'), ...lines, ...renderMoreLine(citations.length - MAX_CITATIONS, page)];
}

function renderDiffExcerpt(issue: Issue, page: TerminalPage): string[] {
  const { suspects, context, revision } = issue.analysis;
  const rows = renderExcerpt(issue, EXCERPT, page);
  if (rows.length === 0) return [];
  const file = suspects[0]?.file ?? '';
  const at = findContextFile(file, context)?.of.revision ?? revision;
  return [page.paint.bold(`${toPrintableLine(file)} at ${at.slice(0, 12)}`), ...rows];
}

function renderExcerpt(issue: Issue, most: number, { columns, paint }: TerminalPage): string[] {
  return findExcerpt(issue, most).map(({ text, isSuspect }) => {
    const row = truncateColumns(toPrintable(text), columns - INDENT.length);
    return `${INDENT}${(isSuspect ? paint.bold : paint.dim)(row)}`;
  });
}

/** The lines of the section; empty where nothing changes. Lines are cut to `columns`. */
export function renderDiffLines(files: readonly FileDiff[], page: TerminalPage): string[] {
  if (files.length === 0) return [];
  const { paint } = page;
  const rows = files.flatMap((file) => {
    const hunks = file.changes.map((change) => renderHunk(change, page));
    const count = (sign: string) => hunks.flatMap(({ signs }) => signs).filter((one) => one === sign).length;
    return [
      `${INDENT}${paint.cyan(formatFileName(file))} +${count('+')} -${count('-')}`,
      ...hunks.flatMap((hunk) => hunk.rows),
    ];
  });
  const rest = rows.length - MAX_CHANGE_LINES;
  return [
    paint.bold('Change (save it with --patch FILE)'),
    ...rows.slice(0, MAX_CHANGE_LINES),
    ...(rest > 0 ? [paint.dim(`${INDENT}and ${rest} more lines (--patch FILE has all)`)] : []),
  ];
}

function formatFileName({ fileName, previousFileName, status }: FileDiff): string {
  const name = toPrintableLine(fileName);
  if (status === 'renamed' && previousFileName) return `${toPrintableLine(previousFileName)} → ${name}`;
  return status === 'added' || status === 'deleted' ? `${name} (${status})` : name;
}

/** An added line may be empty text, so the type says which sides there are. */
function renderHunk({ type, lines }: Change, { columns, paint }: TerminalPage) {
  const changed = [
    ...(type === 'add' ? [] : lines.map(({ oldCode }) => ['-', oldCode] as const)),
    ...(type === 'delete'
      ? []
      : lines.flatMap(({ newCode }) => newCode.split('\n').map((text) => ['+', text] as const))),
  ];
  const at = lines[0]?.lineNumber ?? 0;
  const place = type !== 'add' ? `line ${at}` : at === 0 ? 'at the top' : `after line ${at}`;
  const indent = `${INDENT}${INDENT}`;
  const rows = changed.map(([sign, text]) => {
    const row = truncateColumns(`${sign} ${toPrintable(text)}`.trimEnd(), columns - indent.length);
    return `${indent}${(sign === '+' ? paint.green : paint.red)(row)}`;
  });
  return { signs: changed.map(([sign]) => sign), rows: [`${indent}${paint.dim(place)}`, ...rows] };
}

function renderIssueFooter({ analysis, investigationSteps }: Issue, { columns, paint }: TerminalPage): string[] {
  const { revision, model, context, usage } = analysis;
  const tokens = (usage.promptTokens + usage.completionTokens).toLocaleString('en');
  const parts = [
    `${investigationSteps.length} steps (--json shows all)`,
    ...(revision === '' ? [] : [`commit ${revision.slice(0, 12)}`]),
    ...context.map((each) => toPrintableLine(describeContext(each))),
    ...(model === null
      ? []
      : [toPrintableLine(model), `${usage.turns} turns, ${tokens} tokens, ${describeCost(analysis)}`]),
  ];
  return wrap(parts.join(' · '), columns, '').map(paint.dim);
}
