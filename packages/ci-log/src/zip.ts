// Reads single files out of a zip archive that anyone may have made, within limits on what it inflates to. `yauzl` reads
// the archive's directory, and `node:zlib` inflates: what an entry says of its size is not believed.
import { crc32, inflateRawSync } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile as Zip } from 'yauzl';

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

/**
 * The wanted files in the archive's order, one in memory at a time. Damaged and encrypted files are left out; there is none
 * where it is not an archive or has too many entries.
 */
export async function* readZip(
  archive: Uint8Array,
  isWanted: (name: string) => boolean,
  { entries, fileBytes, budget }: ZipLimits,
): AsyncGenerator<ZipFile, void, void> {
  const buffer = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  for await (const { zip, entry } of iterateZipEntries(buffer, entries)) {
    const name = entry.fileNameRaw.toString();
    if (!isWanted(name)) continue;
    const most = Math.min(budget.bytes, fileBytes);
    const inflated =
      entry.uncompressedSize > most ? TOO_LARGE : inflateWithin(await findPacked(zip, buffer, entry), most);
    budget.bytes -= inflated.spent;
    if (inflated.bytes === 'too_large')
      yield { name, kind: entry.uncompressedSize > fileBytes || most === fileBytes ? 'file_size' : 'total_size' };
    else if (inflated.bytes !== 'damaged' && crc32(inflated.bytes) === entry.crc32)
      yield { name, kind: 'read', bytes: inflated.bytes };
  }
}

/** Up to the first that is damaged. */
async function* iterateZipEntries(
  buffer: Buffer,
  most: number,
): AsyncGenerator<{ readonly zip: Zip; readonly entry: Entry }> {
  try {
    // A name that is not decoded is not judged either: an archive with `../x.xml` would end there.
    const zip = await fromBufferPromise(buffer, { decodeStrings: false, validateEntrySizes: false });
    if (zip.entryCount <= most) for await (const entry of zip.eachEntry()) yield { zip, entry };
  } catch {
    // It is not an archive, or damaged from here on.
  }
}

interface Packed {
  readonly bytes: Buffer;
  readonly isDeflated: boolean;
}

/** Null: damaged, encrypted, or packed in another way. */
async function findPacked(zip: Zip, buffer: Buffer, entry: Entry): Promise<Packed | null> {
  if (!entry.canDecodeFileData()) return null;
  try {
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
    const bytes = buffer.subarray(fileDataStart, fileDataStart + entry.compressedSize);
    return { bytes, isDeflated: entry.isCompressed() };
  } catch {
    return null;
  }
}

/**
 * `spent`: what was inflated, also in vain, since any number of entries may have the same bytes; at least what was packed,
 * since 20 MB of empty blocks inflate to nothing.
 */
interface Inflated {
  readonly bytes: Uint8Array | 'too_large' | 'damaged';
  readonly spent: number;
}

const TOO_LARGE: Inflated = { bytes: 'too_large', spent: 0 };

function inflateWithin(packed: Packed | null, most: number): Inflated {
  if (packed === null) return { bytes: 'damaged', spent: 0 };
  const { bytes, isDeflated } = packed;
  if (!isDeflated) return bytes.length > most ? TOO_LARGE : { bytes, spent: bytes.length };
  try {
    const inflated = inflateRawSync(bytes, { maxOutputLength: Math.max(1, most) });
    return { bytes: inflated, spent: Math.max(bytes.length, inflated.length) };
  } catch (error) {
    return { bytes: error instanceof RangeError ? 'too_large' : 'damaged', spent: Math.max(bytes.length, most) };
  }
}
