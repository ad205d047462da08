// The cause of a red check in its log: the step that failed, the lines in it that say why, and the one that says most.

import { markTracebacks, readTapError, type TapError, unquote } from 'causeway-log-lines';
import { readComparedValues, readMinitestValues } from './assertion-values.ts';
import { ERROR_RANK, type ErrorMatch, isOnlyFailed, matchError, RANKS } from './error-patterns.ts';
import { type FailedTest, findFailedTests, findTestName } from './failed-tests.ts';
import { type ErrorLine, findLastWords, saysSomething } from './last-words.ts';
import { isPrinted, type LogLine, type LogStep, measureLineIndent, type PassingLog } from './log-lines.ts';
import { isFinding } from './written-places.ts';

export interface Cause {
  readonly step: LogStep | null;
  /** Index of the first error line; -1: there is none. */
  readonly headline: number;
  /**
   * Index of the line that says most of it: where the headline only names a test, the message about that test. -1:
   * there is none.
   */
  readonly message: number;
  /** Every line of the step that is about a failure, in order. */
  readonly errorLines: readonly ErrorLine[];
  readonly tests: readonly FailedTest[];
  /** Of other steps that failed. */
  readonly others?: readonly Cause[];
}

/** Mere words of trouble count among the last lines only: tests and tools print them all day long. */
const LAST_WORDS = 40;

/** Errors this far apart do not belong together: what comes last ended the step. */
const FAR = 40;

const FRAME_OR_BLANK = /^\s*(?:at |\.{3} \d+ more|$)/;

export const NO_CAUSE: Cause = { step: null, headline: -1, message: -1, errorLines: [], tests: [] };

/**
 * Of the steps that failed the most informative, the earliest first. Where it only says that it failed, the last step
 * before it that complained; of a log that names no failed step any, the last first.
 */
export function findCause(lines: readonly LogLine[], steps: readonly LogStep[], passing?: PassingLog): Cause {
  const cause = findCauseAmong(lines, steps, passing);
  return { ...cause, message: findMessage(lines, cause) };
}

function findCauseAmong(lines: readonly LogLine[], steps: readonly LogStep[], passing: PassingLog | undefined): Cause {
  const work = steps.filter(({ phase }) => phase !== 'cleanup');
  const failed = work.filter(({ isFailed }) => isFailed);
  const causes = failed.map((step) => findCauseInStep(lines, step, passing));
  const own = findBestCause(causes);
  if (own && rankCause(own) >= RANKS.weak) {
    const others = causes.filter((cause) => cause !== own && rankCause(cause) >= RANKS.weak);
    return { ...own, tests: mergeFailedTests([own, ...others]), others };
  }
  const end = failed.at(-1)?.from ?? lines.length;
  const before = work.filter(({ isFailed, from }) => !isFailed && from < end).reverse();
  const complaint = findBestCause(before.map((step) => findCauseInStep(lines, step, passing)));
  const isWorth = complaint && (own === undefined || rankCause(complaint) >= RANKS.error);
  return (isWorth ? complaint : own) ?? NO_CAUSE;
}

/** Of several steps, each name once. */
function mergeFailedTests(causes: readonly Cause[]): readonly FailedTest[] {
  const tests = causes.flatMap((cause) => cause.tests).toReversed();
  return [...new Map(tests.map((test) => [test.name, test] as const)).values()].toReversed();
}

function findCauseInStep(lines: readonly LogLine[], step: LogStep, passing: PassingLog | undefined): Cause {
  const tests = findFailedTests(lines, step.from, step.to);
  const errorLines = findErrorLines(lines, { step, tests }, passing);
  const found = markNpmEnds(lines, errorLines);
  const told =
    findHighest(found.map(({ kind }) => RANKS[kind])) < RANKS.error ? addFindings(lines, step, found) : found;
  const all = addLastWords(lines, step, told);
  const headline = findHeadline(lines, all);
  return { step, headline, message: headline, errorLines: all, tests };
}

