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
  indent: number;
  /** Of the section that it is in. */
  ends: RegExp | null;
  isDiff: boolean;
  /** Lines since the last of it that belong to it if another error line follows. */
  pending: number[];
  /** How many of these are not blank. */
  loose: number;
}

/** Up to so many lines between two error lines belong to both. */
const MAX_LOOSE = 2;

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

const NOT_OK = /^\s{0,40}not ok \d/;

/** What TAP says of a failed test below it, in YAML. */
const YAML: Section = { opens: /^\s{1,40}---$/, ends: /^\s{1,40}\.\.\.$|^\s{0,40}(?:not ok|ok) \d|^\s{0,40}1\.\.\d/ };

/** A part of what failed that did not. */
const PASSED = /^\s*(?:--- (?:PASS|SKIP): |[✓✔√] |ok )/;

/** A rule, or the mere name of a place. */
const SEPARATOR = /^\s*[-=_*─]{3,}$|^\S{1,300}:\d+$/;

/** Go names the package over what its compiler says. */
const PACKAGE = /^# \S+(?: \[\S+\])?$/;

/** Builds of images say the instruction, and then that it failed. */
const IMAGE_STEP = /^(#\d{1,4} )\[[^\]]{1,100}\] \S/;

/** Loggers say in which work an exception came. */
const LOGGED = /^\W{0,3}(?:WARN(?:ING)?|ERROR|SEVERE|FATAL)\b/;

const EXCEPTION = /^(?:[\w$]{1,100}\.){1,20}[\w$]{1,100}(?:Exception|Error)\b/;

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
    if (!line || !isPrinted(line) || this.#open?.ends?.test(line.text)) this.#close();
    if (!line || !isPrinted(line)) return;
    if (kind === undefined) this.#readOther(at, line.text);
    else if (kind === 'end') this.#readEnd();
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
      const ends = findSectionEnd(text);
      this.#open = { lines, kind, indent: measureIndent(text), ends, isDiff: false, pending: [], loose: 0 };
      return;
    }
    this.#extend(at);
    if (RANKS[kind] > RANKS[this.#open.kind]) this.#open.kind = kind;
    this.#open.ends = findSectionEnd(text) ?? this.#open.ends;
  }

  /** That it ended closes a block, unless a section goes on behind it. */
  #readEnd(): void {
    if (!this.#open?.ends) this.#close();
  }

  #readOther(at: number, text: string): void {
    const open = this.#open;
    if (!open) return;
    this.#readForm(open, at, text);
    const isOther = isHarmless(text) || this.#passing?.has(text) === true;
    const isDeeper = measureIndent(text) > open.indent;
    if (text.trim() === '' || SEPARATOR.test(text)) open.pending.push(at);
    else if (this.#isContinuing(open, text) || (isDeeper && !isOther)) this.#extend(at);
    else if (!isDeeper || !PASSED.test(text)) this.#loosen(at, isOther);
  }

  /** What a line says of those that follow it. */
  #readForm(open: OpenBlock, at: number, text: string): void {
    if (at - (open.lines[0] ?? at) > MAX_SECTION) open.ends = null;
    if (text.startsWith('@@ ')) open.isDiff = true;
    if (isYaml(text, this.#lines[at - 1])) open.ends = YAML.ends;
  }

  /** Whether a line is of an open block in any case. */
  #isContinuing({ ends, isDiff }: OpenBlock, text: string): boolean {
    return (
      ends !== null ||
      CONTINUATION.test(text) ||
      (isDiff && /^[ +-]/.test(text)) ||
      (this.#isTap && DIAGNOSTIC.test(text))
    );
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

/** Whether a line opens what TAP says of the failed test on the line before. */
function isYaml(text: string, before: LogLine | undefined): boolean {
  return YAML.opens.test(text) && NOT_OK.test(before?.text ?? '');
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

/** What ends the section that this line opens; null: it opens none. */
function findSectionEnd(text: string): RegExp | null {
  return SECTIONS.find(({ opens }) => opens.test(text))?.ends ?? null;
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
