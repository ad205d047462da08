// A pull request was closed, opened again, or got new commits: where it is ours, its thread looks again.
import type { EventHandler } from './app-deps.ts';
import { nudge, nudgeBranch } from './nudge.ts';
import { pullRequestChanged } from './payloads.ts';

export const onPullRequestChanged: EventHandler = async (deps, { payload }) => {
  const read = pullRequestChanged.safeParse(payload);
  if (!read.success) return;
  const { repository, pull_request: pullRequest } = read.data;
  const project = await deps.store.projectOfRepository(repository.id);
  if (project === null) return;
  const thread = await deps.store.threadOfPullRequest(project.id, pullRequest.number);
  if (thread !== null) return await nudge(deps, thread);
  // Opened and not recorded yet: the branch knows it. A fork may call its branches what it likes.
  if (pullRequest.head.repo?.id === repository.id) await nudgeBranch(deps, project, pullRequest.head.ref);
};
