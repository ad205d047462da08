// The source of a failing test, as far as its stack trace names it: what it calls is what it tests.
import type { MappedFrame } from '../clues.ts';
import { classifyFile } from '../own-code.ts';
import { listPaths } from '../paths.ts';

/** Places that are read: the same test in a hundred traces says it once. */
const MAX_PLACES = 6;
/** Lines before the place that can still be of the same test. */
const BEFORE = 60;

export interface TestPlace {
  readonly path: string;
  readonly line: number;
  readonly function: string;
}

/** Frames in test files, innermost first. */
export function testPlaces(mapped: readonly (readonly MappedFrame[])[]): readonly TestPlace[] {
  const places = new Map<string, TestPlace>();
  for (const { frame, mapping } of mapped.flat()) {
    const [path] = listPaths(mapping);
    if (path === undefined || frame.line <= 0 || classifyFile(path) !== 'test' || places.size >= MAX_PLACES) continue;
    places.set(`${path}:${frame.line}`, { path, line: frame.line, function: frame.function });
  }
  return [...places.values()];
}

/** From the beginning of the function up to the line after the place. */
export function testSource(text: string, { line, function: name }: TestPlace): string {
  const lines = text.split('\n');
  const last = Math.min(line, lines.length) - 1;
  const called = `${name.split('.').at(-1) ?? ''}(`;
  let first = last;
  while (first > 0 && first > last - BEFORE && !lines[first]?.includes(called)) first--;
  return lines.slice(first, last + 2).join('\n');
}
