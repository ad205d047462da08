// The problem statement of a report, and what to ask the reporter.

import type { ReadLog } from 'causeway-ci-log';
import { isLogLine, type MarkedLine, markCode, markTracebacks } from 'causeway-log-lines';
import { isReliable } from '../core/issue/index.ts';
import type { Facts } from './gathered-facts.ts';
import { nameCommit, shortenSha } from './lookups.ts';
import { formatError } from './report-errors.ts';
import {
  classifyHeading,
  type HeadingKind,
  MAX_TITLE,
  removeHtmlComments,
  splitSections,
  toPlainLines,
} from './report-text.ts';
import { readTitle, type Signals } from './signals.ts';

const MAX_STATEMENT = 2_000;

const MAX_PROSE = 1_200;

const MAX_ERRORS = 3;

/** Longer blocks are logs or whole programs, not a statement. */
const MAX_CODE_LINES = 12;

/** Headings of templates, and of `formatGuidance`, above content that is not the problem. */
const ASIDE =
  /^(?:steps? |how )?to reproduce|^reproduc|^(?:system |your )?(?:info|environment|versions?)|^(?:pre-?flight )?checklist|^(?:full )?logs?\b|^additional (?:context|info)|^screenshots?|^(?:before|make sure|please|validations?)\b|^severity|^possible (?:fix|solution)|^workaround|^output of|^configuration|^guidance from |\bversions?$/i;

const ASIDES: ReadonlySet<HeadingKind> = new Set(['steps', 'environment']);

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

/** Whether the first line is not a title but what a form asks besides the problem, such as `### Gson version`. */
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
    .filter(({ heading }) => !ASIDE.test(heading) && !ASIDES.has(classifyHeading(heading)))
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
  if (classifyHeading(heading) !== 'expected') return [first, ...rest];
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

function cutAtWord(text: string, length: number): string {
  const cut = text.slice(0, length);
  const space = cut.lastIndexOf(' ');
  return (space > length * 0.8 ? cut.slice(0, space) : cut).replace(/[\ud800-\udbff]$/, '').trimEnd();
}

function askForError({ errors }: Signals): string {
  return errors.every(({ from, message }) => from === 'quote' || (from === 'prose' && message === ''))
    ? 'What is the exact error message, with its full stack trace or the log around it?'
    : 'What is the full stack trace, or the log around the error message?';
}

/** Where it is known which commit changed what the report prints, a version is not asked for in the dark. */
function askForVersion({ removals: [removal], revisions, signals, isOnlyLog }: Facts): string {
  const { asked, askedName, isGiven } = revisions;
  const given = isOnlyLog ? 'log' : 'report';
  if (removal !== undefined)
    return `Does it still happen at ${shortenSha(asked)}, and what is the trace there? The ${given} prints a line that ${nameCommit(removal)} removed.`;
  const [version] = signals.versions.filter(({ foreign, fine }) => !foreign && !fine);
  const differ = `Lines in the ${given} don't match`;
  if (isGiven)
    return `Is the ${given} from another version? ${differ} ${nameAsked(asked, askedName)}, which was asked for.`;
  if (version !== undefined)
    return `Which tag or commit of this repository is ${version.version}? ${differ} the commit that was read.`;
  return `Which version, tag or commit shows the problem? ${differ} the commit that was read.`;
}

/** A full sha is shortened. */
function nameAsked(asked: string, askedName: string): string {
  return askedName === asked ? shortenSha(asked) : askedName;
}

/** What was expected is not asked of those who have said it. */
function askForSteps({ expectations: { expected, actual } }: Facts): string {
  const more =
    expected + actual === '' ? 'with what input, and what happens instead of what you expected' : 'and with what input';
  return `Which steps or commands lead to it, ${more}?`;
}

/** Words that say an error was raised. */
const THROWN =
  /\b(?:crash\w{0,4}|throw[sn]?|threw|exceptions?|panic\w{0,4}|seg(?:mentation )?fault|stack ?trace|traceback|abort(?:s|ed)?|error (?:message|log)|Fehlermeldung|Absturz|stürzt)\b|报错|异常|崩溃/i;

/** In bytes, as three letters of Chinese say as much as nine of English. A longer description says what its author knows. */
const MAX_SHORT = 200;

/** Code and numbers say something of what happens. */
const GIVEN = /```|\d/;

/**
 * Whoever gave a trace, code, a command, steps, a number or more than a few words gave what they have: only of others
 * more is asked, unless the facts point somewhere with more than words.
 */
export function listQuestions(facts: Facts): readonly string[] {
  const { signals, logs, shown, stepsToReproduce, revisions, problem } = facts;
  const { traces, commands, errors } = signals;
  const questions = facts.mismatches.length > 0 && revisions.framesName === '' ? [askForVersion(facts)] : [];
  const given = traces.length + commands.length + logs.length + stepsToReproduce.length;
  if (given > 0 || isReliable(shown[0]) || Buffer.byteLength(problem) >= MAX_SHORT || GIVEN.test(problem))
    return questions;
  // A wrong result has no stack trace.
  if (errors.length > 0 || THROWN.test(problem)) questions.push(askForError(signals));
  questions.push(askForSteps(facts));
  if (!revisions.isGiven && signals.shas.length === 0)
    questions.push('Which version, tag or commit of this project shows it?');
  return questions;
}
