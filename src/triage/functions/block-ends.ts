// The last line of a definition: by indentation, and by the brace or `end` that stands below its beginning.
import type { SourceLines } from './source-lines.ts';

/** A head (parameters, return type, constraints) longer than this is data. */
const MAX_HEAD = 60;
/** Parameters and results that go on at the left margin of their definition; never a statement. */
const HEAD_GOES_ON = /^\s*(?:[)\]}>:{]|where\b|throws\b|->|=>)/;
/** What stands as far left as the definition without ending it: comments, labels, conditions of a preprocessor. */
const NO_END = /^\s*(?:\/\/|\/\*|\*|#|\w+:\s*$|(?:public|private|protected)\b.{0,30}:\s*$)/;
/** The stars of a comment over several lines stand one column further in. */
const INNER_STAR = 1;
const RUBY_CLAUSE = /^\s*(?:rescue|ensure|else|elsif|when|in)\b/;

/** Line of its end, at least `line`, below `bound`: the line of the next definition that begins no further right. */
export function lastLineOf(lines: SourceLines, line: number, bound: number): number {
  switch (lines.blocks) {
    case 'indent':
      return trimmed(lines, line, indentEnd(lines, line, bound));
    case 'end':
      return trimmed(
        lines,
        line,
        closedEnd(lines, line, bound, { close: /^\s*end\b/, open: opensRuby(lines.text(line)) }),
      );
    case 'brace':
      return trimmed(
        lines,
        line,
        closedEnd(lines, line, bound, { close: /^\s*\}/, open: opensBrace(lines, line, bound) }),
      );
  }
}

/** A string or comment at the margin ends nothing; nor do the brackets that close the parameters. */
function indentEnd(lines: SourceLines, line: number, bound: number): number {
  const own = lines.indent(line);
  for (let at = line + 1; at < bound; at++) {
    if (lines.indent(at) <= own && !/^\s*(?:#|[)\]}])/.test(lines.text(at))) return at - 1;
  }
  return bound - 1;
}

interface Closing {
  readonly close: RegExp;
  /** Whether a block opens, so that only what closes it ends the definition. */
  readonly open: boolean;
}

function closedEnd(lines: SourceLines, line: number, bound: number, { close, open }: Closing): number {
  const own = lines.indent(line);
  for (let at = line + 1; at < bound; at++) {
    if (lines.indent(at) > own) continue;
    const text = lines.text(at);
    if (open && close.test(text) && !goesOn(text)) return at;
    if (!open && (lines.indent(at) < own || !staysInside(text))) return at - 1;
  }
  return bound - 1;
}

function staysInside(text: string): boolean {
  return HEAD_GOES_ON.test(text) || NO_END.test(text) || RUBY_CLAUSE.test(text);
}

/** `}) {`, `}: Props) => (`: what is closed there is a parameter, and the body comes after it. */
function goesOn(text: string): boolean {
  const bare = text.trim();
  return bare.startsWith('}') && /(?:\{|=>|=> \(|\))$/.test(bare) && !/^\}\)*$/.test(bare);
}

/** Whether the head (parameters, result, constraints; on one line or several) ends with a brace that its line does not close. */
function opensBrace(lines: SourceLines, line: number, bound: number): boolean {
  const own = lines.indent(line);
  let depth = 0;
  for (let at = line; at < Math.min(bound, line + MAX_HEAD); at++) {
    const text = bare(lines.text(at));
    if (at > line && lines.indent(at) <= own && !HEAD_GOES_ON.test(text)) return false;
    depth += (text.match(/[([]/g)?.length ?? 0) - (text.match(/[)\]]/g)?.length ?? 0);
    if (depth <= 0 && /[{;}]$/.test(text)) return text.endsWith('{');
  }
  return false;
}

/** Texts in quotes. One that the line does not close goes to its end, so that no place is looked at twice. */
const QUOTED = /"(?:[^"\\]|\\.?)*("|$)|`[^`]*(`|$)|'(?:[^'\\]|\\.)(')/gs;

/** Without texts, whose brackets mislead, and without the comment at its end. */
function bare(line: string): string {
  const plain = line.replaceAll(QUOTED, (text, ...closed: readonly unknown[]) =>
    closed.slice(0, 3).some((mark) => mark !== undefined && mark !== '') ? '""' : text,
  );
  const trimmed = plain.trimEnd();
  const block = trimmed.endsWith('*/') ? trimmed.indexOf('/*') : -1;
  const cuts = [block, trimmed.indexOf('//')].filter((at) => at >= 0);
  return trimmed.slice(0, Math.min(trimmed.length, ...cuts)).trimEnd();
}

function opensRuby(text: string): boolean {
  return !/[;\s]end\s*$|^\s*def\s+[\w.]+[?!]?(?:\([^)]*\))?\s*=\s/.test(text);
}

/** Without the blank lines, comments and annotations at its end: they belong to what follows. */
function trimmed(lines: SourceLines, first: number, last: number): number {
  const isOthers = (line: number): boolean =>
    lines.text(line).trim() === '' || (lines.isLead(line) && lines.indent(line) <= lines.indent(first) + INNER_STAR);
  let end = Math.min(last, lines.count);
  while (end > first && isOthers(end)) end--;
  return end;
}
