// `ci-places`: are file and line read from what one tool prints, as its own format has them?
import { findCause } from '../../packages/ci-log/src/find-cause.ts';
import { findSteps, readLogLines } from '../../packages/ci-log/src/log-lines.ts';
import { findPlaces } from '../../packages/ci-log/src/places.ts';
import { toRepositoryPath } from '../../packages/ci-log/src/written-places.ts';
import { type Case, EvalFault, type EvalOptions, type Part, type PartResult } from './part.ts';
import { textIn } from './read-case.ts';
import { rowsOf, type Scored } from './scores.ts';

export const CI_PLACES: Part = {
  name: 'ci-places',
  says: 'file and line in the output of one tool: --cases',
  fits: (cases) => cases.some(({ data }) => typeof data['input'] === 'string' && Array.isArray(data['expected'])),
  run: runPlaces,
};

/** All that are told, not only what a finding keeps. */
const MOST = 10_000;
/** The tools ran in folders of their own; a runner would have had the repository here. */
const ROOT = '/home/runner/work/repository/repository/';
const ABSOLUTE = /(^|[\s:="'(])(?:\/|[A-Z]:\\)(?=[\w.-]+[/\\])/gm;

async function runPlaces(options: EvalOptions): Promise<PartResult> {
  const scored = options.cases.map((one): Scored => {
    options.signal.throwIfAborted();
    const { found, known } = placesOf(one);
    const both = [...found].filter((place) => known.has(place)).length;
    const figures = { 'found %': share(both, known.size), 'right %': share(both, found.size) };
    options.emit({ id: textIn(one, 'id'), found: found.size, known: known.size, both });
    return { language: '', source: textIn(one, 'tool'), ms: 0, figures };
  });
  return {
    rows: rowsOf('causeway', scored),
    notes: [
      'A mean over tools. found: of the distinct pairs of file and line; right: of what was told, 100 where nothing was. Absolute paths are put below a runner’s folder first.',
    ],
  };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 100 : (100 * part) / whole;
}

function placesOf(one: Case): { readonly found: ReadonlySet<string>; readonly known: ReadonlySet<string> } {
  const lines = readLogLines(rooted(textIn(one, 'input')));
  const cause = findCause(lines, findSteps(lines));
  const found = findPlaces(lines, cause, MOST).map(({ path, line }) => `${path}:${line}`);
  const known = expectedOf(one).flatMap(({ file, line }) =>
    line === null ? [] : [`${toRepositoryPath(rooted(file)) ?? file}:${line}`],
  );
  return { found: new Set(found), known: new Set(known) };
}

function rooted(text: string): string {
  return text.replace(ABSOLUTE, `$1${ROOT}`);
}

interface Expected {
  readonly file: string;
  readonly line: number | null;
}

function expectedOf(one: Case): readonly Expected[] {
  const expected = one.data['expected'];
  if (!Array.isArray(expected) || !expected.every(isExpected)) {
    throw new EvalFault(`${one.file}, line ${one.line}, has no list "expected" of file and line.`);
  }
  return expected;
}

function isExpected(value: unknown): value is Expected {
  return (
    typeof value === 'object' && value !== null && 'file' in value && typeof value.file === 'string' && 'line' in value
  );
}
