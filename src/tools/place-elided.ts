// Old text that leaves lines out ("..."), placed where its pieces stand in one block, each in one place only; what was left out stays.
import { type Span, shiftedSpans } from './loose-match.ts';
import type { Edit, Placement } from './place-edit.ts';
import { fitNewLines, indentOf } from './re-indent.ts';
import { joinRows, type Rows, splitRows } from './text-rows.ts';

/** A line that stands for others: dots alone, or a comment that begins with them. */
const ELISION = /^\s*(?:(?:\.{3}|…)\s*$|(?:#|\/\/|\/\*|--|<!--)\s*(?:\.{3}|…))/;
const HOW = 'piece by piece, with the lines that you left out ("...") kept';

interface Piece {
  readonly old: readonly string[];
  readonly fresh: readonly string[];
}

/** Null: nothing is left out. */
export function placeElided(rows: Rows, edit: Edit): Placement | null {
  const old = piecesOf(edit.oldText);
  if (old.length === 1) return null;
  const fresh = piecesOf(edit.newText);
  const pieces = old.map((piece, index): Piece => ({ old: piece, fresh: fresh[index] ?? [] }));
  // Empty edges only say that the block goes on; text put there would have no place.
  const open = pieces.some((piece) => piece.old.length === 0 && piece.fresh.length > 0);
  const filled = pieces.filter((piece) => piece.old.length > 0);
  if (fresh.length !== old.length || open || filled.length === 0) {
    return refused('and the new text does not leave out the same');
  }
  const spans = spansOf(rows.bare, filled, edit.line);
  return typeof spans === 'string' ? refused(spans) : placedIn(rows, filled, spans);
}

function refused(why: string): Placement {
  const reason = `the old text leaves lines out ("..."), ${why}; write every line of one stretch`;
  return { kind: 'refused', reason };
}

function piecesOf(text: string): readonly (readonly string[])[] {
  const pieces: string[][] = [[]];
  for (const row of text.split('\n')) {
    if (ELISION.test(row)) pieces.push([]);
    else pieces.at(-1)?.push(row);
  }
  return pieces.map(withoutBlankEdges);
}

function withoutBlankEdges(rows: readonly string[]): readonly string[] {
  const first = rows.findIndex((row) => row.trim() !== '');
  return first === -1 ? [] : rows.slice(first, rows.findLastIndex((row) => row.trim() !== '') + 1);
}

/** Where each piece stands, or why that is not certain. The first must stand once in the file, each other once in what is left of its block. */
function spansOf(
  bare: readonly string[],
  pieces: readonly Piece[],
  line: number | undefined,
): readonly Span[] | string {
  const spans: Span[] = [];
  for (const { old } of pieces) {
    const scope = scopeOf(bare, spans, isDeeper(old, pieces[0]?.old ?? []));
    const all = shiftedSpans(bare.slice(scope.from, scope.to), old);
    const found = all.map((span) => ({ from: span.from + scope.from, to: span.to + scope.from }));
    const meant = spans.length === 0 && found.length > 1 ? found.filter(({ from }) => from + 1 === line) : found;
    const [span] = meant;
    if (span === undefined || meant.length > 1) return uncertain(old, found);
    spans.push(span);
  }
  return spans;
}

function uncertain([first = '']: readonly string[], found: readonly Span[]): string {
  const lines = found.slice(0, 10).map(({ from }) => from + 1);
  const where = found.length === 0 ? 'does not stand there' : `stands at lines ${lines.join(', ')}`;
  return `and one of its pieces ${where}: ${JSON.stringify(first.trim().slice(0, 80))}`;
}

function isDeeper([row = '']: readonly string[], [first = '']: readonly string[]): boolean {
  return indentOf(row).length > indentOf(first).length;
}

/** What is left of the block of the first piece: as far as rows are indented like it, or, for a piece inside of it, deeper. */
function scopeOf(bare: readonly string[], spans: readonly Span[], inside: boolean): Span {
  const [first] = spans;
  const from = spans.at(-1)?.to ?? 0;
  if (first === undefined) return { from, to: bare.length };
  const least = indentOf(bare[first.from] ?? '').length + (inside ? 1 : 0);
  const end = bare.findIndex((row, index) => index >= from && row.trim() !== '' && indentOf(row).length < least);
  return { from, to: end === -1 ? bare.length : end };
}

/** From the last piece to the first, so that the places of those before stay right. */
function placedIn(rows: Rows, pieces: readonly Piece[], spans: readonly Span[]): Placement {
  let text = joinRows(rows, 0, 0, []);
  let grown = 0;
  for (const [index, span] of [...spans.entries()].reverse()) {
    const { old, fresh } = pieces[index] ?? { old: [], fresh: [] };
    if (old.join('\n') === fresh.join('\n')) continue;
    const now = splitRows(text);
    const fitted = fitNewLines(now.bare.slice(span.from, span.to), old, fresh);
    text = joinRows(now, span.from, span.to, fitted);
    grown += fitted.length - (span.to - span.from);
  }
  const [first] = spans;
  const at = { from: (first?.from ?? 0) + 1, to: Math.max((first?.from ?? 0) + 1, (spans.at(-1)?.to ?? 0) + grown) };
  return { kind: 'placed', text, at, how: HOW };
}
