// What is sought on the lines of a whole log, by the words for it: nine lines of ten have none, and are never taken out of the log.
import { ERROR_SIGNS } from './error-sign-table.ts';
import { neededWords } from './needed-words.ts';
import type { Sought } from './plain-lines.ts';
import { STEP_LINES } from './steps.ts';
import { LIST_LINES } from './test-lists.ts';
import { LAST_NAMING_LINES, NAMING_LINES } from './test-naming-lines.ts';
import { HEADINGS } from './test-numbers.ts';
import { WordIndex } from './word-index.ts';

/**
 * Whatever one line alone may be found by. What is harmless, and mere words of trouble, are asked of lines that one of these or their place
 * has made worth it.
 */
export const SOUGHT: Readonly<Record<Sought, readonly RegExp[]>> = {
  step: STEP_LINES,
  name: [...NAMING_LINES, ...LAST_NAMING_LINES].map(({ pattern }) => pattern),
  list: [...LIST_LINES, ...HEADINGS],
  sign: [
    ...ERROR_SIGNS.filter(({ kind }) => kind !== 'weak' && kind !== 'harmless').flatMap(({ patterns }) => patterns),
    /##\[error/,
  ],
};
const KINDS: readonly Sought[] = ['step', 'name', 'list', 'sign'];
const ALL = 15;

/** For those that have no word of three characters one of these stands on each line that they fit. Few lines have any. */
const SHORT: readonly { readonly sign: string; readonly after?: RegExp }[] = [
  ...['●', '✖', '×', '❯', '⨯', 'X '].map((sign) => ({ sign })),
  { sign: '#', after: /[\w:]/ },
];
const ESCAPE = '\u001b';

const WORDS = new WordIndex();
for (const [index, kind] of KINDS.entries()) {
  for (const pattern of SOUGHT[kind]) {
    for (const word of neededWords(pattern)) WORDS.add(word, pattern.flags.includes('i'), 1 << index);
  }
}

/** As `gh run view --log` prints it, each line says its step. */
const COLUMNS = /\t\uFEFF?\d{4}-\d\d-\d\dT/;

/** A line between two places of a log. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface SoughtLines {
  readonly of: Readonly<Record<Sought, Int32Array>>;
  /** Those with colours, which may stand within words. */
  readonly coloured: Int32Array;
}

/** Indexes of the lines on which each may stand; the lines are all of the log. Null: each line says its step. */
export function soughtLines(log: string, lines: readonly Stretch[]): SoughtLines | null {
  if (log.includes('\t') && COLUMNS.test(log)) return null;
  const marks = new Marks(lines);
  markWords(log, marks);
  marks.rewind();
  for (const { sign, after } of SHORT) markSign(log, marks, { sign, after: after ?? null });
  const others = new Marks(lines);
  markSign(log, others, { sign: ESCAPE, after: null });
  markSign(log, marks, { sign: ESCAPE, after: null });
  const [step, name, list, sign] = KINDS.map((_, index) => marks.indexes(1 << index));
  const none = new Int32Array();
  return {
    of: { step: step ?? none, name: name ?? none, list: list ?? none, sign: sign ?? none },
    coloured: others.indexes(ALL),
  };
}

/** A bit for each kind that may stand on a line. */
class Marks {
  readonly #lines: readonly Stretch[];
  readonly #bits: Uint8Array;
  readonly #marked: number[] = [];
  #index = 0;

  constructor(lines: readonly Stretch[]) {
    this.#lines = lines;
    this.#bits = new Uint8Array(lines.length);
  }

  /** The line that the place is on; places come in order. Returns where it ends. */
  at(place: number, bits: number): number {
    while ((this.#lines[this.#index]?.to ?? place) < place) this.#index += 1;
    const before = this.#bits[this.#index] ?? 0;
    if (before === 0) this.#marked.push(this.#index);
    this.#bits[this.#index] = before | bits;
    return this.#lines[this.#index]?.to ?? place;
  }

  /** Places begin anew. */
  rewind(): void {
    this.#index = 0;
  }

  indexes(bit: number): Int32Array {
    return Int32Array.from(this.#marked.filter((index) => ((this.#bits[index] ?? 0) & bit) !== 0)).sort();
  }
}

function markWords(log: string, marks: Marks): void {
  const bytes = Buffer.from(log, 'latin1');
  const looked = { text: log, bytes };
  let bits = 0;
  const tell = (owners: readonly number[]) => {
    for (const owner of owners) bits |= owner;
  };
  for (let at = WORDS.next(bytes, 0, bytes.length); at < bytes.length; at = WORDS.next(bytes, at + 1, bytes.length)) {
    bits = 0;
    WORDS.at(looked, at, tell);
    if (bits !== 0) marks.at(at, bits);
  }
}

function markSign(
  log: string,
  marks: Marks,
  { sign, after }: { readonly sign: string; readonly after: RegExp | null },
): void {
  marks.rewind();
  for (let at = log.indexOf(sign); at >= 0; ) {
    const isFound = after === null || after.test(log[at - 1] ?? '');
    at = log.indexOf(sign, (isFound ? marks.at(at, ALL) : at) + 1);
  }
}
