// Whether a red check cannot be the doing of a pull request that changes documentation alone.

import { isUnreadDocumentation, mayExcludeDocumentation } from '../../ci/index.ts';
import type { ChangedFiles, HeadPlace } from '../../core/check/index.ts';
import type { Look } from './look.ts';
import type { ReadSuspect } from './read-suspects.ts';

/** For all checks of one look. */
const LIMIT_MS = 20_000;

/** The tests are read at the base, which has the same and is the project's own, whoever opened the pull request. */
export function createDocumentationFinder(
  { services, project, head, signal }: Look,
  place: HeadPlace,
  changed: ChangedFiles | null,
): (red: ReadSuspect) => Promise<boolean> {
  let limit: AbortSignal | null = null;
  let hasFailed = false;
  return async ({ suspect, read }) => {
    if (place.kind !== 'pull_request' || changed === null || hasFailed) return false;
    if (!mayExcludeDocumentation(changed, { name: suspect.check.name, read })) return false;
    limit ??= AbortSignal.timeout(LIMIT_MS);
    const until = AbortSignal.any([signal, limit]);
    try {
      const repository = await services.source.open(project, until);
      await repository.ensureCommit(place.base.sha, until);
      return await isUnreadDocumentation(repository.tree(place.base.sha), { paths: changed.paths, read }, until);
    } catch (error) {
      signal.throwIfAborted();
      hasFailed = true;
      services.log.debug({ head: head.id, err: error }, 'failed to look whether tests read the documentation');
      return false;
    }
  };
}
