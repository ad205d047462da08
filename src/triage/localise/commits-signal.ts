// Earlier commits whose message reads like the report, and the files that they touched.
import type { CommitDigest } from '../../core/lexicon.ts';
import { inSlices } from './in-slices.ts';
import type { Query } from './query.ts';
import { rarity, type Table } from './table.ts';
import { termWeight, type Weighing } from './words-signal.ts';

const K1 = 1.2;
const B = 0.6;
/** Commits that are taken as similar. */
const SIMILAR = 60;
/** Looks at a commit for a term without a pause, about 10 ms. */
const SLICE_LOOKS = 100_000;

export interface CommitScores {
  /** One value for each file of the table. */
  readonly scores: Float64Array;
  /** The commits that gave a file most, by file, best first, at most 2. */
  readonly commits: ReadonlyMap<number, readonly CommitDigest[]>;
}

/** Similarity is squared, so that the nearest commit outweighs many that share a word; a commit's word is divided among its files. */
export async function commitScores(
  table: Table,
  query: Query,
  commits: readonly CommitDigest[],
  weighing: Weighing,
): Promise<CommitScores> {
  const scores = new Float64Array(table.paths.length);
  const found = new Map<number, readonly CommitDigest[]>();
  for (const { commit, likeness } of await mostSimilar(query, commits, weighing)) {
    const files = commit.paths.flatMap((path) => table.rowOf.get(path) ?? []);
    for (const file of files) {
      scores[file] = (scores[file] ?? 0) + likeness ** 2 / Math.sqrt(files.length);
      found.set(file, [...(found.get(file) ?? []), commit].slice(0, 2));
    }
  }
  return { scores, commits: found };
}

/** `likeness`: as a part of that of the most similar one. */
async function mostSimilar(
  query: Query,
  commits: readonly CommitDigest[],
  weighing: Weighing,
): Promise<readonly { readonly commit: CommitDigest; readonly likeness: number }[]> {
  const similar = await similarities(query, commits, weighing);
  const best = commits
    .map((commit, index) => ({ commit, likeness: similar[index] ?? 0 }))
    .filter(({ commit, likeness }) => likeness > 0 && commit.paths.length > 0)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, SIMILAR);
  const most = best[0]?.likeness ?? 1;
  return best.map(({ commit, likeness }) => ({ commit, likeness: likeness / most }));
}

async function similarities(
  query: Query,
  commits: readonly CommitDigest[],
  { weights, signal }: Weighing,
): Promise<Float64Array> {
  const mean = commits.reduce((sum, { length }) => sum + length, 0) / Math.max(1, commits.length);
  const scores = new Float64Array(commits.length);
  const terms = query.terms
    .map((term) => ({ hash: term.hash, weight: termWeight(term, weights) }))
    .filter(({ weight }) => weight > 0);
  const size = Math.max(1, Math.floor(SLICE_LOOKS / Math.max(1, commits.length)));
  await inSlices(terms.length, { size, signal }, (index) => {
    const { hash, weight } = terms[index] ?? { hash: 0, weight: 0 };
    const counts = commits.map((commit) => countIn(commit, hash));
    const rare = rarity(
      counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0),
      commits.length,
    );
    for (const [at, count] of counts.entries()) {
      if (count === 0) continue;
      const length = (commits[at]?.length ?? 0) / mean;
      scores[at] = (scores[at] ?? 0) + (weight * rare * count * (K1 + 1)) / (count + K1 * (1 - B + B * length));
    }
  });
  return scores;
}

function countIn({ terms, counts }: CommitDigest, hash: number): number {
  let [low, high] = [0, terms.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = terms[middle] ?? 0;
    if (found === hash) return counts[middle] ?? 0;
    if (found < hash) low = middle + 1;
    else high = middle - 1;
  }
  return 0;
}
