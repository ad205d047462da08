// The lines of a log that show the cause of a failure: the first error with its surroundings, the others, the end.

import { isPassedTest } from 'causeway-log-lines';
import { rankCauseLines } from './cause-lines.ts';
import { isHarmless, RANKS } from './error-patterns.ts';
import { type Cause, formatMessage } from './find-cause.ts';
import { formShape } from './last-words.ts';
import { isPrinted, type LogLine, type PassingLog } from './log-lines.ts';

/** A log cut to its cause. */
export interface Excerpt {
  /** Name of the failed step; "" if unknown. */
  readonly step: string;
  /** The first error line, at most 300 characters; "" if there is none. */
  readonly headline: string;
  /** Lines around the cause, in order; at most 60, 8 KiB. */
  readonly lines: readonly string[];
  /** What was cut, as text; "" for nothing. */
  readonly cut: string;
  /** Names of failed tests, at most 50. */
  readonly tests: readonly string[];
}

const MAX_SHOWN = 60;
const MAX_BYTES = 8 * 1024;
const MAX_SHOWN_LINE = 300;
export const MAX_TESTS = 50;
/** Lines that are taken before gaps are marked; each block of them is followed by one mark. */
const MAX_TAKEN = 46;
/** A step of at most so many lines is shown whole. */
const MAX_WHOLE = 20;
/** Less than this is shown with what else failed, and with up to so many lines before it. */
const LITTLE = 8;
/** So many lines that differ only in names and numbers come before what differs; more of them only where room is left. */
const MAX_ALIKE = 3;
const CONTEXT = 3;
const RULE_FIRST = /^[-+=_*─━⎯]{3}/;
const RULE_LAST = /[-+=_*─━⎯]{3}$/;
const TOTAL = /\b[1-9]\d{0,6} (?:failed|errors?)\b/;
/** What says where something begins, or is printed of every run. */
const HEADING =
  /^(?:=== (?:RUN|CONT|PAUSE|NAME) |⎯{2,}\[\d{1,6}\/\d{1,6}\]⎯|Node\.js v\d[\d.]{1,12}$|(?:Start at|Duration) {1,3}\d)/;
