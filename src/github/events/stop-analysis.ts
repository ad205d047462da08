// `/analyse stop`: the run in flight ends, and the thread says so.
import type { GithubProject } from '../../domain/project.ts';
import type { Subject, Thread } from '../../domain/thread.ts';
import { cancelInvestigation } from '../../jobs/end-early.ts';
import type { CausewayAppDeps } from './app-deps.ts';
import { nudge } from './nudge.ts';

interface Spot {
  readonly project: GithubProject;
  readonly subject: Exclude<Subject, { kind: 'report' }>;
}

const STOPPED = { code: 'cancelled', detail: 'It was stopped with "/analyse stop".' } as const;

/** On our own pull request: the analysis that it came from. Nothing where none runs. */
export async function stopAnalysis(deps: CausewayAppDeps, { project, subject }: Spot): Promise<void> {
  const thread = (await deps.store.threadOf(project.id, subject)) ?? (await behindPullRequest(deps, project, subject));
  if (thread === null) return;
  await cancelInvestigation(deps, thread.investigationId, STOPPED);
  await nudge(deps, thread);
}

async function behindPullRequest(
  { store }: CausewayAppDeps,
  project: GithubProject,
  subject: Spot['subject'],
): Promise<Thread | null> {
  return subject.kind === 'pull_request' ? await store.threadOfPullRequest(project.id, subject.number) : null;
}
