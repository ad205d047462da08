// The logs in a report: under a heading, in a code block, below what people wrote, or all of it. Each is read as the
// log of a check is.

import { findCodeBlocks, isLogLine, isPassedTest, removePrefixes, type Stretch } from 'causeway-log-lines';
import { ERROR_RANK, matchError, RANKS } from './error-patterns.ts';
import { findTestName } from './failed-tests.ts';
import { readLogLine } from './log-lines.ts';
import { type LogReading, readLog } from './read-check.ts';
import { type ReadLog, type ReadReport, readLogHeading } from './report-log.ts';

/** Jobs that fail together mostly fail for one reason. */
const MOST_LOGS = 5;

const MOST_READ = 20;

/**
 * The logs in a report and what people wrote around them: at most 5 logs, those first that say most. Without a log
 * the words are all of it. Reads in linear time and throws nothing, whatever the text holds.
 */
export function readReport(text: string): ReadReport {
  const parts = splitIntoParts(text.split(/\r\n|\n|\r/));
  const logs = parts
    .filter(({ kind }) => kind === 'log')
    .slice(0, MOST_READ)
    .flatMap(readReportPart);
  const shown = logs.toSorted((a, b) => b.reading.rank - a.reading.rank).slice(0, MOST_LOGS);
  if (shown.length === 0) return { words: text, logs: [], text };
  const words = parts
    .flatMap(({ kind, lines }) => (kind === 'words' ? [lines.join('\n').trim()] : []))
    .filter((part) => part !== '')
    .join('\n\n');
  return { words, logs: shown.map(toReadLog), text: composeText(text, words, shown) };
}

interface ReportPart {
  /** `words`: what people wrote. */
  readonly kind: 'words' | 'log';
  /** Of a log that has a heading; "" otherwise. */
  readonly name: string;
  readonly lines: readonly string[];
  /** Whether it is a log by its heading, or because nothing else was written. */
  readonly isSure?: boolean;
}

interface PartReading {
  readonly part: ReportPart;
  readonly reading: LogReading;
}

/** What people pasted among their words has to say what failed; anything else that is a log is shown as far as it goes. */
function readReportPart(part: ReportPart): readonly PartReading[] {
  const reading = readLog(part.lines.join('\n'));
  return isFirmReading(reading) || (part.isSure && reading.excerpt.headline !== '') ? [{ part, reading }] : [];
}

function isFirmReading({ rank, excerpt, hasFault }: LogReading): boolean {
  return rank >= ERROR_RANK || hasFault || excerpt.tests.length > 0;
}

function toReadLog({ part, reading }: PartReading): ReadLog {
  return {
    name: part.name,
    lines: part.lines.findLastIndex((line) => line.trim() !== '') + 1,
    excerpt: reading.excerpt,
  };
}

/**
 * What the facts are looked up with. Where people wrote of a problem and pasted what they saw, that stays as it is: it
 * is their choice already.
 */
