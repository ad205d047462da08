// The signals of a report over the files of a commit: words, definitions, earlier commits, paths, frames.
import type { HistoryLexicon, IndexedCommit, TermMatches } from '../../core/lexicon.ts';
import type { Clue, ClueKind } from '../clues.ts';
import { isSecondary } from '../own-code.ts';
import { getFileName } from '../paths.ts';
import type { SignalValues } from './combine.ts';
import { inSlices } from './in-slices.ts';
import { isBare, type PathScores, pathScores } from './path-signal.ts';
import type { Query, QueryName, QueryPart } from './query.ts';
import {
  type PartWeights,
  rarity,
  relativeLengths,
  SLICE_PATHS,
  saturation,
  type Table,
  termWeight,
  wordScores,
} from './table.ts';

/** What a word counts by where it stands: the title says most, code and logs are mostly about other things. */
export const WHOLE: PartWeights = { title: 2, name: 1.5, prose: 1, code: 0.4, log: 0.4, test: 0 };
/**
 * In a stretch that is read closely what the failing test uses counts as prose does: a report that is a trace says little by itself (first in 71
 * of 100 of 176 such reports, in 67 without).
 */
export const CLOSELY: PartWeights = { ...WHOLE, test: 1 };
const TITLE: PartWeights = { title: 1, name: 0, prose: 0, code: 0, log: 0, test: 0 };
const TITLE_AND_NAMES: PartWeights = { ...TITLE, name: 0.7 };
const TEST: PartWeights = { title: 0, name: 0, prose: 0, code: 0, log: 0, test: 1 };
/** Half of what a file that was just touched counts is left after so many commits. */
const RECENT = 50;
const MAX_RECENT = 2_000;

export interface Gathered {
  /** Windows are 0 as yet. */
  readonly values: SignalValues;
  readonly definitions: DefinitionScores;
  readonly commits: CommitScores;
  readonly paths: PathScores;
}

export interface Known {
  readonly table: Table;
  readonly query: Query;
  /** Newest first. */
  readonly history: MatchedCommits;
  /** Of frames, places, paths and messages. */
  readonly clues: readonly Clue[];
}

/** In slices, between which others get their turn. Throws the signal's reason when aborted. */
export async function gatherSignals({ table, query, history, clues }: Known, signal: AbortSignal): Promise<Gathered> {
  const definitions = definitionScores(table, query);
  const similar = commitScores(table, query, history, WHOLE);
  const paths = await pathScores(table, query, { weights: WHOLE, signal });
  const none = new Float64Array(table.paths.length);
  const strongest = (kind: ClueKind): Float64Array => strengths(table, clues, kind);
  const words = (weights: PartWeights): Promise<Float64Array> => wordScores(table, query, { weights, signal });
  const values: SignalValues = {
    words: await words(WHOLE),
    title: await words(TITLE),
    window: none,
    titleWindow: none,
    definitions: definitions.code,
    definedWords: definitions.words,
    pathNames: paths.names,
    pathFolders: paths.folders,
    commits: similar.scores,
    titleCommits: commitScores(table, query, history, TITLE_AND_NAMES).scores,
    testWords: await words(TEST),
    frame: strongest('frame'),
    place: strongest('place'),
    path: strongest('path'),
    message: strongest('message'),
    recent: recency(table, history.commits),
    aside: await flags(table, isSecondary, signal),
    bare: await flags(table, (path) => isBare(getFileName(path).replace(/\.\w+$/, '')), signal),
  };
  return { values, definitions, commits: similar, paths };
}

function strengths(table: Table, clues: readonly Clue[], kind: ClueKind): Float64Array {
  const values = new Float64Array(table.paths.length);
  for (const clue of clues) {
    const file = table.rowOf.get(clue.path);
    if (clue.kind === kind && file !== undefined) values[file] = Math.max(values[file] ?? 0, clue.strength);
  }
  return values;
}

async function flags(table: Table, has: (path: string) => boolean, signal: AbortSignal): Promise<Float64Array> {
  const values = new Float64Array(table.paths.length);
  await inSlices(values.length, { size: SLICE_PATHS, signal }, (file) => {
    values[file] = has(table.paths[file] ?? '') ? 1 : 0;
  });
  return values;
}

function recency(table: Table, commits: readonly IndexedCommit[]): Float64Array {
  const values = new Float64Array(table.paths.length);
  for (const [age, { paths }] of commits.slice(0, MAX_RECENT).entries()) {
    for (const path of paths) {
      const file = table.rowOf.get(path);
      if (file !== undefined && values[file] === 0) values[file] = 1 / (1 + age / RECENT);
    }
  }
  return values;
}

