// What commands talk through: the terminal's streams as values, safe and wrapped text, faults, and the log for people.

import path from 'node:path';
import { styleText } from 'node:util';
import { CausewayError } from '../core/errors.ts';
import { quoteWord } from '../core/shell-quote.ts';

export interface Io {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdinIsTerminal: boolean;
  /** Standard output: only the answer. */
  readonly out: (text: string) => void;
  /** Standard error: progress, hints and faults. */
  readonly err: (text: string) => void;
  /** Whether somebody reads standard error on a terminal. */
  readonly errIsTerminal: boolean;
  /** Whether each of the two may be coloured: a terminal, and the user has not asked otherwise. */
  readonly colour: { readonly out: boolean; readonly err: boolean };
  /** Width of the terminal; 80 where it is unknown. */
  readonly columns: number;
  /** The caller's folder. */
  readonly cwd: string;
}

/** 0 success, 1 failed, 2 usage error, 3 the model refused and only facts were printed, 130 stopped with Ctrl-C (128 + SIGINT). */
export type ExitCode = 0 | 1 | 2 | 3 | 130;

type Paint = (text: string) => string;

export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

export function style(colour: boolean): Style {
  const paint =
    (format: keyof Style): Paint =>
    (text) =>
      colour && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    cyan: paint('cyan'),
  };
}

/** Colour codes of a log only carry noise; every other escape sequence is left to be shown. */
const COLOUR_CODE = /\u001b\[[0-9;:]*m/g;

/**
 * C0 (but tab and line feed), DEL and C1 (0x9b alone starts an escape sequence in some terminals), bidirectional controls
 * (CVE-2021-42574), invisible characters, lone surrogates. Joiners (U+200C, U+200D) stay: scripts and emoji need them.
 */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}\p{Cs}]/gu;

/** The text with control characters made visible (ESC as ␛, others as <U+202E>); tabs as two spaces; CR LF as LF. */
export function printable(text: string): string {
  return text.replace(COLOUR_CODE, '').replaceAll('\r\n', '\n').replace(UNSAFE, visible).replaceAll('\t', '  ');
}

/** The same, on one line: line breaks and runs of white space become one space. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

/** JSON whose strings hold no character that a terminal obeys: escaped, so the value is the same to whoever parses it. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(UNSAFE, (character) =>
    [...Array(character.length).keys()].map((at) => `\\u${hex(character.charCodeAt(at))}`).join(''),
  );
}

function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : `<U+${hex(code).toUpperCase()}>`;
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0');
}

/** Faults of what was asked, which the caller can put right: exit code 2. */
const WRONG_USE = new Set(['usage', 'invalid', 'absent', 'conflict']);

/**
 * Says the fault on standard error and gives the exit code: 130 where `signal` was aborted (nothing is said then), 2 for wrong use, else 1.
 * Throws what is not a CausewayError: that is our own bug, and its stack is wanted.
 */
