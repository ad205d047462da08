// Notes that the checks of a commit are to be looked at; what they say, the job looks up itself.
import { newId } from '../../core/ids.ts';
import type { GithubProject } from '../../core/project.ts';
import type { CausewayAppDeps } from './app-deps.ts';

type NoteDeps = Pick<CausewayAppDeps, 'store' | 'queue' | 'redactor' | 'now'>;

export interface NotedHead {
  readonly sha: string;
  /** "" where the event names none. */
  readonly branch: string;
}

/** `waitMs`: what else is told of the commit meanwhile is looked at together with it. */
export async function noteHead(
  { store, queue, redactor, now }: NoteDeps,
  project: GithubProject,
  { sha, branch }: NotedHead,
  waitMs: number,
): Promise<void> {
  const runAt = new Date(now().getTime() + waitMs).toISOString();
  const head = { id: newId('hed'), projectId: project.id, sha, branch: await redactor.redact(branch) };
  await store.noteHead(head, { runAt, now: now().toISOString() });
  if (waitMs === 0) queue.wake();
}

/** The same, for what is of interest only where the head was looked at before. */
export async function noteKnownHead(
  deps: NoteDeps,
  project: GithubProject,
  head: NotedHead,
  waitMs: number,
): Promise<void> {
  if ((await deps.store.headOf(project.id, head.sha)) !== null) await noteHead(deps, project, head, waitMs);
}
