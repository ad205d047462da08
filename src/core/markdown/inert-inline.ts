// Foreign text as one line of Markdown: its code stays code, and what GitHub would link, mention, refer to or draw becomes code.
import { cutAt, inertLine } from '../inert-text.ts';
import { codeSpan } from './code-marks.ts';
import { withoutOrders } from './commit-orders.ts';
import { isReadInto, isShownReadInto } from './read-into.ts';

/** The address of a place such as `src/a.ts:12` in the repository; null for everything else. */
export type SourceLinks = (text: string) => string | null;

export const NO_LINKS: SourceLinks = () => null;

const MAX_WORD = 500;
const OPENING = '([{"\'“‘«*';
const CLOSING = '.,;:!?)]}"\'”’»…*';
const LINK = /!?\[([^[\]]{0,300})\]\(<?([^()\s<>]{0,500})>?(?:\s+"[^"]{0,200}")?\)/g;
const ADDRESS = /:\/\/|^www\.|^mailto:/i;
const BOLD_OPENS = /(?<=^|[\s("'“])\*\*(?=[\p{L}\p{N}("'“[]|$)/gu;
const BOLD_CLOSES = /(?<=^|[\p{L}\p{N})\]"'”.!?:%])\*\*(?=$|[\s.,;:!?)"'”])/gu;

/** At most `max` characters of the text (then ending in `…`), more of Markdown. Safe at the start of a line and after other text. */
export function inertInline(text: string, max: number, links: SourceLinks = NO_LINKS): string {
  const line = inertLine(text, max);
  const shown = inertPieces(line, links).trim();
  // What is shown is judged, however it came about.
  return withoutOrders(guardStart(isShownReadInto(shown) ? codeSpan(line) : shown));
}

interface Piece {
  readonly isCode: boolean;
  readonly text: string;
}

function inertPieces(line: string, links: SourceLinks): string {
  const pieces = withoutBold(withoutLinkedCode(piecesOf(line)));
  // A span of nothing that can be seen keeps apart what stands on both of its sides.
  const parts = pieces.flatMap(({ isCode, text }) => (isCode ? [linked(text, links) || ' '] : inertWords(text, links)));
  const out: string[] = [];
  for (const part of parts) {
    // Two spans side by side would be one.
    if (part.startsWith('`') && out.at(-1)?.endsWith('`')) out.push(' ');
    if (part !== '') out.push(part);
  }
  return out.join('');
}

/** A run of backticks opens a span that the next run of the same length closes, as CommonMark has it. */
function piecesOf(line: string): Piece[] {
  const runs = [...line.matchAll(/`+/g)];
  const pieces: Piece[] = [];
  const unclosed = new Set<number>();
  let at = 0;
  for (const [index, { 0: run, index: start }] of runs.entries()) {
    if (start < at || unclosed.has(run.length)) continue;
    const end = closing(runs, index);
    if (end === -1) {
      unclosed.add(run.length);
      continue;
    }
    pieces.push({ isCode: false, text: line.slice(at, start) });
    pieces.push({ isCode: true, text: line.slice(start + run.length, end) });
    at = end + run.length;
  }
  return [...pieces, { isCode: false, text: line.slice(at) }];
}

function closing(runs: readonly RegExpExecArray[], open: number): number {
  const length = runs[open]?.[0].length;
  for (let next = open + 1; next < runs.length; next += 1) {
    if (runs[next]?.[0].length === length) return runs[next]?.index ?? -1;
  }
  return -1;
}

/** A link around code, such as [`a.ts`](a.ts): the code stays, and the address where it leads away. */
function withoutLinkedCode(pieces: readonly Piece[]): Piece[] {
  const texts = pieces.map(({ text }) => text);
  for (const [index, { isCode }] of pieces.entries()) {
    const after = /^\]\(([^()\s]{0,500})\)/.exec(texts[index + 1] ?? '');
    if (!isCode || after === null || !texts[index - 1]?.endsWith('[')) continue;
    texts[index - 1] = (texts[index - 1] ?? '').replace(/!?\[$/, '');
    texts[index + 1] = `${toldAddress(after[1] ?? '')}${texts[index + 1]?.slice(after[0].length)}`;
  }
  return pieces.map(({ isCode }, index) => ({ isCode, text: texts[index] ?? '' }));
}

function toldAddress(address: string): string {
  return ADDRESS.test(address) ? ` (${address})` : '';
}

/** Bold is ours, to tell what matters. Stars that are not in pairs are not bold, and stay. */
function withoutBold(pieces: readonly Piece[]): readonly Piece[] {
  const count = (pattern: RegExp): number =>
    pieces.reduce((sum, { isCode, text }) => sum + (isCode ? 0 : (text.match(pattern)?.length ?? 0)), 0);
  if (count(BOLD_OPENS) !== count(BOLD_CLOSES)) return pieces;
  return pieces.map((piece) =>
    piece.isCode ? piece : { ...piece, text: piece.text.replace(BOLD_OPENS, '').replace(BOLD_CLOSES, '') },
  );
}

function inertWords(text: string, links: SourceLinks): readonly string[] {
  const plain = text.replace(LINK, (_, shown: string, address: string) => `${shown}${toldAddress(address)}`);
  return plain.split(/(\s+)/).flatMap((word) => inertWord(word, links));
}

function inertWord(word: string, links: SourceLinks): readonly string[] {
  const short = word.length > MAX_WORD ? `${cutAt(word, MAX_WORD - 1)}…` : word;
  const { lead, core, tail } = trimmed(short);
  if (!isReadInto(short) && links(core) === null) return [escaped(short)];
  return [escaped(lead), linked(core === '' ? short : core, links), core === '' ? '' : escaped(tail)];
}

/** Brackets, quotation marks and stops around a word are not a part of it. */
function trimmed(word: string): { readonly lead: string; readonly core: string; readonly tail: string } {
  let from = 0;
  let to = word.length;
  while (from < to && OPENING.includes(word.charAt(from))) from += 1;
  while (to > from && CLOSING.includes(word.charAt(to - 1))) to -= 1;
  return { lead: word.slice(0, from), core: word.slice(from, to), tail: word.slice(to) };
}

function linked(code: string, links: SourceLinks): string {
  const span = codeSpan(code);
  if (span === '') return '';
  const address = links(code.trim());
  return address === null ? span : `[${span}](${address})`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '`': '&#96;' };

/** A mark within a word, as in `foo_bar`, marks nothing. A `!` at the end could make a picture of the link that follows. */
function escaped(text: string): string {
  return text.replace(
    /[&<>`\\*[\]~|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|!$/gu,
    (mark) => ENTITIES[mark] ?? `\\${mark}`,
  );
}

/** What begins a heading, a list, a rule or a heading by underlining does so only as the first thing in a line. */
function guardStart(line: string): string {
  return line.replace(/^[#+=:-]/, '\\$&').replace(/^(\d{1,9})([.)])/, '$1\\$2');
}
