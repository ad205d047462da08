// Where each definition of an outline begins and ends, and which one it lies in.

import type { LineRange, OutlineSymbol } from 'causeway-git-objects';
import { isCommentLine } from './comments.ts';

/** Lines are 1-based and inclusive. */
export interface Span {
  readonly name: string;
  readonly kind: OutlineSymbol['kind'];
  /** The names of what it lies in, joined by dots, outermost first; "" at the top. */
  readonly owner: string;
  /** Where its comments and annotations begin; `line` where it has none. */
  readonly leadLine: number;
  /** The line that names it. */
  readonly line: number;
  readonly lastLine: number;
  /** Whether it lies in a function, so that the function's text holds it already. */
  readonly inner: boolean;
}

const OF_TESTS = /^(?:.{0,200}\.)?tests?(?:\.|$)/;

/**
 * Whether it is a module of tests, or lies in one: Rust keeps them in the file that they test, where they show a fault
 * and are none.
 */
export function isOfInlineTests({ name, kind, owner }: Span): boolean {
  return OF_TESTS.test(owner) || (kind !== 'function' && OF_TESTS.test(name));
}

/** Deeper nesting is generated code. */
const MAX_DEPTH = 30;

/**
 * Spans of the functions, classes, interfaces, types and modules of an outline, in the order of their lines. Ends come from
 * indentation and from closing braces (or `end`) at the indentation of the definition; nothing is parsed, so code that
 * is not indented has spans that end at the next definition. What lies in thirty others is one line long, as each depth costs a look at
 * the whole text.
 */
export function findSpans(path: string, text: string, outline: readonly OutlineSymbol[]): readonly Span[] {
  const lines = readSourceLines(path, text);
  const symbols = outline.filter(({ kind, line }) => kind !== 'constant' && line >= 1 && line <= lines.count);
  const open: Span[] = [];
  return symbols.map((symbol, index) => {
    while ((open.at(-1)?.lastLine ?? symbol.line) < symbol.line) open.pop();
    const outer = open.at(-1);
    const found =
      open.length < MAX_DEPTH ? findLastLine(lines, symbol.line, findNextAtLeast(lines, symbols, index)) : symbol.line;
    const span: Span = {
      name: symbol.name,
      kind: symbol.kind,
      owner: findOwner(symbol, open),
      leadLine: countLead(lines, symbol.line, symbols[index - 1]?.line ?? 0),
      line: symbol.line,
      lastLine: Math.min(found, outer?.lastLine ?? found),
      inner: open.some(({ kind }) => kind === 'function'),
    };
    open.push(span);
    return span;
  });
}

/** Line of the next definition that begins as far left or further: whatever comes before it may belong to this one. */
function findNextAtLeast(lines: SourceLines, symbols: readonly OutlineSymbol[], index: number): number {
  const own = lines.indent(symbols[index]?.line ?? 1);
  const next = symbols.find(({ line }, at) => at > index && lines.indent(line) <= own);
  return next?.line ?? lines.count + 1;
}

/** A method outside of its type names the type itself: `func (s *Store) Get`, `void Store::get`. */
function findOwner({ signature }: OutlineSymbol, open: readonly Span[]): string {
  if (open.length > 0) return open.map(({ name }) => name).join('.');
  return /^func\s+\(\s*(?:\w+\s+)?\*?(\w+)/.exec(signature)?.[1] ?? '';
}

/** At most so many lines of comments and annotations above a definition count as its own. */
const MAX_LEAD = 40;

function countLead(lines: SourceLines, line: number, previous: number): number {
  let first = line;
  while (first - 1 > previous && line - first < MAX_LEAD && lines.isLead(first - 1)) first--;
  return first;
}

/** A head (parameters, return type, constraints) longer than this is data. */
const MAX_HEAD = 60;

/** Parameters and results that go on at the left margin of their definition; never a statement. */
const HEAD_GOES_ON = /^\s*(?:[)\]}>:{]|where\b|throws\b|->|=>)/;

/** What is as far left as the definition without ending it: labels, conditions of a preprocessor. */
const NO_END = /^\s*(?:#|\w+:\s*$|(?:public|private|protected)\b.{0,30}:\s*$)/;

/** The stars of a comment over several lines are one column further in. */
const INNER_STAR = 1;

const RUBY_CLAUSE = /^\s*(?:rescue|ensure|else|elsif|when|in)\b/;

/** Line of its end, at least `line`, below `bound`: the line of the next definition that begins no further right. */
function findLastLine(lines: SourceLines, line: number, bound: number): number {
  switch (lines.blocks) {
    case 'indent':
      return trimLine(lines, line, findIndentEnd(lines, line, bound));
    case 'end':
      return trimLine(
        lines,
        line,
        findClosedEnd(lines, line, bound, { close: /^\s*end\b/, open: opensRuby(lines.text(line)) }),
      );
    case 'brace':
      return trimLine(
        lines,
        line,
        findClosedEnd(lines, line, bound, { close: /^\s*\}/, open: opensBrace(lines, line, bound) }),
      );
  }
}

