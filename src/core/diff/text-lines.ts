// A text as lines: split at LF (a CR belongs to its line), and whether an LF closes the last one.

export interface TextLines {
  readonly lines: readonly string[];
  readonly endsWithNewline: boolean;
}

/** The lines of a text. The empty text has none, and does not end with a newline. */
export function toLines(text: string): TextLines {
  if (text === '') return { lines: [], endsWithNewline: false };
  const lines = text.split('\n');
  const endsWithNewline = text.endsWith('\n');
  if (endsWithNewline) lines.pop();
  return { lines, endsWithNewline };
}

/** The text of the lines. Not every pair is a text: no lines with a newline, or an empty last line without one, are none (see `isWhole`). */
export function joinLines({ lines, endsWithNewline }: TextLines): string {
  return endsWithNewline ? `${lines.join('\n')}\n` : lines.join('\n');
}

/** The lines `from`–`to` of a text (1-based, inclusive; beyond the end: fewer or none), each as in the text. */
export function cutWindow(
  text: string,
  range: { readonly from: number; readonly to: number },
): { readonly text: string; readonly firstLine: number; readonly totalLines: number } {
  const { lines, endsWithNewline } = toLines(text);
  const from = Math.max(1, Math.trunc(range.from));
  const chosen = lines.slice(from - 1, Math.max(from - 1, Math.trunc(range.to)));
  const reachesEnd = from - 1 + chosen.length >= lines.length;
  const shown = { lines: chosen, endsWithNewline: chosen.length > 0 && (!reachesEnd || endsWithNewline) };
  return { text: joinLines(shown), firstLine: from, totalLines: lines.length };
}

/** Whether the lines are those of a text, so that `toLines(fromLines(x))` is x again. */
export function isWhole({ lines, endsWithNewline }: TextLines): boolean {
  return endsWithNewline ? lines.length > 0 : lines.at(-1) !== '';
}

/** Whether a string can be a file that we change: it has a UTF-8 form (no lone surrogate) and no NUL. */
export function isText(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}
