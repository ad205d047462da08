// What commands talk through: the terminal's streams as values, safe and wrapped text, faults, and the log for people.

import path from 'node:path';
import { styleText } from 'node:util';
import { toPrintable, toPrintableLine } from 'causeway-safe-markdown';
import { quoteWord } from '../core/command-words.ts';
import { CausewayError } from '../core/errors.ts';

export interface Io {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdinIsTerminal: boolean;
  /** Standard output: only the answer. */
  readonly out: (text: string) => void;
  /** Standard error: progress, hints and faults. */
  readonly err: (text: string) => void;
  /** Whether standard error is a terminal. */
  readonly errIsTerminal: boolean;
  /** Whether each of the two may be coloured. */
  readonly colour: { readonly out: boolean; readonly err: boolean };
  /** Width of each of the two: 80 in a terminal that does not say, infinite where it is none. */
  readonly columns: { readonly out: number; readonly err: number };
  /** The caller's folder. */
  readonly cwd: string;
}

/**
 * 0 success, 1 failed, 2 usage error, 3 the model failed and only facts were printed, 4 a certificate can't be verified,
 * 130 stopped with Ctrl-C (128 + SIGINT).
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 130;

interface Outlet {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/**
 * `setting`: the variable COLUMNS. A terminal without a width says 0; it may be known of the other stream. A file or
 * another program gets whole lines: paths, quotations and changes are searched for there.
 */
export function findColumns(setting: string | undefined, outlet: Outlet, other: Outlet): number {
  const wanted = /^[1-9]\d{0,3}$/.test(setting ?? '') ? Number(setting) : 0;
  if (wanted === 0 && outlet.isTTY !== true) return Number.POSITIVE_INFINITY;
  return [wanted, outlet.columns, other.columns].find((width) => width !== undefined && width > 0) ?? 80;
}

type Paint = (text: string) => string;

const FORMATS = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const;
type Format = (typeof FORMATS)[number];
export type Style = Readonly<Record<Format, Paint>>;

export function createStyle(colour: boolean): Style {
  const createPaint =
    (format: Format): Paint =>
    (text) =>
      colour && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  return Object.fromEntries(FORMATS.map((format) => [format, createPaint(format)])) as Style;
}

/** What the caller can correct: exit code 2. */
const USAGE_ERRORS = new Set(['usage', 'invalid', 'absent', 'conflict']);

/**
 * Prints the error on standard error and returns the exit code: 130 without a message if `signal` was aborted, 2 for
 * wrong use, otherwise 1. Rethrows anything but a CausewayError: that is a bug of ours, and its stack is needed.
 */
export function printError(error: unknown, io: Io, signal: AbortSignal): ExitCode {
  if (signal.aborted) return 130;
  if (!(error instanceof CausewayError)) throw error;
  const paint = createStyle(io.colour.err);
  io.err(`${paint.red('causeway:')} ${toPrintable(error.message)}\n`);
  return USAGE_ERRORS.has(error.code) ? 2 : 1;
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
export function truncateColumns(text: string, columns: number): string {
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
    if (!fenced && !fence && isContinued(prose, line)) {
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

/**
 * Wrapped prose is unwrapped first, or every second line would be one word: a long line, then one that begins in lower
 * case.
 */
function isContinued(before: string, line: string): boolean {
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

/**
 * A destination for `createLog`: each line of JSON becomes the time of day, level, message and details, and the stack
 * of an error below.
 */
export function createReadableLog(write: (text: string) => void, colour: boolean): { write(line: string): void } {
  const paint = createStyle(colour);
  return { write: (line) => write(formatLogLine(line, paint)) };
}

function formatLogLine(line: string, paint: Style): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const name = String(level);
  const paintLevel = name === 'warn' ? paint.yellow : name === 'error' || name === 'fatal' ? paint.red : paint.dim;
  const isEmpty = (value: unknown) => value === null || value === '' || (Array.isArray(value) && value.length === 0);
  const details = Object.entries(rest).flatMap(([key, value]) =>
    isEmpty(value) ? [] : `${key}=${formatDetail(value)}`,
  );
  const parts = [
    paint.dim(new Date(String(time)).toTimeString().slice(0, 8)),
    paintLevel(name.padEnd(5)),
    toPrintableLine(String(msg ?? '')),
    paint.dim(details.join(' ')),
  ];
  return `${parts.filter((part) => part !== '').join(' ')}\n${formatStack(err)}`;
}

function formatDetail(value: unknown): string {
  const isBare = typeof value === 'string' && !/\s/.test(value);
  return toPrintableLine(isBare ? value : (JSON.stringify(value) ?? ''));
}

function formatStack(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as Readonly<Record<string, unknown>>;
  return `${toPrintable(String(stack ?? message ?? JSON.stringify(err))).replace(/^/gm, '    ')}\n`;
}

export interface Launcher {
  /** From the caller's folder. */
  readonly here: string;
  /** From any folder. */
  readonly anywhere: string;
}

/** How to run the commands of this installation; a data folder other than the default is part of it. */
export function createLauncher(installation: string, cwd: string, dataDir: string | null): Launcher {
  const setting = dataDir === null ? '' : `DATA_DIR=${quoteWord(dataDir)} `;
  const anywhere = `${setting}${quoteWord(path.join(installation, 'bin', 'causeway'))}`;
  return { here: cwd === installation ? `${setting}bin/causeway` : anywhere, anywhere };
}
