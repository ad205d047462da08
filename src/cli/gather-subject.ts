// What an `analyse` command is about: its report, its repository and its revision, or one clear line about what is missing.
import path from 'node:path';
import { CausewayError } from '../core/errors.ts';
import type { ProjectSource } from '../core/project.ts';
import type { AddressedReport, ReadReportAddress } from '../core/report.ts';
import type { AnalyseCommand } from './command.ts';
import type { Io } from './io.ts';
import { usage } from './options.ts';
import { readLogFile, readStdin } from './read-input.ts';
import { composeReport } from './report-size.ts';

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
