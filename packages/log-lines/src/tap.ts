// What a runner that writes TAP, such as node:test, says of a failed test: YAML below its line, with the error.

import { measureIndent } from './traceback.ts';

export interface TapError {
  /** "" where it is not named. */
  readonly type: string;
  /** With its lines. */
  readonly message: string;
}

/** The YAML of one test is read to so many lines from the one that was asked for. */
const REACH = 80;

const BEGINS = /^\s{1,60}---$/;

const ENDS = /^\s{1,60}\.\.\.$/;

/** The error that the YAML around the line is about; null: there is no such YAML, or it names no error. */
export function readTapError(lines: readonly string[], at: number): TapError | null {
  const first = Math.max(0, at - REACH);
  const above = lines.slice(first, at + 1).findLastIndex((line) => BEGINS.test(line) || ENDS.test(line));
  const begin = first + above;
  const head = lines[begin] ?? '';
  if (above < 0 || !BEGINS.test(head)) return null;
  const below = lines.slice(begin + 1, at + REACH);
  const end = below.findIndex((line) => line.trim() !== '' && measureIndent(line) < measureIndent(head));
  const keys = readKeys(end < 0 ? below : below.slice(0, end), measureIndent(head));
  const message = keys.get('error') ?? keys.get('message') ?? '';
  return message === '' ? null : { type: keys.get('name') ?? '', message };
}

/** Index of the line `stack:` that the line is below; -1: it is below none. */
export function findTapStack(lines: readonly string[], at: number): number {
  const depth = measureIndent(lines[at] ?? '');
  for (let above = at - 1; above >= Math.max(0, at - REACH); above--) {
    const line = lines[above] ?? '';
    if (line.trim() !== '' && measureIndent(line) < depth) return /^\s+stack: [|>]-?$/.test(line) ? above : -1;
  }
  return -1;
}

const KEY = /^\s*(\w{1,40}): ?(.*)$/;

/** Of the outermost level, each once. */
function readKeys(lines: readonly string[], depth: number): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const [index, line] of lines.entries()) {
    const [, key = '', value = ''] = measureIndent(line) === depth ? (KEY.exec(line) ?? []) : [];
    if (key !== '' && !keys.has(key))
      keys.set(key, /^[|>]-?$/.test(value) ? readBlock(lines, index + 1, depth) : unquote(value));
  }
  return keys;
}

function readBlock(lines: readonly string[], from: number, depth: number): string {
  const rest = lines.slice(from);
  const end = rest.findIndex((line) => line.trim() !== '' && measureIndent(line) <= depth);
  return (end < 0 ? rest : rest.slice(0, end))
    .map((line) => line.trim())
    .join('\n')
    .trim();
}

/** Node quotes as in its own source: by the sign that the text does not have. */
export function unquote(value: string): string {
  const [, , inside] = /^(['"`])(.*)\1$/.exec(value.trim()) ?? [];
  return inside === undefined ? value.trim() : inside.replace(/\\(['"`\\])/g, '$1').replace(/\\n/g, '\n');
}