/** A string or comment at the margin ends nothing; nor do the brackets that close the parameters. */
function findIndentEnd(lines: SourceLines, line: number, bound: number): number {
  const own = lines.indent(line);
  for (let at = line + 1; at < bound; at++) {
    if (lines.indent(at) <= own && !lines.isComment(at) && !/^\s*[)\]}]/.test(lines.text(at))) return at - 1;
  }
  return bound - 1;
}

interface LiteralClosing {
  readonly close: RegExp;
  /** Whether a block opens, so that only what closes it ends the definition. */
  readonly open: boolean;
}

function findClosedEnd(lines: SourceLines, line: number, bound: number, { close, open }: LiteralClosing): number {
  const own = lines.indent(line);
  for (let at = line + 1; at < bound; at++) {
    if (lines.indent(at) > own) continue;
    const text = lines.text(at);
    if (open && close.test(text) && !continuesBelow(text)) return at;
    if (!open && (lines.indent(at) < own || !(lines.isComment(at) || staysInside(text)))) return at - 1;
  }
  return bound - 1;
}

function staysInside(text: string): boolean {
  return HEAD_GOES_ON.test(text) || NO_END.test(text) || RUBY_CLAUSE.test(text);
}

/** `}) {`, `}: Props) => (`: what is closed there is a parameter, and the body comes after it. */
function continuesBelow(text: string): boolean {
  const bare = text.trim();
  return bare.startsWith('}') && /(?:\{|=>|=> \(|\))$/.test(bare) && !/^\}\)*$/.test(bare);
}

/** Whether the head (parameters, result, constraints; on one line or several) ends with a brace that its line does not close. */
function opensBrace(lines: SourceLines, line: number, bound: number): boolean {
  const own = lines.indent(line);
  let depth = 0;
  for (let at = line; at < Math.min(bound, line + MAX_HEAD); at++) {
    const text = stripLine(lines.text(at));
    if (at > line && lines.indent(at) <= own && !HEAD_GOES_ON.test(text)) return false;
    depth += (text.match(/[([]/g)?.length ?? 0) - (text.match(/[)\]]/g)?.length ?? 0);
    if (depth <= 0 && /[{;}]$/.test(text)) return text.endsWith('{');
  }
  return false;
}

/** Texts in quotes. One that the line does not close goes to its end, so that no place is looked at twice. */
const QUOTED = /"(?:[^"\\]|\\.?)*("|$)|`[^`]*(`|$)|'(?:[^'\\]|\\.)(')/gs;

/** Without texts, whose brackets mislead, and without the comment at its end. */
function stripLine(line: string): string {
  const plain = line.replaceAll(QUOTED, (text, ...closed: readonly unknown[]) =>
    closed.slice(0, 3).some((mark) => mark !== undefined && mark !== '') ? '""' : text,
  );
  const trimmed = plain.trimEnd();
  const block = trimmed.endsWith('*/') ? trimmed.indexOf('/*') : -1;
  const cuts = [block, trimmed.indexOf('//')].filter((at) => at >= 0);
  return trimmed.slice(0, Math.min(trimmed.length, ...cuts)).trimEnd();
}

function opensRuby(text: string): boolean {
  return !/[;\s]end\s*$|,\s{0,8}do:|^\s*def\s+[\w.]+[?!]?(?:\([^)]*\))?\s*=\s/.test(text);
}

/** Without the blank lines, comments and annotations at its end: they belong to what follows. */
function trimLine(lines: SourceLines, first: number, last: number): number {
  const isOthers = (line: number): boolean =>
    lines.text(line).trim() === '' || (lines.isLead(line) && lines.indent(line) <= lines.indent(first) + INNER_STAR);
  let end = Math.min(last, lines.count);
  while (end > first && isOthers(end)) end--;
  return end;
}

interface SourceLines {
  readonly count: number;
  /** How blocks end: by indentation, by `end`, or by a brace. */
  readonly blocks: 'indent' | 'end' | 'brace';
  /** The first 1,000 characters of the line, from 1; "" beyond the last. */
  text(line: number): string;
  /** Columns before its first character, tabs as four; Infinity for blank lines and for the inside of long strings. */
  indent(line: number): number;
  isComment(line: number): boolean;
  /** Whether it is a comment or an annotation, such as precede a definition. */
  isLead(line: number): boolean;
}

const TAB = 4;

/** Code that people write has no longer ones; no expression looks at more. */
const MAX_LINE = 1_000;