function findErrorLines(
  lines: readonly LogLine[],
  { step, tests }: { readonly step: LogStep; readonly tests: readonly FailedTest[] },
  passing: PassingLog | undefined,
): readonly ErrorLine[] {
  const named = new Set(tests.map(({ at }) => at));
  const own = lines.slice(step.from, step.to);
  const parts = markTracebacks(own.map((line) => (isPrinted(line) ? line.text : '')));
  const listed = findListed(lines, step);
  return own.flatMap((line, index): readonly ErrorLine[] => {
    const at = step.from + index;
    // The source of a frame may speak of failing; it is not said by anybody.
    if (!isPrinted(line) || parts[index] === 'frame') return [];
    const said = matchPrinted(line, named.has(at) ? 'verdict' : listed.get(at), passing);
    const sign = parts[index] === 'raised' && !passing?.has(line.text) ? toRaised(said) : said;
    // What a tool prints in red counts wherever it stands.
    const isCounted = sign?.kind !== 'weak' || line.isRed || at >= step.to - LAST_WORDS;
    return sign && isCounted ? [{ at, ...sign }] : [];
  });
}

/** How many failed, as the heading of their list: `Failed tests: 1`, `2 failures:`, `Failures (2):`. */
const COUNTED =
  /^\W{0,12}(?:\w{1,20} ){0,3}(?:failed|failures?|failing|errors?|broken)(?: \w{1,20}){0,2}(?:: ?| ?\()([1-9]\d?)\)?:?$|^\W{0,12}(?:\w{1,20} ){0,2}?([1-9]\d?) (?:\w{1,20} ){0,2}(?:failed|failures?|failing|errors?)(?: \w{1,20}){0,2}:$/i;

/** The same without a number. */
const NAMED_LIST = /^\W{0,12}(?:The following (?:\w{1,20} ){1,4}failed|Summary of (?:\w{1,20} )?failures?|Failures):$/i;

const MOST_NAMED = 20;

/** What is printed below, up to a blank line, the number of them or another line that is not as deep. */
function readNamed(lines: readonly LogLine[], heading: number): readonly number[] {
  const items: number[] = [];
  const first = (lines[heading + 1]?.text ?? '').trim() === '' ? heading + 2 : heading + 1;
  const depth = measureLineIndent(lines[first]?.text ?? '');
  for (let at = first; items.length <= MOST_NAMED; at += 1) {
    const { text, mark } = lines[at] ?? NOTHING;
    if (mark !== '' || !/\p{L}{2}/u.test(text) || /^\W{0,6}\(?\d{1,4} failures?\)?$/.test(text)) break;
    if (measureLineIndent(text) < depth) break;
    if (measureLineIndent(text) === depth) items.push(at);
  }
  return items.length <= MOST_NAMED ? items : [];
}

/** Which command failed says little of why. */
const COMMANDS = /\b(?:commands?|targets?|tasks?)\b/i;

/** Lines that are in a list of failures; one with a number is believed where it has as many lines as its heading says. */
function findListed(lines: readonly LogLine[], step: LogStep): ReadonlyMap<number, ErrorMatch['kind']> {
  const found = new Map<number, ErrorMatch['kind']>();
  for (let at = step.from; at < step.to; at += 1) {
    const line = lines[at];
    if (!line || !isPrinted(line)) continue;
    const counted = COUNTED.exec(line.text);
    const isNamed = counted === null && NAMED_LIST.test(line.text);
    const items = counted ? readCounted(lines, at + 1, Number(counted[1] ?? counted[2])) : [];
    const kind = COMMANDS.test(line.text) ? 'error' : 'verdict';
    for (const item of isNamed ? readNamed(lines, at) : items) found.set(item, kind);
  }
  return found;
}

function readCounted(lines: readonly LogLine[], from: number, count: number): readonly number[] {
  const items = Array.from({ length: count }, (_, index) => from + index);
  const isItem = (at: number) => isPrinted(lines[at] ?? NOTHING) && /\p{L}{2}/u.test(lines[at]?.text ?? '');
  const depth = measureLineIndent(lines[from]?.text ?? '');
  const isAlike = items.every((at) => isItem(at) && measureLineIndent(lines[at]?.text ?? '') === depth);
  const next = lines[from + count]?.text ?? '';
  return isAlike && !(/\p{L}{2}/u.test(next) && measureLineIndent(next) === depth) ? items : [];
}

