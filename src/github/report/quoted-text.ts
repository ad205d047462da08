// Text between quotation marks, in whichever form people type them, an editor turns them into, or Markdown has them as code.

/** By the mark that opens: those that close. */
const CLOSING: ReadonlyMap<string, string> = new Map([
  ['"', '"“”'],
  ['“', '”"“'],
  ['”', '”"'],
  ['„', '“”"'],
  ['«', '»'],
  ['»', '«'],
  ["'", "'’"],
  ['‘', '’'],
  ['`', '`'],
]);

export interface QuotedText {
  readonly text: string;
  /** What follows the closing mark. */
  readonly rest: string;
  readonly isCode: boolean;
}

/** That the line begins with; null: it begins with none, or none that closes. `upTo`: the first mark that closes it, or the last. */
export function readQuotedText(line: string, upTo: 'first' | 'last'): QuotedText | null {
  const opening = line.charAt(0);
  const closing = CLOSING.get(opening);
  if (closing === undefined) return null;
  const places = [...closing]
    .map((mark) => (upTo === 'first' ? line.indexOf(mark, 1) : line.lastIndexOf(mark)))
    .filter((at) => at > 0);
  const end = upTo === 'first' ? Math.min(...places) : Math.max(...places);
  if (places.length === 0 || line.slice(1, end).trim() === '') return null;
  return { text: line.slice(1, end), rest: line.slice(end + 1), isCode: opening === '`' };
}
