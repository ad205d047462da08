// Tells a thread that something on GitHub may have changed; what it is, the publisher looks up itself.
import type { GithubProject } from '../../core/project.ts';
import type { Thread } from '../../core/thread.ts';
import { isOurBranch } from '../publish/open-pull-request.ts';
import type { CausewayAppDeps } from './app-deps.ts';

type NudgeDeps = Pick<CausewayAppDeps, 'store' | 'queue' | 'now'>;

/** Of nothing for null, so that a look-up can be handed on as it is. */
export async function nudge(deps: NudgeDeps, thread: Thread | null): Promise<void> {
  if (thread === null) return;
  await deps.store.nudgeThread(thread.id, deps.now().toISOString());
  deps.queue.wake();
}

/** The thread whose pull request has this branch as its head. */
export async function nudgeBranch(
  deps: NudgeDeps,
  project: GithubProject,
  branch: string | null | undefined,
): Promise<void> {
  // Every other is of no interest, and costs no question to the store.
  if (!branch || !isOurBranch(branch)) return;
  await nudge(deps, await deps.store.threadOfBranch(project.id, branch));
}
