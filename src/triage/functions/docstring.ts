// The lines of a Python docstring: documentation that stands inside of its function.
import type { LineRange } from '../../core/source.ts';
import type { Span } from './spans.ts';

/** A head longer than this is data. */
const MAX_HEAD = 60;
/** Looks no further than the `#` of a comment: each colon is looked at once, whatever follows. */
const ENDS_HEAD = /:\s*(?:#|$)/;
const NONE: LineRange = { from: 0, to: -1 };

/** An empty range where the definition has none. */
export function docstringOf(textAt: (line: number) => string, { line, lastLine }: Span): LineRange {
  const head = endOfHead(textAt, line, Math.min(lastLine, line + MAX_HEAD));
  const mark = /^\s*[rRuUbB]{0,2}("""|''')/.exec(textAt(head + 1))?.[1];
  if (mark === undefined) return NONE;
  const from = head + 1;
  const first = textAt(from);
  if (first.indexOf(mark, first.indexOf(mark) + 3) >= 0) return { from, to: from };
  let to = from + 1;
  while (to < lastLine && !textAt(to).includes(mark)) to++;
  return { from, to };
}

function endOfHead(textAt: (line: number) => string, line: number, last: number): number {
  for (let at = line; at <= last; at++) if (ENDS_HEAD.test(textAt(at))) return at;
  return line;
}
