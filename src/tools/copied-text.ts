// Text as it was before it was spoilt in copying: with the line numbers that results show, or with its line breaks escaped.
import type { Edit } from './place-edit.ts';

type Copy =
  | { readonly kind: 'plain'; readonly edit: Edit; readonly how: string }
  /** What is meant cannot be told. */
  | { readonly kind: 'unclear'; readonly reason: string };

/** As results number lines; the blank after the bar may be gone where the line is empty. */
const NUMBERED = /^\s*(\d{1,7}) \|(?: |$)/;

/** The readings that are possible at all, for a text that does not stand in the file as it was given. */
export function plainCopies(edit: Edit): readonly Copy[] {
  return [...unnumbered(edit), ...unescaped(edit)];
}

/** Every line of the old text is numbered, one after the other: the numbers came with the copy, and tell where it was. */
function unnumbered(edit: Edit): readonly Copy[] {
  const oldRows = withoutLastBlank(edit.oldText.split('\n'));
  const numbers = oldRows.map((row) => Number(NUMBERED.exec(row)?.[1] ?? Number.NaN));
  const [first = Number.NaN] = numbers;
  if (!numbers.every((number, index) => number === first + index)) return [];
  const newRows = edit.newText.split('\n');
  const numbered = newRows.filter((row) => NUMBERED.test(row)).length;
  const filled = newRows.filter((row) => row.trim() !== '').length;
  if (numbered > 0 && numbered < filled) {
    return [{ kind: 'unclear', reason: 'some lines of the new text have line numbers; write both texts without' }];
  }
  const plain = { oldText: strip(oldRows), newText: numbered === 0 ? edit.newText : strip(newRows) };
  return [{ kind: 'plain', edit: { line: first, ...edit, ...plain }, how: 'with the line numbers taken off' }];
}

function strip(rows: readonly string[]): string {
  return rows.map((row) => row.replace(NUMBERED, '')).join('\n');
}

function withoutLastBlank(rows: readonly string[]): readonly string[] {
  return rows.length > 1 && rows.at(-1)?.trim() === '' ? rows.slice(0, -1) : rows;
}

/** One line with `\n` in it where the file has line breaks: escaped once too often. The new text was written the same way. */
function unescaped({ oldText, newText, ...rest }: Edit): readonly Copy[] {
  if (oldText.trim().includes('\n') || !oldText.includes('\\n')) return [];
  const spoilt = !newText.trim().includes('\n');
  const edit = { ...rest, oldText: withoutEscapes(oldText), newText: spoilt ? withoutEscapes(newText) : newText };
  return [{ kind: 'plain', edit, how: 'with escaped line breaks read as line breaks' }];
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '', '"': '"', '\\': '\\' };

function withoutEscapes(text: string): string {
  return text.replaceAll(/\\([ntr"\\])/g, (_, letter: string) => ESCAPES[letter] ?? '');
}
