// Records as they stand on disk, one behind the other: found again by their mark, believed by their checksum, known by their id.

/** `LEXR`, read as a number of this machine: a file of one of the other byte order holds no record. */
const MARK = 0x5258_454c;
const MARK_BYTES = new Uint8Array(Uint32Array.of(MARK).buffer);
/** Mark, bytes in all, checksum, bytes of the id. */
const HEADER_WORDS = 4;
/** A file of 1 MB has at most half a million terms, of 5 bytes each. */
export const MAX_RECORD_BYTES = 8 * 1024 * 1024;

export interface PlacedRecord {
  /** In hexadecimal digits. */
  readonly id: string;
  /** Where it begins. */
  readonly at: number;
  readonly bytes: number;
  /** A view of the bytes that it was read from, where those allow it. */
  readonly payload: Uint32Array;
}

/** Bytes of the record of an id of so many hexadecimal digits with a payload of so many words. */
function recordBytes(idDigits: number, payloadWords: number): number {
  return HEADER_WORDS * 4 + idDigits / 2 + payloadWords * 4;
}

/** One record. `id`: hexadecimal digits, a multiple of eight of them, as those of git are (40 or 64). */
export function encodeRecord(id: string, payload: Uint32Array): Uint8Array {
  const words = new Uint32Array(recordBytes(id.length, payload.length) / 4);
  const bytes = new Uint8Array(words.buffer);
  bytes.set(Buffer.from(id, 'hex'), HEADER_WORDS * 4);
  words.set(payload, HEADER_WORDS + id.length / 8);
  words.set([MARK, bytes.length, 0, id.length / 2]);
  words[2] = checksum(words);
  return bytes;
}

/** The record at `at`; `partial` where more bytes may complete it, `none` where none does. */
export function recordAt(
  bytes: Uint8Array,
  at: number,
): { readonly kind: 'record'; readonly record: PlacedRecord } | { readonly kind: 'partial' | 'none' } {
  const left = bytes.length - at;
  if (left < HEADER_WORDS * 4) return { kind: 'partial' };
  const [mark = 0, size = 0, sum = 0, idBytes = 0] = wordsOf(bytes, at, HEADER_WORDS);
  if (mark !== MARK || !isSize(size, idBytes)) return { kind: 'none' };
  if (size > left) return { kind: 'partial' };
  const words = wordsOf(bytes, at, size / 4);
  if (checksum(words) !== sum) return { kind: 'none' };
  const idAt = at + HEADER_WORDS * 4;
  const id = Buffer.from(bytes.buffer, bytes.byteOffset + idAt, idBytes).toString('hex');
  return { kind: 'record', record: { id, at, bytes: size, payload: words.subarray(HEADER_WORDS + idBytes / 4) } };
}

/** Hands over every whole record and steps over what is none; answers how far that came: the end, or the beginning of one that is not all there. */
export function eachRecord(bytes: Uint8Array, each: (record: PlacedRecord) => void): number {
  let at = 0;
  while (at < bytes.length) {
    const found = recordAt(bytes, at);
    switch (found.kind) {
      case 'partial':
        return at;
      case 'none':
        at = nextMark(bytes, at + 1);
        break;
      case 'record':
        each(found.record);
        at += found.record.bytes;
    }
  }
  return at;
}

/** Where the next record may begin, from `at` on; the end of the bytes but for what may be the beginning of a mark. */
export function nextMark(bytes: Uint8Array, at: number): number {
  const found = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(MARK_BYTES, at);
  return found === -1 ? Math.max(at, bytes.length - MARK_BYTES.length + 1) : found;
}

function isSize(size: number, idBytes: number): boolean {
  const isId = idBytes === 20 || idBytes === 32;
  return isId && size % 4 === 0 && size >= HEADER_WORDS * 4 + idBytes && size <= MAX_RECORD_BYTES;
}

/** A view where the bytes lie on the border of a word, else a copy: a record that was torn moves all behind it. */
function wordsOf(bytes: Uint8Array, at: number, count: number): Uint32Array {
  const from = bytes.byteOffset + at;
  if (from % 4 === 0) return new Uint32Array(bytes.buffer, from, count);
  return new Uint32Array(bytes.slice(at, at + count * 4).buffer);
}

/** Over all words but the checksum's own. Against accidents, not against forgers: those have the repository itself to write into. */
function checksum(words: Uint32Array): number {
  let sum = 0x811c_9dc5;
  for (let index = 0; index < words.length; index++) {
    if (index === 2) continue;
    sum = Math.imul(sum ^ (words[index] ?? 0), 0x9e37_79b1);
    sum ^= sum >>> 15;
  }
  return sum >>> 0;
}
