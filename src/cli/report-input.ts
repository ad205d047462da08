// What an `analyse` command is about: its report, its repository and its revision, or one clear line about what is
// missing.
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { formatLog } from 'causeway-ci-log';
import { untilAborted } from '../core/abortable.ts';
import type { ShortenLog } from '../core/check/index.ts';
import { CausewayError } from '../core/errors.ts';
import type { ProjectSource } from '../core/project/index.ts';
import { type AddressedReport, MAX_REPORT_BYTES, type ReadReportAddress } from '../core/report/index.ts';
import { type AnalyseCommand, refuseCommand } from './command-line.ts';
import type { Io } from './terminal.ts';

export interface SubjectReader {
  readonly readAddress: ReadReportAddress;
  readonly shortenLog: ShortenLog;
  /** The root of the git repository that the folder is in; null if none. */
  readonly repositoryAround: (folder: string) => string | null;
}

export interface ReportSubject {
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

/** Space for a heading and the sentences that say what was cut. */
const SPARE_BYTES = 1_024;
/** So much of a report is kept for a log, besides the words and the logs of an address. */
const LEAST_LOG_BYTES = 256 * 1024;

/**
 * Throws `usage` where the report is empty, the log cannot be read or there is no repository; and what `readAddress`
 * throws.
 */
export async function gatherSubject(
  command: AnalyseCommand,
  io: Io,
  reader: SubjectReader,
  signal: AbortSignal,
): Promise<ReportSubject> {
  const { input, log, repository } = command;
  if (input.kind === 'none' && log === null && io.stdinIsTerminal) {
    refuseCommand('There is no report: give it in quotes, pipe it in, or name an address.', 'analyse');
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
    text: await readReportInput(command, addressed, { io, ...reader }, signal),
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

interface InputReading extends Pick<SubjectReader, 'shortenLog'> {
  readonly io: Io;
}

async function readReportInput(
  { input, log }: AnalyseCommand,
  addressed: AddressedReport | null,
  reading: InputReading,
  signal: AbortSignal,
): Promise<string> {
  const limit = MAX_REPORT_BYTES - SPARE_BYTES;
  const others = addressed?.log ?? '';
  const told =
    addressed?.text ??
    (await shortenInput(openWords({ input, log }, reading.io, signal), limit, { what: 'report', ...reading }, signal));
  const left = limit - Buffer.byteLength(told) - Buffer.byteLength(others);
  const own = log === null ? '' : await readLogInput(log, Math.max(left, LEAST_LOG_BYTES), reading, signal);
  const parts = [told, own, others].filter((part) => part.trim() !== '');
  if (parts.length === 0) refuseCommand('The report is empty: say what went wrong, or give a log.', 'analyse');
  // Only where the words, the log and those of an address are too long together.
  return await shortenInput([Buffer.from(joinInputParts(parts))], limit, { what: 'report', ...reading }, signal);
}

/** With a log, standard input is not read: in CI it is often a pipe that never ends. */
function openWords(
  { input, log }: Pick<AnalyseCommand, 'input' | 'log'>,
  io: Io,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  if (input.kind === 'text') return [Buffer.from(input.text)];
  return input.kind === 'stdin' || (input.kind === 'none' && log === null) ? readStdin(io, signal) : [];
}

/** Under its heading; "" for an empty one. */
async function readLogInput(log: string, room: number, reading: InputReading, signal: AbortSignal): Promise<string> {
  const chunks = log === '-' ? readStdin(reading.io, signal) : readLogFile(log, reading.io.cwd);
  const text = await shortenInput(chunks, room, { what: 'log', ...reading }, signal);
  return text.trim() === '' ? '' : formatLog(log === '-' ? 'standard input' : path.basename(log), text);
}

/** A blank line between them, but for what ends with one. */
function joinInputParts([first = '', ...others]: readonly string[]): string {
  return others.reduce((text, part) => `${text.trimEnd()}\n\n${part}`, first);
}

/** All of it, or the parts that matter for a failure; then it says so. */
async function shortenInput(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  room: number,
  { what, io, shortenLog }: InputReading & { readonly what: string },
  signal: AbortSignal,
): Promise<string> {
  let bytes = 0;
  async function* count(): AsyncGenerator<Uint8Array> {
    for await (const chunk of decodeInput(chunks)) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  }
  const text = await shortenLog(count(), room, signal);
  if (bytes > room) {
    const left = bytes - Buffer.byteLength(text);
    io.err(`${left} bytes of the ${what} that matter least were left out (a report has at most 1 MiB).\n`);
  }
  return text;
}

async function* readStdin(io: Io, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (io.stdinIsTerminal) io.err('Reading from standard input; end with Ctrl-D.\n');
  const iterator = io.stdin[Symbol.asyncIterator]();
  for (;;) {
    // A read from a terminal or an open pipe may never end: Ctrl-C must not wait for it.
    const next = await untilAborted(iterator.next(), signal);
    if (next.done === true) return;
    yield next.value;
  }
}

/** Throws `usage` where it cannot be read, or is not text. */
async function* readLogFile(file: string, cwd: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path.resolve(cwd, file));
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

/** How files begin that are no UTF-8. */
const BEGINNINGS = {
  gzip: [0x1f, 0x8b],
  zip: [0x50, 0x4b, 0x03, 0x04],
  /** Windows PowerShell redirects as UTF-16. */
  'utf-16le': [0xff, 0xfe],
  'utf-16be': [0xfe, 0xff],
} as const;
type InputForm = keyof typeof BEGINNINGS;

const FORMS = Object.keys(BEGINNINGS) as readonly InputForm[];

/** As UTF-8 without its mark: compressed logs and UTF-16 are understood. Throws `usage` for what is not text. */
async function* decodeInput(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(chunks)[Symbol.asyncIterator]();
  const first: IteratorResult<Uint8Array> = await source.next();
  if (first.done === true) return;
  const form = FORMS.find((name) => BEGINNINGS[name].every((byte, at) => first.value[at] === byte));
  async function* rest(): AsyncGenerator<Uint8Array> {
    yield first.value;
    for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
  }
  if (form === 'zip') {
    throw new CausewayError('usage', 'The log is a zip archive: unpack it, and give the log of the job that failed.');
  }
  if (form === 'gzip') {
    yield* decodeInput(inflate(rest()));
    return;
  }
  if (form === undefined && first.value.includes(0)) {
    throw new CausewayError('usage', 'The log is not text: give it as UTF-8, UTF-16 or gzip.');
  }
  const decoder = new TextDecoder(form ?? 'utf-8');
  for await (const chunk of rest()) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

async function* inflate(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* pipeline(chunks, createGunzip(), () => undefined);
  } catch (error) {
    throw new CausewayError('usage', 'The log is a damaged gzip file: compress it again, or give it as text.', {
      cause: error,
    });
  }
}
