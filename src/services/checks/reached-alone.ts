// Whether of all commits of a range one alone changed what the failing test reaches, so that nothing else can have broken it.

import type { Repository } from 'causeway-git-objects';
import { createReacher, findTestFiles, MOST_FOLLOWED_TESTS } from '../../ci/index.ts';
import { type CommitRange, EMPTY_EXCERPT, type Finding } from '../../core/check/index.ts';
import { createPathIndex } from '../../triage/index.ts';

/** For following the test and comparing the commits: what was reached by then does not count here. */
const ALONE_MS = 60_000;
const MOST_COMPARED_FILES = 500;

interface Likeliest {
  readonly range: CommitRange;
  /** The likeliest commit of the range. */
  readonly sha: string;
  /** What failed at its end. */
  readonly findings: readonly Finding[];
}

/**
 * What a merge brought counts as one. False also where it isn't known: a commit is missing, a range is
 * cut, no test is found or more than are followed, or it takes too long. Throws the signal's reason.
 */
export async function isAloneReached(
  repository: Repository,
  { range, sha, findings }: Likeliest,
  signal: AbortSignal,
): Promise<boolean> {
  if (range.total !== range.commits.length || range.steps === undefined || findings.length === 0) return false;
  const until = AbortSignal.any([signal, AbortSignal.timeout(ALONE_MS)]);
  try {
    return await compareSteps(repository, { range, sha, findings }, until);
  } catch (error) {
    signal.throwIfAborted();
    if (until.aborted) return false;
    throw error;
  }
}

async function compareSteps(
  repository: Repository,
  { range, sha, findings }: Likeliest,
  signal: AbortSignal,
): Promise<boolean> {
  const tree = repository.tree(range.to);
  const paths = new Map<string, readonly string[]>();
  const ids = range.commits.map((commit) => commit.sha);
  for await (const messages of tree.messages(ids, signal)) for (const one of messages) paths.set(one.sha, one.paths);
  const all = [...new Set([...paths.values()].flat())];
  if (paths.size < ids.length || all.length > MOST_COMPARED_FILES) return false;
  const files = await tree.files(signal);
  const there = new Set(files.entries.map(({ path }) => path));
  const failing = {
    places: findings.flatMap(({ places }) => places),
    excerpt: { ...EMPTY_EXCERPT, tests: [...new Set(findings.flatMap(({ excerpt }) => excerpt.tests))] },
  };
  // Without a test nothing is followed from it: what a build fails at may be anybody's.
  const tests = findTestFiles(createPathIndex(files), failing);
  if (tests.length === 0 || tests.length > MOST_FOLLOWED_TESTS) return false;
  const reach = createReacher(tree, failing, signal, 2 * ALONE_MS);
  const reached = new Set<string>();
  for (const path of all) {
    // Of what was taken away it isn't known what used it.
    if (!there.has(path) || (await reach({ path, line: 0 })) !== 'none') reached.add(path);
  }
  const steps = new Set<string>();
  for (const commit of range.commits) {
    if ((paths.get(commit.sha) ?? []).some((path) => reached.has(path))) steps.add(commit.by ?? commit.sha);
  }
  const likeliest = range.commits.find((commit) => commit.sha === sha);
  const isReached = (paths.get(sha) ?? []).some((path) => there.has(path) && reached.has(path));
  return likeliest !== undefined && isReached && steps.size === 1 && steps.has(likeliest.by ?? sha);
}
