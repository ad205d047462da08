// A report as a query: its parts, the terms and names in each, and the source of the test that failed.

import { findPart, forEachWord, hashTerm, joinName, splitIntoTerms, stemWord } from 'causeway-code-words';
import { isLogLine, markCode } from 'causeway-log-lines';
import type { MappedFrame } from '../clues.ts';
import { COMMON_WORDS } from '../identifiers.ts';
import { isListing } from '../listing-lines.ts';
import { classifyFile } from '../own-code.ts';
import { getFileName, listPaths } from '../paths.ts';
import { cleanTitle, isSetUpCommand, MAX_TITLE, removeHtmlComments, toPlainLines } from '../report-text.ts';
import type { Trace } from '../traces/find-traces.ts';
import { findTraces } from '../traces/find-traces.ts';
import { findQualifiedNames, IN_PROSE, type QualifiedName } from './qualified.ts';

/** A part of the report, or the source of the test that failed. */
export type QueryPart = PartName | 'test';

export const QUERY_PARTS: readonly QueryPart[] = ['title', 'name', 'prose', 'code', 'log', 'test'];

/** Looked up at once; each costs one byte a file. */
const MAX_TERMS = 700;

const MAX_NAMES = 200;

export interface QueryTerm {
  readonly hash: number;
  /** As it is compared. */
  readonly term: string;
  /** As the report writes it first. */
  readonly word: string;
  /** A name of several parts as a whole (`readline` of `readLine`), rather than a word. */
  readonly whole: boolean;
  /** How often it is in each part; 0 for most. */
  readonly counts: Readonly<Record<QueryPart, number>>;
}

/** A term as the report writes it. */
export interface WrittenTerm {
  readonly hash: number;
  /** As it is compared. */
  readonly term: string;
  readonly word: string;
  /** Whether it is the whole of what the report writes there, rather than a part of a name. */
  readonly isWhole: boolean;
}

/** Of a name that the report writes the part that is compared: the part is not proof of the whole. */
export function getWrittenTerm({ hash, term, word, whole }: QueryTerm): WrittenTerm {
  if (whole || splitIntoTerms(word).length === 1) return { hash, term, word, isWhole: true };
  return { hash, term, word: findPart(word, term), isWhole: false };
}

export interface QueryName {
  readonly hash: number;
  /** As the report writes it. */
  readonly word: string;
  /** Written as only code is, or in backticks; else a plain word. */
  readonly isCode: boolean;
  readonly parts: ReadonlySet<QueryPart>;
}

export interface Query {
  /** Those of the title first, then of the other parts in the order of `QUERY_PARTS`. */
  readonly terms: readonly QueryTerm[];
  readonly names: readonly QueryName[];
  readonly qualified: readonly QualifiedName[];
}

const COMMON_STEMS: ReadonlySet<string> = new Set([...COMMON_WORDS].map(stemWord));

export function createQuery(texts: Readonly<Record<QueryPart, string>>): Query {
  const terms = new Map<string, QueryTerm & { counts: Record<QueryPart, number> }>();
  const names = new Map<string, { hash: number; word: string; isCode: boolean; parts: Set<QueryPart> }>();
  for (const part of QUERY_PARTS) {
    const text = part === 'code' ? `${texts.code} ${findOperatorMethods(texts.code).join(' ')}` : texts[part];
    forEachWord(text, (word) => {
      if (OF_TESTS.has(part) && TEST_WORD.test(word)) return;
      addTerms(terms, part, word);
      addName(names, part, word);
    });
  }
  const { title, name, prose, code, log } = texts;
  const qualified = findQualifiedNames([
    [title, 1.5],
    [name, 1.5],
    [prose, IN_PROSE],
    [code, 0.4],
    [log, 0.4],
  ]);
  // Also a common word (`Cart#open`): it is looked up, but counts only together with its owner.
  for (const word of qualified.flatMap(({ parts }) => parts.slice(-2))) {
    const isKnown = names.has(word) || names.size >= MAX_NAMES;
    if (!isKnown) names.set(word, { hash: hashTerm(word), word, isCode: true, parts: new Set() });
  }
  return { terms: [...terms.values()], names: [...names.values()], qualified };
}