/** A name that more files define than this, or than this part of all files, is a convention. */
const MOST_FILES = 30;
const MOST_PART = 0.05;
/** Where a name stands says how far the report is about it. */
const CODE_WEIGHTS: Readonly<Record<QueryPart, number>> = {
  title: 1.5,
  name: 1.5,
  prose: 1,
  code: 0.4,
  log: 0.4,
  test: 0,
};
const WORD_WEIGHTS: Readonly<Record<QueryPart, number>> = {
  title: 1.5,
  name: 1.5,
  prose: 0.7,
  code: 0.3,
  log: 0.3,
  test: 0,
};

interface DefinitionScores {
  /** By names that are written as only code is. */
  readonly code: Float64Array;
  /** By plain words that happen to be names. */
  readonly words: Float64Array;
  /** The names that a file defines, by file, the most telling first. */
  readonly names: ReadonlyMap<number, readonly QueryName[]>;
}

function definitionScores(table: Table, query: Query): DefinitionScores {
  const code = new Float64Array(table.paths.length);
  const words = new Float64Array(table.paths.length);
  const found = new Map<number, { name: QueryName; value: number }[]>();
  const most = Math.max(MOST_FILES, table.paths.length * MOST_PART);
  for (const [index, name] of query.names.entries()) {
    const files = table.definers[index] ?? [];
    const value = files.length > most ? 0 : weightOfName(name) / Math.sqrt(Math.max(1, files.length));
    if (value === 0) continue;
    const scores = name.isCode ? code : words;
    for (const file of files) {
      scores[file] = (scores[file] ?? 0) + value;
      found.set(file, [...(found.get(file) ?? []), { name, value }]);
    }
  }
  return { code, words, names: new Map([...found].map(([file, names]) => [file, mostTelling(names)])) };
}

/** Names that only code has before plain words. */
function mostTelling(names: readonly { readonly name: QueryName; readonly value: number }[]): readonly QueryName[] {
  return names
    .toSorted((a, b) => Number(b.name.isCode) - Number(a.name.isCode) || b.value - a.value)
    .map(({ name }) => name);
}

function weightOfName({ isCode, parts }: QueryName): number {
  const weights = isCode ? CODE_WEIGHTS : WORD_WEIGHTS;
  return [...parts].reduce((sum, part) => sum + weights[part], 0);
}

/** Commits that are taken as similar. */
const SIMILAR = 60;

interface CommitScores {
  /** One value for each file of the table. */
  readonly scores: Float64Array;
  /** The commits that gave a file most, by file, best first, at most 2. */
  readonly commits: ReadonlyMap<number, readonly IndexedCommit[]>;
}

/** The commits of a history, and where each term of the query is found among their messages. */
interface MatchedCommits {
  readonly commits: readonly IndexedCommit[];
  readonly matches: readonly TermMatches[];
  /** Of the messages, as parts of the mean. */
  readonly lengths: Float64Array;
}

export async function matchCommits(
  history: HistoryLexicon,
  query: Query,
  signal: AbortSignal,
): Promise<MatchedCommits> {
  const matches = await history.match(
    Uint32Array.from(query.terms, ({ hash }) => hash),
    signal,
  );
  return { commits: history.commits, matches, lengths: relativeLengths(history.lengths) };
}

/** Similarity is squared, so that the nearest commit outweighs many that share a word; a commit's word is divided among its files. */
function commitScores(table: Table, query: Query, matched: MatchedCommits, weights: PartWeights): CommitScores {
  const scores = new Float64Array(table.paths.length);
  const found = new Map<number, readonly IndexedCommit[]>();
  for (const { commit, likeness } of findSimilar(query, matched, weights)) {
    const files = commit.paths.flatMap((path) => table.rowOf.get(path) ?? []);
    for (const file of files) {
      scores[file] = (scores[file] ?? 0) + likeness ** 2 / Math.sqrt(files.length);
      found.set(file, [...(found.get(file) ?? []), commit].slice(0, 2));
    }
  }
  return { scores, commits: found };
}

/** `likeness`: as a part of that of the most similar one. */
function findSimilar(query: Query, { commits, matches, lengths }: MatchedCommits, weights: PartWeights) {
  const sums = new Float64Array(commits.length);
  for (const [index, { positions, counts }] of matches.entries()) {
    const term = query.terms[index];
    if (term === undefined) continue;
    const worth = termWeight(term, weights) * rarity(positions.length, commits.length);
    for (const [at, position] of positions.entries()) {
      sums[position] = (sums[position] ?? 0) + worth * saturation(counts[at] ?? 0, lengths[position] ?? 1);
    }
  }
  const best = commits
    .map((commit, index) => ({ commit, likeness: sums[index] ?? 0 }))
    .filter(({ commit, likeness }) => likeness > 0 && commit.paths.length > 0)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, SIMILAR);
  const most = best[0]?.likeness ?? 1;
  return best.map(({ commit, likeness }) => ({ commit, likeness: likeness / most }));
}
