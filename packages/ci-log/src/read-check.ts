// What a red check says by itself: its log, its annotations and its own summary, cut to the cause.

import { ERROR_RANK, isOnlyFailed, TIME_OUT } from './error-patterns.ts';
import type { Excerpt } from './excerpt.ts';
import { cutExcerpt, formatHeadline, MAX_TESTS } from './excerpt.ts';
import type { FailedResult } from './failed-results.ts';
import { findResult, mergeTests, type ResultText, writeResults } from './failed-results.ts';
import { type Cause, findCause, isMessageBare, NO_CAUSE, rankCause } from './find-cause.ts';
import {
  fingerprintCause,
  fingerprintFault,
  fingerprintLines,
  fingerprintName,
  fingerprintOwnWords,
  stripVariables,
} from './fingerprint.ts';
import { type FirstTest, findFirstTest } from './first-test.ts';
import { findFault, type InfrastructureFault } from './infrastructure.ts';
import type { ErrorLine } from './last-words.ts';
import { findSteps, type LogLine, type PassingLog, readLogLines, readPassingLog } from './log-lines.ts';
import { findPlaces, hasPlace, type LogPlace } from './places.ts';
import { type FailedBefore, isFailedBefore, leaveOutTests } from './test-sections.ts';
import { readFindingLine, toRepositoryPath } from './written-places.ts';

export interface Annotation {
  /** As reported; need not exist in the repository. */
  readonly path: string;
  readonly line: number;
  readonly endLine: number;
  readonly level: 'notice' | 'warning' | 'failure';
  readonly title: string;
  readonly message: string;
}

interface OwnWords {
  readonly lines: readonly LogLine[];
  /**
   * Whether a tool's error, a test or a place of the code is named: words of trouble are in every check that is red.
   */
  readonly cause: Cause;
}

/** What its own summary says of a cause. */
function readOwnWords(output: string): OwnWords {
  const lines =
    output === ''
      ? []
      : readLogLines(output).map((line) => (isOnlyFailed(stripMarkup(line.text)) ? { ...line, text: '' } : line));
  const cause = findCause(lines, findSteps(lines));
  if (cause.tests.length > 0 || rankCause(cause) >= ERROR_RANK) return { lines, cause };
  const placed = lines.flatMap(({ text }, at): readonly ErrorLine[] =>
    hasPlace(text) ? [{ at, kind: 'error', isHeading: false }] : [],
  );
  const headline = placed[0]?.at ?? -1;
  return { lines, cause: { ...NO_CAUSE, headline, message: headline, errorLines: placed } };
}

/** What it says where none of it is an error: for people to read. Null: nothing but that it failed. */
function excerptOwnWords({ name, output }: { readonly name: string; readonly output: string }): Excerpt | null {
  const lines = readLogLines(output).filter(({ text }) => text.trim() !== '');
  const said = lines.findIndex(({ text }) => isInformativeText(text) && stripMarkup(text) !== name);
  if (said < 0) return null;
  const told = { at: said, kind: 'weak', isHeading: false } as const;
  const excerpt = cutExcerpt(lines, { ...NO_CAUSE, headline: said, message: said, errorLines: [told] });
  const headline = formatHeadline(stripMarkup(lines[said]?.text ?? ''));
  return { ...excerpt, headline };
}

/** A single word is a heading. */
function isInformativeText(text: string): boolean {
  return /\p{L}{2}/u.test(stripMarkup(text)) && /\S\s\S/.test(stripMarkup(text)) && !isOnlyFailed(stripMarkup(text));
}

