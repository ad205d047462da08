// Reads frames by the table of their forms.

import { type ErrorHead, NO_ERROR, parseErrorHead } from './error-head.ts';
import type { Frame, FrameLanguage, FrameReader } from './frame.ts';
import { FRAME_TABLES, type FrameForm, type FrameTable } from './frame-forms.ts';
import { getKotlinSymbol, getShortName, parseMangledName } from './symbol-names.ts';

/** What programs put before each line of another: a time, a tag of Android's log, Valgrind's process, a level, a bar. */
const LEAD =
  /^(?:\s{0,200}(?:(?:\d{4}-\d\d-\d\d[T ][\d:.,]{8,18}(?:Z|[+-]\d\d:?\d\d)?|[A-Z]\/[\w.-]{1,40} ?\( {0,6}\d{1,8}\):|==\d{1,10}==|unparsed|[|│>])(?=\s|$)|\[[\w.:-]{1,60}\](?=\s))){0,6}/;

/** Lines over which one frame may go. */
const MOST_LINES = 3;

/** Characters of a frame over several lines, which are as many each. */
const MOST_CHARACTERS = 2_000;

let last = { line: '', text: '' };

/** Each table looks at the same line after the other. */
function cutLead(line: string): string {
  if (last.line !== line) last = { line, text: line.trim().replace(LEAD, '').trimStart() };
  return last.text;
}

interface Found {
  readonly form: FrameForm;
  readonly groups: Readonly<Record<string, string | undefined>>;
}

/** A reader for each table. */
export const FORM_READERS: readonly FrameReader[] = FRAME_TABLES.map(createFormReader);

function createFormReader(table: FrameTable): FrameReader {
  return {
    language: table.forms[0]?.language ?? 'any',
    innermostLast: table.innermostLast,
    gap: table.gap,
    frame: (lines, index) => readFrame(table, lines, index),
    ends: (line, lines, index) => begins(table, line, lines, index),
    error: (lines, first, last) => findError(table, lines, first, last),
  };
}

function find(table: FrameTable, lines: readonly string[], index: number): Found | null {
  const found = findAlone(table, lines, index);
  if (found?.form.amongOthers !== true) return found;
  const others = [index - 1, index + 1].map((at) => findAlone(table, lines, at));
  return others.some((other) => other !== null && other.form.amongOthers !== true) ? found : null;
}

/** Whatever is around it. */
function findAlone(table: FrameTable, lines: readonly string[], index: number): Found | null {
  const line = cutLead(lines[index] ?? '');
  if (!table.hint.test(line)) return null;
  const text = cutLead(joinFrameLines(table, lines, index));
  for (const form of table.forms) {
    const groups = form.line.exec(text)?.groups;
    if (groups === undefined) continue;
    const fits = fitsBeside(form.before, lines[index + 1]) && fitsBeside(form.after, lines[index - 1]);
    if (fits) return { form, groups };
  }
  return null;
}

function fitsBeside(form: RegExp | undefined, line: string | undefined): boolean {
  return form === undefined || form.test(cutLead(line ?? ''));
}

