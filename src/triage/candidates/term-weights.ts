// Which files use the terms of a report, the seldom ones counting most (BM25 over search hits).
import type { SearchHit } from '../../ports/source.ts';
import { fileKind } from '../file-kind.ts';
import { looksLikeCode } from '../identifiers.ts';
import type { PathIndex } from '../path-index.ts';
import type { Clue } from './clue.ts';

export interface TermHits {
  /** As searched. */
  readonly term: string;
  /** As the report writes it. */
  readonly name: string;
  readonly weight: number;
  readonly hits: readonly SearchHit[];
  /** Whether the search was cut off: the term is too common to tell anything. */
  readonly everywhere: boolean;
}

const K1 = 1.2;
const B = 0.6;
const MOST = 0.6;
const MAX_FILES = 60;
const MAX_SAID = 3;

interface Use {
  score: number;
  /** What each term adds. */
  readonly terms: Map<TermHits, number>;
  line: number;
  best: number;
}

export function useClues(terms: readonly TermHits[], index: PathIndex): readonly Clue[] {
  const uses = new Map<string, Use>();
  const corpus = corpusOf(index);
  for (const term of terms) if (!term.everywhere) addTerm(uses, term, corpus);
  const ranked = [...uses].sort(([a, x], [b, y]) => y.score - x.score || (a < b ? -1 : 1)).slice(0, MAX_FILES);
  const most = ranked[0]?.[1].score ?? 1;
  return ranked.map(
    ([path, use]): Clue => ({
      ...said(use),
      kind: 'use',
      path,
      line: use.line,
      function: '',
      strength: MOST * (use.score / most),
    }),
  );
}

/** Names from code are worth telling; words only where the file holds no such name. */
function said({ terms }: Use): Pick<Clue, 'reason' | 'names'> {
  const ranked = [...terms].sort(([, a], [, b]) => b - a).map(([{ name }]) => name);
  const best = [...new Set(ranked)];
  const names = best.filter(looksLikeCode).slice(0, MAX_SAID);
  if (names.length > 0)
    return { reason: `holds ${names.map((name) => `\`${name}\``).join(', ')}, named in the report`, names };
  const words = best.slice(0, MAX_SAID).map((word) => `“${word}”`);
  return { reason: `holds the ${words.length === 1 ? 'word' : 'words'} ${words.join(', ')} of the report`, names };
}

interface Corpus {
  readonly files: number;
  readonly meanSize: number;
  readonly sizes: ReadonlyMap<string, number>;
}

function corpusOf({ paths, sizes }: PathIndex): Corpus {
  const sources = paths.filter((path) => fileKind(path) === 'source');
  const total = sources.reduce((sum, path) => sum + (sizes.get(path) ?? 0), 0);
  return { files: sources.length, meanSize: Math.max(1, total / Math.max(1, sources.length)), sizes };
}

function addTerm(uses: Map<string, Use>, term: TermHits, corpus: Corpus): void {
  const { weight, hits } = term;
  const byFile = Map.groupBy(
    hits.filter(({ path }) => fileKind(path) === 'source'),
    ({ path }) => path,
  );
  const rarity = weight * Math.log(1 + (corpus.files - byFile.size + 0.5) / (byFile.size + 0.5));
  for (const [path, own] of byFile) {
    const length = K1 * (1 - B + (B * (corpus.sizes.get(path) ?? 0)) / corpus.meanSize);
    const gain = Math.max(0, rarity) * ((own.length * (K1 + 1)) / (own.length + length));
    const use = uses.get(path) ?? { score: 0, terms: new Map<TermHits, number>(), line: 0, best: 0 };
    use.score += gain;
    use.terms.set(term, gain);
    if (gain > use.best) Object.assign(use, { best: gain, line: telling(own) });
    uses.set(path, use);
  }
}

/** The first hit that is not an import: where a name is brought in, nothing happens to it. */
function telling(hits: readonly SearchHit[]): number {
  const isImport = /^\s*(?:import|from|use|using|package|#include|export \*|(?:const|var|let) .{1,80}require\()/;
  return (hits.find(({ text }) => !isImport.test(text)) ?? hits[0])?.line ?? 0;
}