/** Frames of a runtime, of a tool or of a library. */
const FOREIGN =
  /node_modules[/\\]|\(?node:|\/rustc\/|site-packages|\.cargo\/|libsanitizer|\b__libc_start|\bin _start\b|^\s*at \S{1,100} \(<anonymous>\)/;
const FRAME = /^\s*(?:at |#?\d{1,3}:? (?:0x|\S{0,300}::))/;
const GAP = '…';

/** Under it node:test says each failure in full, whether or not it did so before. */
const SUMMARY = /^✖ failing tests:$/;
/** What it lists while it runs: tests, suites and totals. */
const LISTED =
  /^\s{0,60}(?:[✔✖﹣] .{1,300} \(\d{1,9}(?:\.\d{1,9})?ms\)(?: # .{0,200})?|▶ .{1,300}|ℹ (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) \d.{0,20})$/;
const LISTED_FAILURE = /^\s{0,60}✖ /;
/** What the summary says is indented, but for the places and names of tests. */
const OUTSIDE_SUMMARY = /^(?!test at |✖ )\S/;

/** At most 60 lines and 8 KiB of the step that failed, in order; `…` marks what is left out. */
export function cutExcerpt(lines: readonly LogLine[], cause: Cause, passing?: PassingLog): Excerpt {
  const repeated = findRepeated(lines, cause.step);
  const whole = takeWhole(lines, cause, repeated);
  const { taken, shown } = whole ?? fitLines(lines, takeLines(lines, cause, { passing, repeated }), repeated);
  return {
    step: cause.step?.name ?? '',
    headline: printsNothing(lines, cause)
      ? describeSilence(lines, cause)
      : formatHeadline(formatMessage(lines, skipBorder(lines, cause.message))),
    lines: shown,
    cut: whole === null ? describeCut(lines, cause, taken.length) : '',
    tests: cause.tests.slice(0, MAX_TESTS).map(({ name }) => name),
  };
}

/** "" where nothing is shown, or everything. */
function describeCut(lines: readonly LogLine[], { step }: Cause, shown: number): string {
  const total = lines.slice(step?.from, step?.to).findLastIndex(({ text }) => text.trim() !== '') + 1;
  return shown === 0 || shown >= total ? '' : `Showing ${shown} of ${total} lines`;
}

/**
 * Null: the step has too many lines, or is not the only one that failed. Tests that passed are no beginning; frames that
 * are not the project's, rules and the mere end are left out here as well.
 */
function takeWhole(lines: readonly LogLine[], cause: Cause, repeated: Repeated): FittedLines | null {
  const { step, headline, errorLines, others = [] } = cause;
  if (step === null || headline < 0 || others.length > 0 || printsNothing(lines, cause)) return null;
  const ends = errorLines.filter(({ kind, at }) => kind === 'end' && lines[at]?.mark === 'error').map(({ at }) => at);
  const left = new Set([...ends.filter((at) => at !== findEnd(lines, cause)), ...repeated]);
  const all = listTexts(lines, step.from, step.to).filter((at) => isPrinted(lines[at] ?? NOTHING));
  const taken = all
    .slice(all.findIndex((at) => !isPassedTest(lines[at]?.text ?? '')))
    .filter((at) => !left.has(at) && !isForeignFrame(lines, at) && !isSeparator(lines[at]?.text.trim() ?? ''));
  const shown = taken.map((at) => cutExcerptLine(lines[at]?.text ?? ''));
  const isSmall = all.length <= MAX_WHOLE && Buffer.byteLength(shown.join('\n')) <= MAX_BYTES;
  return isSmall ? { taken, shown } : null;
}

const NOTHING: LogLine = { text: '', mark: 'debug', step: '' };

/** The first of the next lines that has a letter or digit: the border of a table isn't a headline, even if it is red. */
function skipBorder(lines: readonly LogLine[], at: number): number {
  const ahead = lines.slice(at, at + CONTEXT).findIndex(({ text }) => /[\p{L}\p{N}]/u.test(text));
  return at + Math.max(0, ahead);
}

interface FittedLines {
  /** Indexes, in order. */
  readonly taken: readonly number[];
  /** The same with a mark for each gap. */
  readonly shown: readonly string[];
}

/** As many of the first as there is room for with the marks between them. */
function fitLines(lines: readonly LogLine[], wanted: readonly number[], repeated: Repeated): FittedLines {
  for (let most = wanted.length; ; most -= 1) {
    const taken = wanted.slice(0, most).toSorted((a, b) => a - b);
    const shown = markGaps(lines, taken, repeated);
    if (shown.length <= MAX_SHOWN) return { taken, shown };
  }
}

/** How long a test took differs every time. */
const DURATION =
  /(?<!\s)\s*[([](?:< ?)?\d{1,9}(?:\.\d{1,9})? ?(?:ms|s|secs?|seconds?|m|min)[)\]]$| {1,4}(?:-- )?Time elapsed: [\d.]{1,20} ?s(?:ec)?\b/g;

/** Process ids and memory addresses: they differ in each run, and say nothing to a reader. */
const ADDRESS = /^==\d{1,10}== ?| (?:on (?:unknown )?address|at pc|pc|bp|sp) 0x[0-9a-f]{4,16}(?!\w)/g;

/** pytest puts it before each line of an error, at whatever depth the source stands. */
const PYTEST_MARGIN = /^E {3,120}(?=\S)/;

/** One line, at most 300 characters, without durations, addresses in memory and the margin of pytest. */
export function formatHeadline(text: string): string {
  const bare = text
    .replace(PYTEST_MARGIN, '')
    .trimEnd()
    .replace(DURATION, '')
    .replace(ADDRESS, '')
    .replace(/\s+/g, ' ')
    .replace(/^ /, '')
    .trimEnd();
  return cutMiddle(bare, MAX_SHOWN_LINE);
}

/**
 * At most so many characters, without the middle of what is longer: a message begins with what is wrong, and ends with
 * where. Words, so also paths, stay whole unless one is too long by itself. Of a word over and over three are kept.
 */
export function cutMiddle(whole: string, most: number): string {
  if (whole.length <= most) return whole;
  const text = foldRepeated(whole);
  if (text.length <= most) return text;
  const room = most - GAP.length - 2;
  const from = text.length - Math.floor(room / 3);
  const after = text.slice(from - 1).search(/\s/);
  const start = after < 0 ? text.lastIndexOf(' ') + 1 : from + after;
  const tail = text.length - start > room / 2 ? '' : text.slice(start);
  const head = text.slice(0, room - tail.length);
  const space = head.lastIndexOf(' ');
  return `${(space < 0 ? head : head.slice(0, space)).trimEnd()} ${GAP} ${tail}`.trimEnd();
}

/** Such as the zeros of an array. */
function foldRepeated(text: string): string {
  let count = 0;
  const words = text.split(' ').map((word, at, all) => {
    count = word !== '' && word === all[at - 1] ? count + 1 : 0;
    return { word, count };
  });
  const shown = words.map(({ word, count: before }) => (before < 3 ? word : before === 3 ? GAP : null));
  return shown.filter((word) => word !== null).join(' ');
}

type Repeated = ReadonlySet<number>;

/** Lines of node:test that say over again what is shown: its list, or its summary where the list has the errors too. */
function findRepeated(lines: readonly LogLine[], step: Cause['step']): Repeated {
  const repeated = new Set<number>();
  const end = step?.to ?? lines.length;
  let from = step?.from ?? 0;
  for (let at = from; at < end; at += 1) {
    if (!SUMMARY.test(lines[at]?.text ?? '')) continue;
    const listed = findListed(lines, from, at);
    from = findSummaryEnd(lines, at, end);
    const said = listed.some((one) => isSaidInFull(lines, one)) ? listRange(at, from) : [at, ...listed];
    for (const one of said) repeated.add(one);
    at = from - 1;
  }
  return repeated;
}

function findSummaryEnd(lines: readonly LogLine[], at: number, end: number): number {
  let next = at + 1;
  while (next < end && !OUTSIDE_SUMMARY.test(lines[next]?.text ?? '')) next += 1;
  return next;
}

/** Whether the list has the error of a test below its name. */
function isSaidInFull(lines: readonly LogLine[], at: number): boolean {
  return LISTED_FAILURE.test(lines[at]?.text ?? '') && /^\s+[^\s✔✖﹣▶]/.test(lines[at + 1]?.text ?? '');
}

function listRange(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function findListed(lines: readonly LogLine[], from: number, to: number): readonly number[] {
  const listed: number[] = [];
  for (let at = from; at < to; at += 1) if (LISTED.test(lines[at]?.text ?? '')) listed.push(at);
  return listed;
}

/** What says the cause; where that is little, what was printed before it. */
function takeLines(
  lines: readonly LogLine[],
  cause: Cause,
  { passing, repeated }: { readonly passing: PassingLog | undefined; readonly repeated: Repeated },
): readonly number[] {
  const { message, step } = cause;
  const headline = repeated.has(cause.headline) ? message : cause.headline;
  if (headline < 0) return [];
  const excerpt = new Excerpting(lines, repeated);
  if (printsNothing(lines, cause)) for (const at of listScript(lines, step)) excerpt.takeScript(at);
  for (const at of [headline, message, findTotal(cause), findEnd(lines, cause)]) excerpt.take(at);
  const alike: number[] = [];
  for (const { at, kind } of rankCauseLines(lines, cause, passing)) {
    if (excerpt.size >= MAX_TAKEN) break;
    if (kind === 'frame' || isForeignFrame(lines, at)) continue;
    if (excerpt.countLike(at) < MAX_ALIKE) excerpt.take(at);
    else alike.push(at);
  }
  for (const at of alike) excerpt.take(at);
  for (const at of listAround(lines, cause)) if (excerpt.size < LITTLE) excerpt.take(at);
  return excerpt.list();
}

/** Where the cause is little: what else the step says of a failure, the firmest and nearest first, and the next lines. */
function listAround(lines: readonly LogLine[], { errorLines, headline, step }: Cause): readonly number[] {
  const others = errorLines
    .filter(({ kind, isHeading }) => !isHeading && kind !== 'said' && kind !== 'end')
    .sort((a, b) => RANKS[b.kind] - RANKS[a.kind] || Math.abs(a.at - headline) - Math.abs(b.at - headline));
  const after = listTexts(lines, headline + 1, step?.to ?? lines.length).slice(0, LITTLE);
  const before = listRange(Math.max(step?.from ?? 0, headline - CONTEXT), headline).toReversed();
  return [...others.map(({ at }) => at), ...after, ...before].filter((at) => !isHarmless(lines[at]?.text ?? ''));
}

/** Whether the step printed nothing but that it ended. */
function printsNothing(lines: readonly LogLine[], { step, errorLines }: Cause): boolean {
  if (step === null) return false;
  const said = lines.slice(step.from, step.to).filter((line) => isPrinted(line) && line.text.trim() !== '');
  return said.length <= errorLines.filter(({ kind }) => kind === 'end').length;
}

/** Nothing but the command and its end is known. */
function describeSilence(lines: readonly LogLine[], { step, message }: Cause): string {
  const ended = formatHeadline(lines[message]?.text ?? '');
  return step?.name ? formatHeadline(`${ended.replace(/\.$/, '')}, with nothing printed by: ${step.name}`) : ended;
}

/** The commands of the step as the runner shows them, without how it runs them. */
function listScript(lines: readonly LogLine[], step: Cause['step']): readonly number[] {
  const shown = listRange(step?.from ?? 0, step?.to ?? 0).filter((at) => lines[at]?.mark === 'echo');
  const settings = shown.findIndex((at) => /^(?:shell: |env:|with:)/.test(lines[at]?.text ?? ''));
  return settings < 0 ? shown : shown.slice(0, settings);
}

/** Where a tool says last how much failed; -1: nowhere below the headline. */
function findTotal({ errorLines, headline }: Cause): number {
  return errorLines.findLast(({ at, kind }) => kind === 'summary' && at > headline)?.at ?? -1;
}

/** With which code the step ended, where that says more than that it failed; -1: it does not. */
function findEnd(lines: readonly LogLine[], { errorLines }: Cause): number {
  const at = errorLines.findLast(({ kind }) => kind === 'end')?.at ?? -1;
  return /\b(?:code|status):? (?!1\b)\d{1,5}\.?$/.test(lines[at]?.text ?? '') ? at : -1;
}

/** The place of a frame of Rust is on the line below its function. */
function isForeignFrame(lines: readonly LogLine[], at: number): boolean {
  const text = lines[at]?.text ?? '';
  const below = lines[at + 1]?.text ?? '';
  return FRAME.test(text) && FOREIGN.test(/^\s*\d/.test(text) && /^\s{4,40}at /.test(below) ? below : text);
}

/** Distinct lines that were printed, as many as there is room for. */
class Excerpting {
  readonly #lines: readonly LogLine[];
  readonly #taken = new Map<number, string>();
  readonly #texts = new Set<string>();
  readonly #shapes = new Map<string, number>();
  readonly #repeated: Repeated;
  #bytes = 0;

  constructor(lines: readonly LogLine[], repeated: Repeated) {
    this.#lines = lines;
    this.#repeated = repeated;
  }

  get size(): number {
    return this.#taken.size;
  }

  /** How many of its lines differ from this one only in names and numbers. */
  countLike(at: number): number {
    return this.#shapes.get(formShape(this.#lines[at]?.text.trim() ?? '')) ?? 0;
  }

  take(at: number): void {
    const line = this.#lines[at];
    if (line && isPrinted(line)) this.takeScript(at);
  }

  /** Also of what the runner shows before it runs it. */
  takeScript(at: number): void {
    const line = this.#lines[at];
    const text = line?.text.trim() ?? '';
    if (!line || text === '' || this.size >= MAX_TAKEN || this.#repeated.has(at)) return;
    if (this.#taken.has(at) || (this.#texts.has(text) && !/^\s/.test(line.text))) return;
    const bytes = Buffer.byteLength(cutExcerptLine(line.text)) + 5;
    if (this.#bytes + bytes > MAX_BYTES || isSeparator(text)) return;
    this.#taken.set(at, text);
    this.#texts.add(text);
    this.#shapes.set(formShape(text), this.countLike(at) + 1);
    this.#bytes += bytes;
  }

  /** The most informative first. */
  list(): readonly number[] {
    return [...this.#taken.keys()];
  }
}

/** A rule, or a heading between rules; how much failed is none. */
function isSeparator(text: string): boolean {
  if (HEADING.test(text)) return true;
  return RULE_FIRST.test(text) && (!/\p{L}/u.test(text) || (RULE_LAST.test(text) && !TOTAL.test(text)));
}

/** A single line that is left out costs no more than the mark for it. */
function markGaps(lines: readonly LogLine[], taken: readonly number[], repeated: Repeated): readonly string[] {
  const shown: string[] = [];
  taken.forEach((at, index) => {
    const between = index === 0 ? [] : listTexts(lines, (taken[index - 1] ?? at) + 1, at);
    const [only = at] = between;
    const { text = '', mark = 'echo' } = lines[only] ?? {};
    const isShown = mark !== 'echo' && !isForeignFrame(lines, only) && !isSeparator(text.trim()) && !repeated.has(only);
    if (between.length === 1 && isShown) shown.push(cutExcerptLine(text));
    else if (between.length > 0) shown.push(GAP);
    shown.push(cutExcerptLine(lines[at]?.text ?? ''));
  });
  return shown;
}

function cutExcerptLine(text: string): string {
  return cutMiddle(text, MAX_SHOWN_LINE);
}

function listTexts(lines: readonly LogLine[], from: number, to: number): readonly number[] {
  const found: number[] = [];
  for (let at = from; at < to; at += 1) if ((lines[at]?.text ?? '').trim() !== '') found.push(at);
  return found;
}
