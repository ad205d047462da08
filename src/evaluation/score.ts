// How near an answer comes to the change that fixed the problem: its files, its place, its lines.

import type { Diff } from 'causeway-diff';
import type { LineRange } from 'causeway-git-objects';
import type { Issue, Suspect } from '../core/issue/index.ts';
import type { FixedFile } from './cases.ts';

export interface Score {
  /** Of the first file that the fix changed among those that the answer names, from 1; 0: none is. */
  readonly rank: number;
  /** Whether the place that it points at lies in a file, a function, and near a line that the fix changed. */
  readonly file: boolean;
  /** Null: the fix changed no function. */
  readonly function: boolean | null;
  readonly line: boolean;
  /** How much of the fix's files, functions and lines the answer's own change touches; null: it changes nothing. */
  readonly covered: { readonly files: number; readonly functions: number | null; readonly lines: number } | null;
}

/** A line counts as near within this distance of one that the fix changed. */
const NEAR = 3;

/** The first of `ranked` that is in `right`, from 1; 0 if none is. */
export function findFirstRank(ranked: readonly string[], right: readonly string[]): number {
  return ranked.findIndex((each) => right.includes(each)) + 1;
}

/** Its place is what its change touches; without a change it is the first suspect's line. */
export function scoreAnswer(truth: readonly FixedFile[], issue: Pick<Issue, 'diff' | 'analysis'>): Score {
  const { suspects } = issue.analysis;
  const changed = listChangedPlaces(issue.diff);
  const places = changed.length > 0 ? changed : suspects.slice(0, 1).map(toScoredPlace);
  const named = [...new Set([...changed, ...suspects].map(({ file }) => file))];
  const rights = truth.map((file) => findTouched(file, places));
  const functions = truth.flatMap((file) => file.functions);
  return {
    rank: findFirstRank(
      named,
      truth.map(({ path }) => path),
    ),
    file: rights.some(({ isTouched }) => isTouched),
    function: functions.length === 0 ? null : rights.some((right) => right.functions > 0),
    line: rights.some(({ isNear }) => isNear),
    covered: changed.length === 0 ? null : measureCoverage(truth, rights),
  };
}

interface ScoredPlace extends LineRange {
  readonly file: string;
}

function toScoredPlace({ file, line }: Suspect): ScoredPlace {
  return { file, from: line, to: line };
}

/** By lines of the base; an insertion touches the two lines around it. */
function listChangedPlaces({ files }: Diff): readonly ScoredPlace[] {
  return files.flatMap(({ fileName, previousFileName, status, changes }) => {
    const file = previousFileName ?? fileName;
    if (status === 'added') return [{ file, from: 0, to: 0 }];
    return changes.flatMap(({ type, lines }) =>
      lines.map(({ lineNumber }) => ({ file, from: lineNumber, to: type === 'add' ? lineNumber + 1 : lineNumber })),
    );
  });
}

function findTouched(truth: FixedFile, places: readonly ScoredPlace[]) {
  const own = places.filter(({ file }) => file === truth.path);
  const lines = truth.lines.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at));
  return {
    isTouched: own.length > 0,
    functions: truth.functions.filter((span) => own.some((place) => doesOverlap(place, span, 0))).length,
    isNear: truth.lines.some((range) => own.some((place) => doesOverlap(place, range, NEAR))),
    lines: lines.filter((line) => own.some(({ from, to }) => from <= line && line <= to)).length,
    allLines: lines.length,
  };
}

function doesOverlap(place: LineRange, range: LineRange, distance: number): boolean {
  return place.from > 0 && place.from <= range.to + distance && place.to >= range.from - distance;
}

function measureCoverage(truth: readonly FixedFile[], rights: readonly ReturnType<typeof findTouched>[]) {
  const sum = (count: (right: ReturnType<typeof findTouched>) => number) =>
    rights.reduce((total, right) => total + count(right), 0);
  const functions = truth.reduce((total, file) => total + file.functions.length, 0);
  return {
    files: sum(({ isTouched }) => (isTouched ? 1 : 0)) / truth.length,
    functions: functions === 0 ? null : sum((right) => right.functions) / functions,
    lines: sum(({ lines }) => lines) / sum(({ allLines }) => allLines),
  };
}
