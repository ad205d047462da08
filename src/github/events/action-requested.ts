// The button "Open fix" on our own check run: someone with write asks for the pull request.
import { isAtLeast } from '../../domain/role.ts';
import type { EventHandler } from './app-deps.ts';
import { actionRequested, isBot, personOf } from './payloads.ts';

/** The button's name on the wire; the check run's `external_id` is its thread. */
const OPEN_FIX = 'open_fix';

export const onActionRequested: EventHandler = async (deps, { payload }, signal) => {
  const read = actionRequested.safeParse(payload);
  if (!read.success) return;
  const { repository, check_run: run, requested_action: action, sender } = read.data;
  const by = personOf(sender);
  if (action?.identifier !== OPEN_FIX || by === null || isBot(sender)) return;
  if (run.app?.id !== (await deps.clients.identity(signal)).appId) return;
  const project = await deps.store.projectOfRepository(repository.id);
  const thread = await deps.store.thread(run.external_id ?? '');
  if (project === null || thread?.projectId !== project.id) return;
  if (!isAtLeast(await deps.permissions.roleOfPerson(by, project, signal), 'write')) return;
  const now = deps.now().toISOString();
  await deps.store.requestFix(thread.id, { ...by, at: now }, now);
  deps.queue.wake();
};
