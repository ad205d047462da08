// The lines of a log that belong to the cause: what hangs together with an error, such as its heading, values, frames
// and text; the most informative first.
import { DIFFERENCE_HEAD } from './assertion-values.ts';
import { ERROR_RANK, type ErrorKind, isHarmless, RANKS } from './error-patterns.ts';
import type { Cause } from './find-cause.ts';
import type { ErrorLine } from './last-words.ts';
import { isPrinted, type LogLine, type LogStep, measureLineIndent, type PassingLog } from './log-lines.ts';
import { readListHeading } from './written-places.ts';

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
  const { step } = cause;
  if (!step) return;
  const errorLines = addMessage(cause);
  const kinds = new Map(errorLines.map(({ at, kind }) => [at, kind] as const));
  const rests: (readonly CauseLine[])[] = [];
  const blocks = readBlocks(lines, { step, errorLines }, passing);
  for (const block of chooseBlocks(blocks, cause, passing !== undefined)) {
    const told = orderLines(lines, block, { kinds, message: cause.message });
    yield* told.slice(0, SHARE);
    rests.push(told.slice(SHARE));
  }
  yield* rests.flat();
  for (const other of cause.others ?? []) yield* rankCauseLines(lines, other, passing);
}

/** What a test failed with may be far from its name, and look like no error. */
function addMessage({ errorLines, message }: Cause): readonly ErrorLine[] {
  if (errorLines.some(({ at }) => at === message)) return errorLines;
  const said: ErrorLine = { at: message, kind: 'error', isHeading: false };
  return [...errorLines, said].sort((a, b) => a.at - b.at);
}

/**
 * The section of the first error, and what follows it. One before it is believed where a tool says what is wrong,
 * such as the heading of a list, or where a passing log has none like it (`isCompared`).
 */
function chooseBlocks(
  blocks: readonly FailureBlock[],
  { headline, message }: Cause,
  isCompared: boolean,
): readonly FailureBlock[] {
  const best = blocks.reduce((most, { kind }) => Math.max(most, RANKS[kind]), -1);
  const own = blocks.find((block) => block.lines.includes(headline));
  const told = blocks.find((block) => block !== own && block.lines.includes(message));
  const others = blocks.filter((block) => {
    const rank = RANKS[block.kind];
    return (
      block !== own &&
      block !== told &&
      rank >= RANKS.summary &&
      ((block.lines[0] ?? 0) > headline || (rank === best && (best > ERROR_RANK || isCompared)))
    );
  });
  return [own, told, ...others].filter((block) => block !== undefined);
}

interface Marks {
  readonly kinds: ReadonlyMap<number, ErrorKind>;
  readonly message: number;
}

/** The lines of a block: its first and its message, other error lines, what continues them, frames, blank lines. */
function orderLines(lines: readonly LogLine[], block: FailureBlock, { kinds, message }: Marks): readonly CauseLine[] {
  const ranked: CauseLine[][] = [[], [], [], [], []];
  let frames = 0;
  let isDifference = false;
  for (const at of block.lines) {
    const line = lines[at];
    if (!line || !isPrinted(line)) continue;
    isDifference = DIFFERENCE_HEAD.test(line.text) || (isDifference && line.text.trim() !== '');
    if ((isDifference && !CHANGED.test(line.text)) || COUNTED.test(line.text)) {
      ranked[3]?.push({ at, kind: 'detail' });
      continue;
    }
    frames = FRAME.test(line.text) ? frames + 1 : 0;
    const isFrame = frames > FIRST_FRAMES;
    const sign = kinds.get(at);
    const value = at === message || at === block.lines[0] ? 0 : classifyCauseLine(line.text, sign, isFrame);
    ranked[value]?.push({ at, kind: sign ?? (isFrame ? 'frame' : 'detail') });
  }
  return ranked.flat();
}

/** Of a difference, what isn't only around it. */
const CHANGED = /^[+-](?![+-]{2} )/;

/** Minitest's number of a failure, whose test is on the next line. */
const COUNTED = /^ {1,4}\d{1,4}\) (?:Failure|Error):$/;

