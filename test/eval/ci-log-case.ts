// A case of the parts about CI logs: a raw log, and what people or parsers say of its lines or of its failed tests.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Case, EvalFault } from './part.ts';
import { textIn } from './read-case.ts';

/** From line, to line, both counted from 1: the error itself (E) or what belongs to it (C). */
export type Range = readonly ['E' | 'C', number, number];

export interface LogTruth {
  readonly type: string;
  readonly annotator1?: readonly Range[] | null;
  readonly annotator2?: readonly Range[] | null;
  readonly line?: number;
  readonly lines?: readonly number[];
  /** `ok`: of a job that passed. */
  readonly status?: string | null;
  readonly failed?: readonly string[] | null;
}

export interface LogCase {
  readonly id: string;
  /** Whose: the part of its source before the colon. */
  readonly source: string;
  /** Whether GitHub Actions wrote it. */
  readonly isActions: boolean;
  readonly truth: LogTruth;
  readonly log: string;
  /** Of the same job when it passed; "" for none. */
  readonly passing: string;
}

/** Throws EvalFault where the case is none of a log, or its log cannot be read. */
export function logCase(one: Case, folder: string): LogCase {
  if (folder === '')
    throw new EvalFault('Parts about CI logs need --logs DIR: the folder that the logs of the cases are relative to.');
  const { truth, passLog, format } = one.data;
  if (!isTruth(truth)) throw new EvalFault(`${path.basename(one.file)}, line ${one.line}, has no "truth" with a type.`);
  return {
    id: textIn(one, 'id'),
    source: textIn(one, 'source').split(':')[0] ?? '',
    isActions: typeof format === 'string' && format.startsWith('gha'),
    truth,
    log: unzipped(folder, textIn(one, 'log')),
    passing: typeof passLog === 'string' ? unzipped(folder, passLog) : '',
  };
}

/** Whether any of the cases is of a log with such a truth. */
export function haveTruth(cases: readonly Case[], types: readonly string[]): boolean {
  return cases.some(
    ({ data: { log, truth } }) => typeof log === 'string' && isTruth(truth) && types.includes(truth.type),
  );
}

function isTruth(value: unknown): value is LogTruth {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function unzipped(folder: string, name: string): string {
  try {
    return gunzipSync(readFileSync(path.join(folder, name))).toString();
  } catch (cause) {
    throw new EvalFault(
      `${name} could not be read below --logs (${cause instanceof Error ? cause.message : String(cause)}).`,
    );
  }
}