/** The frame with its place, where that is on a line below. */
function joinFrameLines({ goesOn }: FrameTable, lines: readonly string[], index: number): string {
  const line = lines[index] ?? '';
  if (goesOn === undefined) return line;
  for (let next = index + 1; next <= index + MOST_LINES; next++) {
    const below = lines[next] ?? '';
    if (goesOn.test(below)) {
      const parts = [line, ...lines.slice(index + 1, next + 1)].map((part) => part.trim());
      return parts.join(' ').slice(0, MOST_CHARACTERS);
    }
    if (!/^\s{1,40}\S/.test(below) || /^\s{0,40}#\d/.test(below)) break;
  }
  return line;
}

/** Names that stand for nothing. */
const NO_FILE = /^(?:<.{0,200}>|\?\?|n\/a|unknown|crtstuff\.c)$/;

/** Crash reporters print an offset where they know no line. */
const MOST_LINE = 9_999_999;

function readFrame(table: FrameTable, lines: readonly string[], index: number): Frame | null {
  const found = find(table, lines, index);
  if (found === null) return null;
  const { form, groups } = found;
  // What PHP refuses to pass to a function is at fault where it is called: nothing of the function has run.
  const written = groups['caller'] ?? groups['file'] ?? '';
  const file = NO_FILE.test(written) ? '' : written;
  const line = Number(groups['callerLine'] ?? groups['line'] ?? 0);
  const next = table.names === 'called' ? findNeighbour(table, lines, index) : null;
  // What says where an error was raised repeats the first frame in some languages.
  if (form.raises === true && next !== null && next.groups['file'] === file && Number(next.groups['line']) === line)
    return null;
  const name = (table.names === 'called' ? next?.groups['name'] : groups['name']) ?? '';
  const own = parseMangledName(name);
  const of = groups['of'] ?? '';
  return {
    language: nameLanguage(form.language, own, of, file),
    file,
    line: file === '' || line > MOST_LINE ? 0 : line,
    function: getShortName(own),
    symbol: getSymbol(own, file),
    code: readCodeBelow(table, lines, index, line),
    ...(of === '' ? {} : { of }),
  };
}

/** The frame that called this one, where it is printed next to it. */
function findNeighbour(table: FrameTable, lines: readonly string[], index: number): Found | null {
  const step = table.innermostLast ? -1 : 1;
  for (let away = 1; away <= Math.max(1, table.gap); away++) {
    const found = find(table, lines, index + step * away);
    if (found !== null) return found.form.raises === true ? null : found;
  }
  return null;
}

/** C, C++, Swift and Kotlin are printed alike: names tell. */
function nameLanguage(language: FrameLanguage, name: string, of: string, file: string): FrameLanguage {
  if (language !== 'native') return language;
  if (name.startsWith('kfun:') || file.endsWith('.kt')) return 'kotlin';
  return file.endsWith('.swift') || /^libswift/.test(of) ? 'swift' : language;
}

function getSymbol(name: string, file: string): string {
  const kotlin = getKotlinSymbol(name);
  if (kotlin !== '') return kotlin;
  return file === '' ? name.slice(0, 300) : '';
}

/** Debuggers print the source line below the frame, with its number. */
function readCodeBelow({ goesOn }: FrameTable, lines: readonly string[], index: number, line: number): string {
  if (goesOn === undefined || line === 0) return '';
  const [, number, code = ''] = /^(\d{1,7})\s{1,40}(\S.{3,400})$/.exec(lines[index + 1] ?? '') ?? [];
  return Number(number) === line && !/No such file or directory/.test(code) ? code.trim() : '';
}

/** Whether a frame is the first of its trace, and not below the line that says where its error was raised. */
function begins(table: FrameTable, line: string, lines: readonly string[], index: number): boolean {
  if (!table.begins?.test(cutLead(line))) return false;
  const above = [index - 1, index - 2].map((at) => find(table, lines, at));
  return above.every((found) => found?.form.raises !== true);
}

function findError(table: FrameTable, lines: readonly string[], first: number, last: number): ErrorHead {
  const own = find(table, lines, table.innermostLast ? last : first);
  if (own?.groups['message'] !== undefined) return toHead(own.groups, linkOf(lines[first] ?? ''));
  if (own?.form.raises === true) return findErrorBetween(table, lines, first) ?? NO_ERROR;
  return findErrorAbove(table, lines, first) ?? findErrorBelow(table, lines, last) ?? NO_ERROR;
}

/** PHP prints the root cause first. */
function linkOf(line: string): ErrorHead['link'] {
  return /(?:^|\s)Next /.test(line.slice(0, 80)) ? 'caused_by_previous' : 'none';
}

/** Below the line that says where it was raised, and above the frames. */
function findErrorBetween(table: FrameTable, lines: readonly string[], first: number): ErrorHead | null {
  for (let index = first + 1; index <= first + table.gap; index++) {
    if (find(table, lines, index) !== null) return null;
    const head = readError(table, lines, index);
    if (head !== null) return head;
  }
  return null;
}

function toHead(groups: Found['groups'], link: ErrorHead['link']): ErrorHead {
  return { type: groups['type'] ?? '', message: (groups['message'] ?? '').trim(), link };
}

function findErrorAbove(table: FrameTable, lines: readonly string[], first: number): ErrorHead | null {
  for (let index = first - 1; index >= Math.max(0, first - table.reach); index--) {
    const found = find(table, lines, index);
    if (found?.form.raises === true) return toHead(found.groups, linkOf(lines[index] ?? ''));
    // Debuggers print the innermost frame when the program stops, and again with the others.
    if (found !== null && lines[index]?.trim() !== lines[first]?.trim()) return null;
    const head = readError(table, lines, index);
    if (head !== null) return head;
  }
  return null;
}

const BELOW = 3;

function findErrorBelow(table: FrameTable, lines: readonly string[], last: number): ErrorHead | null {
  for (let index = last + 1; index <= last + BELOW; index++) {
    const text = cutLead(lines[index] ?? '');
    const groups = table.errors.find(({ below }) => below === true)?.line.exec(text)?.groups;
    if (groups !== undefined) return toHead(groups, 'none');
  }
  return null;
}

/** RSpec's own line for the type, above what the error says. */
const TYPE_ALONE = /^(?:[A-Z]\w{0,60}::){0,8}[A-Z]\w{0,80}(?:Error|Exception)(?=:$)/;

function readError(table: FrameTable, lines: readonly string[], index: number): ErrorHead | null {
  const text = cutLead(lines[index] ?? '');
  if (text === '') return null;
  for (const { line, before } of table.errors) {
    const groups = line.exec(text)?.groups;
    if (groups === undefined || !fitsBeside(before, lines[index + 1])) continue;
    const type = groups['type'] ?? TYPE_ALONE.exec(cutLead(lines[index - 1] ?? ''))?.[0];
    return toHead({ type, message: groups['message'] || readMessageBelow(table, lines, index) }, 'none');
  }
  const head = parseErrorHead(text);
  if (head === null) return null;
  const message = head.message === '' ? readMessageBelow(table, lines, index) : head.message;
  const place = table.names === 'called' ? / in (?:\w{1,10}:\/\/)?\S{1,300}(?: on line \d{1,7}|:\d{1,7})$/ : null;
  return { type: head.type, message: place === null ? message : message.replace(place, ''), link: 'none' };
}

function readMessageBelow(table: FrameTable, lines: readonly string[], index: number): string {
  if (find(table, lines, index + 1) !== null) return '';
  return cutLead(lines[index + 1] ?? '').replace(/^what\(\):\s{0,8}/, '');
}
