// What an `analyse` command is about: its report, its repository and its revision, or one clear line about what is missing.

import { open } from 'node:fs/promises';
import path from 'node:path';
import { CausewayError } from '../core/errors.ts';
import type { ProjectSource } from '../core/project.ts';
import { type AddressedReport, MAX_REPORT_BYTES, type ReadReportAddress } from '../core/report.ts';
import type { AnalyseCommand } from './command.ts';
import { usage } from './command-line.ts';
import type { Io } from './terminal.ts';

export interface SubjectDeps {
  readonly readAddress: ReadReportAddress;
  /** The root of the git repository that holds the folder; null where there is none. */
  readonly repositoryAround: (folder: string) => string | null;
}

export interface Subject {
  /** Report and log, at most 1 MiB. */
  readonly text: string;
  readonly source: ProjectSource;
  /** False: what is reported was read at an address, where anybody may have written it. */
  readonly isOwn: boolean;
  /** Empty: the default branch. */
  readonly revision: string;
  /** The repository as a person knows it. */
  readonly repositoryName: string;
}

/** Throws `usage` where the report is empty, the log cannot be read or there is no repository; and what `readAddress` throws. */
export async function gatherSubject(
  command: AnalyseCommand,
  io: Io,
  deps: SubjectDeps,
  signal: AbortSignal,
): Promise<Subject> {
  if (command.input.kind === 'none' && command.log.kind === 'none' && io.stdinIsTerminal) {
    throw usage('There is no report: give it in quotes, pipe it in, or name an address.', 'analyse');
  }
  // Before anything is read over the network: a wrong path is the commonest slip.
  const named = command.repository === null ? null : namedSource(command.repository, io, deps);
  const addressed = command.input.kind === 'address' ? await readAddress(command.input.url, io, deps, signal) : null;
  const source = named ?? addressedSource(addressed) ?? sourceAround(io, deps);
  const text = await reportText(command, addressed, io, signal);
  return {
    text,
    source,
    isOwn: addressed === null,
    revision: command.revision || (addressed?.revision ?? ''),
    repositoryName: addressed?.repository.name ?? nameOf(source),
  };
}

async function readAddress(url: string, io: Io, deps: SubjectDeps, signal: AbortSignal): Promise<AddressedReport> {
  io.err(`Reading ${url}\n`);
  return await deps.readAddress(url, signal);
}

async function reportText(
  command: AnalyseCommand,
  addressed: AddressedReport | null,
  io: Io,
  signal: AbortSignal,
): Promise<string> {
  const given = addressed?.text ?? (await givenText(command, io, signal));
  const own = await logText(command, io, signal);
  const report =
    addressed === null || addressed.log === ''
      ? composeReport(given, own)
      : composeReport(composeReport(given, own).text, { name: 'GitHub Actions', text: addressed.log });
  if (report.text.trim() === '') {
    throw usage('The report is empty: say what went wrong, or hand in a log.', 'analyse');
  }
  if (report.cut !== '') io.err(`${report.cut}\n`);
  return report.text;
}

async function givenText(command: AnalyseCommand, io: Io, signal: AbortSignal): Promise<string> {
  if (command.input.kind === 'text') return command.input.text;
  // With a log at hand standard input is left alone: in CI it is often a pipe that never ends.
  if (command.input.kind === 'none' && command.log.kind !== 'none') return '';
  return await readStdin(io, signal);
}

async function logText(
  command: AnalyseCommand,
  io: Io,
  signal: AbortSignal,
): Promise<{ readonly name: string; readonly text: string }> {
  switch (command.log.kind) {
    case 'none':
      return { name: '', text: '' };
    case 'stdin':
      return { name: 'standard input', text: await readStdin(io, signal) };
    case 'file':
      return { name: path.basename(command.log.path), ...(await readLogFile(command.log.path, io.cwd)) };
  }
}

function namedSource(repository: ProjectSource, io: Io, deps: SubjectDeps): ProjectSource {
  if (repository.kind !== 'path') return repository;
  const root = deps.repositoryAround(path.resolve(io.cwd, repository.path));
  if (root !== null) return { kind: 'path', path: root };
  throw new CausewayError('usage', `${repository.path} is not in a git repository: give --repo a folder that is.`);
}

