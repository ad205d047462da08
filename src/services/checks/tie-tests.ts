// Ties failing tests to the change under test, with a look into the commit where the names in the log alone tie nothing.

import { findTiesByName, findTiesInTree, type Tie } from '../../ci/touches.ts';
import type { ChangedFiles } from '../../core/check.ts';
import type { HeadPlace } from '../../core/head.ts';
import type { Look } from './deps.ts';
import { isOfOutsiders, type ReadSuspect } from './read-suspects.ts';

/** For all checks of one look: the verdict waits for this, and does without it where a large repository is fetched for the first time. */
const LIMIT_MS = 20_000;

export type FindTies = (red: ReadSuspect, changed: ChangedFiles | null) => Promise<readonly Tie[]>;

/**
 * For one look at a head. The commit is opened once at most, and never for outsiders, who could have any number of them fetched. A
 * repository that cannot be read delays no verdict. Throws the look's reason.
 */
export function createTieFinder(look: Look, place: HeadPlace): FindTies {
  let hasFailed = false;
  let limit: AbortSignal | null = null;
  return async ({ read }, changed) => {
    const paths = changed?.paths ?? [];
    const named = findTiesByName(paths, read);
    // On the default branch the commits since it was green are compared instead.
    const isAsked =
      place.kind !== 'default' && !isOfOutsiders(place) && read.isInformative && read.infrastructure === null;
    if (named.length > 0 || paths.length === 0 || !isAsked || hasFailed) return named;
    limit ??= AbortSignal.timeout(LIMIT_MS);
    try {
      return await inTree(look, { changed: paths, read }, AbortSignal.any([look.signal, limit]));
    } catch (error) {
      look.signal.throwIfAborted();
      hasFailed = true;
      look.deps.log.debug(
        { head: look.head.id, err: error },
        'failing tests were tied to the change by their names alone',
      );
      return named;
    }
  };
}

async function inTree(
  { deps, project, head }: Look,
  failing: Parameters<typeof findTiesInTree>[1],
  signal: AbortSignal,
): Promise<readonly Tie[]> {
  const repository = await deps.source.open(project, signal);
  await repository.bring(head.sha, signal);
  return await findTiesInTree(repository.tree(head.sha), failing, signal);
}
