// The lines of a log that belong to the cause: error lines with the frames, values and text that follow them, the most
// informative first.
import { type ErrorKind, isHarmless } from './error-patterns.ts';
import { type Cause, ERROR_RANK, isPrinted, rankKind } from './find-cause.ts';
import type { LogLine, PassingLog } from './log-lines.ts';

/** Consecutive lines of a step that are about one failure. */
interface Block {
  readonly from: number;
  /** Index of the line after its last. */
  readonly to: number;
  /** The kind of its most informative line. */
  readonly kind: ErrorKind;
}

interface Reading {
  readonly lines: readonly LogLine[];
  readonly passing: PassingLog | undefined;
  readonly blocks: Block[];
  open: OpenBlock | null;
}

interface OpenBlock {
  readonly from: number;
  to: number;
  /** The same without what only says that it is over. */
  firm: number;
  kind: ErrorKind;
  indent: number;
  /** Of the section that it is in. */
  ends: RegExp | null;
  /** Lines in a row that belong to nothing. */
  loose: number;
}

/** Up to so many lines between two error lines belong to both. */
const MAX_LOOSE = 2;

/**
 * Lines that go on with what was said, at any depth: frames, causes, differences, source with its line numbers, what
 * tools point at.
 */
const CONTINUATION =
  /^(?:\s*(?:at |\.{3} \d+ more|Caused by: |Caused: |Suppressed: |Also: |During handling of|The above exception)|[+-]\s|@@ |\s*\||\s*\d+ \||\s*-->|\s*= |\s*[\^~]|> |E {3}|goroutine \d|created by |stderr: |stdout: |[\])}])/;

/** A rule, or the mere name of a place. */
const SEPARATOR = /^\s*[-=_*─]{3,}$|^\S{1,300}:\d+$/;

/** Go names the package over what its compiler says. */
const PACKAGE = /^# \S+(?: \[\S+\])?$/;