const NOTHING: LogLine = { text: '', mark: 'debug', step: '' };

const NPM = /^npm (?:ERR!|error)/;

const SCRIPT_FAILED = /ELIFECYCLE|Exit status \d|Failed at the|Test failed|Lifecycle script|command failed/;

/** What npm says after a script failed says nothing of why. */
function markNpmEnds(lines: readonly LogLine[], errorLines: readonly ErrorLine[]): readonly ErrorLine[] {
  let isScript = false;
  return errorLines.map((line, index) => {
    const text = lines[line.at]?.text ?? '';
    if (!NPM.test(text)) return line;
    if (!NPM.test(lines[errorLines[index - 1]?.at ?? -1]?.text ?? ''))
      isScript = hasScriptFailed(lines, errorLines, index);
    return isScript ? { ...line, kind: 'end' } : line;
  });
}

function hasScriptFailed(lines: readonly LogLine[], errorLines: readonly ErrorLine[], from: number): boolean {
  for (let index = from; index < errorLines.length; index += 1) {
    const text = lines[errorLines[index]?.at ?? -1]?.text ?? '';
    if (!NPM.test(text)) return false;
    if (SCRIPT_FAILED.test(text)) return true;
  }
  return false;
}

/** Where no line is known as an error, what was said last is the likeliest reason. */
function addLastWords(
  lines: readonly LogLine[],
  step: LogStep,
  errorLines: readonly ErrorLine[],
): readonly ErrorLine[] {
  if (findHighest(errorLines.map(({ kind }) => RANKS[kind])) >= RANKS.error) return errorLines;
  const known = new Set(errorLines.map(({ at }) => at));
  const words = findLastWords(lines, { step, errorLines }).filter((at) => !known.has(at));
  const said = words.map((at): ErrorLine => ({ at, kind: 'said', isHeading: false }));
  return [...errorLines, ...said].sort((a, b) => a.at - b.at);
}

/** Where nothing else is called an error, the step failed for what a linter listed at its end, warnings as well. */
function addFindings(lines: readonly LogLine[], step: LogStep, errorLines: readonly ErrorLine[]): readonly ErrorLine[] {
  const known = new Set(errorLines.filter(({ kind }) => kind !== 'weak').map(({ at }) => at));
  const findings: ErrorLine[] = [];
  for (let at = step.from; at < step.to; at += 1) {
    const line = lines[at];
    if (!line || !isPrinted(line) || FRAME_OR_BLANK.test(line.text)) continue;
    if (!known.has(at) && isFinding(line.text)) findings.push({ at, kind: 'error', isHeading: false });
  }
  const last = findings.at(-1);
  if (!last || isFar(lines, last.at, step.to - 1)) return errorLines;
  const found = new Set(findings.map(({ at }) => at));
  return [...errorLines.filter(({ at }) => !found.has(at)), ...findings].sort((a, b) => a.at - b.at);
}

function matchPrinted(
  line: LogLine,
  kind: ErrorMatch['kind'] | undefined,
  passing: PassingLog | undefined,
): ErrorMatch | null {
  const own = matchError(line.text, line.mark === 'error');
  const isListed = kind !== undefined && RANKS[kind] >= RANKS[own?.kind ?? 'end'];
  const sign = isListed ? { kind, isHeading: own?.isHeading ?? false } : own;
  return sign && passing?.has(line.text) ? null : sign;
}

/** An exception is an error whatever its name, such as `BadParameter` or `Refused`. */
function toRaised(said: ErrorMatch | null): ErrorMatch {
  return said !== null && RANKS[said.kind] >= ERROR_RANK ? said : { kind: 'error', isHeading: false };
}

