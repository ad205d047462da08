// What an `analyse` command is about: its report, its repository and its revision, or one clear line about what is
// missing.
import { open } from 'node:fs/promises';
import path from 'node:path';
import { untilAborted } from '../core/abortable.ts';
import { CausewayError } from '../core/errors.ts';
import type { ProjectSource } from '../core/project.ts';
import { type AddressedReport, MAX_REPORT_BYTES, type ReadReportAddress } from '../core/report.ts';
import { type AnalyseCommand, refuse } from './command-line.ts';
import type { Io } from './terminal.ts';

export interface SubjectReader {
  readonly readAddress: ReadReportAddress;
  /** The root of the git repository that the folder is in; null where there is none. */
  readonly repositoryAround: (folder: string) => string | null;
}

export interface Subject {
  /** Report and log, at most 1 MiB. */
  readonly text: string;
  readonly source: ProjectSource;
  /** False: the report came from an address, so others may have written it. */
  readonly isOwn: boolean;
  /** Empty: the default branch. */
  readonly revision: string;
  /** The repository as a person knows it. */
  readonly repositoryName: string;
}

interface NamedLog {
  readonly name: string;
  readonly text: string;
  /** Bytes of the log before the text that were not read; absent: none. */
  readonly missing?: number;
}

/** A longer pipe is refused instead of filling the memory; a report keeps 1 MiB of it. */
const MAX_STDIN_BYTES = 64 * 1024 * 1024;
/** Space for the sentences that say what was cut. */
const NOTE_BYTES = 512;
/** What is kept of the beginning of a report that is too long. */
const HEAD_BYTES = 64 * 1024;

/**
 * Throws `usage` where the report is empty, the log cannot be read or there is no repository; and what `readAddress`
 * throws.
 */
export async function gatherSubject(
  command: AnalyseCommand,
  io: Io,
  reader: SubjectReader,
  signal: AbortSignal,
): Promise<Subject> {
  const { input, log, repository } = command;
  if (input.kind === 'none' && log === null && io.stdinIsTerminal) {
    refuse('There is no report: give it in quotes, pipe it in, or name an address.', 'analyse');
  }
  // Before anything is read over the network: a wrong path is the most common mistake.
  const chosen = repository?.kind === 'path' ? findChosen(repository.path, io, reader) : repository;
  let addressed: AddressedReport | null = null;
  if (input.kind === 'address') {
    io.err(`Reading ${input.url}\n`);
    addressed = await reader.readAddress(input.url, signal);
  }
  const source: ProjectSource =
    chosen ?? (addressed === null ? findSurrounding(io, reader) : { kind: 'url', url: addressed.repository.url });
  return {
    text: await readReport(command, addressed, io, signal),
    source,
    isOwn: addressed === null,
    revision: command.revision || (addressed?.revision ?? ''),
    repositoryName: addressed?.repository.name ?? getRepositoryName(source),
  };
}

/** The repository as a person knows it: its folder, or its address without what is the same for all. */
export function getRepositoryName(source: ProjectSource): string {
  return source.kind === 'path' ? path.basename(source.path) : source.url.replace(/^https?:\/\/|\.git\/?$/g, '');
}

function findChosen(folder: string, io: Io, { repositoryAround }: SubjectReader): ProjectSource {
  const root = repositoryAround(path.resolve(io.cwd, folder));
  if (root !== null) return { kind: 'path', path: root };
  throw new CausewayError('usage', `${folder} is not in a git repository: give --repo a folder that is.`);
}

function findSurrounding(io: Io, { repositoryAround }: SubjectReader): ProjectSource {
  const root = repositoryAround(io.cwd);
  if (root !== null) return { kind: 'path', path: root };
  throw new CausewayError('usage', 'This folder is not in a git repository: change to one, or name one with --repo.');
}

async function readReport(
  { input, log }: AnalyseCommand,
  addressed: AddressedReport | null,
  io: Io,
  signal: AbortSignal,
): Promise<string> {
  const isPiped = input.kind === 'stdin' || (input.kind === 'none' && log === null);
  // With a log, standard input is not read: in CI it is often a pipe that never ends.
  const own = input.kind === 'text' ? input.text : isPiped ? await readStdin(io, signal) : '';
  let report = composeReport(addressed?.text ?? own, log === null ? null : await readLog(log, io, signal));
  if (addressed !== null && addressed.log !== '') {
    report = composeReport(report.text, { name: 'GitHub Actions', text: addressed.log });
  }
  if (report.text.trim() === '') refuse('The report is empty: say what went wrong, or give a log.', 'analyse');
  if (report.cut !== '') io.err(`${report.cut}\n`);
  return report.text;
}

