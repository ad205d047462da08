// All signals of a report over the files of a commit, but for the closer look at the first of them.
import type { IndexedCommit } from '../../core/lexicon.ts';
import type { Clue, ClueKind } from '../candidates/clue.ts';
import { isAside } from '../file-kind.ts';
import { fileName } from '../path-index.ts';
import type { SignalValues } from './combine.ts';
import { type CommitScores, commitScores, type MatchedCommits } from './commits-signal.ts';
import { type DefinitionScores, definitionScores } from './definitions-signal.ts';
import { inSlices } from './in-slices.ts';
import { isBare, type PathScores, pathScores } from './path-signal.ts';
import type { Query } from './query.ts';
import { type PartWeights, SLICE_PATHS, type Table, wordScores } from './table.ts';

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
    aside: await flags(table, isAside, signal),
    bare: await flags(table, (path) => isBare(fileName(path).replace(/\.\w+$/, '')), signal),
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