/** Builds of images say the instruction, and then that it failed. */
const IMAGE_STEP = /^(#\d{1,4} )\[[^\]]{1,100}\] \S/;

/** Loggers say in which work an exception came. */
const LOGGED = /^\W{0,3}(?:WARN(?:ING)?|ERROR|SEVERE|FATAL)\b/;

const EXCEPTION = /^(?:[\w$]{1,100}\.){1,20}[\w$]{1,100}(?:Exception|Error)\b/;

/** Everything that a step says about failures, in order. */
function readBlocks(lines: readonly LogLine[], cause: Cause, passing?: PassingLog): readonly Block[] {
  const { step, errorLines } = cause;
  const reading: Reading = { lines, passing, blocks: [], open: null };
  if (!step) return [];
  let next = step.from;
  for (const { at, kind } of errorLines) {
    readOpen(reading, next, at);
    readLine(reading, at, kind);
    next = at + 1;
  }
  readOpen(reading, next, step.to);
  closeBlock(reading, true);
  return reading.blocks;
}

/** What belongs to no block is not looked at. */
function readOpen(reading: Reading, from: number, to: number): void {
  for (let at = from; at < to && reading.open; at += 1) readLine(reading, at, undefined);
}

function readLine(reading: Reading, at: number, kind: ErrorKind | undefined): void {
  const line = reading.lines[at];
  if (!line || !isPrinted(line) || reading.open?.ends?.test(line.text)) closeBlock(reading);
  const { open } = reading;
  if (!line || !isPrinted(line)) return;
  if (kind && open) continueBlock(open, line.text, { at, kind });
  else if (kind) beginBlock(reading, at, kind);
  else if (open && line.text.trim() !== '') readMore(reading, open, at);
}

function beginBlock(reading: Reading, at: number, kind: ErrorKind): void {
  if (kind === 'end') return;
  const { lines } = reading;
  const text = lines[at]?.text ?? '';
  const from = isSubjectOf(lines[at - 1], text) ? at - 1 : at;
  reading.open = {
    from,
    to: at + 1,
    firm: at + 1,
    kind,
    indent: measureIndent(text),
    ends: findSectionEnd(text),
    loose: 0,
  };
}

/** Whether the line before an error line says what that is about. */
function isSubjectOf(before: LogLine | undefined, text: string): boolean {
  if (!before || !isPrinted(before)) return false;
  const part = IMAGE_STEP.exec(before.text)?.[1];
  if (part !== undefined) return text.startsWith(part);
  return PACKAGE.test(before.text) || (LOGGED.test(before.text) && EXCEPTION.test(text));
}

/** A line that only says that it ended belongs to a block only directly after it. */
function continueBlock(
  open: OpenBlock,
  text: string,
  { at, kind }: { readonly at: number; readonly kind: ErrorKind },
): void {
  if (kind === 'end' && open.loose > 0 && !open.ends) return;
  if (kind === 'end') {
    open.to = at + 1;
    return;
  }
  extendBlock(open, at);
  const rank = rankKind(kind);
  if (rank > rankKind(open.kind)) open.kind = kind;
  if (rank >= ERROR_RANK) open.indent = measureIndent(text);
  open.ends = findSectionEnd(text) ?? open.ends;
}

function readMore(reading: Reading, open: OpenBlock, at: number): void {
  const text = reading.lines[at]?.text ?? '';
  if (at - open.from > MAX_SECTION) open.ends = null;
  const isOther = isHarmless(text) || reading.passing?.has(text) === true;
  if (open.ends || CONTINUATION.test(text) || (!isOther && measureIndent(text) > open.indent)) extendBlock(open, at);
  else if (!SEPARATOR.test(text)) {
    open.loose += 1;
    if (isOther || open.loose > MAX_LOOSE) closeBlock(reading);
  }
}

function measureIndent(text: string): number {
  return text.length - text.trimStart().length;
}

function extendBlock(open: OpenBlock, at: number): void {
  open.to = at + 1;
  open.firm = at + 1;
  open.loose = 0;
}

function closeBlock(reading: Reading, isLast = false): void {
  const { open } = reading;
  if (open) reading.blocks.push({ from: open.from, to: isLast ? open.to : open.firm, kind: open.kind });
  reading.open = null;
}

interface Section {
  readonly opens: RegExp;
  /** The first line that is no longer of it. */
  readonly ends: RegExp;
}

const SECTIONS: readonly Section[] = [
  // pytest
  { opens: /^=+ (?:FAILURES|ERRORS) =+$/, ends: /^={3,} .{1,200} ={3,}$|^-+ .{0,80}coverage/ },
  // unittest, nose
  { opens: /^={70}$/, ends: /^Ran \d+ tests? in / },
  // Jest
  {
    opens: /^\s{0,4}● (?!Console|Deprecation|Validation Warning)\S/,
    ends: /^(?:Test Suites?:|Tests:|Snapshots?:|PASS|FAIL|RUNS|Summary of all)\b/,
  },
  // Mocha
  { opens: /^\s{1,8}\d{1,4} failing$/, ends: /^(?:npm (?:ERR!|error)|error Command|Done in|-{10}|={10}|make|\$ )/ },
  // RSpec
  { opens: /^Failures:$/, ends: /^(?:Finished in|Failed examples:|Top \d|\d+ examples?,)/ },
  // Cargo
  { opens: /^---- .{1,200} stdout ----$/, ends: /^(?:failures:|test result:)/ },
  // PHPUnit
  { opens: /^There (?:was|were) \d+ (?:failures?|errors?):$/, ends: /^(?:FAILURES!|ERRORS!|Tests: \d)/ },
  // Gradle
  { opens: /^\* What went wrong:/, ends: /^\* (?:Try|Get more help|Exception is)\b/ },
  // Go
  { opens: /^(?:panic: |fatal error: )/, ends: /^(?:FAIL|ok {2}|exit status|=== |--- )/ },
  // AddressSanitizer and its kin
  { opens: /==\d{1,10}== ?ERROR: \w{1,30}Sanitizer/, ends: /^(?:==\d{1,10}== ?ABORTING|SUMMARY: )/ },
];

/** A section whose end never comes ends here. */
const MAX_SECTION = 600;

/** What ends the section that this line opens; null: it opens none. */
function findSectionEnd(text: string): RegExp | null {
  return SECTIONS.find(({ opens }) => opens.test(text))?.ends ?? null;
}

interface CauseLine {
  /** Index of the line. */
  readonly at: number;
  /** `detail`: it continues another line. `frame`: one more of a stack, after those that show where it was. */
  readonly kind: ErrorKind | 'detail' | 'frame';
}

interface CauseLinesOptions {
  /** Of the same job, where one is known. */
  readonly passing?: PassingLog | undefined;
  /** At most so many lines. */
  readonly most: number;
}

const FRAME = /^\s*(?:at |\.{3} \d+ more|#\d+:? |\d+: 0x|from \/|File ")/;

/** Frames in a row that still show where it was. */
const FIRST_FRAMES = 5;

/** So many lines of each block come before more of any. */
const SHARE = 3;

/** In order, each once. */
export function findCauseLines(
  lines: readonly LogLine[],
  cause: Cause,
  { passing, most }: CauseLinesOptions,
): readonly CauseLine[] {
  return [...rankCauseLines(lines, cause, passing)].slice(0, most).sort((a, b) => a.at - b.at);
}

/** All of them, the most informative first; each block is read when it is its turn. */
export function* rankCauseLines(lines: readonly LogLine[], cause: Cause, passing?: PassingLog): Generator<CauseLine> {
  const kinds = new Map(cause.errorLines.map(({ at, kind }) => [at, kind] as const));
  const rests: (readonly CauseLine[])[] = [];
  for (const block of chooseBlocks(readBlocks(lines, cause, passing), cause.headline, passing !== undefined)) {
    const told = orderLines(lines, block, { kinds, message: cause.message });
    yield* told.slice(0, SHARE);
    rests.push(told.slice(SHARE));
  }
  yield* rests.flat();
}

/**
 * The section of the first error, and what follows it. One before it is believed where a tool says what is wrong,
 * such as the heading of a list, or where a passing log has none like it (`isCompared`).
 */
function chooseBlocks(blocks: readonly Block[], headline: number, isCompared: boolean): readonly Block[] {
  const best = blocks.reduce((most, { kind }) => Math.max(most, rankKind(kind)), -1);
  const own = blocks.find(({ from, to }) => from <= headline && headline < to);
  const others = blocks.filter((block) => {
    const rank = rankKind(block.kind);
    return (
      block !== own &&
      rank >= rankKind('summary') &&
      (block.from > headline || (rank === best && (best > ERROR_RANK || isCompared)))
    );
  });
  return own ? [own, ...others] : others;
}

interface Marks {
  readonly kinds: ReadonlyMap<number, ErrorKind>;
  readonly message: number;
}

/** The lines of a block: its first and its message, other error lines, what continues them, frames, blank lines. */
function orderLines(lines: readonly LogLine[], { from, to }: Block, { kinds, message }: Marks): readonly CauseLine[] {
  const ranked: CauseLine[][] = [[], [], [], [], []];
  let frames = 0;
  for (let at = from; at < to; at += 1) {
    const line = lines[at];
    if (!line || !isPrinted(line)) continue;
    frames = FRAME.test(line.text) ? frames + 1 : 0;
    const isFrame = frames > FIRST_FRAMES;
    const sign = kinds.get(at);
    const value = at === message || at === from ? 0 : classifyCauseLine(line.text, sign, isFrame);
    ranked[value]?.push({ at, kind: sign ?? (isFrame ? 'frame' : 'detail') });
  }
  return ranked.flat();
}

function classifyCauseLine(text: string, kind: ErrorKind | undefined, isFrame: boolean): number {
  if (text.trim() === '' || kind === 'end') return 4;
  if (kind !== undefined && rankKind(kind) >= ERROR_RANK) return 1;
  return isFrame ? 3 : 2;
}
