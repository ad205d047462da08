// A report as text: its plain lines, sections, problem statement, steps to reproduce, and what to ask the reporter.

import type { ReadLog } from 'causeway-ci-log';
import { isLogLine, type MarkedLine, markCode, markTracebacks } from 'causeway-log-lines';
import type { Step } from '../core/issue/index.ts';
import type { Facts } from './gathered-facts.ts';
import { nameCommit, shortenSha } from './lookups.ts';
import { isReliable } from './rank-suspects.ts';
import { formatError } from './report-errors.ts';
import { MAX_TITLE, splitSections, toPlainLines } from './report-text.ts';
import { readTitle, type Signals } from './signals.ts';

const MAX_STATEMENT = 2_000;

const MAX_PROSE = 1_200;

const MAX_ERRORS = 3;

/** Longer blocks are logs or whole programs, not a statement. */
const MAX_CODE_LINES = 12;

/** Headings of templates, and of `formatGuidance`, above content that is not the problem. */
const ASIDE =
  /^(?:steps? |how )?to reproduce|^reproduc|^(?:system |your )?(?:info|environment|versions?)|^(?:pre-?flight )?checklist|^(?:full )?logs?\b|^additional (?:context|info)|^screenshots?|^(?:before|make sure|please|validations?)\b|^severity|^possible (?:fix|solution)|^workaround|^output of|^configuration|^guidance from |\bversions?$/i;

const BOILERPLATE =
  /^\s*[-*] \[[ xX]\]|^\s*_?no response_?\s*$|^\s*(?:thanks|thank you|cheers|hi|hello|hey|best regards)\b[^.]{0,60}$|^\s*(?:---+|===+|___+|\*\*\*+)\s*$|^\s*--- Log: .{1,300} ---\s*$|^\s*!\[[^\]]*\]\([^)]*\)\s*$|^\s*<summary>.{0,200}<\/summary>\s*$|^\s*<\/?(?:details|summary|img|br|p|div|sub|sup)[^>]*>\s*$/i;

/** At most 2,000 characters; never empty for a text that is not only white space. */
export function writeStatement(text: string, signals: Pick<Signals, 'title' | 'errors'>): string {
  const first = isFormQuestion(text, signals.title) ? '' : signals.title;
  const prose = extractProse(text, first);
  const title = opensWith(prose, first) ? '' : first;
  const said = `${title}\n${prose}`;
  const errors = signals.errors
    .filter(({ from }) => from !== 'quote')
    .map(formatError)
    .filter((error) => !said.includes(error))
    .slice(0, MAX_ERRORS);
  const parts = [title, prose, ...errors].filter((part) => part !== '');
  const statement = parts.join('\n\n') || text.trim();
  return statement.length <= MAX_STATEMENT ? statement : `${cutAtWord(statement, MAX_STATEMENT - 2)} …`;
}

/** Whether the first line is no title but what a form asks besides the problem, such as `### Gson version`. */
function isFormQuestion(text: string, title: string): boolean {
  return /^\s*#{2,6}\s/.test(text) && ASIDE.test(title);
}

/** The same of a report with logs: what people wrote of it, and what the first log says. */
export function writeStatementOfLogs(words: string, [log, ...others]: readonly ReadLog[]): string {
  const title = readTitle(toPlainLines(words));
  const prose = extractProse(words, title);
  const parts = [
    opensWith(prose, title) ? '' : title,
    prose,
    ...(log === undefined ? [] : [describeLoggedFailure(log), listTests([log, ...others])]),
  ].filter((part) => part !== '');
  const said = parts.join('\n\n');
  const statement = said.length <= MAX_STATEMENT ? said : `${cutAtWord(said, MAX_STATEMENT - 2)} …`;
  const shown = log === undefined ? '' : formatExcerpt(log, Math.min(MAX_EXCERPT, MAX_STATEMENT - statement.length));
  return [statement, shown].filter((part) => part !== '').join('\n\n');
}

/** Of a log in the statement; the step that read it has all. */
const MAX_EXCERPT = 1_200;

const MAX_TESTS = 10;