function classifyCauseLine(text: string, kind: ErrorKind | undefined, isFrame: boolean): number {
  if (text.trim() === '' || kind === 'end') return 4;
  if (kind !== undefined && RANKS[kind] >= ERROR_RANK) return 1;
  return isFrame ? 3 : 2;
}

/** Lines that are about one failure, in order; blank lines and lines about what passed are not among them. */
interface FailureBlock {
  readonly lines: readonly number[];
  /** The kind of its most informative line. */
  readonly kind: ErrorKind;
}

interface OpenBlock {
  readonly lines: number[];
  kind: ErrorKind;
  indent: number;
  /** Lines since the last of it that belong to it if another error line follows. */
  pending: number[];
  /** How many of these are not blank. */
  loose: number;
  /** With what each check of a list begins; "" where it is of none. */
  readonly bullet: string;
}

/** A check that failed, in a list of checks: what follows is about it, up to the next. */
const CHECK = /^(\W{1,3} )\S.{0,300}[:.… ] {0,60}(?:FAIL|FAILED|ERROR)(?: \([^()]{1,40}\))?$/;

const MOST_OF_CHECK = 40;

/** Up to so many lines between two error lines belong to both. */
const MAX_LOOSE = 1;

/**
 * Lines that go on with what was said, at any depth: frames, causes, differences, source with its line numbers, what
 * tools point at.
 */
const CONTINUATION =
  /^(?:\s*(?:at |\.{3} \d+ more|Caused by: |Caused: |Suppressed: |Also: |During handling of|The above exception)|[+-]\s|[+-]{3} |@@ |\s*\||\s*\d+ \||\s*-->|\s*= |\s*[\^~]|> |E {3}|goroutine \d|created by |stderr: |stdout: |\s*[\])}])/;

