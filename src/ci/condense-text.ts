// The pieces that are kept of a long log as one text, in order, with words for what is cut between them.
import { lineEnd, lineStart } from './condense-line-ends.ts';
import type { Piece } from './condense-pieces.ts';

const STAMPED = /^\uFEFF?(?:\d{4}-\d\d-\d\d[T ][\d:.,]{8,20}Z? )?/;
/** Half of a private key is one that no rule knows: its lines are no words that anybody could read. */
const KEY_LINE = /^[\s"'`,;+\\|>*#n-]{0,80}([A-Za-z0-9+/]{16,}={0,2})[\s"'`,;+\\|n]{0,8}$/;

/** The text of the pieces, which may overlap, of a log of so many lines. */
export function joinPieces(pieces: readonly Piece[], total: number): string {
  const parts: string[] = [];
  let next = 1;
  for (const piece of mergedPieces(pieces)) {
    const { line, lines, text } = trimmed(piece, {
      isFirst: piece.line === 1,
      isLast: piece.line + piece.lines > total,
    });
    if (lines === 0) continue;
    parts.push(cutBetween(next, line - 1), text);
    next = line + lines;
  }
  parts.push(cutBetween(next, total));
  return parts.join('');
}

function cutBetween(from: number, to: number): string {
  const count = to - from + 1;
  if (count <= 0) return '';
  const which = count === 1 ? `${from}` : `${from}–${to}`;
  return `… ${count} ${count === 1 ? 'line' : 'lines'} cut (${which})\n`;
}

/** In order, each line once; those that touch are one. */
function mergedPieces(pieces: readonly Piece[]): readonly Piece[] {
  const groups: { line: number; end: number; bytes: Uint8Array[] }[] = [];
  for (const piece of pieces.toSorted((a, b) => a.line - b.line || b.lines - a.lines)) {
    const last = groups.at(-1);
    const end = piece.line + piece.lines;
    if (last === undefined || piece.line > last.end) groups.push({ line: piece.line, end, bytes: [piece.bytes] });
    else if (end > last.end) {
      last.bytes.push(withoutLines(piece.bytes, last.end - piece.line));
      last.end = end;
    }
  }
  return groups.map(({ line, end, bytes }) => ({ line, lines: end - line, bytes: Buffer.concat(bytes) }));
}

/** Without the lines of a key whose other half was cut. */
function trimmed(
  { line, lines, bytes }: Piece,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): { readonly line: number; readonly lines: number; readonly text: string } {
  let [from, to, first, left] = [0, bytes.length, line, lines];
  while (!isFirst && left > 0 && isKeyLine(bytes, from, lineEnd(bytes, from))) {
    from = lineEnd(bytes, from);
    first += 1;
    left -= 1;
  }
  while (!isLast && left > 0 && isKeyLine(bytes, lineStart(bytes, to), to)) {
    to = lineStart(bytes, to);
    left -= 1;
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString();
  return { line: first, lines: left, text: isLast || /(?:^|[\r\n])$/.test(text) ? text : `${text}\n` };
}

function isKeyLine(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from > 1_000) return false;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString();
  const run = KEY_LINE.exec(text.replace(STAMPED, '').trim())?.[1] ?? '';
  return run.endsWith('=') || (/\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run));
}

function withoutLines(bytes: Uint8Array, count: number): Uint8Array {
  let from = 0;
  for (let line = 0; line < count; line += 1) from = lineEnd(bytes, from);
  return bytes.subarray(from);
}
