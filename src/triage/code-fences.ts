// Which lines of a Markdown text are code.

export interface MarkedLine {
  readonly text: string;
  /** `fence`: the line that opens or closes a block; `code`: inside one. */
  readonly kind: 'prose' | 'code' | 'fence';
}

export function markCode(lines: readonly string[]): readonly MarkedLine[] {
  let inside = false;
  return lines.map((text) => {
    if (!/^\s*(?:```|~~~)/.test(text)) return { text, kind: inside ? 'code' : 'prose' };
    inside = !inside;
    return { text, kind: 'fence' };
  });
}
