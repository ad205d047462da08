// Which of some paths the tests of a change get to: what differs between two runs of them matters only there.
import type { Repository } from 'causeway-git-objects';
import { createReacher } from '../ci/index.ts';
import { EMPTY_EXCERPT } from '../core/check/index.ts';

interface RunTests {
  readonly files: readonly string[];
  readonly titles: readonly string[];
}

/** All of them where the commit can't be read. `sha`: the commit whose tests are followed. Throws the signal's reason. */
export async function listReachedPaths(
  repository: Repository,
  sha: string,
  { tests, paths }: { readonly tests: RunTests; readonly paths: readonly string[] },
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  if (!(await repository.ensureCommit(sha, signal))) return paths;
  const places = tests.files.map((path) => ({ path, line: 0, message: '' }));
  const failing = { places, excerpt: { ...EMPTY_EXCERPT, tests: tests.titles } };
  const reach = createReacher(repository.tree(sha), failing, signal);
  const reached: string[] = [];
  for (const path of paths) if ((await reach({ path, line: 0 })) !== 'none') reached.push(path);
  return reached;
}
