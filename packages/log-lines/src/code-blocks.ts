// The code blocks of a text in Markdown.

export interface MarkedLine {
  readonly text: string;
  /** `fence`: the line that opens or closes a block; `code`: inside one. */
  readonly kind: 'prose' | 'code' | 'fence';
}

/** Python underlines a call in a traceback as `~~~~~^^`. */
const FENCE = /^\s*(?:```|~{3,}(?!~*\^))/;

/**
 * Each line of a text in Markdown with what it is. A line of ``` or ~~~ opens a block or closes the one that is open; a
 * block that is never closed goes to the end.
 */
export function markCode(lines: readonly string[]): readonly MarkedLine[] {
  let inside = false;
  return lines.map((text) => {
    if (!FENCE.test(text)) return { text, kind: inside ? 'code' : 'prose' };
    inside = !inside;
    return { text, kind: 'fence' };
  });
}

/** Consecutive lines: the first, and the one after the last. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** What is inside of code blocks; one that is not closed ends with the text. */
export function findCodeBlocks(lines: readonly string[]): readonly Stretch[] {
  const fences = markCode(lines).flatMap(({ kind }, at) => (kind === 'fence' ? [at] : []));
  return fences.flatMap((at, index) =>
    index % 2 === 0 ? [{ from: at + 1, to: fences[index + 1] ?? lines.length }] : [],
  );
}