/** Without the marks of Markdown and HTML. */
function stripMarkup(text: string): string {
  return text
    .replace(/!\[[^\]]{0,200}\]\([^)]{0,500}\)/g, ' ')
    .replace(/\[([^\]]{0,200})\]\([^)]{0,500}\)/g, '$1')
    .replace(/<\/?[a-z][^<>]{0,300}>/gi, ' ')
    .replace(/^[\s#>*_❌✖✗×:-]{1,40}|[\s*_|]{1,40}$/g, '')
    .replace(/\*\*|__|`/g, '')
    .trim();
}

/** What of a red check is read for its cause. Nothing of it is trusted. */
export interface CheckTexts {
  readonly name: string;
  /** The check's own words: title, summary, text; "" for none. */
  readonly output: string;
  /** Its log, or what is kept of a long one, raw as it was stored: time stamps, colours, group markers; "" for none. */
  readonly log: string;
  /** The log of a run of the same check that passed, raw as well; absent or "": none is known. */
  readonly passing?: string;
  /** Only those of level `failure` count: what a check warns of did not make it red. */
  readonly annotations: readonly (Pick<Annotation, 'path' | 'line' | 'message' | 'level'> &
    Partial<Pick<Annotation, 'title'>>)[];
  /** What the result files that its job uploaded say failed; absent: there are none. */
  readonly results?: readonly FailedResult[];
  /** What failed without the change, such as on its base; absent: nothing is known of that. */
  readonly before?: FailedBefore;
}

/** What a check says by itself. */
export interface ReadCheck {
  readonly excerpt: Excerpt;
  readonly places: readonly LogPlace[];
  readonly infrastructure: InfrastructureFault | null;
  /** Equal for the same cause in any check; where a check says nothing, made of its name and conclusion only. */
  readonly fingerprint: string;
  /** Whether it says anything by which one cause differs from another. */
  readonly isInformative: boolean;
  /** Of what failed before: excerpt and places are of the others, if anything else failed. Absent: nothing did. */
  readonly before?: {
    readonly tests: readonly string[];
    /** Whether nothing else failed. */
    readonly isAll: boolean;
  };
  /** How the first failed test is run; null: none is named, or its runner is not known. */
  readonly firstTest: FirstTest | null;
  /** Whether a run of tests ended in one of them, so that those behind it did not run. */
  readonly isCutShort: boolean;
}

interface LogText {
  readonly lines: readonly LogLine[];
  readonly cause: Cause;
  readonly fault: InfrastructureFault | null;
  /** Whether these are the check's own words. */
  readonly isOwn: boolean;
}

/** Ranks, see {@link rankCause}. */
const VERDICT = 4;

const WEAK = 1;

const SAYS_NOTHING =
  /^(?:Process completed with exit code \d+\.?|The (?:job|run) was canceled.{0,200}|The operation was canceled\.?)$/;

/** What a log says where nothing else is known of its check. */
export interface LogReading {
  readonly lines: readonly LogLine[];
  readonly excerpt: Excerpt;
  /** How much it says, see {@link rankCause}. */
  readonly rank: number;
  /** Whether the machine or a service failed. */
  readonly hasFault: boolean;
}

/** The excerpt is that of a check with this log. */
export function readLog(log: string): LogReading {
  const text = readLogText(log);
  const { lines, cause, fault } = text;
  const excerpt = makeExcerpt({ lines, cause }, [], findPlaces(lines, cause));
  return { lines, excerpt: nameJob(excerpt, lines, ''), rank: rankCause(cause), hasFault: fault !== null };
}

/**
 * What a failed check says: its excerpt, places, failed tests and fingerprint, and whether the machine failed. From its
 * log, annotations, result files, and the log of the same check where it passed; each may be empty. Reads in linear
 * time and throws nothing, whatever the texts hold.
 */
export function readCheck(texts: CheckTexts): ReadCheck {
  const all = readFailureAnnotations(texts.annotations);
  const chosen = chooseText(texts, all);
  const print = fingerprintText(texts.name, chosen.text, all);
  const { before, own } = leaveOutBefore(chosen, texts.before);
  const told =
    before === null ? all : readFailureAnnotations(texts.annotations.filter((one) => !isOfTest(one, before.tests)));
  const { text, results, exact } = own;
  const { cause, fault } = text;
  const shown = showResults(text, results) ?? compareWithPassing(text, texts.passing ?? '');
  // Places are those of the log, also where lines of a result file are shown instead.
  const inLog = exact.length > 0 ? exact : findPlaces(text.lines, shown.lines === text.lines ? shown.cause : cause);
  const excerpt = (rankCause(cause) < WEAK ? excerptOwnWords(texts) : null) ?? makeExcerpt(shown, told, inLog);
  // That time ran out says nothing of what took it.
  const isTimeOut = fault === null && excerpt.tests.length === 0 && TIME_OUT.test(excerpt.headline);
  const places = [findAnnotatedPlaces(told), results?.places ?? [], inLog, findPlacesOfTests(cause)];
  const named = results === null ? excerpt : nameAllTests(excerpt, cause, results);
  return {
    excerpt: nameJob(named, text.lines, texts.name),
    places: mergePlaces(places.flat()),
    infrastructure: fault,
    fingerprint: (isTimeOut ? null : print) ?? fingerprintName(isTimeOut ? `${texts.name}: out of time` : texts.name),
    isInformative: print !== null && !isTimeOut,
    ...(before !== null && { before }),
    firstTest: findFirstTest(text.lines, cause, named.tests),
    isCutShort: cause.tests.some(({ endsRun }) => endsRun === true),
  };
}

/** What is shown where some of the tests failed before. The fingerprint is of all of them, whatever else is known. */
function leaveOutBefore(
  chosen: ChosenText,
  failed: FailedBefore | undefined,
): { readonly own: ChosenText; readonly before: NonNullable<ReadCheck['before']> | null } {
  const { text, results, exact } = chosen;
  if (failed === undefined || text.fault !== null) return { own: chosen, before: null };
  const isResult = results !== null && text.lines === results.lines;
  const { lines, tests, left } = leaveOutTests(text.lines, text.cause.tests, failed);
  if (left.length === 0) return { own: chosen, before: null };
  const names = left.map(({ name }) => name).slice(0, MAX_TESTS);
  const others = results === null ? null : leaveOutResults(results, failed);
  if (isResult) {
    if (others === null) return { own: chosen, before: { tests: names, isAll: true } };
    const own = { ...text, lines: others.lines, cause: others.cause };
    return { own: { text: own, results: others, exact }, before: { tests: names, isAll: false } };
  }
  const cause = { ...findCause(lines, findSteps(lines)), tests };
  const isTold = cause.errorLines.some(({ kind, isHeading }) => kind === 'verdict' && !isHeading);
  if (tests.length === 0 && !isTold) return { own: chosen, before: { tests: names, isAll: true } };
  return { own: { text: { ...text, lines, cause }, results: others, exact }, before: { tests: names, isAll: false } };
}

function leaveOutResults({ tests, cause }: ResultText, failed: FailedBefore): ResultText | null {
  const isOwn = (at: number) => {
    const test = cause.tests[at];
    return test !== undefined && !isFailedBefore(test, failed);
  };
  return writeResults(tests.filter((_, at) => isOwn(at)));
}

/** Runners annotate with the name of the test, or the end of it, as the title. */
function isOfTest({ title = '' }: CheckTexts['annotations'][number], tests: readonly string[]): boolean {
  const named = toWords(title);
  return named.length > 3 && tests.some((test) => toWords(test).endsWith(named) || named.endsWith(toWords(test)));
}

function toWords(text: string): string {
  return (text.match(/[\p{L}\p{N}_$]+/gu) ?? []).join(' ');
}

/** Where the runner says of which job the log is. */
const MAX_JOB_LINE = 100;

/** With the job before the step, which has no name but its first command; `known`: what else the reader knows it by. */
function nameJob(excerpt: Excerpt, lines: readonly LogLine[], known: string): Excerpt {
  const said = lines.slice(0, MAX_JOB_LINE).find(({ text }) => text.startsWith(JOB))?.text ?? '';
  const job = said.slice(JOB.length).trim();
  if (job === '' || known.includes(job) || excerpt.lines.length === 0) return excerpt;
  return { ...excerpt, step: excerpt.step === '' ? job : `${job}: ${excerpt.step}` };
}

const JOB = 'Complete job name: ';

interface ChosenText {
  /** What says the cause. */
  readonly text: LogText;
  /** Failed tests of the result files; null where the machine failed, or none did. */
  readonly results: ResultText | null;
  /** Where the result files have the errors that the text is made of. */
  readonly exact: readonly LogPlace[];
}

function chooseText({ log, results: all = [], ...texts }: CheckTexts, told: readonly LogPlace[]): ChosenText {
  const noted = readLogText(told.map(formatAnnotation).join('\n'));
  const own = () => addFault(readOwnWords(texts.output), true);
  const findings = listFindings(all);
  const found = readLogText(findings.map(formatAnnotation).join('\n'));
  const readers = [() => readLogText(log), () => found, () => noted, own];
  const said = preferNotedFault(readMostInformative(readers), noted);
  const results = said.fault === null ? writeResults(all) : null;
  return { text: preferResults(said, results), results, exact: said === found ? findings : [] };
}

function fingerprintText(
  name: string,
  { lines, cause, fault, isOwn }: LogText,
  told: readonly LogPlace[],
): string | null {
  if (fault) return fingerprintFault(fault.what);
  const print = fingerprintCause(lines, cause);
  if (print === null) return fingerprintLines(told.map(({ message }) => stripVariables(message)));
  const isVerdict = cause.tests.length > 0 || rankCause(cause) >= VERDICT;
  return isOwn && !isVerdict ? fingerprintOwnWords(name, print) : print;
}

/** Warnings did not make it red; that a process ended is GitHub's own annotation on each step that failed. */
function readFailureAnnotations(annotations: CheckTexts['annotations']): readonly LogPlace[] {
  return annotations
    .filter(({ level, message }) => level === 'failure' && message !== '' && !SAYS_NOTHING.test(message))
    .map(({ path, line, message }) => ({ path, line, message }));
}

/**
 * A runner that dies has its log cut anywhere: what GitHub notes of its end counts, unless the log has the verdict of a
 * tool.
 */
function preferNotedFault(text: LogText, noted: LogText): LogText {
  return text.fault === null && noted.fault !== null && rankCause(text.cause) < VERDICT ? noted : text;
}

/** Errors of linters and scanners. */
function listFindings(results: readonly FailedResult[]): readonly LogPlace[] {
  return results.flatMap(({ kind, path: written, line, message, scope }) => {
    const path = toRepositoryPath(written);
    if (kind !== 'finding' || path === null) return [];
    const rule = scope === '' || message.includes(scope) ? '' : ` [${scope}]`;
    return [{ path, line, message: `${message.split('\n', 1)[0] ?? ''}${rule}` }];
  });
}

/**
 * Failed tests of the result files where the log names none and no tool's verdict. Otherwise what the log says stays
 * the cause, or one failure would be two: with its result files and without.
 */
function preferResults(text: LogText, results: ResultText | null): LogText {
  if (results === null || text.cause.tests.length > 0 || rankCause(text.cause) >= VERDICT) return text;
  return { lines: results.lines, cause: results.cause, fault: null, isOwn: false };
}

/** The result of the first test where the log only names it. Null: the log says more. */
function showResults({ lines, cause }: LogText, results: ResultText | null): ShownLines | null {
  if (results === null) return null;
  if (lines === results.lines) return { lines, cause, isResult: true };
  const first = cause.tests.find(({ at }) => at === cause.message);
  if (first === undefined || !isMessageBare(lines, cause)) return null;
  const result = findResult(first.name, results);
  const own = result === undefined ? null : writeResults([result]);
  return own === null ? null : { lines: own.lines, cause: own.cause, isResult: true };
}

function nameAllTests(excerpt: Excerpt, { tests }: Cause, results: ResultText): Excerpt {
  return {
    ...excerpt,
    tests: mergeTests(tests, results)
      .slice(0, MAX_TESTS)
      .map(({ name }) => name),
  };
}

/** A text is read only where those before it say nothing but that the check failed. */
function readMostInformative(readers: readonly (() => LogText)[]): LogText {
  let best: LogText | null = null;
  for (const read of readers) {
    const text = read();
    if (!best || rankCause(text.cause) > rankCause(best.cause)) best = text;
    if (rankCause(best.cause) >= ERROR_RANK) break;
  }
  return best ?? readLogText('');
}

function readLogText(text: string): LogText {
  const lines = text === '' ? [] : readLogLines(text);
  return addFault({ lines, cause: findCause(lines, findSteps(lines)) }, false);
}

function addFault({ lines, cause }: Pick<LogText, 'lines' | 'cause'>, isOwn: boolean): LogText {
  const fault = findFault(lines, cause);
  if (!fault) return { lines, cause, fault, isOwn };
  const { what, line, at } = fault;
  return { lines, cause: { ...cause, headline: at, message: at }, fault: { what, line }, isOwn };
}

interface ShownLines {
  readonly lines: readonly LogLine[];
  readonly cause: Cause;
  readonly passing?: PassingLog;
  /** Whether these are lines of result files. */
  readonly isResult?: boolean;
}

/**
 * What people see, with what a passing run printed as well left out of it. Fingerprint and fault do not know of that
 * run, or one failure would be two: with such a log at hand and without.
 */
function compareWithPassing({ lines, cause, fault, isOwn }: LogText, log: string): ShownLines {
  if (log === '' || fault !== null || isOwn) return { lines, cause };
  const passing = readPassingLog(log);
  const compared = findCause(lines, findSteps(lines), passing);
  return rankCause(compared) < WEAK ? { lines, cause } : { lines, cause: compared, passing };
}

function formatAnnotation({ path, line, message }: LogPlace): string {
  const first = message.split('\n', 1)[0] ?? '';
  return `##[error]${path}:${line}: ${first}${message.slice(first.length)}`;
}

function makeExcerpt(shown: ShownLines, told: readonly LogPlace[], places: readonly LogPlace[]): Excerpt {
  const { lines, cause, passing, isResult } = shown;
  const excerpt = cutExcerpt(lines, cause, passing);
  if (isResult) return excerpt;
  const [first] = told;
  if (excerpt.headline === '' && first) return { ...excerpt, headline: formatHeadline(first.message) };
  const said = lines[cause.message]?.text ?? '';
  const place = readFindingLine(said) > 0 ? places.find(({ message }) => message === said.trim()) : undefined;
  if (place) return { ...excerpt, headline: formatHeadline(`${place.path}:${said.trim().replace(/^[✖⚠×] +/, '')}`) };
  // A name that is spread over lines, such as suites and test, is shown whole; AVA has a mark before it.
  const test = cause.tests.find(({ at }) => at === cause.message);
  const isSpread = test && /^\s*(?:\d+\)|✘ \[fail\]:) /.test(lines[test.at]?.text ?? '');
  return isSpread ? { ...excerpt, headline: formatHeadline(`${test.name} failed`) } : excerpt;
}

function findAnnotatedPlaces(told: readonly LogPlace[]): readonly LogPlace[] {
  return told.flatMap((place) => {
    const path = place.path === '.github' ? null : toRepositoryPath(place.path);
    return path === null ? [] : [{ ...place, path, isMarked: true }];
  });
}

function findPlacesOfTests({ tests }: Cause): readonly LogPlace[] {
  return tests.flatMap(({ path, name }) => {
    const own = path === '' ? null : toRepositoryPath(path);
    return own === null ? [] : [{ path: own, line: 0, message: name }];
  });
}

const MAX_READ_PLACES = 40;

function mergePlaces(places: readonly LogPlace[]): readonly LogPlace[] {
  const found = new Map(places.map((place) => [`${place.path}:${place.line}`, place] as const).reverse());
  return [...found.values()].reverse().slice(0, MAX_READ_PLACES);
}