function describeLoggedFailure({ excerpt: { tests, headline, step } }: ReadLog): string {
  const [test] = tests;
  const where = step === '' ? '' : ` (step “${step}”)`;
  if (test === undefined) return `${headline}${where}`;
  return headline.includes(test) ? `${headline}${where}` : `“${test}” failed: ${headline}${where}`;
}

/** "": the first one is all. */
function listTests(logs: readonly ReadLog[]): string {
  const [, ...more] = [...new Set(logs.flatMap(({ excerpt }) => excerpt.tests))];
  if (more.length === 0) return '';
  const left = more.length - MAX_TESTS;
  const shown = more.slice(0, MAX_TESTS).map((test) => `“${test}”`);
  return `Also failed: ${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}.`;
}

/** As a code block of whole lines; "" where there is room for none. */
function formatExcerpt({ excerpt }: ReadLog, room: number): string {
  const lines: string[] = [];
  let left = room - 16;
  for (const line of excerpt.lines) {
    left -= line.length + 1;
    if (left < 0) break;
    lines.push(line.replaceAll('```', "'''"));
  }
  if (lines.length === 0) return '';
  return ['```', ...lines, ...(lines.length < excerpt.lines.length ? ['…'] : []), '```'].join('\n');
}

/** Whole paragraphs up to 1,200 characters; the first one is cut where it is longer by itself. */
function extractProse(text: string, title: string): string {
  const all = splitSections(toPlainLines(removeHtmlComments(text), 'verbatim'))
    .filter(({ heading }) => !ASIDE.test(heading))
    .flatMap(({ heading, lines }) => labelFirst(splitParagraphs(lines), heading))
    .map((paragraph) => removeTitle(paragraph, title))
    .filter((paragraph) => paragraph !== '');
  const kept: string[] = [];
  let length = 0;
  for (const paragraph of all) {
    const cut = paragraph.length > MAX_PROSE ? `${cutAtWord(paragraph, MAX_PROSE)} …` : paragraph;
    length += cut.length;
    if (length > MAX_PROSE && kept.length > 0) break;
    kept.push(cut);
  }
  return kept.join('\n\n');
}

/** What was expected is not what happened: without the form's heading it would be said to be. */
function labelFirst([first, ...rest]: readonly string[], heading: string): readonly string[] {
  if (first === undefined) return [];
  if (!/^expected(?: (?:behaviou?r|results?|outcome|output))?$/i.test(heading)) return [first, ...rest];
  return [first.startsWith('```') ? `Expected:\n${first}` : `Expected: ${first}`, ...rest];
}