/** The first verdict anywhere; otherwise the first line of the best kind in the last group of error lines. */
function findHeadline(lines: readonly LogLine[], errorLines: readonly ErrorLine[]): number {
  const own = errorLines.filter(({ isHeading }) => !isHeading);
  const verdicts = errorLines.filter(({ kind }) => kind === 'verdict');
  const verdict = verdicts.find(({ isHeading }) => !isHeading) ?? findSaidUnder(own, verdicts[0]) ?? verdicts[0];
  if (verdict || own.length === 0) return (verdict ?? errorLines[0])?.at ?? -1;
  const said = own.filter(({ kind }) => kind === 'said');
  const firm = own.filter(({ kind }) => RANKS[kind] >= (said.length > 0 ? RANKS.weak : RANKS.summary));
  if (firm.length === 0 && said.length > 0) return said[0]?.at ?? -1;
  const last = findTellingGroup(lines, firm.length > 0 ? firm : own, own);
  const best = findHighest(last.map(({ kind }) => RANKS[kind]));
  return last.find(({ kind }) => RANKS[kind] === best)?.at ?? -1;
}

function findSaidUnder(errorLines: readonly ErrorLine[], heading: ErrorLine | undefined): ErrorLine | undefined {
  return heading && errorLines.find(({ kind, at }) => (kind === 'error' || kind === 'weak') && at > heading.at);
}

/** The last group; where it only says that something failed, and no word of why is near, the one before that does. */
function findTellingGroup(
  lines: readonly LogLine[],
  firm: readonly ErrorLine[],
  own: readonly ErrorLine[],
): readonly ErrorLine[] {
  const last = findLastGroup(lines, firm);
  const from = last[0]?.at ?? 0;
  const isEcho = last.every(({ at, kind }) => kind === 'summary' && findQuoted(lines, at) === at);
  const isSaid = own.some(({ at, kind }) => kind === 'weak' && !isFar(lines, Math.min(at, from), Math.max(at, from)));
  const telling = firm.findLastIndex(({ kind }) => RANKS[kind] >= ERROR_RANK);
  return isEcho && !isSaid && telling >= 0 ? findLastGroup(lines, firm.slice(0, telling + 1)) : last;
}

function findLastGroup(lines: readonly LogLine[], errorLines: readonly ErrorLine[]): readonly ErrorLine[] {
  let index = errorLines.length - 1;
  while (index > 0 && !isFar(lines, errorLines[index - 1]?.at ?? 0, errorLines[index]?.at ?? 0)) index -= 1;
  return errorLines.slice(Math.max(0, index));
}

/** Whether more than FAR lines of text lie between the two; stack frames are not counted. */
function isFar(lines: readonly LogLine[], at: number, to: number): boolean {
  let count = 0;
  for (let next = at + 1; next <= to && count <= FAR; next += 1) {
    const line = lines[next];
    if (line && isPrinted(line) && !FRAME_OR_BLANK.test(line.text)) count += 1;
  }
  return count > FAR;
}

/** 4: a tool's verdict, 3: an error, 2: a summary, 1: words of trouble, 0: only that it ended, -1: nothing. */
export function rankCause(cause: Cause): number {
  return findHighest(cause.errorLines.map(({ kind }) => RANKS[kind]));
}

/** -1 of none. */
function findHighest(ranks: readonly number[]): number {
  return ranks.reduce((best, rank) => Math.max(best, rank), -1);
}

function findBestCause(causes: readonly Cause[]): Cause | undefined {
  const best = findHighest(causes.map(rankCause));
  return causes.find((cause) => rankCause(cause) === best);
}

/** The lines that say as much as the headline does, from it on. */
export function findLinesLikeHeadline({ headline, errorLines }: Cause): readonly ErrorLine[] {
  const kind = errorLines.find(({ at }) => at === headline)?.kind;
  return errorLines.filter(
    (line) => line.kind === kind && line.at >= headline && (!line.isHeading || line.at === headline),
  );
}

/** The message about a test is at most so many lines from its name. */
const WINDOW = 40;

const MAX_MENTIONS = 12;

/** A shorter name occurs in lines that are about something else. */
const MIN_NAME = 4;

const FRAME = /^\s*(?:at |File "|\.{3} \d)/;

const OTHER_TEST =
  /^\s*(?:=== (?:RUN|CONT|PAUSE|NAME)\b|--- (?:PASS|SKIP|FAIL)\b|\[ +(?:RUN|OK|FAILED|PASSED) +\]|[✔✓√✖●] |ok \d|not ok \d|test \S.{0,300} \.\.\. |(?:PASS|FAIL|FAILED|ERROR)\b|\d{1,4}\) \S|---- .{1,200} stdout ----|_{3,} .{1,300} _{3,}$|rspec \.\/)/;

