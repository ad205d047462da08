// What the report's terms are worth among the functions: by where the report has them, and by how seldom functions do.
import type { Query } from '../localise/query.ts';
import { asWritten, saturation } from '../localise/words-signal.ts';
import { SHORT_WORDS } from '../tokens.ts';
import type { Unit } from './read-units.ts';

export interface TermWeights {
  /** By hash: weight in the report times how seldom it is among the units. */
  readonly all: ReadonlyMap<number, number>;
  /** The same for terms of the title only, by how seldom alone. */
  readonly title: ReadonlyMap<number, number>;
  readonly rarity: ReadonlyMap<number, number>;
  /** As the report writes it; of a part of a name, that part. */
  readonly words: ReadonlyMap<number, string>;
  /** Terms of a unit, in the mean. */
  readonly meanLength: number;
}

const PART_WEIGHT = { title: 2, name: 1, prose: 1, code: 0.5, log: 0.5, test: 0.5 } as const;
/** Said more often than this, it says nothing more; in a title, once. */
const REPEATED = 4;

export function termWeights(units: readonly Unit[], query: Query): TermWeights {
  const holding = new Map<number, number>();
  for (const { counts } of units) for (const hash of counts.keys()) holding.set(hash, (holding.get(hash) ?? 0) + 1);
  const terms = query.terms.filter(({ term }) => !SHORT_WORDS.has(term));
  const rarity = new Map(terms.map(({ hash }) => [hash, rarityOf(holding.get(hash) ?? 0, units.length)]));
  const worth = ({ hash, counts }: Query['terms'][number]): number => (rarity.get(hash) ?? 0) * reportWeight(counts);
  const titled = terms.filter(({ counts }) => counts.title > 0);
  return {
    all: new Map(terms.map((term) => [term.hash, worth(term)])),
    title: new Map(titled.map(({ hash }) => [hash, rarity.get(hash) ?? 0])),
    rarity,
    words: new Map(terms.map((term) => [term.hash, asWritten(term).word])),
    meanLength: units.reduce((sum, { length }) => sum + length, 0) / Math.max(1, units.length),
  };
}

function rarityOf(holding: number, all: number): number {
  return Math.log(1 + (all - holding + 0.5) / (holding + 0.5));
}

function reportWeight(counts: Query['terms'][number]['counts']): number {
  const said = (part: keyof typeof PART_WEIGHT): number =>
    PART_WEIGHT[part] * Math.sqrt(Math.min(part === 'title' ? 1 : REPEATED, counts[part]));
  return said('title') + said('name') + said('prose') + said('code') + said('log') + said('test');
}

export function bm25(unit: Unit, weights: ReadonlyMap<number, number>, meanLength: number): number {
  let sum = 0;
  for (const [hash, count] of unit.counts) sum += gainOf(weights.get(hash) ?? 0, count, unit.length / meanLength);
  return sum;
}

/** What one term adds; `length`: of the unit beside the mean. */
export function gainOf(weight: number, count: number, length: number): number {
  return weight * saturation(count, length);
}
