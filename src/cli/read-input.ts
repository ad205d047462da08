// Reads what the caller hands in: standard input and log files, bounded, and stopped by Ctrl-C.
import { open } from 'node:fs/promises';
import path from 'node:path';
import { CausewayError } from '../core/errors.ts';
import type { Io } from './io.ts';
import { REPORT_LIMIT } from './report-size.ts';

/** A pipe longer than this is refused instead of filling the memory; of less, what a report can hold is kept. */
const STDIN_LIMIT = 64 * 1024 * 1024;

/** All of standard input, as text. Throws `usage` beyond 64 MiB, and the signal's reason when it aborts. */
export async function readStdin(
  io: Pick<Io, 'stdin' | 'stdinIsTerminal' | 'err'>,
  signal: AbortSignal,
): Promise<string> {
  if (io.stdinIsTerminal) io.err('Reading from standard input; end with Ctrl-D.\n');
  const chunks: Uint8Array[] = [];
  let length = 0;
  const iterator = io.stdin[Symbol.asyncIterator]();
  for (;;) {
    const next = await unlessAborted(iterator.next(), signal);
    if (next.done === true) return decode(Buffer.concat(chunks));
    chunks.push(next.value);
    length += next.value.byteLength;
    if (length > STDIN_LIMIT) {
      throw new CausewayError(
        'usage',
        'Standard input holds more than 64 MiB: send the end of it, such as "tail -n 5000".',
      );
    }
  }
}

export interface LogText {
  readonly text: string;
  /** Bytes of the file before the text. */
  readonly missing: number;
}

/** The file's text; of a long one its last MiB. Throws `usage` where it cannot be read. */
export async function readLogFile(file: string, cwd: string): Promise<LogText> {
  try {
    await using handle = await open(path.resolve(cwd, file));
    const { size } = await handle.stat();
    if (size <= REPORT_LIMIT) return { text: decode(await handle.readFile()), missing: 0 };
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(REPORT_LIMIT), 0, REPORT_LIMIT, size - REPORT_LIMIT);
    const tail = buffer.subarray(0, bytesRead);
    const from = tail.indexOf(0x0a) + 1;
    return { text: decode(tail.subarray(from)), missing: size - bytesRead + from };
  } catch (error) {
    throw new CausewayError('usage', `The log ${file} cannot be read: ${reason(error)}.`, { cause: error });
  }
}

/** What the operating system said, in words. */
export function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file or folder',
    EACCES: 'permission denied',
    EISDIR: 'it is a folder',
    ENOTDIR: 'a part of its path is not a folder',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
  };
  return words[code] ?? (code || String(error));
}

/** Windows PowerShell redirects as UTF-16; everything else is read as UTF-8, a byte order mark dropped. */
function decode(bytes: Uint8Array): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(utf16 ? 'utf-16le' : 'utf-8').decode(bytes);
}

/** A read from a terminal or an open pipe may never end: Ctrl-C must not wait for it. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
