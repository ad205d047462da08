// The lines of a step that hang together: an error with its heading, values, frames and text, and what a program said
// last.
import { type ErrorKind, isHarmless } from './error-patterns.ts';
import type { LogLine, PassingLog, Step } from './log-lines.ts';

export interface ErrorLine {
  readonly at: number;
  readonly kind: ErrorKind;
  readonly isHeading: boolean;
}

/** Lines that are about one failure, in order; blank lines and lines about what passed are not among them. */
export interface Block {
  readonly lines: readonly number[];
  /** The kind of its most informative line. */
  readonly kind: ErrorKind;
}

/** From the most to the least informative. */
export const RANKS: Readonly<Record<ErrorKind, number>> = {
  verdict: 4,
  error: 3,
  summary: 2,
  weak: 1,
  said: 0,
  end: 0,
};

interface OpenBlock {
  readonly lines: number[];
  kind: ErrorKind;
  readonly indent: number;
  /** Lines since the last of it that belong to it if another error line follows. */
  pending: number[];
  /** How many of these are not blank. */
  loose: number;
}

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

/** Builds of images say the instruction, and then that it failed. */
const IMAGE_STEP = /^(#\d{1,4} )\[[^\]]{1,100}\] \S/;

/** Loggers say in which work an exception came. */
const LOGGED = /^\W{0,3}(?:WARN(?:ING)?|ERROR|SEVERE|FATAL)\b/;

const EXCEPTION = /^(?:[\w$]{1,100}\.){1,20}[\w$]{1,100}(?:Exception|Error)\b/;

/** Everything that a step says about failures, in order. */
export function readBlocks(
  lines: readonly LogLine[],
  { step, errorLines }: { readonly step: Step; readonly errorLines: readonly ErrorLine[] },
  passing?: PassingLog,
): readonly Block[] {
  const isTap = lines.slice(step.from, step.to).some((line) => isPrinted(line) && TAP.test(line.text));
  const reader = new BlockReader(lines, passing, isTap);
  const kinds = new Map(errorLines.map(({ at, kind }) => [at, kind] as const));
  for (let at = step.from; at < step.to; at += 1) reader.read(at, kinds.get(at));
  return reader.finish();
}

class BlockReader {
  readonly #lines: readonly LogLine[];
  readonly #passing: PassingLog | undefined;
  readonly #blocks: Block[] = [];
  readonly #isTap: boolean;
  #open: OpenBlock | null = null;

  constructor(lines: readonly LogLine[], passing: PassingLog | undefined, isTap: boolean) {
    this.#lines = lines;
    this.#passing = passing;
    this.#isTap = isTap;
  }

  read(at: number, kind: ErrorKind | undefined): void {
    const line = this.#lines[at];
    if (!line || !isPrinted(line) || kind === 'end') this.#close();
    else if (kind === undefined) this.#readOther(at, line.text);
    else this.#readError(at, kind);
  }

  finish(): readonly Block[] {
    this.#close();
    return this.#blocks;
  }

  #readError(at: number, kind: ErrorKind): void {
    const text = this.#lines[at]?.text ?? '';
    if (!this.#open) {
      const lines = isSubjectOf(this.#lines[at - 1], text) ? [at - 1, at] : [at];
      this.#open = { lines, kind, indent: measureIndent(text), pending: [], loose: 0 };
      return;
    }
    this.#extend(at);
    if (RANKS[kind] > RANKS[this.#open.kind]) this.#open.kind = kind;
  }

  #readOther(at: number, text: string): void {
    const open = this.#open;
    if (!open) return;
    const isOther = isHarmless(text) || this.#passing?.has(text) === true;
    const isDeeper = measureIndent(text) > open.indent;
    if (text.trim() === '' || SEPARATOR.test(text)) open.pending.push(at);
    else if (CONTINUATION.test(text) || (this.#isTap && DIAGNOSTIC.test(text)) || (isDeeper && !isOther)) this.#extend(at);
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
    if (this.#open) this.#blocks.push({ lines: this.#open.lines, kind: this.#open.kind });
    this.#open = null;
  }
}

/** Whether the line before an error line says what that is about. */
function isSubjectOf(before: LogLine | undefined, text: string): boolean {
  if (!before || !isPrinted(before) || before.text.trim() === '') return false;
  const part = IMAGE_STEP.exec(before.text)?.[1];
  if (part !== undefined) return text.startsWith(part);
  if (PACKAGE.test(before.text) || (LOGGED.test(before.text) && EXCEPTION.test(text))) return true;
  if (isHarmless(before.text)) return false;
  return measureIndent(text) > measureIndent(before.text) || /^[A-Z][\w ]{2,40}:$/.test(before.text);
}

function measureIndent(text: string): number {
  return text.length - text.trimStart().length;
}

/** Whether a program printed it, or the runner as an error; not what the runner shows of the script. */
export function isPrinted({ mark }: LogLine): boolean {
  return mark === '' || mark === 'error';
}

/** Tools show the command that they run next. */
const ECHO = /^(?:\+{1,2} (?!b\/)|\$ |> )\S/;

/** What programs say that ran another one, after that failed. */
const ENDING =
  /^\W{0,3}(?:make(?:\[\d+\])?: |gmake|npm (?:ERR!|error)|rake aborted|Tasks: TOP|\(See full trace|Command failed|error Command|lerna ERR!|ERROR: "[^"]{1,100}" exited|.{0,200} exited with (?:code )?\d|.{0,200}(?:non-zero|exit code|exit status|status code))/i;

const MOST_WORDS = 40;

const FEW_WORDS = 6;

/** A single word, such as `done`, says nothing. */
const SENTENCE = /\S\s\S/;

/**
 * What was said last before the step ended: of any tool the likeliest reason, where none of its lines is known. A short
 * paragraph has the one before it as well.
 */
export function findLastWords(
  lines: readonly LogLine[],
  { step, errorLines }: { readonly step: Step; readonly errorLines: readonly ErrorLine[] },
): readonly number[] {
  const words: number[] = [];
  for (let at = findEnding(lines, { step, errorLines }); at >= step.from && words.length < MOST_WORDS; at -= 1) {
    const isBlank = lines[at]?.text.trim() === '';
    if (isBlank ? words.length >= FEW_WORDS : !isWord(lines, at, words.length === 0)) break;
    if (!isBlank) words.unshift(at);
  }
  return words.some((word) => SENTENCE.test(lines[word]?.text ?? '')) ? words : [];
}

function isWord(lines: readonly LogLine[], at: number, isLast: boolean): boolean {
  const { text = '', mark = 'command' } = lines[at] ?? {};
  return mark === '' && !ECHO.test(text) && !isHarmless(text) && (isLast || !isProgress(lines, at));
}

const LISTED = /^\s*(?:\d{1,5}[.)]|[-*•]) /;

/** Whether it and the two lines before it differ only in names and numbers; items of a list do as well. */
function isProgress(lines: readonly LogLine[], at: number): boolean {
  const [first, ...rest] = [at, at - 1, at - 2].map((index) => formShape(lines[index]?.text ?? ''));
  return first !== '' && !LISTED.test(lines[at]?.text ?? '') && rest.every((shape) => shape === first);
}

function formShape(text: string): string {
  return text.replace(/\S{0,200}[\d/\\.'"]\S{0,200}/g, '#');
}

/** Index of the last line before those that only say that it ended. */
function findEnding(
  lines: readonly LogLine[],
  { step, errorLines }: { readonly step: Step; readonly errorLines: readonly ErrorLine[] },
): number {
  const ends = new Set(errorLines.filter(({ kind }) => kind === 'end' || kind === 'summary').map(({ at }) => at));
  for (let at = step.to - 1; at >= step.from; at -= 1) {
    const { text = '', mark = '' } = lines[at] ?? {};
    if (mark === '' && text.trim() !== '' && !ends.has(at) && !ENDING.test(text)) return at;
  }
  return step.from - 1;
}
