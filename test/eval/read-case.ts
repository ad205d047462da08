// Reads files of cases: one JSON object a line, each fault told with its file and line.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Case, EvalFault } from './part.ts';

/** Throws EvalFault where the file cannot be read, a line is no JSON object, or there is no case at all. */
export function readCases(file: string): readonly Case[] {
  const cases = textOf(file)
    .split('\n')
    .flatMap((text, index) => (text.trim() === '' ? [] : [parseCase(text, file, index + 1)]));
  if (cases.length === 0) throw new EvalFault(`${file} holds no case. Give a file with one JSON object a line.`);
  return cases;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new EvalFault(`${file} could not be read (${cause instanceof Error ? cause.message : String(cause)}).`);
  }
}

function parseCase(text: string, file: string, line: number): Case {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw new EvalFault(`${at({ file, line })} is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  if (!isRecord(data)) throw new EvalFault(`${at({ file, line })} is no JSON object.`);
  return { file, line, data };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function at({ file, line }: Pick<Case, 'file' | 'line'>): string {
  return `${path.basename(file)}, line ${line},`;
}

/** A text that the case must have. Throws EvalFault. */
export function textIn(one: Case, key: string): string {
  const value = one.data[key];
  if (typeof value !== 'string' || value === '') throw new EvalFault(`${at(one)} has no text "${key}".`);
  return value;
}

/** A list of texts; empty where the case has none. Throws EvalFault where it is something else. */
export function textsIn(one: Case, key: string): readonly string[] {
  const value = one.data[key] ?? [];
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string')) {
    throw new EvalFault(`${at(one)} has "${key}", but it is no list of texts.`);
  }
  return value;
}
