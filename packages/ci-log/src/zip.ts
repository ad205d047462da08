// Reads single files out of a zip archive that anyone may have made, within limits on what it inflates to.
// Of our own, since no zip library is among our dependencies; `node:zlib` inflates, and only the format's directory is
// read here (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT).
import { crc32, inflateRawSync } from 'node:zlib';

/** `file_size`, `total_size`: it inflates to more than one file may, or to more than is left for all. */
export type ZipFile = {
  /** As the archive has it: a name, never used as a path. */
  readonly name: string;
} & ({ readonly kind: 'read'; readonly bytes: Uint8Array } | { readonly kind: 'file_size' | 'total_size' });

interface ZipLimits {
  /** Files in the archive, wanted or not. */
  readonly entries: number;
  /** Bytes that one file inflates to. */
  readonly fileBytes: number;
  /** What all files may still inflate to, in this archive and in others; spent by reading. */
  readonly budget: { bytes: number };
}

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  /** Of its local header. */
  readonly at: number;
}

const END_BYTES = 22;
const END = 0x0605_4b50;
const DIRECTORY = 0x0201_4b50;
const LOCAL = 0x0403_4b50;
const LONGEST_COMMENT = 0xffff;
const STORED = 0;
const DEFLATED = 8;

/**
 * The wanted files in the archive's order, one in memory at a time. What an entry says of its size is not believed:
 * inflating stops at the limit. Damaged files are left out; there is none where it is no archive, has too many entries, or
 * is one of those above 4 GB.
 */
export function* readZip(
  archive: Uint8Array,
  isWanted: (name: string) => boolean,
  { entries, fileBytes, budget }: ZipLimits,
): Generator<ZipFile, void, void> {
  const buffer = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  for (const entry of readDirectory(buffer, entries).filter(({ name }) => isWanted(name))) {
    const { name } = entry;
    const most = Math.min(budget.bytes, fileBytes);
    const inflated = entry.bytes > most ? TOO_LARGE : inflateEntry(buffer, entry, most);
    budget.bytes -= inflated.spent;
    if (inflated.kind === 'read') yield { name, kind: 'read', bytes: inflated.bytes };
    else if (inflated.kind === 'too_large')
      yield { name, kind: entry.bytes > fileBytes || most === fileBytes ? 'file_size' : 'total_size' };
  }
}

function readDirectory(buffer: Buffer, most: number): readonly Entry[] {
  const end = findEnd(buffer);
  if (end < 0) return [];
  const count = buffer.readUInt16LE(end + 10);
  if (count > most) return [];
  const entries: Entry[] = [];
  let at = buffer.readUInt32LE(end + 16);
  while (entries.length < count && at + 46 <= end && buffer.readUInt32LE(at) === DIRECTORY) {
    const nameBytes = buffer.readUInt16LE(at + 28);
    entries.push({
      name: buffer.toString('utf8', at + 46, at + 46 + nameBytes),
      method: buffer.readUInt16LE(at + 10),
      isEncrypted: (buffer.readUInt16LE(at + 8) & 1) === 1,
      crc: buffer.readUInt32LE(at + 16),
      packedBytes: buffer.readUInt32LE(at + 20),
      bytes: buffer.readUInt32LE(at + 24),
      at: buffer.readUInt32LE(at + 42),
    });
    at += 46 + nameBytes + buffer.readUInt16LE(at + 30) + buffer.readUInt16LE(at + 32);
  }
  return entries;
}

/** Where the record at the end of the archive begins; a comment may follow it. -1: there is none. */
function findEnd(buffer: Buffer): number {
  const first = Math.max(0, buffer.length - END_BYTES - LONGEST_COMMENT);
  for (let at = buffer.length - END_BYTES; at >= first; at -= 1) if (buffer.readUInt32LE(at) === END) return at;
  return -1;
}

/**
 * `spent`: what was inflated, also in vain, since any number of entries may have the same bytes; at least what was packed,
 * since 20 MB of empty blocks inflate to nothing.
 */
type Inflated =
  | { readonly kind: 'read'; readonly bytes: Uint8Array; readonly spent: number }
  | { readonly kind: 'too_large' | 'damaged'; readonly spent: number };

const TOO_LARGE: Inflated = { kind: 'too_large', spent: 0 };
/** Damaged, encrypted, or packed in another way. */
const UNREADABLE: Inflated = { kind: 'damaged', spent: 0 };

function inflateEntry(buffer: Buffer, entry: Entry, most: number): Inflated {
  const { at, method, packedBytes } = entry;
  if (entry.isEncrypted || at + 30 > buffer.length || buffer.readUInt32LE(at) !== LOCAL) return UNREADABLE;
  const from = at + 30 + buffer.readUInt16LE(at + 26) + buffer.readUInt16LE(at + 28);
  const packed = buffer.subarray(from, from + packedBytes);
  if (packed.length !== packedBytes || (method !== DEFLATED && method !== STORED)) return UNREADABLE;
  if (method === STORED && packedBytes > most) return TOO_LARGE;
  const bytes = method === STORED ? packed : inflateWithin(packed, most);
  const spent = Math.max(packedBytes, typeof bytes === 'string' ? most : bytes.byteLength);
  if (typeof bytes === 'string') return { kind: bytes, spent };
  return crc32(bytes) === entry.crc ? { kind: 'read', bytes, spent } : { kind: 'damaged', spent };
}

function inflateWithin(packed: Uint8Array, most: number): Uint8Array | 'too_large' | 'damaged' {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, most) });
  } catch (error) {
    return error instanceof RangeError ? 'too_large' : 'damaged';
  }
}
