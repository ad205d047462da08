// One run of `npm run eval`: options, cases, parts, then tables, the record and the comparison.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { load } from '../bench/figures.ts';
import { type CommandLine, parseCommandLine, usage } from './options.ts';
import { type Case, EvalFault, type EvalOptions, type Part, type PartResult, type Row } from './part.ts';
import { readCases } from './read-case.ts';
import { notesOf, type Recorded, readRecord, tableOf, writeRecord } from './records.ts';

export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Exit code: 0 where it ran, 2 where it was asked for something that it cannot do (told on `err` in one line). */
export async function evaluate(
  args: readonly string[],
  parts: readonly Part[],
  { out, err }: Output,
  signal: AbortSignal,
): Promise<number> {
  try {
    const line = parseCommandLine(args, parts);
    if (line.help) out(usage(parts));
    else await runAll(line, parts, { out, err }, signal);
    return 0;
  } catch (error) {
    if (!(error instanceof EvalFault)) throw error;
    err(`${error.message}\n`);
    return 2;
  }
}

interface Task {
  readonly part: Part;
  readonly cases: readonly Case[];
}

async function runAll(line: CommandLine, parts: readonly Part[], output: Output, signal: AbortSignal): Promise<void> {
  const before = line.against === '' ? {} : readRecord(line.against);
  const tasks = tasksOf(line, parts);
  if (line.json !== '') writeFileSync(line.json, '');
  using kept = keepFolder(line.keep);
  const done: Record<string, readonly Row[]> = {};
  for (const { part, cases } of tasks) {
    const options: EvalOptions = {
      cases,
      repositories: line.repositories,
      logs: line.logs,
      keep: kept.path,
      baseline: line.baseline,
      emit: (row) => {
        if (line.json !== '') appendFileSync(line.json, `${JSON.stringify({ part: part.name, ...row })}\n`);
      },
      progress: (text) => output.err(`${part.name}: ${text}\n`),
      signal,
    };
    const result = await part.run(options);
    output.out(shown(part, result, before));
    done[part.name] = result.rows;
  }
  output.out(`\nPeak memory of the process ${peakMb()} MB; ${load()}.\n`);
  if (line.record !== '') writeRecord(line.record, done);
}

function tasksOf(line: CommandLine, parts: readonly Part[]): readonly Task[] {
  if (line.cases.length === 0) {
    throw new EvalFault(`Nothing to measure: give --cases FILE, and what the part needs beside it.\n\n${usage(parts)}`);
  }
  const files = line.cases.map((file) => chosen(readCases(file), line));
  const tasks = files.flatMap((cases) =>
    parts
      .filter((part) => (line.part === null ? part.fits(cases) : part.name === line.part))
      .map((part) => ({ part, cases })),
  );
  const named = tasks.map(({ part }) => part.name);
  const twice = named.find((name, index) => named.indexOf(name) !== index);
  if (tasks.length === 0)
    throw new EvalFault(`No part fits these cases: name one of ${parts.map(({ name }) => name).join(', ')}.`);
  if (twice !== undefined) throw new EvalFault(`Two files of cases fit the part ${twice}: give one, or join them.`);
  return tasks;
}

function chosen(cases: readonly Case[], { every, language }: CommandLine): readonly Case[] {
  const own = language === '' ? cases : cases.filter(({ data }) => data['language'] === language);
  if (own.length === 0) throw new EvalFault(`No case is of the language ${language}.`);
  return own.filter((_, index) => index % every === 0);
}

function shown(part: Part, result: PartResult, before: Recorded): string {
  return `\n## ${part.name}\n\n${tableOf(result.rows, before[part.name] ?? [])}\n\n${notesOf(result)}`;
}

/** Removed at the end where nobody asked to keep it. */
function keepFolder(asked: string): Disposable & { readonly path: string } {
  if (asked !== '') return { path: path.resolve(asked), [Symbol.dispose]: () => {} };
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-eval-'));
  return { path: folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

function peakMb(): number {
  return Math.round(process.resourceUsage().maxRSS / 1_024);
}