/** In logs and tests these words are of the test framework, not of what is tested. */
const OF_TESTS: ReadonlySet<QueryPart> = new Set(['log', 'test']);
const TEST_WORD = /^(?:assert\w{0,60}|junit|framework|expect(?:ed|s)?|verify|comparisonfailure|testcase|tests?)$/i;

/** Python's operators and the methods that implement them: `doc["x"]["k"] = v` is a call of `__setitem__`. */
const OPERATORS: readonly (readonly [RegExp, string])[] = [
  [/[\w\]]\[[^\]\n]{1,80}\]\s{0,4}=[^=]/, '__setitem__'],
  [/\bdel \w{1,40}\[/, '__delitem__'],
  [/\bwith \w{1,40}\(/, '__enter__'],
  [/[\w)] @ \w/, '__matmul__'],
];

function findOperatorMethods(code: string): readonly string[] {
  return OPERATORS.flatMap(([form, method]) => (form.test(code) ? [method] : []));
}

function addTerms(
  terms: Map<string, QueryTerm & { counts: Record<QueryPart, number> }>,
  part: QueryPart,
  word: string,
): void {
  const own = splitIntoTerms(word);
  for (const [index, term] of own.entries()) {
    const whole = own.length > 2 && index === 0;
    if (term.length < 2 || (!whole && COMMON_STEMS.has(term))) continue;
    const known = terms.get(term);
    if (known) known.counts[part]++;
    else if (terms.size < MAX_TERMS) {
      const counts = { title: 0, name: 0, prose: 0, code: 0, log: 0, test: 0, [part]: 1 };
      terms.set(term, { hash: hashTerm(term), term, word, whole, counts });
    }
  }
}

function addName(
  names: Map<string, { hash: number; word: string; isCode: boolean; parts: Set<QueryPart> }>,
  part: QueryPart,
  word: string,
): void {
  const name = joinName(word);
  // What is called `test` holds tests: whatever the report says of tests, it does not mean that.
  if (name.length < 3 || COMMON_WORDS.has(name) || name === 'test' || name === 'tests') return;
  const isCode = part === 'name' || /[A-Z_$]/.test(word.slice(1));
  const known = names.get(name);
  if (known) {
    known.parts.add(part);
    known.isCode ||= isCode;
  } else if (names.size < MAX_NAMES) names.set(name, { hash: hashTerm(name), word, isCode, parts: new Set([part]) });
}

type PartName = 'title' | 'prose' | 'name' | 'code' | 'log';

export type ReportTexts = Readonly<Record<PartName, string>>;

/** Lines of code and of log that are read: the rest of a log repeats them. */
const MAX_LINES = 400;

/** Characters of prose that are read: a megabyte of it held the event loop for 0.3 s, and no person writes so much. */
const MAX_PROSE = 100_000;

const MAX_FRAMES = 12;

const ADDRESS = /https?:\/\/\S+/g;

