// `ci-lines`: do the lines shown of a failing log agree with those that people call its error? Alone, and beside a passing log.

import { findCauseLines } from '../../packages/ci-log/src/cause-lines.ts';
import { findCause } from '../../packages/ci-log/src/find-cause.ts';
import { findSteps, readLogLines, readPassingLog } from '../../packages/ci-log/src/log-lines.ts';
import { haveTruth, type LogCase, type LogTruth, logCase, type Range } from './ci-log-case.ts';
import type { EvalOptions, Part, PartResult, Row } from './part.ts';
import { rowsOf, type Scored } from './scores.ts';

const TYPES = ['error-lines', 'key-line', 'error-lines-parser'];

export const CI_LINES: Part = {
  name: 'ci-lines',
  says: 'error lines of CI logs, without and with a passing log of the same job: --cases, --logs',
  fits: (cases) => haveTruth(cases, TYPES),
  run: runLines,
};

/** How many lines are shown: few, what an excerpt holds, all that belong to the cause. */
const LIMITS = { 'at most 20 lines': 20, 'at most 60 lines': 60, 'all lines': Number.POSITIVE_INFINITY } as const;
const GREP = /error|fail|exception/i;

type Show = (log: LogCase, most: number) => readonly number[];

const SYSTEMS: Readonly<Record<string, Show>> = {
  causeway: (log, most) => shownLines(log.log, '', most),
  'causeway, passing log': ({ log, passing }, most) => shownLines(log, passing, most),
  'grep -i error|fail|exception': ({ log }, most) => matching(log, GREP).slice(0, most),
  '##[error] lines': ({ log }, most) => matching(log, /##\[error\]/).slice(0, most),
};

interface Shown extends Scored {
  readonly group: string;
  readonly system: string;
}

async function runLines(options: EvalOptions): Promise<PartResult> {
  const shown: Shown[] = [];
  for (const [index, one] of options.cases.entries()) {
    options.signal.throwIfAborted();
    const log = logCase(one, options.logs);
    if (!TYPES.includes(log.truth.type)) continue;
    const scores = scoresOf(log);
    shown.push(...scores);
    options.emit({ id: log.id, scores: scores.map(({ group, system, figures }) => ({ group, system, ...figures })) });
    if (index % 20 === 0) options.progress(`${index + 1} of ${options.cases.length} cases`);
  }
  return { rows: tableRows(shown), notes: NOTES };
}

const NOTES: readonly string[] = [
  'F1 of the numbers of shown lines against those of people (error and what belongs to it), a mean over the people who marked a log, then over logs.',
  'first: the first line that anybody calls the error is shown; any: one of those lines is.',
];

function tableRows(shown: readonly Shown[]): readonly Row[] {
  const groups = [...Map.groupBy(shown, ({ group, system }) => `${group}\n${system}`).entries()];
  return groups.flatMap(([key, own]) => {
    const [group = '', system = ''] = key.split('\n');
    return rowsOf(system, own)
      .slice(0, 1)
      .map((row) => ({ ...row, group }));
  });
}

function scoresOf(log: LogCase): readonly Shown[] {
  const marks = marksOf(log.truth);
  const place = numbering(log);
  return Object.entries(LIMITS).flatMap(([limit, most]) =>
    Object.entries(SYSTEMS).flatMap(([system, show]) => {
      const start = process.cpuUsage().user;
      const lines = new Set(show(log, most).map(place));
      const ms = (process.cpuUsage().user - start) / 1000;
      const figures = figuresOf(lines, marks);
      return groupsOf(log).map(
        (name): Shown => ({ group: `${name}, ${limit}`, system, language: '', source: log.source, figures, ms }),
      );
    }),
  );
}

function groupsOf({ truth, isActions }: LogCase): readonly string[] {
  if (truth.type === 'key-line') return ['one key line'];
  if (truth.type === 'error-lines-parser') return ['lines of a parser'];
  return ['people', isActions ? 'people, GitHub Actions' : 'people, other systems'];
}

/** One list of ranges for each who marked it. */
function marksOf({ annotator1, annotator2, line, lines }: LogTruth): readonly (readonly Range[])[] {
  const people = [annotator1, annotator2].filter((ranges) => ranges !== undefined && ranges !== null);
  if (people.length > 0) return people;
  return [[...(line === undefined ? [] : [line]), ...(lines ?? [])].map((at) => ['E', at, at] as const)];
}

function figuresOf(shown: ReadonlySet<number>, marks: readonly (readonly Range[])[]): Scored['figures'] {
  const errors = marks.flat().filter(([kind]) => kind === 'E');
  const first = Math.min(...errors.map(([, from]) => from));
  const any = [...shown].some((line) => errors.some(([, from, to]) => from <= line && line <= to));
  const f1 = marks.reduce((sum, ranges) => sum + agreement(shown, numbersOf(ranges)), 0) / marks.length;
  return { 'F1 %': 100 * f1, 'first %': shown.has(first) ? 100 : 0, 'any %': any ? 100 : 0 };
}

function numbersOf(ranges: readonly Range[]): ReadonlySet<number> {
  return new Set(ranges.flatMap(([, from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index)));
}

function agreement(shown: ReadonlySet<number>, marked: ReadonlySet<number>): number {
  const both = [...shown].filter((line) => marked.has(line)).length;
  return shown.size + marked.size === 0 ? 0 : (2 * both) / (shown.size + marked.size);
}

/** Numbers, from 1, of lines that end at CRLF, LF or a lone CR. */
function shownLines(log: string, passing: string, most: number): readonly number[] {
  const lines = readLogLines(log);
  const before = log.split(/\r\n|\n|\r/).length - lines.length;
  const known = passing === '' ? undefined : readPassingLog(passing);
  const cause = findCause(lines, findSteps(lines), known);
  return findCauseLines(lines, cause, { passing: known, most }).map(({ at }) => before + at + 1);
}

function matching(log: string, pattern: RegExp): readonly number[] {
  return log.split(/\r\n|\n|\r/).flatMap((text, at) => (pattern.test(text) ? [at + 1] : []));
}

/** The parser's own numbers do not count a lone CR as the end of a line; people's do. */
function numbering({ log, truth }: LogCase): (line: number) => number {
  if (truth.type !== 'error-lines-parser') return (line) => line;
  const numbers = [1];
  for (const [end] of log.matchAll(/\r\n|\n|\r/g)) numbers.push((numbers.at(-1) ?? 1) + (end === '\r' ? 0 : 1));
  return (line) => numbers[line - 1] ?? line;
}
