// Ranks the functions and classes of the first suspects' files by a report, each saying why.
import type { Query } from '../localise/query.ts';
import type { MarkedFrame } from './mark-frames.ts';
import { phrasesOf } from './phrases.ts';
import { type FunctionFile, readUnits, type Unit } from './read-units.ts';
import { tellingLine } from './telling-line.ts';
import { type Features, type WeighedUnit, weighUnits } from './weigh-units.ts';

export interface RankedFunction {
  readonly path: string;
  readonly name: string;
  /** Names of the classes and functions that it lies in, joined by dots; "" at the top of its file. */
  readonly owner: string;
  /** The line that names it, and its last one; 1-based. */
  readonly line: number;
  readonly lastLine: number;
  /** Where to look first: the line of a stack frame in it, else where the report's words stand closest; never outside of it. */
  readonly place: number;
  /** 1 for the first; for the others how likely it is beside that one. */
  readonly score: number;
  /** For people, the most telling first; at most three. */
  readonly reasons: readonly string[];
}

export interface RankInput {
  /** The whole text: its neighbouring words are compared. */
  readonly report: string;
  readonly query: Query;
  /** Frames of its stack traces, from `markFrames`. */
  readonly frames: readonly MarkedFrame[];
  /** The first of the ranked files (ten are enough), best first. */
  readonly files: readonly FunctionFile[];
}

const MAX_RANKED = 50;

/**
 * How much each feature counts: about the mean of two conditional logits, one fitted on each half of the projects, rounded. Features
 * that only one half liked were left out; what each fit gave on the other half: docs/evaluation.md.
 */
const WEIGHTS: Features = {
  file: 1.3,
  fileRank: 1.4,
  body: 2.7,
  title: 1.5,
  pairs: 1.3,
  name: 2.4,
  nameTitle: 0.8,
  owner: 3.2,
  frame: 1.3,
  called: 0.9,
  isClass: -1.3,
  size: 1.2,
  siblings: -1.5,
  isSpecial: 0.6,
  isPrivate: 0.8,
};

/**
 * At most 50, best first; equal ones in the order of files and lines, so that the answer is always the same. Takes about 0.3 seconds a
 * megabyte, and lets others have their turn after each file. Throws the signal's reason when aborted.
 */
export async function rankFunctions(
  { report, query, frames, files }: RankInput,
  signal: AbortSignal,
): Promise<readonly RankedFunction[]> {
  const terms = new Set(query.terms.map(({ hash }) => hash));
  const phrases = phrasesOf(report);
  const best = files.reduce((most, { score }) => Math.max(most, score), Number.MIN_VALUE);
  const units: Unit[] = [];
  for (const [fileRank, file] of files.entries()) {
    units.push(...readUnits(file, { fileRank, fileScore: file.score / best, terms, phrases }));
    await new Promise<void>((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
  const ranked = weighUnits(units, query, frames)
    .map((weighed) => ({ weighed, sum: sumOf(weighed.features) }))
    .sort((a, b) => b.sum - a.sum)
    .slice(0, MAX_RANKED);
  const first = ranked[0]?.sum ?? 0;
  return ranked.map(({ weighed, sum }) => rankedOf(weighed, Math.exp(sum - first)));
}

/** The best function of one file; null where none of it was ranked. */
export function bestFunction(ranked: readonly RankedFunction[], path: string): RankedFunction | null {
  return ranked.find((each) => each.path === path) ?? null;
}

function sumOf(features: Features): number {
  const names = Object.keys(WEIGHTS) as (keyof Features)[];
  return names.reduce((sum, name) => sum + WEIGHTS[name] * features[name], 0);
}

function rankedOf(weighed: WeighedUnit, score: number): RankedFunction {
  const { unit, frameLine } = weighed;
  const { name, owner, line, lastLine } = unit.span;
  return {
    path: unit.path,
    name,
    owner,
    line,
    lastLine,
    place: frameLine > 0 ? frameLine : tellingLine(unit, weighed.weights),
    score: Math.round(score * 1_000) / 1_000,
    reasons: reasonsOf(weighed),
  };
}

const MAX_REASONS = 3;
/** Below these a feature says too little to be told. */
const TOLD = { name: 0.12, owner: 0.2, pairs: 0.25 } as const;

function reasonsOf({ unit, features, framedAlike, isNamed, caller, words }: WeighedUnit): readonly string[] {
  const { name, owner } = unit.span;
  const quoted = words.map((word) => `“${word}”`).join(', ');
  const reasons = [
    framedReason(name, framedAlike),
    isNamed ? `the report names \`${name}\`` : '',
    !isNamed && features.name > TOLD.name ? `the report mentions words of its name, \`${name}\`` : '',
    features.owner > TOLD.owner ? `belongs to \`${owner}\`, whose name has words of the report` : '',
    features.pairs > TOLD.pairs ? 'has words in the same order as the report' : '',
    caller === '' ? '' : `\`${caller}\`, named in the report, calls it`,
    quoted === '' ? '' : `mentions ${quoted}`,
  ];
  return reasons.filter((reason) => reason !== '').slice(0, MAX_REASONS);
}

function framedReason(name: string, alike: number): string {
  if (alike === 0) return '';
  return alike === 1
    ? `\`${name}\` is in the stack trace`
    : `one of ${alike} \`${name}\` of its file is in the stack trace`;
}