async function readLog(log: string, io: Io, signal: AbortSignal): Promise<NamedLog> {
  if (log === '-') return { name: 'standard input', text: await readStdin(io, signal) };
  return { name: path.basename(log), ...(await readLogFile(log, io.cwd)) };
}

/** All of standard input, as text. Throws `usage` beyond 64 MiB, and the signal's reason when it aborts. */
async function readStdin(io: Io, signal: AbortSignal): Promise<string> {
  if (io.stdinIsTerminal) io.err('Reading from standard input; end with Ctrl-D.\n');
  const chunks: Uint8Array[] = [];
  let length = 0;
  const iterator = io.stdin[Symbol.asyncIterator]();
  for (;;) {
    // A read from a terminal or an open pipe may never end: Ctrl-C must not wait for it.
    const next = await untilAborted(iterator.next(), signal);
    if (next.done === true) return decode(Buffer.concat(chunks));
    chunks.push(next.value);
    length += next.value.byteLength;
    if (length > MAX_STDIN_BYTES) {
      const message = 'Standard input is larger than 64 MiB: send the end of it, such as with "tail -n 5000".';
      throw new CausewayError('usage', message);
    }
  }
}

/** The file's text; of a long one its last MiB. Throws `usage` where it cannot be read. */
async function readLogFile(file: string, cwd: string): Promise<{ readonly text: string; readonly missing: number }> {
  try {
    await using handle = await open(path.resolve(cwd, file));
    const { size } = await handle.stat();
    const most = MAX_REPORT_BYTES;
    if (size <= most) return { text: decode(await handle.readFile()), missing: 0 };
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(most), 0, most, size - most);
    const tail = buffer.subarray(0, bytesRead);
    const from = tail.indexOf(0x0a) + 1;
    return { text: decode(tail.subarray(from)), missing: size - bytesRead + from };
  } catch (error) {
    const message = `The log ${file} cannot be read: ${describeSystemError(error)}.`;
    throw new CausewayError('usage', message, { cause: error });
  }
}

/** What the operating system said, in words. */
export function describeSystemError(error: unknown): string {
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
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes);
}

/** `cut` says what was left out, as the text itself does; "" where nothing was. */
interface Composed {
  readonly text: string;
  readonly cut: string;
}

/** A text that is too long loses its middle; the log, which follows under a heading, loses its beginning. */
function composeReport(text: string, log: NamedLog | null): Composed {
  const limit = MAX_REPORT_BYTES - NOTE_BYTES;
  const body = cutMiddle(text.trim(), limit);
  if (log === null || log.text.trim() === '') return body;
  const heading = body.text === '' ? '' : `\n\n--- Log: ${log.name} ---\n\n`;
  const left = limit - Buffer.byteLength(body.text) - Buffer.byteLength(heading);
  const tail = cutBeginning(log.text.trimEnd(), left, log.missing ?? 0);
  return { text: `${body.text}${heading}${tail.text}`, cut: [body.cut, tail.cut].filter(Boolean).join(' ') };
}

/** `missing`: bytes before the text that were not read at all. */
function cutBeginning(text: string, limit: number, missing: number): Composed {
  const bytes = Buffer.from(text);
  const isShort = bytes.length <= limit;
  if (isShort && missing === 0) return { text, cut: '' };
  const kept = isShort ? bytes : dropTornLine(bytes.subarray(bytes.length - Math.max(limit, 0)));
  const cut = `The first ${missing + bytes.length - kept.length} bytes of the log were left out (a report has at most 1 MiB).`;
  return { text: `[${cut}]\n${kept.toString()}`, cut };
}

function cutMiddle(text: string, limit: number): Composed {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return { text, cut: '' };
  const head = bytes.subarray(0, HEAD_BYTES);
  const begin = head.subarray(0, head.lastIndexOf(0x0a) + 1 || head.length - 4);
  const end = dropTornLine(bytes.subarray(bytes.length - limit + begin.length));
  const left = bytes.length - begin.length - end.length;
  const cut = `${left} bytes from the middle of the report were left out (a report has at most 1 MiB).`;
  return { text: `${begin.toString()}\n[${cut}]\n${end.toString()}`, cut };
}

/** Without its first line; a text without line breaks only loses a torn character. */
function dropTornLine(bytes: Buffer): Buffer {
  const lineEnd = bytes.indexOf(0x0a);
  return bytes.subarray(lineEnd === -1 ? 4 : lineEnd + 1);
}
