// Tests that read like the report, and the files that changed with them.
import type { IndexedCommit } from '../../core/source/index.ts';
import type { Query } from './query.ts';
import { type PartWeights, scoreWords, type Table } from './table.ts';

/** Tests that count, and how fast they count less than the one that resembles the report most. */
const MOST_TESTS = 100;
const SHARPNESS = 4;

/** A commit that touches more source files says nothing about each. */
const MOST_CHANGED = 15;

/** Commits that a file is taken to have besides its own: one that changed once, with a test, is not surest. */
const COMMITS_BEFORE = 10;

interface LikeTestsInput {
  /** Newest first. */
  readonly commits: readonly IndexedCommit[];
  readonly weights: PartWeights;
  readonly signal: AbortSignal;
}

/** How often each file of the table changed with such tests, as a part of how often it changed. */
export async function scoreLikeTests(
  table: Table,
  query: Query,
  { commits, weights, signal }: LikeTestsInput,
): Promise<Float64Array> {
  const tests = rateTests(table, await scoreWords(table.tests, query, { weights, signal }));
  return scoreHistory(table, tests, commits);
}

/** How similar tests are to the report, by path. */
type RatedTests = ReadonlyMap<string, number>;

function scoreHistory(table: Table, rated: RatedTests, commits: readonly IndexedCommit[]): Float64Array {
  const sums = new Float64Array(table.paths.length);
  const changes = new Float64Array(table.paths.length);
  for (const { paths } of commits) {
    const files = paths.flatMap((path) => table.rowOf.get(path) ?? []);
    const test = files.length > MOST_CHANGED ? '' : findMostSimilar(paths, rated);
    const worth = (rated.get(test) ?? 0) / Math.sqrt(files.length);
    for (const file of files) {
      changes[file] = (changes[file] ?? 0) + 1;
      sums[file] = (sums[file] ?? 0) + worth;
    }
  }
  return sums.map((sum, file) => sum / (COMMITS_BEFORE + (changes[file] ?? 0)));
}

/** "" where none of the paths is a test that resembles the report. */
function findMostSimilar(paths: readonly string[], rated: RatedTests): string {
  return paths.reduce((best, path) => ((rated.get(path) ?? 0) > (rated.get(best) ?? 0) ? path : best), '');
}

/** As parts of the most similar one. */
function rateTests({ tests }: Table, scores: Float64Array): RatedTests {
  const best = [...scores.keys()]
    .filter((test) => (scores[test] ?? 0) > 0)
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
    .slice(0, MOST_TESTS);
  const most = scores[best[0] ?? 0] ?? 1;
  return new Map(best.map((test) => [tests.paths[test] ?? '', ((scores[test] ?? 0) / most) ** SHARPNESS]));
}