const ANNOTATION = /^\s*(?:#\[|@\w|\[\w)/;

/** As expressions may look at it. */
export function cutLine(line: string): string {
  return line.length > MAX_LINE ? line.slice(0, MAX_LINE) : line;
}

function readSourceLines(path: string, text: string): SourceLines {
  const whole = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const lines = whole.map(cutLine);
  const blocks = findBlocks(path);
  const inside = blocks === 'indent' ? markLongText(whole) : null;
  const indents = Float64Array.from(lines, (line, index) =>
    inside?.[index] === 1 ? Number.POSITIVE_INFINITY : measureColumns(line),
  );
  const comments = Uint8Array.from(lines, (line) => (isCommentLine(path, line) ? 1 : 0));
  return {
    count: lines.length,
    blocks,
    text: (line) => lines[line - 1] ?? '',
    indent: (line) => indents[line - 1] ?? Number.POSITIVE_INFINITY,
    isComment: (line) => comments[line - 1] === 1,
    isLead: (line) => comments[line - 1] === 1 || ANNOTATION.test(lines[line - 1] ?? ''),
  };
}

function findBlocks(path: string): SourceLines['blocks'] {
  if (/\.(?:pyi?|pyx)$/i.test(path)) return 'indent';
  return /\.(?:rb|rake|exs?)$/i.test(path) ? 'end' : 'brace';
}

function measureColumns(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === '\t') columns += TAB;
    else if (character === ' ') columns += 1;
    else return columns;
  }
  return Number.POSITIVE_INFINITY;
}

/** Three quotes, a string on one line, or a comment. */
const PYTHON_QUOTES = /("""|''')|"(?:[^"\\]|\\.?)*(?:"|$)|'(?:[^'\\]|\\.?)*(?:'|$)|#.*/g;

/** 1 for each line that begins within a string of three quotes. Those in comments and in other strings open none. */
function markLongText(lines: readonly string[]): Uint8Array {
  const inside = new Uint8Array(lines.length);
  let open = '';
  for (const [index, line] of lines.entries()) {
    if (open !== '') inside[index] = 1;
    open = findOpenQuotes(line, open);
  }
  return inside;
}

/** The three quotes that are open at the end of a line; "" for none. */
function findOpenQuotes(line: string, before: string): string {
  let open = before;
  for (let at = 0; ; ) {
    if (open !== '') {
      const end = line.indexOf(open, at);
      if (end < 0) return open;
      at = end + open.length;
    }
    PYTHON_QUOTES.lastIndex = at;
    const found = PYTHON_QUOTES.exec(line);
    if (found === null) return '';
    open = found[1] ?? '';
    at = PYTHON_QUOTES.lastIndex;
  }
}

/** 1 for each line that holds no code: a comment of one line or more, or a string that stands alone, as documentation does. */
export function markTexts(path: string, lines: readonly string[]): Uint8Array {
  const marks = Uint8Array.from(lines, (line) => (isCommentLine(path, line) ? 1 : 0));
  return findBlocks(path) === 'brace' ? markBlockComments(lines, marks) : markDocstrings(lines, marks);
}

function markBlockComments(lines: readonly string[], marks: Uint8Array): Uint8Array {
  let isOpen = false;
  for (const [index, line] of lines.entries()) {
    isOpen ||= marks[index] === 1 && line.trimStart().startsWith('/*');
    if (isOpen) marks[index] = 1;
    if (line.includes('*/')) isOpen = false;
  }
  return marks;
}

function markDocstrings(lines: readonly string[], marks: Uint8Array): Uint8Array {
  const inside = markLongText(lines);
  let isText = false;
  for (const [index, line] of lines.entries()) {
    if (inside[index] !== 1) isText = /^\s*[rRuUbB]{0,2}(?:"""|''')/.test(line);
    // A # within a string of another kind begins no comment.
    if (isText || inside[index] === 1) marks[index] = isText ? 1 : 0;
  }
  return marks;
}

/** A head longer than this is data. */
const MAX_SIGNATURE_LINES = 60;

/** Looks no further than the `#` of a comment: each colon is looked at once, whatever follows. */
const ENDS_HEAD = /:\s*(?:#|$)/;

const NONE: LineRange = { from: 0, to: -1 };

/** An empty range where the definition has none. */
export function findDocstring(textAt: (line: number) => string, { line, lastLine }: Span): LineRange {
  const head = findHeadEnd(textAt, line, Math.min(lastLine, line + MAX_SIGNATURE_LINES));
  const mark = /^\s*[rRuUbB]{0,2}("""|''')/.exec(textAt(head + 1))?.[1];
  if (mark === undefined) return NONE;
  const from = head + 1;
  const first = textAt(from);
  if (first.indexOf(mark, first.indexOf(mark) + 3) >= 0) return { from, to: from };
  let to = from + 1;
  while (to < lastLine && !textAt(to).includes(mark)) to++;
  return { from, to };
}

function findHeadEnd(textAt: (line: number) => string, line: number, last: number): number {
  for (let at = line; at <= last; at++) if (ENDS_HEAD.test(textAt(at))) return at;
  return line;
}

/** The last function or class that begins at or before the line; "" where the outline has neither. */
export function findEnclosingFunction(outline: readonly OutlineSymbol[], line: number): string {
  if (line <= 0) return '';
  const before = outline.filter((symbol) => symbol.line <= line).sort((a, b) => b.line - a.line);
  return before.find(({ kind }) => kind === 'function' || kind === 'class')?.name ?? '';
}