/** Only where these are printed does `#` begin what a test says of its failure: see testanything.org. */
const TAP = /^\s{0,40}(?:(?:not )?ok \d|1\.\.\d{1,6}$|# {1,4}Failed test\b)/;

/** Of a test that failed; how many tests there were and which comes next are not. */
const DIAGNOSTIC =
  /^\s{0,40}#(?! {1,4}(?:Subtest: |Looks like you|(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) \d))(?:\s|$)/;

/** A rule, or the mere name of a place. */
const SEPARATOR = /^\s*[-=_*─]{3,}$|^\S{1,300}:\d+$/;

/** Go names the package over what its compiler says. */
const PACKAGE = /^# \S+(?: \[\S+\])?$/;

/** Go names the test that goes on over what it prints. */
const RUNNING = /^=== (?:CONT|NAME|RUN) /;

/** Builds of images say the instruction, and then that it failed. */
const IMAGE_STEP = /^(#\d{1,4} )\[[^\]]{1,100}\] \S/;

/** Loggers say in which work an exception came. */
const LOGGED = /^\W{0,3}(?:WARN(?:ING)?|ERROR|SEVERE|FATAL)\b/;

const EXCEPTION = /^(?:[\w$]{1,100}\.){1,20}[\w$]{1,100}(?:Exception|Error)\b/;

/** Everything that a step says about failures, in order. */
function readBlocks(
  lines: readonly LogLine[],
  { step, errorLines }: { readonly step: LogStep; readonly errorLines: readonly ErrorLine[] },
  passing?: PassingLog,
): readonly FailureBlock[] {
  const isTap = lines.slice(step.from, step.to).some((line) => isPrinted(line) && TAP.test(line.text));
  const reader = new BlockReader(lines, passing, isTap);
  const kinds = new Map(errorLines.map(({ at, kind }) => [at, kind] as const));
  for (let at = step.from; at < step.to; at += 1) reader.read(at, kinds.get(at));
  return reader.finish();
}

class BlockReader {
  readonly #lines: readonly LogLine[];
  readonly #passing: PassingLog | undefined;
  readonly #blocks: FailureBlock[] = [];
  readonly #isTap: boolean;
  #open: OpenBlock | null = null;
  /** Whether a difference goes on, up to the next blank line. */
  #isDifference = false;

  constructor(lines: readonly LogLine[], passing: PassingLog | undefined, isTap: boolean) {
    this.#lines = lines;
    this.#passing = passing;
    this.#isTap = isTap;
  }

  read(at: number, kind: ErrorKind | undefined): void {
    const line = this.#lines[at];
    if (line && isPrinted(line) && this.#isOfCheck(line.text)) this.#extend(at);
    else if (!line || !isPrinted(line) || kind === 'end') this.#close();
    else if (kind === undefined) this.#readOther(at, line.text);
    else this.#readError(at, kind);
  }

  #isOfCheck(text: string): boolean {
    const { bullet = '', lines = [] } = this.#open ?? {};
    return bullet !== '' && lines.length <= MOST_OF_CHECK && text !== '' && !text.startsWith(bullet);
  }

  finish(): readonly FailureBlock[] {
    this.#close();
    return this.#blocks;
  }

  #readError(at: number, kind: ErrorKind): void {
    const text = this.#lines[at]?.text ?? '';
    if (!this.#open) {
      const over = findPlaceOver(this.#lines, at);
      const lines = isSubjectOf(this.#lines[at - 1], text) ? [at - 1, at] : [...over, at];
      const bullet = CHECK.exec(text)?.[1] ?? '';
      this.#open = { lines, kind, indent: measureLineIndent(text), pending: [], loose: 0, bullet };
      return;
    }
    this.#extend(at);
    if (RANKS[kind] > RANKS[this.#open.kind]) this.#open.kind = kind;
    this.#open.indent = Math.min(this.#open.indent, measureLineIndent(text));
  }

  #readOther(at: number, text: string): void {
    const open = this.#open;
    if (!open) return;
    const isOther = isHarmless(text) || this.#passing?.has(text) === true;
    this.#isDifference = DIFFERENCE_HEAD.test(text) || (this.#isDifference && text.trim() !== '');
    const isDeeper = measureLineIndent(text) > open.indent;
    if (text.trim() === '' || SEPARATOR.test(text)) open.pending.push(at);
    else if (
      this.#isDifference ||
      CONTINUATION.test(text) ||
      (this.#isTap && DIAGNOSTIC.test(text)) ||
      (isDeeper && !isOther)
    )
      this.#extend(at);
    else this.#loosen(at, isOther);
  }

  /** A line that belongs to nothing, so far. */
  #loosen(at: number, isOther: boolean): void {
    const open = this.#open;
    if (!open) return;
    open.pending.push(at);
    open.loose += 1;
    if (isOther || open.loose > MAX_LOOSE) this.#close();
  }

  #extend(at: number): void {
    this.#open?.lines.push(...this.#open.pending, at);
    if (this.#open) Object.assign(this.#open, { pending: [], loose: 0 });
  }

  #close(): void {
    this.#isDifference = false;
    if (this.#open) this.#blocks.push({ lines: this.#open.lines, kind: this.#open.kind });
    this.#open = null;
  }
}

/** The place of an error that is printed over it, such as by OCaml, with the source between. */
const PLACE_OVER = /\bline \d{1,6}\b.{0,60}:$|:\d{1,6}:$/;

const SOURCE = /^\s{0,12}(?:\d{1,6} ?\||[\^~|])/;

const MOST_SOURCE = 10;

/** Indexes of the lines from there to the error; none: nothing of the kind is printed over it. */
function findPlaceOver(lines: readonly LogLine[], error: number): readonly number[] {
  let at = error - 1;
  while (at > error - MOST_SOURCE && SOURCE.test(lines[at]?.text ?? '')) at -= 1;
  const place = lines[at];
  if (!place || !isPrinted(place) || !PLACE_OVER.test(place.text)) return [];
  return Array.from({ length: error - at }, (_, index) => at + index);
}

/** Whether the line before an error line says what that is about. */
function isSubjectOf(before: LogLine | undefined, text: string): boolean {
  if (!before || !isPrinted(before) || before.text.trim() === '') return false;
  const part = IMAGE_STEP.exec(before.text)?.[1];
  if (part !== undefined) return text.startsWith(part);
  if (PACKAGE.test(before.text) || (LOGGED.test(before.text) && EXCEPTION.test(text))) return true;
  if (isHarmless(before.text) && !RUNNING.test(before.text)) return false;
  if (readListHeading(before.text) !== null) return true;
  return measureLineIndent(text) > measureLineIndent(before.text) || /^[A-Z][\w ]{2,40}:$/.test(before.text);
}
