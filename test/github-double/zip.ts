// Writes a zip archive, as the storage host hands out the logs of a whole run.
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZippedFile {
  readonly path: string;
  readonly text: string;
}

/** UTF-8 names, which the archive must say. */
const FLAGS = 0x0800;
const DEFLATED = 8;
/** The first day that the format knows; nobody reads the times of logs. */
const DATE = 0x0021;

/** A whole archive. */
export function zipOf(files: readonly ZippedFile[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { path, text } of files) {
    const name = Buffer.from(path);
    const raw = Buffer.from(text);
    const packed = deflateRawSync(raw);
    const shared = sharedHeader(raw, packed, name);
    const local = Buffer.concat([number32(0x04034b50), number16(20), shared, number16(0), name, packed]);
    parts.push(local);
    directory.push(
      Buffer.concat([
        ...[number32(0x02014b50), number16(20), number16(20), shared, number16(0), number16(0), number16(0)],
        ...[number16(0), number32(0), number32(at), name],
      ]),
    );
    at += local.length;
  }
  const listed = Buffer.concat(directory);
  const count = number16(files.length);
  const end = [number32(0x06054b50), number16(0), number16(0), count, count, number32(listed.length), number32(at)];
  return Buffer.concat([...parts, listed, ...end, number16(0)]);
}

/** What a file's own header and its line in the directory have in common. */
function sharedHeader(raw: Buffer, packed: Buffer, name: Buffer): Buffer {
  const sizes = [number32(crc32(raw)), number32(packed.length), number32(raw.length)];
  return Buffer.concat([
    ...[number16(FLAGS), number16(DEFLATED), number16(0), number16(DATE)],
    ...[...sizes, number16(name.length)],
  ]);
}

function number16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16LE(value);
  return buffer;
}

function number32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}
