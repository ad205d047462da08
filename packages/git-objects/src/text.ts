// The bytes of a file as bounded text: valid UTF-8 without NUL, whole lines, and a note on what was cut.
import { toLines } from 'causeway-diff';
import type { FileRead, LineRange } from './source.ts';

/** Blobs beyond this are not loaded at all. */
export const MAX_BLOB_BYTES = 5 * 1024 * 1024;
const MAX_TEXT = 1024 * 1024;
// A line this long is generated (minified code, data); it is not read further.
const MAX_LINE = 10_000;

/** The text of `bytes`, a byte order mark and CRs kept; null for what is not valid UTF-8 or holds NUL. */
export function decodeText(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  return decodeOrNull(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }), bytes);
}

/** What `read` answers for these bytes. */
export function toFileRead(bytes: Buffer, range: LineRange | undefined): FileRead {
  const text = decodeText(bytes);
  if (text === null) return { kind: 'binary', size: bytes.length };
  const lines = toLines(text).lines;
  const from = Math.max(1, Math.trunc(range?.from ?? 1));
  const to = Math.min(lines.length, Math.trunc(range?.to ?? lines.length));
  const notes = [describeShownRange(from, lines.length, range)];
  const chosen = cutToLimits(lines.slice(from - 1, Math.max(from - 1, to)), from, notes);
  const last = from + chosen.length - 1;
  if (last < to)
    notes.push(`Cut after line ${last} of ${lines.length}: the limit is 1 MiB of text. Ask for later lines.`);
  const ending = chosen.length > 0 && (last < lines.length || text.endsWith('\n')) ? '\n' : '';
  return {
    kind: 'text',
    text: `${chosen.join('\n')}${ending}`,
    firstLine: from,
    totalLines: lines.length,
    cut: notes.filter((note) => note !== '').join(' '),
  };
}

function describeShownRange(from: number, total: number, range: LineRange | undefined): string {
  if (range === undefined) return '';
  if (range.to < range.from) return `Lines ${range.from} to ${range.to} are not a range: it ends before it starts.`;
  return from > total ? `The file has ${total} lines; there is no line ${from}.` : '';
}

/** The lines that fit, each cut where it is too long, with a note in `notes`. */
function cutToLimits(lines: readonly string[], first: number, notes: string[]): readonly string[] {
  const chosen: string[] = [];
  const long: number[] = [];
  let size = 0;
  for (const [index, line] of lines.entries()) {
    const short = line.length > MAX_LINE ? line.slice(0, MAX_LINE) : line;
    size += Buffer.byteLength(short) + 1;
    if (size > MAX_TEXT) break;
    if (short.length < line.length) long.push(first + index);
    chosen.push(short);
  }
  if (long.length > 0) {
    const which = long.slice(0, 5).join(', ');
    notes.push(
      `${long.length} long line(s) cut to ${MAX_LINE} characters (line ${which}${long.length > 5 ? ', …' : ''}).`,
    );
  }
  return chosen;
}

export function decodeOrNull(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}
