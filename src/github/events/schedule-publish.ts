// Has the publisher look at a thread again: something on GitHub may have changed, and it reads for itself what.
import type { GithubProject } from '../../core/project.ts';
import type { Thread } from '../../core/thread.ts';
import { isOurBranch } from '../publish/open-pull-request.ts';
import type { CausewayAppDeps } from './app-deps.ts';

/** Does nothing for null, so that a look-up can be passed as it is. */
export async function schedulePublish({ store, now }: CausewayAppDeps, thread: Thread | null): Promise<void> {
  if (thread === null) return;
  await store.schedulePublish(thread.id, now().toISOString());
}

/** The same for the thread that made the branch; says whether there is one. */
export async function schedulePublishOfBranch(
  deps: CausewayAppDeps,
  project: GithubProject,
  branch: string,
): Promise<boolean> {
  // A fork may name its branches as we name ours: those that we made have a thread.
  if (!isOurBranch(branch)) return false;
  const thread = await deps.store.findThreadOfBranch(project.id, branch);
  await schedulePublish(deps, thread);
  return thread !== null;
}