/** Words that appear next to a name on lines that only name it. */
const WORDS_BESIDE_NAME =
  /FAILED|FAILURE|ERROR|FAIL|Failed|Error thrown in test|Rejected promise returned by test|Time elapsed|took|methodParameterTypes|(?<![A-Za-z])(?:ms|s|secs?|seconds)\b|Test +#\d+/g;

const MESSAGES: readonly RegExp[] = [
  /^E {2,}\S/,
  /^\s{0,14}(?:=> |\S{1,300}:\d{1,6}: )?(?:Caused by: |Uncaught |Unhandled )?(?:[\w$-]{1,100}[.:\\]{1,2}){0,20}(?:[A-Z][\w$]{0,100})?(?:Error|Exception|Failure|Failed|Interrupt|Exit)(?: \[[^\]]{1,60}\])?(?:: \S|(?<=Exception|Failure)$)/,
  /^\s{0,12}expect\(.{1,200}\)\.\w/,
  /^\s{0,12}(?:thrown|Failure\/Error): \S/,
  // Jest, of Node's own assertions
  /^\s{0,12}Expected value to .{1,60}:$/,
  /^\s{1,14}Error:\s{1,12}\S/,
  /^\s{2,40}[\w.-]{1,200}\.go:\d+: \S/,
  /^panic: \S/,
  /^\s{2,40}(?:error|message): ['"]?[^\s|>]/,
  /^\s{0,12}Condition not satisfied/,
  // What was thrown by itself; Elixir
  /^\s{2,40}['"`]\S.{0,300}['"`]$/,
  /^\s{1,14}\*\* \(\w|^\s{1,14}Assertion with .{1,40} failed$/,
];

/** The message is on the next line. */
const ANNOUNCING =
  /^thread '.{1,200}' (?:\(\d{1,10}\) )?panicked at .{1,300}:\d+:\d+:$|^\s{1,12}Error Message: ?$|^\S{1,300}:\d+: Failure$|^\s{2,40}error: [|>]-?$/;

/** Minitest's, whose message is on the next line. */
const MINITEST_HEADING = /^\S.{0,600} \[[^\s\]]{1,300}:\d{1,6}\]:$/;

/** Index of the line with the message: the next one where minitest prints only the test and its place on this one. */
export function findHeadedMessage(lines: readonly LogLine[], at: number, to = lines.length): number {
  return MINITEST_HEADING.test(lines[at]?.text ?? '') ? findNextText(lines, at, to) : at;
}

/**
 * Index of the line that says most of the first cause: the headline, unless that only names a test. -1: there is none.
 */
function findMessage(lines: readonly LogLine[], cause: Omit<Cause, 'message'>): number {
  const { headline, tests, step } = cause;
  const test = tests.find(({ at }) => at === headline);
  if (!test) return findSaying(lines, cause);
  const name = findLastPart(test.name);
  const to = step?.to ?? lines.length;
  const headed = findHeadedMessage(lines, headline, to);
  if (headed !== headline) return headed;
  if (!isBare(lines[headline]?.text ?? '', name)) return headline;
  const mentions = [headline, ...findMentions(lines, name, { from: step?.from ?? 0, to, besides: headline })];
  for (const mention of mentions) {
    const found = findMessageAfter(lines, name, { at: mention, to });
    if (found >= 0) return found;
  }
  // In the words of a runner that nobody knows.
  for (const mention of mentions) {
    const found = findTroubleAfter(lines, name, { at: mention, to, isNamed: mention === headline });
    if (found >= 0) return found;
  }
  return headline;
}

/**
 * The first line below the name, up to the next test, that has words of trouble. Where none of the paragraph below a line
 * that names the test as failed has, its first line: what comes later may be about all of them.
 */
function findTroubleAfter(
  lines: readonly LogLine[],
  name: string,
  { at, to, isNamed }: { readonly at: number; readonly to: number; readonly isNamed: boolean },
): number {
  let said = -1;
  for (let line = at + 1; line < Math.min(at + NEAR_NAME, to); line += 1) {
    const { text = '', mark = '' } = lines[line] ?? {};
    if (said >= 0 && text.trim() === '') return said;
    if (mark !== '' || RULE.test(text) || isAboutOther(text, name)) return -1;
    if (isNamed && line === at + 1 && saysSomething(text) && matchError(text, false) === null) said = line;
    const sign = text.includes(name) || TESTS_FAILED.test(text) || isOnlyFailed(text) ? null : matchError(text, false);
    if (sign && !sign.isHeading && RANKS[sign.kind] !== RANKS.end && sign.kind !== 'summary') return line;
  }
  return -1;
}

const TESTS_FAILED = /^\W{0,6}tests? (?:has |have )?failed\b/i;

/** The message is at most so many lines below the name where nothing but words of trouble tells it. */
const NEAR_NAME = 12;

/** A rule or a heading between rules: what is below it is about something else. */
const RULE = /^\s*[-=_*!─━]{3,}/;

/** Says that something is wrong, and that this is on the next lines. */
const ANNOUNCES = /(?:errors?|failed|failures?|problems?|during \w{1,20}):$|^[A-Z][a-z ]{1,60} \(\d{1,5}\)$/i;

/** Whose output follows. */
const OUTPUT_OF = /\boutput:?$/;

/** Perl and Bazel: what was given up, for what other lines say. */
const CONSEQUENCE =
  /\baborted due to (?:\w{1,30} ){0,2}errors?\b|\bfailed:? \(Exit \d{1,3}\)|\bfailed: error executing command\b/;

/** Of a headline that only says how much is wrong what is said of it: on the line before it, or the one after. */
function findSaying(lines: readonly LogLine[], { headline, errorLines, step }: Omit<Cause, 'message'>): number {
  const text = lines[headline]?.text ?? '';
  if (ANNOUNCES.test(text)) {
    const next = findNextText(lines, headline, step?.to ?? lines.length);
    return ANNOUNCES.test(lines[next]?.text ?? '') ? findNextText(lines, next, step?.to ?? lines.length) : next;
  }
  if (OUTPUT_OF.test(text)) return errorLines.find(({ at, isHeading }) => at > headline && !isHeading)?.at ?? headline;
  if (CONSEQUENCE.test(text)) return findNearestReason(lines, errorLines, headline);
  const index = errorLines.findIndex(({ at }) => at === headline);
  if (errorLines[index]?.kind !== 'summary') return headline;
  const quoted = findQuoted(lines, headline);
  if (quoted !== headline) return quoted;
  const before = errorLines.slice(0, index).filter(({ at }) => lines[at]?.isRed || !isFar(lines, at, headline));
  const saysMore = ({ kind, at }: ErrorLine) => kind === 'weak' && !isOnlyFailed(lines[at]?.text ?? '');
  return (before.find(saysMore) ?? before.findLast(({ kind }) => kind === 'said'))?.at ?? headline;
}

/** What a tool says below in its own words: by signs, the deepest of which is the cause of those above. */
const QUOTED = /^\s{0,20}> \S/;

/** The last of the quoted lines below that are each deeper than the one before; the line itself: there is none. */
function findQuoted(lines: readonly LogLine[], at: number): number {
  const [text = '', next = ''] = [lines[at]?.text, lines[at + 1]?.text];
  const isDeeper = QUOTED.test(next) && (measureLineIndent(next) > measureLineIndent(text) || !QUOTED.test(text));
  return isDeeper ? findQuoted(lines, at + 1) : at;
}

/** The error next to a line that says only what came of it; one that says more of the cause first. */
function findNearestReason(lines: readonly LogLine[], errorLines: readonly ErrorLine[], headline: number): number {
  const reasons = errorLines.filter(
    ({ at, kind, isHeading }) =>
      !isHeading &&
      kind !== 'end' &&
      kind !== 'summary' &&
      !CONSEQUENCE.test(lines[at]?.text ?? '') &&
      !isFar(lines, Math.min(at, headline), Math.max(at, headline)),
  );
  const firm = reasons.filter(({ kind }) => RANKS[kind] >= RANKS.error);
  const [nearest] = (firm.length > 0 ? firm : reasons).toSorted(
    (a, b) => Math.abs(a.at - headline) - Math.abs(b.at - headline),
  );
  return nearest?.at ?? headline;
}

/** Whether the log has no message about the first test: only lines that name it. */
export function isMessageBare(lines: readonly LogLine[], { message, tests }: Cause): boolean {
  const test = tests.find(({ at }) => at === message);
  return test !== undefined && isBare(lines[message]?.text ?? '', findLastPart(test.name));
}

/** Whether the line holds nothing but the name. */
function isBare(text: string, name: string): boolean {
  const at = text.indexOf(name);
  const rest = at < 0 ? '' : text.slice(at + name.length);
  return !/\p{L}{2}/u.test(rest.replace(WORDS_BESIDE_NAME, ' '));
}

/** `a.test.ts::cart > adds`: what other lines call it by. */
function findLastPart(name: string): string {
  return name.split(/::| > | › /).at(-1) ?? name;
}

function findMentions(
  lines: readonly LogLine[],
  name: string,
  { from, to, besides }: { readonly from: number; readonly to: number; readonly besides: number },
): readonly number[] {
  const found: number[] = [];
  if (name.length < MIN_NAME) return found;
  for (let at = from; at < to && found.length < MAX_MENTIONS; at += 1) {
    if (at !== besides && lines[at]?.text.includes(name)) found.push(at);
  }
  return found;
}

/** -1: nothing is said before another test is named. */
function findMessageAfter(
  lines: readonly LogLine[],
  name: string,
  { at, to }: { readonly at: number; readonly to: number },
): number {
  for (let line = at + 1; line < Math.min(at + WINDOW, to); line += 1) {
    const { text = '', mark = '' } = lines[line] ?? {};
    if (mark === 'begin' || isAboutOther(text, name)) return -1;
    const isPrinted = mark === '' || mark === 'error';
    if (isPrinted && ANNOUNCING.test(text)) return findNextText(lines, line, to);
    if (isPrinted && !FRAME.test(text) && !isOnlyFailed(text) && MESSAGES.some((pattern) => pattern.test(text)))
      return line;
  }
  return -1;
}

function isAboutOther(text: string, name: string): boolean {
  return !text.includes(name) && (OTHER_TEST.test(text) || findTestName(text) !== null);
}

function findNextText(lines: readonly LogLine[], at: number, to: number): number {
  for (let next = at + 1; next < Math.min(at + 3, to); next += 1) if (lines[next]?.text.trim()) return next;
  return at;
}

/** Values that a matcher compares, and what was thrown against it, are on lines of their own. */
const COMPARED =
  /^\s*(?:(?:Expected|Received|expected|received|actual|Actual)\b.{0,60}|(?:Error|Thrown) (?:name|message|value)): {1,4}\S/;
const IT_THREW = /^\s*Instead, it threw:$/;

const MAX_JOINED = 240;

const MAX_JOINED_LINES = 12;

/** Indented words, values or brackets; not source with its line numbers. */
const JOINED = /^\s{1,60}(?!\d{1,6} {0,4}\|)(?:[*•-] )?[\p{L}\p{N}"'`$<()[\]{}]/u;

const MAX_BELOW = 60;

/** Up to where a runner marks something else. */
function listBelow(lines: readonly LogLine[], at: number, most: number): readonly string[] {
  const below = lines.slice(at + 1, at + 1 + most);
  const end = below.findIndex(({ mark }) => mark !== '');
  return below.slice(0, end < 0 ? most : end).map(({ text }) => text);
}

/** The message, with what it announces: compared values, or what follows where it is not at its end. */
export function formatMessage(lines: readonly LogLine[], at: number): string {
  const text = removeMargin(lines[at]?.text ?? '');
  const thrown = readThrown(lines, at);
  if (thrown !== null) return thrown;
  if (MINITEST_HEADING.test(lines[at - 1]?.text ?? '')) {
    const below = listBelow(lines, at - 1, MAX_BELOW);
    const [own, said] = [readMinitestValues(below), readMinitestValues(below.slice(1))];
    if (own !== '' || said !== '') return own === '' ? `${text.trimEnd()} ${said}` : own;
  }
  const values = readComparedValues(text, listBelow(lines, at, MAX_BELOW));
  if (values !== '') return `${text.trimEnd()} ${values}`;
  if (/^\s*expect\(/.test(text)) {
    const rest = readTextsAfter(lines, at, 10);
    const values = rest.filter((line, index) => COMPARED.test(line) || IT_THREW.test(rest[index - 1] ?? ''));
    const matcher = text.replace(/ {1,4}\/\/ .{0,200}$/, '');
    return [matcher, ...values.slice(0, 2)].map((part) => part.trim().replace(/\s+/g, ' ')).join(' · ');
  }
  const [next = ''] = readTextsAfter(lines, at, 3);
  const rest = readTextsAfter(lines, at, MAX_JOINED_LINES);
  return /Error.{0,300}:$/.test(text) && /^\s{0,12}[^+\s-]/.test(next) && !FRAME.test(next)
    ? joinRest(`${text} ${next.replace(/^E? +/, '')}`, rest.slice(1))
    : joinRest(text, rest);
}

/** What runners put before each line of an error: Perl's, pytest's and Gradle's. */
function removeMargin(text: string): string {
  return text.replace(
    /^\s{0,40}# {1,4}(?=Failed test\b)|^E {3,120}(?=\S)|^\s{0,20}> (?=\S)|^\s{0,20}[│┃║╎] (?=.{0,900}\S)| [│┃║╎]$/g,
    '',
  );
}

/** What is read around a message that is one value of several. */
const THROWN_REACH = 80;

/** Null: the line is not a value of an error that is written as keys. */
function readThrown(lines: readonly LogLine[], at: number): string | null {
  const first = Math.max(0, at - THROWN_REACH);
  const texts = lines.slice(first, at + THROWN_REACH).map(({ text }) => text);
  const error = readTapError(texts, at - first) ?? readInspected(texts, at - first);
  if (error === null) return null;
  const [head = '', ...below] = error.message.trimStart().split('\n');
  const values = readComparedValues(head, below);
  const rest = below.filter((line) => line.trim() !== '').map((line) => ` ${line}`);
  const said = values === '' ? joinRest(head, rest) : `${head} ${values}`;
  return error.type === '' || said.startsWith(error.type) ? said : `${error.type}: ${said}`;
}

/** An error as Node inspects it, such as by AVA: `TypeError {` above, `message: '…',`. */
function readInspected(texts: readonly string[], at: number): TapError | null {
  const value = /^\s{2,40}message: (['"`].{0,1000}['"`]),?$/.exec(texts[at] ?? '')?.[1];
  if (value === undefined) return null;
  const open = texts.slice(Math.max(0, at - 8), at).findLast((text) => text.trimEnd().endsWith('{')) ?? '';
  return { type: /^\s*([A-Z][\w$]{0,100}) \{$/.exec(open)?.[1] ?? '', message: unquote(value) };
}

/** With the lines below that the text needs to be whole. */
function joinRest(text: string, rest: readonly string[]): string {
  let joined = text;
  for (const next of rest) {
    if (!isOpen(joined) || !JOINED.test(next) || FRAME.test(next)) break;
    if (joined.length + next.trim().length > MAX_JOINED) break;
    joined = `${joined} ${next.trim()}`;
  }
  return joined;
}

/** Only the number of an error, whose message is on the next line. */
const NUMBERED = /\berror: \[[\w-]{1,30}\]$/i;

/** Whether a text announces more: by a colon at its end, a bracket that is not closed, or the mere number of an error. */
function isOpen(text: string): boolean {
  if (text.trimEnd().endsWith(':') || NUMBERED.test(text.trimEnd())) return true;
  let depth = 0;
  for (const character of text.replace(/(['"`])[([{]\1/g, '')) {
    if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
  }
  return depth > 0;
}

function readTextsAfter(lines: readonly LogLine[], at: number, most: number): readonly string[] {
  return lines
    .slice(at + 1, at + most)
    .map(({ text }) => text)
    .filter((text) => text.trim() !== '');
}