const INLINE = /`([^`]{1,200})`/g;

const CHECKBOX = /^\s*[-*]\s*\[ ?[ xX]? ?\]/;

const ERROR_LINE = /^\s*(?:[A-Z]\w{0,80}(?:Error|Exception)\b|error\b|warning:|panicked|thread '|E\s{2,})/i;

/** Headings of issue forms: they repeat the form, not the problem. */
const FORM = new RegExp(
  `^(?:${[
    '(?:issue |bug )?title',
    '(?:describe|summary of) (?:the|your|this) (?:bug|issue|problem|feature).*',
    '(?:describe|provide|is your|what|how|why) .*',
    '(?:feature|bug|problem|issue)(?: report| request| summary| description| proposal)?',
    'summary|description|detailed description.*|problem|impact|motivation|alternatives.*|proposal|related|context',
    '(?:possible |proposed |ideal )?(?:solution|fix|workaround).*',
    '(?:steps?|code|how)?(?:[ /]code)? ?to reproduce.*|repro(?:duction|ducer)?(?: steps?| code| link)?',
    '(?:a )?minimal .{0,30}(?:example|code|reproduction)|reproducible code|code (?:for reproduction|sample)',
    '(?:expected|actual|current|observed) (?:behaviou?r|results?|outcome|output)(?: .{0,20})?',
    'additional (?:context|info|information|notes|data|details)|logs?|stack ?traces?|screenshots?|(?:debug )?output',
    '(?:this is a |before|please|make sure|do not|information).*',
  ].join('|')})$`,
  'i',
);

/** Sections about the machine and the form: nothing in them names the place of a fault. */
const ASIDE = new RegExp(
  `^(?:your |runtime |os / )?(?:${[
    'env(?:ironment)?|system info(?:rmation)?|operating system|browsers?|severity|checklist',
    '(?:platform|system|os|component|crates|issue type)$',
    '(?:[\\w.]+ )?versions?(?: .{0,30})?|affected version.*|prerequisites?|installation|installed packages',
    'how did you install.*|what (?:operating system|version).*|(?:java|node|python|rust|go)\\b.{0,20} version.*',
    'code of conduct|please complete.*',
  ].join('|')})\\b`,
  'i',
);

/** A sentence at the margin: what a person writes below a section of versions when the form is over. */
const SENTENCE = /^(?![-*+|>#\d]|https?:|.{1,60}[:=](?:\s|$)|.*\b\d{1,4}\.\d)(?:\S+\s+){4}\S/;

/** `| React | v16.12.0 |`, `npm: 6.14.8`: a row of a table of versions. */
const VERSION_ROW =
  /^[\s|*+-]{0,12}[\w@`/()][\w@*`/() .-]{0,60}[:|=][\s:|=`"'v^~]{0,8}\d{1,5}(?:\.[\w-]{1,20}){1,4}[\s|"'`)]{0,8}$/;

export interface QueriedReport {
  readonly report: string;
  /** As `findSignals` found it; the first line is then not read again as prose. */
  readonly title: string;
  readonly traces: readonly Trace[];
  /** The frames of each trace with where they lead. */
  readonly mapped: readonly (readonly MappedFrame[])[];
}

/**
 * Linear in the length. Of traces only the errors and the frames in own files are kept: the others name a test runner,
 * not the fault.
 */
export function splitReport({ report, title, traces, mapped }: QueriedReport): ReportTexts {
  const lines = toPlainLines(removeHtmlComments(report));
  const { lines: traced } = findTraces(lines);
  const reader = createQueryReader(title);
  for (const [index, { text, kind }] of markCode(lines).entries()) {
    if (kind === 'fence') continue;
    if (traced.has(index) || isSetUpCommand(text) || isListing(text)) continue;
    if (isLogLine(text)) reader.parts.log.push(text);
    else if (kind === 'prose') reader.prose(text);
    else reader.code(text);
  }
  const { prose, name, code } = reader.parts;
  const errors = traces.flatMap((trace, index) => describeTrace(trace, mapped[index] ?? []));
  // Runners print each failure again in their summary.
  const log = [...errors, ...new Set(reader.parts.log)];
  return {
    title,
    prose: prose.join('\n').slice(0, MAX_PROSE),
    name: name.join('\n'),
    code: code.slice(0, MAX_LINES).join('\n'),
    log: log.slice(0, MAX_LINES).join('\n'),
  };
}

function describeTrace({ errorType, message }: Trace, frames: readonly MappedFrame[]): readonly string[] {
  const own = frames.filter(({ mapping }) => listPaths(mapping).length > 0).slice(0, MAX_FRAMES);
  const last = (name: string): string => name.split(/[.:]+/).slice(-2).join(' ');
  return [
    `${errorType} ${message}`,
    ...own.map(({ frame }) => `${last(frame.function)} ${last(frame.symbol)} ${frame.code} ${getFileName(frame.file)}`),
  ];
}

interface QueryReader {
  readonly parts: Readonly<Record<Exclude<PartName, 'title'>, string[]>>;
  prose(line: string): void;
  code(line: string): void;
}

function createQueryReader(title: string): QueryReader {
  const parts = { prose: [] as string[], name: [] as string[], code: [] as string[], log: [] as string[] };
  let isAside = false;
  let isAfterBlank = true;
  let isTitle = title !== '';
  const withoutNames = (line: string): string =>
    line.replace(INLINE, (_, name: string) => {
      if (!isSetUpCommand(name)) parts.name.push(name);
      return ' ';
    });
  function readTitleLine(line: string): void {
    if (cleanTitle(line) === '') return;
    isTitle = false;
    // The whole report on one line.
    if (line.length > MAX_TITLE) readProse(line);
    else withoutNames(line);
  }
  function readHead(heading: string): void {
    isAside = ASIDE.test(heading);
    if (!isAside && !FORM.test(heading)) parts.prose.push(heading);
  }
  function readProse(line: string): void {
    if (isAside && isAfterBlank && SENTENCE.test(line)) isAside = false;
    if (!isAside && !isRow(line)) parts.prose.push(withoutNames(line).replace(ADDRESS, ' '));
    else if (isAside && ERROR_LINE.test(line)) parts.log.push(line);
  }
  return {
    parts,
    prose(line) {
      const heading = readQueryHeading(line);
      if (isTitle) readTitleLine(line);
      else if (heading !== '') readHead(heading);
      else readProse(line);
      isAfterBlank = line.trim() === '';
    },
    code(line) {
      const isError = ERROR_LINE.test(line);
      if (isError || !isAside) parts[isError ? 'log' : 'code'].push(line.replace(ADDRESS, ' '));
    },
  };
}

/** Of a checklist, or of a table of versions. */
function isRow(line: string): boolean {
  return CHECKBOX.test(line) || VERSION_ROW.test(line);
}

function readQueryHeading(line: string): string {
  const text = line.trim();
  if (text.length > 100) return '';
  const marked = /^#{1,6}\s+(.+)$/.exec(text) ?? /^\*\*([^*]{2,80})\*\*:?$/.exec(text);
  return (marked?.[1] ?? '').replace(/[^\p{L}\p{N})\]"']{1,20}$/u, '').replace(/^[^\p{L}\p{N}]{1,20}/u, '');
}

/** Places that are read: the same test in a hundred traces says it once. */
const MAX_PLACES = 6;

/** Lines before the place that can still be of the same test. */
const BEFORE = 60;

interface TestPlace {
  readonly path: string;
  readonly line: number;
  readonly function: string;
}

/** Frames in test files, innermost first. */
export function findTestPlaces(mapped: readonly (readonly MappedFrame[])[]): readonly TestPlace[] {
  const places = new Map<string, TestPlace>();
  for (const { frame, mapping } of mapped.flat()) {
    const [path] = listPaths(mapping);
    if (path === undefined || frame.line <= 0 || classifyFile(path) !== 'test' || places.size >= MAX_PLACES) continue;
    places.set(`${path}:${frame.line}`, { path, line: frame.line, function: frame.function });
  }
  return [...places.values()];
}

/** From the beginning of the function up to the line after the place. */
export function cutTestSource(text: string, { line, function: name }: TestPlace): string {
  const lines = text.split('\n');
  const last = Math.min(line, lines.length) - 1;
  const called = `${name.split('.').at(-1) ?? ''}(`;
  let first = last;
  while (first > 0 && first > last - BEFORE && !lines[first]?.includes(called)) first--;
  return lines.slice(first, last + 2).join('\n');
}
