// What a step said last before it ended: of any tool the likeliest reason, where none of its lines is known.
import { type ErrorKind, isHarmless } from './error-patterns.ts';
import type { LogLine, LogStep } from './log-lines.ts';

export interface ErrorLine {
  readonly at: number;
  readonly kind: ErrorKind;
  readonly isHeading: boolean;
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

export function saysSomething(text: string): boolean {
  return SENTENCE.test(text) && !isHarmless(text);
}

/**
 * What was said last before the step ended: of any tool the likeliest reason, where none of its lines is known. A short
 * paragraph has the one before it as well.
 */
export function findLastWords(
  lines: readonly LogLine[],
  { step, errorLines }: { readonly step: LogStep; readonly errorLines: readonly ErrorLine[] },
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

/** The line without its names and numbers. */
export function formShape(text: string): string {
  return text.replace(/\S+/g, (word) => (/[\d/\\.'"]/.test(word) ? '#' : word));
}

/** Index of the last line before those that only say that it ended. */
function findEnding(
  lines: readonly LogLine[],
  { step, errorLines }: { readonly step: LogStep; readonly errorLines: readonly ErrorLine[] },
): number {
  const ends = new Set(errorLines.filter(({ kind }) => kind === 'end' || kind === 'summary').map(({ at }) => at));
  for (let at = step.to - 1; at >= step.from; at -= 1) {
    const { text = '', mark = '' } = lines[at] ?? {};
    if (mark === '' && text.trim() !== '' && !ends.has(at) && !ENDING.test(text)) return at;
  }
  return step.from - 1;
}
