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
export function fromLines({ lines, endsWithNewline }: TextLines): string {
  return endsWithNewline ? `${lines.join('\n')}\n` : lines.join('\n');
}

/** Whether the lines are those of a text, so that `toLines(fromLines(x))` is x again. */
export function isWhole({ lines, endsWithNewline }: TextLines): boolean {
  return endsWithNewline ? lines.length > 0 : lines.at(-1) !== '';
}

/** Whether a string can be a file that we change: it has a UTF-8 form (no lone surrogate) and no NUL. */
export function isText(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}
