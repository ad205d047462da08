// The button "Open fix" on our own check run: someone with write asks for the pull request.
import type { GithubProject } from '../../core/project.ts';
import { isAtLeast } from '../../core/role.ts';
import type { Thread } from '../../core/thread.ts';
import { readButtonNumber } from '../publish/decide-check-run.ts';
import type { CausewayAppDeps, EventHandler } from './app-deps.ts';
import { actionRequested, isBot, personOf } from './payloads.ts';

/** The check run's `external_id` is its head; that of an old one is its thread. */
export const onActionRequested: EventHandler = async (deps, { payload }, signal) => {
  const read = actionRequested.safeParse(payload);
  if (!read.success) return;
  const { repository, check_run: run, requested_action: action, sender } = read.data;
  const by = personOf(sender);
  const button = readButtonNumber(action?.identifier ?? '');
  if (button === null || by === null || isBot(sender)) return;
  if (run.app?.id !== (await deps.clients.identity(signal)).appId) return;
  const project = await deps.store.projectOfRepository(repository.id);
  if (project === null) return;
  const thread = await threadOf(deps, project, { externalId: run.external_id ?? '', button });
  if (thread === null) {
    deps.log.info({ project: project.id, personId: by.id }, 'a button was pressed that stands for nothing any more');
    return;
  }
  const role = await deps.permissions.roleOfPerson(by, project, signal);
  if (!isAtLeast(role, 'write')) {
    deps.log.info({ thread: thread.id, personId: by.id, role }, 'a fix was asked for without write: nothing is done');
    return;
  }
  const now = deps.now().toISOString();
  await deps.store.requestFix(thread.id, { ...by, at: now }, now);
  deps.queue.wake();
};

/** Null: there is none, or it is at another analysis by now, which whoever pressed has not seen. */
async function threadOf(
  { store }: Pick<CausewayAppDeps, 'store'>,
  project: GithubProject,
  { externalId, button }: { readonly externalId: string; readonly button: number },
): Promise<Thread | null> {
  if (!externalId.startsWith('hed_')) {
    const thread = button === 0 ? await store.thread(externalId) : null;
    return thread?.projectId === project.id ? thread : null;
  }
  const head = await store.head(externalId);
  const asked = head?.record.checkRun?.buttons?.[button];
  if (head === null || asked === undefined) return null;
  const thread = await store.thread(asked.threadId);
  const shown = head.findings.map(({ investigationId }) => investigationId);
  const isAsShown = thread !== null && shown.includes(asked.investigationId) && shown.includes(thread.investigationId);
  return isAsShown && thread.projectId === project.id ? thread : null;
}
