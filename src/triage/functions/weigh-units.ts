// What speaks for each function: the features that the ranking adds up, each between 0 and about 1.

import type { Query } from '../localise/query.ts';
import { hashesOfWord } from '../localise/terms.ts';
import { STOP_WORDS } from '../tokens.ts';
import { callersOf } from './callers.ts';
import { framedUnits } from './framed-units.ts';
import type { MarkedFrame } from './mark-frames.ts';
import type { Unit } from './read-units.ts';
import { bm25, gainOf, type TermWeights, termWeights } from './term-weights.ts';

export interface Features {
  /** Of its file: score beside the best, and how far up it stands. */
  readonly file: number;
  readonly fileRank: number;
  /** BM25 of the report, and of its title alone, beside the best of all units. */
  readonly body: number;
  readonly title: number;
  /** How seldom the pairs of words are that it shares with the report. */
  readonly pairs: number;
  /** How much of its name the report, its title, and of its class's name the report holds. */
  readonly name: number;
  readonly nameTitle: number;
  readonly owner: number;
  /** How far inside it stands in a stack trace. */
  readonly frame: number;
  /** Whether a function that the report names calls it. */
  readonly called: number;
  readonly isClass: number;
  /** Long ones are changed more often; those of a file with many, each less often. */
  readonly size: number;
  readonly siblings: number;
  /** `__init__` and its like; `_name`. */
  readonly isSpecial: number;
  readonly isPrivate: number;
}

export interface WeighedUnit {
  readonly unit: Unit;
  readonly features: Features;
  /** What each of the report's terms is worth among the units, by hash. */
  readonly weights: ReadonlyMap<number, number>;
  /** The report's words in it, those that add most first. */
  readonly words: readonly string[];
  /** Whether the report has its whole name of several words, however it is joined: `read_line` for `readLine`. */
  readonly isNamed: boolean;
  /** Line of the frame in it that counts; 0 where none. */
  readonly frameLine: number;
  /** Units of its file, with it, that the frame may stand in; 0 where none. */
  readonly framedAlike: number;
  /** Name of the function in the report that calls it; "" where none. */
  readonly caller: string;
}

export function weighUnits(
  units: readonly Unit[],
  query: Query,
  frames: readonly MarkedFrame[],
): readonly WeighedUnit[] {
  const weights = termWeights(units, query);
  const body = relative(units.map((unit) => bm25(unit, weights.all, weights.meanLength)));
  const title = relative(units.map((unit) => bm25(unit, weights.title, weights.meanLength)));
  const pairs = pairScores(units);
  const callers = callersOf(units, query);
  const framed = framedUnits(units, frames);
  return units.map((unit, index) => {
    const frame = framed.get(unit);
    const caller = callers.get(unit) ?? '';
    return {
      unit,
      weights: weights.all,
      isNamed: isNamed(unit, weights),
      words: tellingWords(unit, weights),
      frameLine: frame?.line ?? 0,
      framedAlike: frame?.alike ?? 0,
      caller,
      features: {
        file: unit.fileScore,
        fileRank: 1 / (1 + unit.fileRank),
        body: body[index] ?? 0,
        title: title[index] ?? 0,
        pairs: pairs[index] ?? 0,
        ...nameFeatures(unit, weights),
        frame: frame?.strength ?? 0,
        called: caller === '' ? 0 : 1,
        ...formFeatures(unit),
      },
    };
  });
}

function isNamed({ span }: Unit, { all }: TermWeights): boolean {
  const [whole = 0, ...parts] = hashesOfWord(span.name);
  return parts.length > 1 && all.has(whole);
}

function relative(scores: readonly number[]): readonly number[] {
  const best = scores.reduce((most, score) => Math.max(most, score), 0);
  return best > 0 ? scores.map((score) => score / best) : scores;
}

function pairScores(units: readonly Unit[]): readonly number[] {
  const holding = new Map<number, number>();
  for (const { pairs } of units) for (const pair of pairs) holding.set(pair, (holding.get(pair) ?? 0) + 1);
  return units.map(({ pairs, length }) => {
    let sum = 0;
    for (const pair of pairs) sum += Math.log(units.length / (holding.get(pair) ?? 1));
    return Math.min(2, sum / Math.sqrt(20 + length)) / 2;
  });
}

function nameFeatures(
  { span }: Unit,
  { all, title, rarity }: TermWeights,
): Pick<Features, 'name' | 'nameTitle' | 'owner'> {
  return {
    name: nameScore(span.name, all, rarity),
    nameTitle: nameScore(span.name, title, rarity),
    owner: Math.max(0, ...span.owner.split('.').map((name) => nameScore(name, all, rarity))),
  };
}

/** The weight of the terms of a name that the report has, damped for names of many terms. */
function nameScore(name: string, weights: ReadonlyMap<number, number>, rarity: ReadonlyMap<number, number>): number {
  const hashes = new Set(hashesOfWord(name));
  let sum = 0;
  for (const hash of hashes) {
    const rare = rarity.get(hash) ?? 0;
    if (rare > 0) sum += (Math.min(3, (weights.get(hash) ?? 0) / rare) * Math.min(6, rare)) / 6;
  }
  return Math.min(4, sum / Math.sqrt(Math.max(1, hashes.size))) / 4;
}

function formFeatures({
  span,
  lines,
  siblings,
}: Unit): Pick<Features, 'isClass' | 'size' | 'siblings' | 'isSpecial' | 'isPrivate'> {
  return {
    isClass: span.kind === 'function' ? 0 : 1,
    size: Math.min(1, Math.log(1 + lines.length) / 6),
    siblings: Math.min(1, Math.log(1 + siblings) / 6),
    isSpecial: /^(?:__\w+__|constructor)$/.test(span.name) ? 1 : 0,
    isPrivate: /^[_#][^_]/.test(span.name) ? 1 : 0,
  };
}

const MAX_WORDS = 3;

function tellingWords(unit: Unit, { all, words, meanLength }: TermWeights): readonly string[] {
  const known = [...unit.counts].filter(([hash]) => words.has(hash));
  const gains = known.map(([hash, count]): readonly [string, number] => [
    words.get(hash) ?? '',
    gainOf(all.get(hash) ?? 0, count, unit.length / meanLength),
  ]);
  const best = gains.toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([word]) => word);
  return [...new Set(best)].filter((word) => !STOP_WORDS.has(word.toLowerCase())).slice(0, MAX_WORDS);
}