/** The paragraph without its first line or sentence, where that is the title over again. */
function removeTitle(paragraph: string, title: string): string {
  const [first = '', ...rest] = paragraph.split('\n');
  const bare = first.replace(/^#{1,6}\s*/, '').trim();
  if (title === '' || bare === '') return paragraph;
  if (isSameSentence(bare, title) || title.startsWith(bare)) return rest.join('\n').trim();
  const sentence = /^.+?[.!?…](?=\s)/.exec(bare)?.[0] ?? '';
  return isSameSentence(sentence, title) ? [bare.slice(sentence.length).trim(), ...rest].join('\n') : paragraph;
}

/** Whether the text begins with the title and goes on from there, so that the title by itself adds nothing. */
function opensWith(text: string, title: string): boolean {
  return (
    title !== '' &&
    extractSpoken(text.slice(0, title.length * 2)).startsWith(
      extractSpoken(title) + (title.length < MAX_TITLE ? ' ' : ''),
    )
  );
}

function isSameSentence(left: string, right: string): boolean {
  return extractSpoken(left) === extractSpoken(right);
}

/** Only the words: marks, quotes and capitals differ between a title and its repetition. */
function extractSpoken(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/**
 * Paragraphs of prose and short snippets of code; log lines, checklists, long blocks and questions without an answer
 * are left out.
 */
function splitParagraphs(lines: readonly string[]): readonly string[] {
  const blocks = splitBlocks(lines).filter((block) => block.length > 0);
  const isKept = (block: readonly MarkedLine[]): boolean =>
    block[0]?.kind === 'prose' || block.length <= MAX_CODE_LINES;
  return blocks
    .filter((block, index) => {
      const next = blocks[index + 1];
      const isAnswered = !isQuestion(block) || !next || (isKept(next) && !isQuestion(next));
      return isKept(block) && isAnswered;
    })
    .map((block) =>
      block
        .map(({ text }) => text.trimEnd())
        .join('\n')
        .trim(),
    )
    .filter((block) => block !== '');
}

function splitBlocks(lines: readonly string[]): readonly (readonly MarkedLine[])[] {
  const blocks: MarkedLine[][] = [[]];
  const parts = markTracebacks(lines);
  for (const [index, line] of markCode(lines).entries()) {
    const last = blocks.at(-1) ?? [];
    const isCode = line.kind !== 'prose';
    if (!isCode && line.text.trim() === '') blocks.push([]);
    else if (last.length > 0 && isCode !== (last[0]?.kind !== 'prose')) blocks.push([line]);
    else if (isCode || (parts[index] !== 'frame' && !isNoise(line.text))) last.push(line);
  }
  return blocks;
}

/** A template's question as a whole paragraph: `- What went wrong?`. */
function isQuestion(block: readonly MarkedLine[]): boolean {
  const [only] = block;
  return (
    block.length === 1 &&
    only?.kind === 'prose' &&
    /^\s*(?:[-*+]\s|\d{1,2}[.)]\s|\*\*).{3,160}[?:]\**\s*$/.test(only.text)
  );
}

function isNoise(line: string): boolean {
  return BOILERPLATE.test(line) || isLogLine(line);
}

/** HTML comments hold the template's instructions, never the reporter's words. An unclosed one hides nothing. */
function removeHtmlComments(text: string): string {
  return text
    .split('<!--')
    .map((part, index) => {
      const end = index === 0 ? -1 : part.indexOf('-->');
      return end < 0 ? part : part.slice(end + 3);
    })
    .join('');
}

function cutAtWord(text: string, length: number): string {
  const cut = text.slice(0, length);
  const space = cut.lastIndexOf(' ');
  return (space > length * 0.8 ? cut.slice(0, space) : cut).replace(/[\ud800-\udbff]$/, '').trimEnd();
}

const HEADING =
  /\b(?:steps?(?: \w+){0,2} to (?:re-?produce|replicate|repeat|trigger)|how to (?:re-?produce|replicate|trigger)|to re-?produce|re-?produc(?:tion|ing|e)(?: steps?| case| example| code)?|repro(?: steps?)?|replication steps?|test case|minimal (?:working |reproducible )?example|mwe)\b/i;

const NOT_STEPS = /\b(?:expected|actual|link|url|rate|frequency|cannot|can't)\b/i;

const ITEM = /^ {0,3}(?:\d{1,2}[.)]|[-*+•])\s+(?=\S)/;

const MAX_STEPS = 30;

const MAX_STEP = 4_000;

/** Boxes to tick, and what people write into a form that asks for steps they don't have. */
const NOT_A_STEP =
  /^\s*[-*] \[[ xX]\]|^\s{0,9}(?:(?:\d{1,2}[.)]|[-*]) {1,3})?(?:_no response_|n\/?a|none|not applicable|see above)\.?\s{0,9}$/i;

/**
 * The items of the list under a heading such as "Steps to reproduce", each with its code; without a list, its
 * paragraphs. Empty where there is no such heading.
 */
export function findReproductionSteps(text: string): readonly Step[] {
  const section = splitSections(toPlainLines(removeHtmlComments(text), 'verbatim')).find(
    ({ heading, lines }) =>
      HEADING.test(heading) && !NOT_STEPS.test(heading) && lines.some((line) => /[\p{L}\p{N}]/u.test(line)),
  );
  if (!section) return [];
  const lines = section.lines.filter((line) => !NOT_A_STEP.test(line));
  const hasItems = markCode(lines).some(({ text: line, kind }) => kind === 'prose' && ITEM.test(line));
  const blocks = hasItems ? readListItems(lines) : joinBlocks(lines);
  return blocks
    .map((block) => block.join('\n').trim())
    .filter((description) => /[\p{L}\p{N}]/u.test(description))
    .slice(0, MAX_STEPS)
    .map((description, index) => ({ stepNumber: index + 1, description: cutStep(description) }));
}

