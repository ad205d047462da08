// The definitions of a source file, found line by line: enough to find a way around and to name what a line belongs to.
import type { Symbol as Definition } from '../core/source.ts';
import { outlineLanguageOf } from './outline-languages.ts';
import type { OutlineLanguage, OutlineRule } from './outline-rule.ts';

const MAX_SYMBOLS = 2_000;
const MAX_SIGNATURE = 200;
// Regular expressions over a longer line cost time and find generated code only.
const MAX_LINE = 1_000;
// A list of parameters that goes on for more lines than this is data.
const LOOK_AHEAD = 30;
const TEXT = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g;
// Between parentheses and block: a return type, `throws`, constraints, initialisers, qualifiers; never an operator or a dot.
const BEFORE_BLOCK =
  /^\s*(?:$|:|->|throws\b|where\b|const\b|noexcept\b|override\b|final\b|volatile\b|requires\b|&|\[\[)/;

/** Definitions in `text`, in the order of their lines; empty for a language that is not known. */
export function outlineOf(path: string, text: string): readonly Definition[] {
  const language = outlineLanguageOf(path);
  if (language === null) return [];
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const skipped = createSkipper(language);
  const symbols: Definition[] = [];
  for (const [index, line] of lines.entries()) {
    if (skipped(line) || line.length > MAX_LINE) continue;
    const found = symbolAt(lines, index, language.rules);
    if (found !== null) symbols.push(found);
    if (symbols.length === MAX_SYMBOLS) break;
  }
  return symbols;
}

/**
 * The innermost definition that `line` (1-based) lies in, as far as lines alone tell: the last one that starts at or before it,
 * functions and types before one-line constants. Null before the first.
 */
export function enclosingSymbol(symbols: readonly Definition[], line: number): Definition | null {
  const before = symbols.filter((symbol) => symbol.line <= line);
  const own = before.at(-1);
  if (own?.line === line) return own;
  return before.findLast((symbol) => symbol.kind !== 'constant') ?? own ?? null;
}

function symbolAt(lines: readonly string[], index: number, rules: readonly OutlineRule[]): Definition | null {
  const line = lines[index] ?? '';
  for (const rule of rules) {
    const name = rule.line.exec(line)?.groups?.['name'];
    if (name === undefined || (rule.block === true && !opensBlock(lines, index))) continue;
    return {
      name: name.replace(/^['"`]|['"`]$/g, ''),
      kind: rule.kind,
      line: index + 1,
      signature: line.trim().slice(0, MAX_SIGNATURE),
    };
  }
  return null;
}

/** Whether a block follows the parentheses that open on this line: `name(…) {`, on one line or over several. */
function opensBlock(lines: readonly string[], index: number): boolean {
  const statement = lines
    .slice(index, index + LOOK_AHEAD)
    .map(withoutText)
    .join('\n');
  const end = closingParenthesis(statement);
  if (end === -1) return false;
  const tail = statement.slice(end + 1);
  const brace = tail.search(/[{};]/);
  return tail.charAt(brace) === '{' && BEFORE_BLOCK.test(tail.slice(0, brace));
}

/** The line without strings and trailing comment, whose parentheses would mislead. */
function withoutText(line: string): string {
  return line
    .slice(0, MAX_LINE)
    .replaceAll(TEXT, '""')
    .replace(/\/\/.*$/, '');
}

/** Where the first parenthesis that opens is closed; -1 where it is not. */
function closingParenthesis(statement: string): number {
  let depth = 0;
  for (let index = statement.indexOf('('); index >= 0 && index < statement.length; index += 1) {
    const character = statement.charAt(index);
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}

/** Tells, line after line, which ones lie in a comment or a long string. */
function createSkipper(language: OutlineLanguage): (line: string) => boolean {
  let inside = false;
  return (line) => {
    const wasInside = inside;
    inside = staysInside(language, line, wasInside);
    return wasInside || isLineComment(language, line);
  };
}

function staysInside(language: OutlineLanguage, line: string, inside: boolean): boolean {
  if (language.longText !== undefined) {
    const marks = line.match(language.longText)?.length ?? 0;
    return marks % 2 === 1 ? !inside : inside;
  }
  if (language.comments === 'hash') return false;
  if (inside) return !line.includes('*/');
  const start = /^\s*\/\*|\s\/\*\*?\s*$/.test(line);
  return start && !line.slice(line.indexOf('/*') + 2).includes('*/');
}

function isLineComment(language: OutlineLanguage, line: string): boolean {
  const start = line.trimStart();
  switch (language.comments) {
    case 'hash':
      return start.startsWith('#');
    case 'php':
      return start.startsWith('//') || start.startsWith('/*') || (start.startsWith('#') && !start.startsWith('#['));
    case 'c':
      return start.startsWith('//') || start.startsWith('/*');
  }
}