function composeText(text: string, words: string, shown: readonly PartReading[]): string {
  const firm = shown.filter(({ reading }) => isFirmReading(reading));
  const [first] = firm;
  if (first === undefined || (words !== '' && first.part.name === '')) return text;
  const { tests, headline, lines } = first.reading.excerpt;
  const rest = shown.map(({ reading }) =>
    reading.lines
      .filter(({ mark }) => mark !== 'echo' && mark !== 'debug' && mark !== 'end')
      .map((line) => line.text)
      .join('\n'),
  );
  return [words, ...(tests.length === 0 ? [headline] : tests), lines.join('\n'), ...rest]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** What is added to a report after its logs. */
const GUIDANCE = /^## Guidance from \S/;

function splitIntoParts(lines: readonly string[]): readonly ReportPart[] {
  const headings = lines.flatMap((line, at) => (readLogHeading(line) === null ? [] : [at]));
  const [first = lines.length] = headings;
  const named = headings.flatMap((at, index): readonly ReportPart[] => {
    // The heading is followed by a blank line.
    const from = (lines[at + 1] ?? '').trim() === '' ? at + 2 : at + 1;
    const below = lines.slice(from, headings[index + 1] ?? lines.length);
    const end = below.findLastIndex((line) => GUIDANCE.test(line));
    const log = end < 0 ? below : below.slice(0, end);
    return [
      { kind: 'log', name: readLogHeading(lines[at] ?? '') ?? '', lines: log, isSure: true },
      { kind: 'words', name: '', lines: end < 0 ? [] : below.slice(end) },
    ];
  });
  return [...splitUnnamed(lines.slice(0, first)), ...named];
}

/** More in a report of 1 MiB are nearly all empty. */
const MAX_LINES = 100_000;

/** A stretch of lines that programs wrote, or else the code blocks that are logs. */
function splitUnnamed(lines: readonly string[]): readonly ReportPart[] {
  const words: ReportPart = { kind: 'words', name: '', lines };
  if (lines.length > MAX_LINES) return [words];
  const blocks = findCodeBlocks(lines);
  const bare = removePrefixes(lines);
  const weights = lines.map((line, at) => weigh(line, bare[at] ?? ''));
  if (!isLog(weights)) return [words];
  const outside = [...weights];
  for (const { from, to } of blocks) outside.fill('blank', from, to);
  if (isLog(outside)) return splitStretch(lines, bare, weights);
  const logs = blocks.filter(({ from, to }) => isLog(weights.slice(from, to)));
  let after = 0;
  const parts = logs.flatMap(({ from, to }): readonly ReportPart[] => {
    const before = lines.slice(after, from - 1);
    after = to + 1;
    return [
      { kind: 'words', name: '', lines: before },
      { kind: 'log', name: '', lines: bare.slice(from, to) },
    ];
  });
  return [...parts, { kind: 'words', name: '', lines: lines.slice(after) }];
}

/** What a line says of who wrote it. */
type Weight = 'person' | 'blank' | 'either' | 'program' | 'runner';

const WORTH: Readonly<Record<Weight, number>> = { person: -2, blank: 0, either: 0, program: 1, runner: 2 };

/** So many lines of a runner make a log. */
const LEAST_RUNNER_LINES = 3;

/** Of the lines between the first and the last of a runner people wrote at most so many. */
const MOST_SENTENCES = 0.2;

function isLog(weights: readonly Weight[]): boolean {
  return weights.filter((weight) => weight === 'runner').length >= LEAST_RUNNER_LINES;
}

/** Where people wrote above and below a log, only what is between is read as one. */
function splitStretch(
  lines: readonly string[],
  bare: readonly string[],
  weights: readonly Weight[],
): readonly ReportPart[] {
  const { from, to } = findStretch(weights);
  const [start, end] = [findLogStart(bare, weights, from), findEnd(bare, weights, to)];
  return [
    { kind: 'words', name: '', lines: lines.slice(0, start) },
    { kind: 'log', name: '', lines: bare.slice(start, end), isSure: start === 0 && end === lines.length },
    { kind: 'words', name: '', lines: lines.slice(end) },
  ];
}

/** From the first line of a runner to the last; where people wrote much of that, the part that is worth most. */
function findStretch(weights: readonly Weight[]): Stretch {
  const all = { from: weights.indexOf('runner'), to: weights.lastIndexOf('runner') + 1 };
  const within = weights.slice(all.from, all.to);
  const count = (wanted: Weight) => within.filter((weight) => weight === wanted).length;
  const isMixed = count('person') > MOST_SENTENCES * (count('runner') + count('program'));
  if (!isMixed || beginsWithRunner(weights)) return all;
  let best = { from: 0, to: 0, worth: 0 };
  let [from, worth] = [0, 0];
  for (const [at, weight] of weights.entries()) {
    worth += WORTH[weight];
    if (worth <= 0) [from, worth] = [at + 1, 0];
    else if (worth > best.worth) best = { from, to: at + 1, worth };
  }
  return best;
}

/** No person does. */
function beginsWithRunner(weights: readonly Weight[]): boolean {
  return weights.find((weight) => weight !== 'blank') === 'runner';
}

/** Nothing of a person above it: all of it is the log. Else the paragraph that a person wrote last ends there. */
function findLogStart(lines: readonly string[], weights: readonly Weight[], from: number): number {
  const last = Math.max(weights.slice(0, from).lastIndexOf('person'), findTitle(lines, weights));
  if (last < 0) return 0;
  const blank = lines.slice(last + 1, from).findIndex((line) => line.trim() === '');
  const next = blank < 0 ? last + 1 : last + 1 + blank;
  return next + lines.slice(next).findIndex((line) => line.trim() !== '');
}

function findEnd(lines: readonly string[], weights: readonly Weight[], to: number): number {
  const next = weights.slice(to).indexOf('person');
  const isLast = weights.findLast((weight) => weight !== 'blank') === 'person';
  if (next < 0 || (beginsWithRunner(weights) && !isLast)) return lines.length;
  const before = lines.slice(to, to + next).findLastIndex((line) => line.trim() === '');
  // A sentence right below the last line of a program is that program's.
  return before < 0 ? lines.length : to + before;
}

const TITLE = /^(?!\S{0,200}[=:]$)\p{L}.{0,160}$/u;

/** The line that a person put over a log, with a blank one below; -1: there is none. */
function findTitle(lines: readonly string[], weights: readonly Weight[]): number {
  const first = lines.findIndex((line) => line.trim() !== '');
  const text = lines[first]?.trim() ?? '';
  const isAlone = weights[first] === 'either' && (lines[first + 1] ?? '').trim() === '';
  return isAlone && TITLE.test(text) && countWords(text) >= 3 && !/\d\.\d|\d{3}/.test(text) ? first : -1;
}

/** As runners of tests and builds begin their lines. */
const RUNNER =
  /^(?:\[(?:INFO|ERROR|WARNING)\] |(?:> )?Task :|> \S+@\S+ \S|npm (?:ERR!|error|warn)|error(?:\[\w+\])?: |=== (?:RUN|CONT|PAUSE)|--- (?:FAIL|PASS|SKIP): |={3,} .{1,200} ={3,}$|(?:PASS|FAIL|FAILED|ERROR)\s|(?:not )?ok \d|ok \s\S{1,300}\s|TAP version \d{1,3}$|1\.\.\d{1,6}$|# (?:Subtest: \S|(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) \d)|\s*(?:Tests?(?: Suites| Files)?|Snapshots|Time|Assertions):? {1,8}\d|test \S.{0,300} \.\.\. |running \d+ tests?$|\s*\d+ (?:passing|failing|pending)\b|\d+ examples?, \d+ failures?|FAILURES!$|BUILD FAILED|BUILD FAILURE|#\d+ (?:\[|\d+\.\d))/;

const SENTENCE_WORD = /^["'“(*_`]{0,3}\p{L}[\p{L}’'-]*["'”)*_`.,;:!?]{0,3}$/u;

const FUNCTION_WORD =
  /^(?:the|an?|is|are|was|were|to|of|in|on|when|after|before|with|we|i|it|this|that|and|but|for|not|my|our|you|since|so|have|has|please|there|what|why|how)$/i;

const LONG_SENTENCE = 6;

/** Longer lines are cut by the reader of logs. */
const MAX_LINE = 1_000;

/** `bare`: the line without what another program put before it. */
function weigh(line: string, bare: string): Weight {
  const read = readLogLine(bare);
  const { text } = read;
  if (text.trim() === '') return 'blank';
  // A time, colours or another program's words were taken off it.
  const isStamped = text !== line.slice(0, MAX_LINE).trimEnd();
  if (read.mark !== '' || isStamped || RUNNER.test(text) || findTestName(text) !== null || isPassedTest(text))
    return 'runner';
  const rank = RANKS[matchError(text, false)?.kind ?? 'end'];
  if (rank >= ERROR_RANK) return 'program';
  if (isSentence(text)) return 'person';
  return isLogLine(text) || /^\s{2,}\S|^[^\p{L}\s]/u.test(text) ? 'program' : 'either';
}

function isSentence(text: string): boolean {
  const words = text
    .trim()
    .replace(/^(?:[-*+>]|\d{1,2}[.)]|#{1,6}) /, '')
    .split(/\s+/);
  const plain = words.filter((word) => SENTENCE_WORD.test(word)).length;
  const bare = words.map((word) => word.replace(/[^\p{L}]/gu, ''));
  const helping = bare.filter((word) => FUNCTION_WORD.test(word)).length;
  return words.length >= LONG_SENTENCE && plain >= words.length * 0.75 && helping >= 2;
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => SENTENCE_WORD.test(word)).length;
}
