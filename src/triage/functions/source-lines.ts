// A source text as lines with their indentation; what lies in long strings and comments is marked, as it is indented anyhow.

export interface SourceLines {
  readonly count: number;
  /** How blocks end: by indentation alone, by `end`, or by a brace. */
  readonly blocks: 'indent' | 'end' | 'brace';
  /** The first 1,000 characters of the line, from 1; "" beyond the last. */
  text(line: number): string;
  /** Columns before its first character, tabs as four; Infinity for blank lines and for the inside of long strings. */
  indent(line: number): number;
  /** Whether it is a comment or an annotation, such as may stand above a definition. */
  isLead(line: number): boolean;
}

const TAB = 4;
/** Code that people write has no longer ones; no expression looks at more. */
const MAX_LINE = 1_000;

const LEAD = /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:include|define|if|endif|else|pragma))|@\w|\[\w)/;

/** As expressions may look at it. */
export function cutLine(line: string): string {
  return line.length > MAX_LINE ? line.slice(0, MAX_LINE) : line;
}

export function readLines(path: string, text: string): SourceLines {
  const whole = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const lines = whole.map(cutLine);
  const blocks = blocksOf(path);
  const inside = blocks === 'indent' ? insideLongText(whole) : null;
  const indents = Float64Array.from(lines, (line, index) =>
    inside?.[index] === 1 ? Number.POSITIVE_INFINITY : indentOf(line),
  );
  const leads = Uint8Array.from(lines, (line) => (LEAD.test(line) ? 1 : 0));
  return {
    count: lines.length,
    blocks,
    text: (line) => lines[line - 1] ?? '',
    indent: (line) => indents[line - 1] ?? Number.POSITIVE_INFINITY,
    isLead: (line) => leads[line - 1] === 1,
  };
}

function blocksOf(path: string): SourceLines['blocks'] {
  if (/\.(?:pyi?|pyx)$/i.test(path)) return 'indent';
  return /\.(?:rb|rake)$/i.test(path) ? 'end' : 'brace';
}

function indentOf(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === '\t') columns += TAB;
    else if (character === ' ') columns += 1;
    else return columns;
  }
  return Number.POSITIVE_INFINITY;
}

/** 1 for each line that begins within a string of three quotes. */
function insideLongText(lines: readonly string[]): Uint8Array {
  const inside = new Uint8Array(lines.length);
  let open = '';
  for (const [index, line] of lines.entries()) {
    if (open !== '') inside[index] = 1;
    for (const [mark] of line.matchAll(/"""|'''/g)) {
      if (open === '') open = mark;
      else if (open === mark) open = '';
    }
  }
  return inside;
}