function addressedSource(addressed: AddressedReport | null): ProjectSource | null {
  return addressed === null ? null : { kind: 'url', url: addressed.repository.url };
}

function sourceAround(io: Io, deps: SubjectDeps): ProjectSource {
  const root = deps.repositoryAround(io.cwd);
  if (root !== null) return { kind: 'path', path: root };
  throw new CausewayError('usage', 'This folder is not in a git repository: go into one, or name one with --repo.');
}

/** The repository as a person knows it: its folder, or its address without what is always there. */
export function nameOf(source: ProjectSource): string {
  return source.kind === 'path' ? path.basename(source.path) : source.url.replace(/^https?:\/\/|\.git\/?$/g, '');
}

/** A pipe longer than this is refused instead of filling the memory; of less, what a report can hold is kept. */
const STDIN_LIMIT = 64 * 1024 * 1024;

/** All of standard input, as text. Throws `usage` beyond 64 MiB, and the signal's reason when it aborts. */
async function readStdin(io: Pick<Io, 'stdin' | 'stdinIsTerminal' | 'err'>, signal: AbortSignal): Promise<string> {
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

interface LogText {
  readonly text: string;
  /** Bytes of the file before the text. */
  readonly missing: number;
}

/** The file's text; of a long one its last MiB. Throws `usage` where it cannot be read. */
async function readLogFile(file: string, cwd: string): Promise<LogText> {
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

/** What a report may hold, in bytes of UTF-8. */
const REPORT_LIMIT = MAX_REPORT_BYTES;

/** Room left for the words that say what was cut. */
const WORDS = 512;

/**
 * Text and log as one report. The log follows under a heading; what does not fit is left out of its beginning,
 * or, where the text alone is too long, out of the text's middle. Both are said in the report and in `cut` ("" = nothing).
 */
function composeReport(text: string, log: NamedLog): Composed {
  const body = cutMiddle(text.trim(), REPORT_LIMIT - WORDS);
  if (log.text.trim() === '') return { text: body.text, cut: body.cut };
  const heading = body.text === '' ? '' : `\n\n--- Log: ${log.name} ---\n\n`;
  const room = REPORT_LIMIT - WORDS - Buffer.byteLength(body.text) - Buffer.byteLength(heading);
  const tail = cutBeginning(log.text.trimEnd(), room, log.missing ?? 0);
  return { text: `${body.text}${heading}${tail.text}`, cut: [body.cut, tail.cut].filter(Boolean).join(' ') };
}

interface NamedLog {
  readonly name: string;
  readonly text: string;
  /** Bytes of the log before the text, which were not even read. */
  readonly missing?: number;
}

interface Composed {
  readonly text: string;
  readonly cut: string;
}

function cutBeginning(text: string, limit: number, missing: number): Composed {
  const bytes = Buffer.from(text);
  const fits = bytes.length <= limit;
  if (fits && missing === 0) return { text, cut: '' };
  const kept = fits ? bytes : wholeLines(bytes.subarray(bytes.length - Math.max(limit, 0)));
  const cut = `The first ${missing + bytes.length - kept.length} bytes of the log were left out (a report holds 1 MiB).`;
  return { text: `[${cut}]\n${kept.toString()}`, cut };
}

function cutMiddle(text: string, limit: number): Composed {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return { text, cut: '' };
  const head = bytes.subarray(0, 64 * 1024);
  const begin = head.subarray(0, head.lastIndexOf(0x0a) + 1 || head.length - 4);
  const end = wholeLines(bytes.subarray(bytes.length - limit + begin.length));
  const cut = `${bytes.length - begin.length - end.length} bytes of the report's middle were left out (a report holds 1 MiB).`;
  return { text: `${begin.toString()}\n[${cut}]\n${end.toString()}`, cut };
}

/** Without the first, torn line; a text without line breaks only loses a torn character. */
function wholeLines(bytes: Buffer): Buffer {
  const lineEnd = bytes.indexOf(0x0a);
  return bytes.subarray(lineEnd === -1 ? 4 : lineEnd + 1);
}