function isNumbered(line: string): boolean {
  return /^ {0,3}\d{1,2}[.)]\s+\S/.test(line);
}

/**
 * Where a list is numbered, bullets are parts of its items. Prose above the first item and below the last is no step;
 * code is.
 */
function readListItems(lines: readonly string[]): readonly (readonly string[])[] {
  const marked = markCode(lines);
  const hasNumbers = marked.some(({ text, kind }) => kind === 'prose' && isNumbered(text));
  const starts = hasNumbers ? isNumbered : (line: string) => ITEM.test(line);
  const isItem = ({ text, kind }: MarkedLine) => kind === 'prose' && starts(text);
  const items: string[][] = [];
  for (const line of marked.slice(0, listEnd(marked, marked.findLastIndex(isItem)))) {
    if (isItem(line)) items.push([line.text.replace(ITEM, '')]);
    else if (items.length > 0) items.at(-1)?.push(line.text);
    else if (line.kind === 'fence') items.push([line.text]);
  }
  return items;
}

/** A list ends with the blank line after which prose begins at the margin again. */
function listEnd(lines: readonly MarkedLine[], lastItem: number): number {
  const end = lines.findIndex(
    ({ text, kind }, index) =>
      index > lastItem && kind === 'prose' && /^\S/.test(text) && lines[index - 1]?.text.trim() === '',
  );
  return end < 0 ? lines.length : end;
}

/** Paragraphs, each with the code that follows it. */
function joinBlocks(lines: readonly string[]): readonly (readonly string[])[] {
  const blocks: string[][] = [];
  let open = false;
  for (const { text, kind } of markCode(lines)) {
    const isProse = kind === 'prose';
    const isBlank = isProse && text.trim() === '';
    if (!isBlank && (blocks.length === 0 || (isProse && !open))) blocks.push([text]);
    else if (!isBlank) blocks.at(-1)?.push(text);
    open = isProse && !isBlank;
  }
  return blocks;
}

function cutStep(text: string): string {
  return text.length <= MAX_STEP
    ? text
    : `${text.slice(0, MAX_STEP)}\n… cut: ${text.length - MAX_STEP} more characters`;
}

/** Whether a log names the tests that failed: to run them is to reproduce it. */
export function namesTests({ logs }: Pick<Facts, 'logs'>): boolean {
  return logs.some(({ excerpt }) => excerpt.tests.length > 0);
}

function askForError({ errors }: Signals): string {
  return errors.length === 0
    ? 'What is the exact error message, with its full stack trace or the log around it?'
    : 'What is the full stack trace, or the log around the error message?';
}

/** Where it is known which commit changed what the report prints, a version is not asked for in the dark. */
function askForVersion({ removals: [removal], revisions: { asked } }: Facts): string {
  if (removal === undefined)
    return "Which version, tag or commit shows the problem? Lines in the report don't match the commit that was read.";
  return `Does it still happen at ${shortenSha(asked)}, and what is the trace there? The report prints a line that ${nameCommit(removal)} removed.`;
}

/** Empty where the facts point somewhere with more than words. */
export function listQuestions(facts: Facts): readonly string[] {
  const { signals, logs, shown, stepsToReproduce, revisions } = facts;
  const pointed = isReliable(shown[0]);
  const questions: string[] = [];
  if (facts.mismatches.length > 0 && revisions.framesName === '') questions.push(askForVersion(facts));
  if (pointed) return questions;
  if (signals.traces.length === 0 && logs.length === 0) questions.push(askForError(signals));
  if (stepsToReproduce.length === 0 && !namesTests(facts)) {
    questions.push(
      signals.commands.length === 0
        ? 'Which steps or commands lead to it, with what input, and what happens instead of what you expected?'
        : 'With what input and configuration was the command run, and what did you expect to happen?',
    );
  }
  if (
    signals.versions.length === 0 &&
    signals.shas.length === 0 &&
    revisions.framesName === '' &&
    questions.length < 3
  ) {
    questions.push('Which version, tag or commit of this project shows it?');
  }
  return questions;
}
