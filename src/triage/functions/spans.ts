// Where each definition of an outline begins and ends, and which one it lies in.
import type { Symbol as OutlineSymbol } from '../../core/source.ts';
import { lastLineOf } from './block-ends.ts';
import { readLines, type SourceLines } from './source-lines.ts';

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

/** Nobody nests so deep. */
const MAX_DEPTH = 30;

/**
 * Spans of the functions, classes, interfaces, types and modules of an outline, in the order of their lines. Ends come from
 * indentation and from closing braces (or `end`) that stand where the definition begins; nothing is parsed, so code that
 * is not indented has spans that end at the next definition. What lies in thirty others is one line long, as each depth costs a look at
 * the whole text.
 */
export function spansOf(path: string, text: string, outline: readonly OutlineSymbol[]): readonly Span[] {
  const lines = readLines(path, text);
  const symbols = outline.filter(({ kind, line }) => kind !== 'constant' && line >= 1 && line <= lines.count);
  const open: Span[] = [];
  return symbols.map((symbol, index) => {
    while ((open.at(-1)?.lastLine ?? symbol.line) < symbol.line) open.pop();
    const outer = open.at(-1);
    const found =
      open.length < MAX_DEPTH ? lastLineOf(lines, symbol.line, nextAtLeast(lines, symbols, index)) : symbol.line;
    const span: Span = {
      name: symbol.name,
      kind: symbol.kind,
      owner: ownerOf(symbol, open),
      leadLine: leadOf(lines, symbol.line, symbols[index - 1]?.line ?? 0),
      line: symbol.line,
      lastLine: Math.min(found, outer?.lastLine ?? found),
      inner: open.some(({ kind }) => kind === 'function'),
    };
    open.push(span);
    return span;
  });
}

/** Line of the next definition that begins as far left or further: whatever comes before it may belong to this one. */
function nextAtLeast(lines: SourceLines, symbols: readonly OutlineSymbol[], index: number): number {
  const own = lines.indent(symbols[index]?.line ?? 1);
  const next = symbols.find(({ line }, at) => at > index && lines.indent(line) <= own);
  return next?.line ?? lines.count + 1;
}

/** A method that stands outside of its type names it itself: `func (s *Store) Get`, `void Store::get`. */
function ownerOf({ signature }: OutlineSymbol, open: readonly Span[]): string {
  if (open.length > 0) return open.map(({ name }) => name).join('.');
  return /^func\s+\(\s*(?:\w+\s+)?\*?(\w+)/.exec(signature)?.[1] ?? '';
}

/** At most so many lines of comments and annotations above a definition count as its own. */
const MAX_LEAD = 40;

function leadOf(lines: SourceLines, line: number, previous: number): number {
  let first = line;
  while (first - 1 > previous && line - first < MAX_LEAD && lines.isLead(first - 1)) first--;
  return first;
}
