// One case of localisation: a report, the commit before its fix, and what the fix changed.
import { type Case, EvalFault } from './part.ts';
import { textIn, textsIn } from './read-case.ts';

export interface LocalisationCase {
  readonly id: string;
  /** `owner/name`. */
  readonly repo: string;
  /** The repository to read it from: `mirror` where the case names one, else `repo`. */
  readonly readFrom: string;
  readonly baseCommit: string;
  readonly language: string;
  readonly source: string;
  readonly problem: string;
  readonly goldFiles: readonly string[];
  /** `path::Class.method`; empty where the case has none. */
  readonly goldFunctions: readonly string[];
  /** Changed lines of the base's file, first and last. */
  readonly goldLines: ReadonlyMap<string, readonly (readonly [number, number])[]>;
}

/** Throws EvalFault naming the line and what is missing in it. */
export function localisationCase(one: Case): LocalisationCase {
  const repo = textIn(one, 'repo');
  const goldFiles = textsIn(one, 'goldFiles');
  if (goldFiles.length === 0) throw new EvalFault(`${one.file}, line ${one.line}, has no "goldFiles".`);
  const baseCommit = textIn(one, 'baseCommit');
  if (!/^[0-9a-f]{40,64}$/.test(baseCommit)) {
    throw new EvalFault(`${one.file}, line ${one.line}, has a "baseCommit" that is no full commit id.`);
  }
  const mirror = one.data['mirror'];
  return {
    id: textIn(one, 'id'),
    repo,
    readFrom: typeof mirror === 'string' && mirror !== '' ? mirror : repo,
    baseCommit,
    language: textIn(one, 'language'),
    source: textIn(one, 'source'),
    problem: textIn(one, 'problem'),
    goldFiles,
    goldFunctions: textsIn(one, 'goldFunctions'),
    goldLines: linesIn(one),
  };
}

function linesIn(one: Case): LocalisationCase['goldLines'] {
  const value = one.data['goldLines'] ?? {};
  const entries = Object.entries(value);
  const isRange = (range: unknown): range is readonly [number, number] =>
    Array.isArray(range) && range.length === 2 && range.every(Number.isInteger);
  if (!entries.every(([, ranges]) => Array.isArray(ranges) && ranges.every(isRange))) {
    throw new EvalFault(`${one.file}, line ${one.line}, has "goldLines" of another form than {path: [[first, last]]}.`);
  }
  return new Map(entries);
}
