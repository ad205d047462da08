// Telling lines with what belongs to them: frames, compared values, the rest of a message, up to the next line about something else.
import type { SignKind } from './error-sign-table.ts';
import { isHarmless } from './error-signs.ts';
import { MAX_SECTION, sectionEnd } from './failure-sections.ts';
import { type Cause, ERROR, isPrinted, rankOfKind } from './find-cause.ts';
import type { PassingLog } from './passing-log.ts';
import type { PlainLine } from './plain-lines.ts';

/** Lines of a step that stand together and tell of one failure. */
export interface Block {
  readonly from: number;
  /** Index of the line after its last. */
  readonly to: number;
  /** The kind of its most telling line. */
  readonly kind: SignKind;
}

interface Reading {
  readonly lines: readonly PlainLine[];
  readonly passing: PassingLog | undefined;
  readonly blocks: Block[];
  open: Open | null;
}

interface Open {
  readonly from: number;
  to: number;
  /** The same without what only says that it is over. */
  firm: number;
  kind: SignKind;
  indent: number;
  /** Of the section that it is in. */
  ends: RegExp | null;
  /** Lines in a row that belong to nothing. */
  loose: number;
}

/** So few lines between two that tell belong to both. */
const MAX_LOOSE = 2;
/** Lines that go on with what was said, at any depth: frames, causes, differences, source with its line numbers, what tools point at. */
const MORE =
  /^(?:\s*(?:at |\.{3} \d+ more|Caused by: |Caused: |Suppressed: |Also: |During handling of|The above exception)|[+-]\s|@@ |\s*\||\s*\d+ \||\s*-->|\s*= |\s*[\^~]|> |E {3}|goroutine \d|created by |stderr: |stdout: |[\])}])/;
/** A rule, or the mere name of a place. */
const RULE = /^\s*[-=_*─]{3,}$|^\S{1,300}:\d+$/;
/** Go names the package over what its compiler says. */
const PACKAGE = /^# \S+(?: \[\S+\])?$/;
/** Builds of images say the instruction, and then that it failed. */
const IMAGE_STEP = /^(#\d{1,4} )\[[^\]]{1,100}\] \S/;
/** Loggers say in which work an exception came. */
const LOGGED = /^\W{0,3}(?:WARN(?:ING)?|ERROR|SEVERE|FATAL)\b/;
const EXCEPTION = /^(?:[\w$]{1,100}\.){1,20}[\w$]{1,100}(?:Exception|Error)\b/;

/** All that a step tells of failures, in order. */
export function blocksIn(lines: readonly PlainLine[], cause: Cause, passing?: PassingLog): readonly Block[] {
  const { step, telling } = cause;
  const reading: Reading = { lines, passing, blocks: [], open: null };
  if (!step) return [];
  let next = step.from;
  for (const { at, kind } of telling) {
    readOpen(reading, next, at);
    readLine(reading, at, kind);
    next = at + 1;
  }
  readOpen(reading, next, step.to);
  close(reading, true);
  return reading.blocks;
}

/** What belongs to no block is not looked at. */
function readOpen(reading: Reading, from: number, to: number): void {
  for (let at = from; at < to && reading.open; at += 1) readLine(reading, at, undefined);
}

function readLine(reading: Reading, at: number, kind: SignKind | undefined): void {
  const line = reading.lines[at];
  if (!line || !isPrinted(line) || reading.open?.ends?.test(line.text)) close(reading);
  const { open } = reading;
  if (!line || !isPrinted(line)) return;
  if (kind && open) goOn(open, line.text, { at, kind });
  else if (kind) begin(reading, at, kind);
  else if (open && line.text.trim() !== '') readMore(reading, open, at);
}

function begin(reading: Reading, at: number, kind: SignKind): void {
  if (kind === 'end') return;
  const { lines } = reading;
  const text = lines[at]?.text ?? '';
  const from = isSaidOf(lines[at - 1], text) ? at - 1 : at;
  reading.open = { from, to: at + 1, firm: at + 1, kind, indent: indentOf(text), ends: sectionEnd(text), loose: 0 };
}

/** Whether the line before a telling one says what that is about. */
function isSaidOf(before: PlainLine | undefined, text: string): boolean {
  if (!before || !isPrinted(before)) return false;
  const part = IMAGE_STEP.exec(before.text)?.[1];
  if (part !== undefined) return text.startsWith(part);
  return PACKAGE.test(before.text) || (LOGGED.test(before.text) && EXCEPTION.test(text));
}

/** That it is over belongs to it only where nothing stands between. */
function goOn(open: Open, text: string, { at, kind }: { readonly at: number; readonly kind: SignKind }): void {
  if (kind === 'end' && open.loose > 0 && !open.ends) return;
  if (kind === 'end') {
    open.to = at + 1;
    return;
  }
  extend(open, at);
  const rank = rankOfKind(kind);
  if (rank > rankOfKind(open.kind)) open.kind = kind;
  if (rank >= ERROR) open.indent = indentOf(text);
  open.ends = sectionEnd(text) ?? open.ends;
}

function readMore(reading: Reading, open: Open, at: number): void {
  const text = reading.lines[at]?.text ?? '';
  if (at - open.from > MAX_SECTION) open.ends = null;
  const isOther = isHarmless(text) || reading.passing?.has(text) === true;
  if (open.ends || MORE.test(text) || (!isOther && indentOf(text) > open.indent)) extend(open, at);
  else if (!RULE.test(text)) {
    open.loose += 1;
    if (isOther || open.loose > MAX_LOOSE) close(reading);
  }
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

function extend(open: Open, at: number): void {
  open.to = at + 1;
  open.firm = at + 1;
  open.loose = 0;
}

function close(reading: Reading, isLast = false): void {
  const { open } = reading;
  if (open) reading.blocks.push({ from: open.from, to: isLast ? open.to : open.firm, kind: open.kind });
  reading.open = null;
}
