// Earlier commits whose message reads like the report, and the files that they touched.
import type { HistoryLexicon, IndexedCommit, TermMatches } from '../../core/lexicon.ts';
import type { Query } from './query.ts';
import { type PartWeights, rarity, relativeLengths, saturation, type Table, termWeight } from './table.ts';

/** Commits that are taken as similar. */
const SIMILAR = 60;

export interface CommitScores {
  /** One value for each file of the table. */
  readonly scores: Float64Array;
  /** The commits that gave a file most, by file, best first, at most 2. */
  readonly commits: ReadonlyMap<number, readonly IndexedCommit[]>;
}

/** The commits of a history, and where each term of the query is found among their messages. */
export interface MatchedCommits {
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
export function commitScores(table: Table, query: Query, matched: MatchedCommits, weights: PartWeights): CommitScores {
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
