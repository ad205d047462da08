// A pull request was opened, closed, or got new commits: where it is ours, its thread looks again, and so does a head that is known.
import type { GithubProject } from '../../core/project.ts';
import type { CausewayAppDeps, EventHandler } from './app-deps.ts';
import { noteHead, noteKnownHead } from './note-head.ts';
import { nudge, nudgeBranch } from './nudge.ts';
import { pullRequestChanged } from './payloads.ts';

/** Its checks begin by then, so that it is found waiting. */
const NEXT_MS = 60_000;
/** By then GitHub names it to whoever asks what a commit is the head of. */
const OPENED_MS = 3_000;

type Changed = ReturnType<typeof pullRequestChanged.parse>;

export const onPullRequestChanged: EventHandler = async (deps, { payload }) => {
  const read = pullRequestChanged.safeParse(payload);
  if (!read.success) return;
  const project = await deps.store.projectOfRepository(read.data.repository.id);
  if (project === null) return;
  await nudgeThread(deps, project, read.data);
  await noteNextHead(deps, project, read.data);
  // What failed there alone fails nowhere any more, but where its head is that of another, as which it is looked at after this.
  if (read.data.action === 'closed') {
    await deps.store.closeOfPullRequest(project.id, read.data.pull_request.number, deps.now().toISOString());
  }
  await nudgeHead(deps, project, read.data);
};

async function nudgeThread(
  deps: CausewayAppDeps,
  project: GithubProject,
  { repository, pull_request: pullRequest }: Changed,
): Promise<void> {
  const thread = await deps.store.threadOfPullRequest(project.id, pullRequest.number);
  if (thread !== null) return await nudge(deps, thread);
  // Opened and not recorded yet: the branch knows it. A fork may call its branches what it likes.
  if (pullRequest.head.repo?.id === repository.id) await nudgeBranch(deps, project, pullRequest.head.ref);
}

/**
 * The one of before new commits is none any more; that of a closed one is not either. Of one that is no draft any more, or is open (again), where
 * its head was looked at before, another verdict is due.
 */
async function nudgeHead(
  deps: CausewayAppDeps,
  project: GithubProject,
  { action, pull_request: { head }, before }: Changed,
): Promise<void> {
  const sha = before ?? head.sha;
  if (sha) await noteKnownHead(deps, project, { sha, branch: head.ref }, action === 'opened' ? OPENED_MS : 0);
}

/**
 * The end of a fork's checks names its branch and no pull request: where that is called as our default branch is, nobody can tell from it that
 * a red one is green. So the head that follows a red one is noted now, and looked at when its checks end.
 */
async function noteNextHead(
  deps: CausewayAppDeps,
  project: GithubProject,
  { repository, pull_request: { head, number }, before }: Changed,
): Promise<void> {
  const isHidden = head.ref === project.source.defaultBranch && head.repo?.id !== repository.id;
  if (!isHidden || !before || !head.sha) return;
  const wasRed = await deps.store.hasRed(project.id, { branch: '', pullRequests: [number] });
  if (wasRed) await noteHead(deps, project, { sha: head.sha, branch: head.ref }, NEXT_MS);
}
