// `/analyse stop`: whatever runs for the thread ends, further attempts on its pull request included, and the thread says so.
import type { Thread } from '../../core/thread.ts';
import { cancelInvestigation } from '../../services/end-early.ts';
import type { CausewayAppDeps } from './app-deps.ts';
import type { Wish } from './begin-analysis.ts';
import { nudge } from './nudge.ts';
import { react } from './react.ts';
import { reply } from './reply.ts';

type Spot = Pick<Wish, 'project' | 'configuration' | 'subject' | 'comment' | 'trigger'>;

const STOPPED = { code: 'stopped_by_command' } as const;

/** On our own pull request: the analysis that it came from, too. Where nothing runs it says so. */
export async function stopAnalysis(deps: CausewayAppDeps, spot: Spot, signal: AbortSignal): Promise<void> {
  let count = 0;
  for (const thread of await threadsAt(deps, spot)) {
    for (const id of await deps.store.openInvestigationsOf(thread.id)) {
      const { kind } = await cancelInvestigation(deps, id, STOPPED);
      if (kind === 'cancelled') count += 1;
    }
    await nudge(deps, thread);
  }
  try {
    if (count > 0) await react(deps, spot, 'eyes', signal);
    else await reply(deps, spot, { code: 'nothing_to_stop' }, signal);
  } catch (error) {
    signal.throwIfAborted();
    // Done again for the sign's sake it would find nothing that runs.
    deps.log.info({ err: error, project: spot.project.id }, 'the sign at a command was not accepted');
  }
}

/** A pull request of ours may have been analysed itself, besides. */
async function threadsAt({ store }: CausewayAppDeps, { project, subject }: Spot): Promise<readonly Thread[]> {
  const own = await store.threadOf(project.id, subject);
  const behind = subject.kind === 'pull_request' ? await store.threadOfPullRequest(project.id, subject.number) : null;
  return [own, behind].filter((thread) => thread !== null);
}