export function reportFault(error: unknown, io: Pick<Io, 'err' | 'colour'>, signal: AbortSignal | null): ExitCode {
  if (signal?.aborted) return 130;
  if (!(error instanceof CausewayError)) throw error;
  const paint = style(io.colour.err);
  io.err(`${paint.red('causeway:')} ${printable(error.message)}\n`);
  return WRONG_USE.has(error.code) ? 2 : 1;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

const NO_WIDTH = /\p{Mn}|\p{Me}|\p{Cf}/u;

/** Columns that the text takes on a terminal: East Asian wide characters and emoji take two. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** The text in at most `columns`, its end replaced by `…` where it does not fit. */
export function truncate(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let out = '';
  let width = 0;
  for (const character of text) {
    width += displayWidth(character);
    if (width > columns - 1) break;
    out += character;
  }
  return `${out.trimEnd()}…`;
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}

/**
 * Lines of at most `columns`, each after `indent`; the first after `lead` (as wide as `indent`) where one is given.
 * Lines between ``` fences, and lines that begin with four spaces, are code: not wrapped.
 */
export function wrap(text: string, columns: number, indent: string, lead: string = indent): string[] {
  const out: string[] = [];
  let fenced = false;
  let prose = '';
  const flush = () => {
    if (prose !== '') out.push(...wrapLine(prose, columns - displayWidth(indent)));
    prose = '';
  };
  for (const line of text.split('\n')) {
    const fence = /^\s*(```|~~~)/.test(line);
    if (!fenced && !fence && goesOn(prose, line)) {
      prose += ` ${line}`;
      continue;
    }
    flush();
    if (fence) fenced = !fenced;
    else if (fenced) out.push(`    ${line}`);
    else if (/^ {4}|^$/.test(line)) out.push(line);
    else prose = line;
  }
  flush();
  return out.map((line, at) => `${at === 0 ? lead : indent}${line}`.trimEnd());
}

/** Prose that came wrapped is unwrapped first, or every second line would hold one word: a long line that goes on in lower case. */
function goesOn(before: string, line: string): boolean {
  return displayWidth(before) >= 50 && /^\p{Ll}.* /u.test(line);
}

function wrapLine(line: string, width: number): string[] {
  const own = /^\s*(?:[-*•]\s+)?/.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = own;
  for (const word of line.slice(own.length).split(/\s+/).filter(Boolean)) {
    const empty = current.trim() === '' || current === own;
    if (!empty && displayWidth(current) + 1 + displayWidth(word) > width) {
      lines.push(current);
      current = ' '.repeat(own.length) + word;
    } else {
      current += empty ? word : ` ${word}`;
    }
  }
  return [...lines, current];
}

const INDENT = '    ';

/** A destination for `createLog` that turns each line of JSON into a time of day, a level, the message and what belongs to it. */
export function readableLog(write: (text: string) => void, colour: boolean): { write(line: string): void } {
  return { write: (line) => write(readableLine(line, colour)) };
}

function readableLine(line: string, colour: boolean): string {
  const paint = style(colour);
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const name = String(level);
  const tint = name === 'warn' ? paint.yellow : name === 'error' || name === 'fatal' ? paint.red : paint.dim;
  const details = Object.entries(rest).flatMap(([key, value]) => (isEmpty(value) ? [] : `${key}=${word(value)}`));
  const parts = [
    paint.dim(timeOfDay(time)),
    tint(name.padEnd(5)),
    printableLine(String(msg ?? '')),
    paint.dim(details.join(' ')),
  ];
  return `${parts.filter((part) => part !== '').join(' ')}\n${fault(err)}`;
}

function timeOfDay(time: unknown): string {
  const moment = new Date(String(time));
  return [moment.getHours(), moment.getMinutes(), moment.getSeconds()]
    .map((number) => String(number).padStart(2, '0'))
    .join(':');
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function word(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return printableLine(/\s/.test(text) && typeof value === 'string' ? JSON.stringify(text) : text);
}

/** The stack, which begins with the message, on lines of its own. */
function fault(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as Readonly<Record<string, unknown>>;
  const text = printable(String(stack ?? message ?? JSON.stringify(err)));
  return `${text.replace(/^/gm, INDENT)}\n`;
}

export interface Launcher {
  /** From the caller's folder. */
  readonly here: string;
  /** From any folder. */
  readonly anywhere: string;
}

/** The launcher of an installation; `dataDir` is null where it is the default one, and is said along elsewhere. */
export function launcherOf(place: {
  readonly installation: string;
  readonly cwd: string;
  readonly dataDir: string | null;
}): Launcher {
  const setting = place.dataDir === null ? '' : `DATA_DIR=${quoteWord(place.dataDir)} `;
  const anywhere = `${setting}${quoteWord(path.join(place.installation, 'bin', 'causeway'))}`;
  return { here: place.cwd === place.installation ? `${setting}bin/causeway` : anywhere, anywhere };
}
