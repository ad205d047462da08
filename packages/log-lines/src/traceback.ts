// Python's tracebacks in a text: their frames with the source below each, and the line that says what was raised.

/** `frame`: a place, or source that is printed for it. `raised`: what the traceback ends with. */
export type TracebackPart = 'frame' | 'raised' | null;

const HEADING = /^\s{0,200}Traceback \(most recent call last\):/;

const PLACE = /^\s{0,200}File "[^"]{1,500}", line \d/;

/** The class alone, or with a message: an exception may have any name. */
const RAISED = /^\s{0,200}[A-Za-z_][\w.]{0,200}(?:: |:?$)/;

/** A traceback that goes on. */
interface Open {
  /** What is deeper belongs to a frame. */
  readonly indent: number;
  readonly hasHeading: boolean;
  readonly hasFrame: boolean;
}

/** One for each line. A frame without the heading above it, as in a cut text, has its source as well. */
export function markTracebacks(lines: readonly string[]): readonly TracebackPart[] {
  let open: Open | null = null;
  return lines.map((text) => {
    const before: Open | null = open;
    open = before !== null && isInTraceback(text, before) ? goOn(before, text) : readStart(text);
    if (open === null) return endsWith(text, before) ? 'raised' : null;
    return open.hasFrame ? 'frame' : null;
  });
}

function goOn(open: Open, text: string): Open {
  return open.hasFrame || !PLACE.test(text) ? open : { ...open, hasFrame: true };
}

function readStart(text: string): Open | null {
  const hasHeading = HEADING.test(text);
  return hasHeading || PLACE.test(text) ? { indent: measureIndent(text), hasHeading, hasFrame: !hasHeading } : null;
}

function isInTraceback(text: string, { indent }: Open): boolean {
  return text.trim() !== '' && measureIndent(text) > indent;
}

function endsWith(text: string, open: Open | null): boolean {
  return open?.hasHeading === true && open.hasFrame && RAISED.test(text);
}

export function measureIndent(text: string): number {
  return text.length - text.trimStart().length;
}
