// An issue was closed, opened again, deleted or moved away: its thread looks again, or nobody waits for it any more.
import type { Thread } from '../../core/thread.ts';
import { cancelInvestigation } from '../../services/end-early.ts';
import type { CausewayAppDeps, Delivered, EventHandler } from './app-deps.ts';
import { nudge } from './nudge.ts';
import { issueChanged } from './payloads.ts';

export const onIssueClosed: EventHandler = async (deps, delivered) => {
  await nudge(deps, await threadOfIssue(deps, delivered));
};

const GONE = { code: 'subject_gone' } as const;

/** There is no place left for the answer. */
export const onIssueGone: EventHandler = async (deps, delivered) => {
  const thread = await threadOfIssue(deps, delivered);
  if (thread === null) return;
  await cancelInvestigation(deps, thread.investigationId, GONE);
  await nudge(deps, thread);
};

async function threadOfIssue({ store }: CausewayAppDeps, { payload }: Delivered): Promise<Thread | null> {
  const read = issueChanged.safeParse(payload);
  if (!read.success) return null;
  const project = await store.projectOfRepository(read.data.repository.id);
  if (project === null) return null;
  return await store.threadOf(project.id, { kind: 'issue', number: read.data.issue.number });
}
