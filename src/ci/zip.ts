// Reads single files out of a zip archive that anyone may have made, within limits on what it inflates to.
// Of our own, since no zip library is among our dependencies; `node:zlib` inflates, and only the format's directory is
// read here (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT).
import { crc32, inflateRawSync } from 'node:zlib';

export interface ZipFile {
  /** As the archive has it: a name, never used as a path. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface ZipLimits {
  /** Files in the archive, wanted or not. */
  readonly entries: number;
  /** Bytes that one file, and all files that are read, inflate to. A file beyond either is left out. */
  readonly fileBytes: number;
  readonly totalBytes: number;
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
 * The wanted files in the archive's order. What an entry says of its size is not believed: inflating stops at the
 * limit. Empty where it is no archive, has too many entries, or is one of those above 4 GB.
 */
export function readZip(archive: Uint8Array, isWanted: (name: string) => boolean, limits: ZipLimits): ZipFile[] {
  const buffer = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const files: ZipFile[] = [];
  let left = limits.totalBytes;
  for (const entry of readDirectory(buffer, limits.entries).filter(({ name }) => isWanted(name))) {
    const most = Math.min(left, limits.fileBytes);
    if (entry.bytes > most) continue;
    const bytes = inflateEntry(buffer, entry, most);
    // What was inflated in vain counts too: any number of entries may have the same bytes.
    left -= bytes?.byteLength ?? most;
    if (bytes !== null) files.push({ name: entry.name, bytes });
    if (left <= 0) break;
  }
  return files;
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

/** Null where it is damaged, encrypted, packed in another way, or longer than `most`. */
function inflateEntry(buffer: Buffer, entry: Entry, most: number): Uint8Array | null {
  const { at, method, packedBytes } = entry;
  if (entry.isEncrypted || at + 30 > buffer.length || buffer.readUInt32LE(at) !== LOCAL) return null;
  const from = at + 30 + buffer.readUInt16LE(at + 26) + buffer.readUInt16LE(at + 28);
  const packed = buffer.subarray(from, from + packedBytes);
  if (packed.length !== packedBytes) return null;
  const bytes = method === DEFLATED ? inflateWithin(packed, most) : method === STORED ? packed : null;
  return bytes !== null && bytes.length <= most && crc32(bytes) === entry.crc ? bytes : null;
}

function inflateWithin(packed: Uint8Array, most: number): Uint8Array | null {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, most) });
  } catch {
    return null;
  }
}
