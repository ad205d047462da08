// `/analyse fix` by someone with write: the pull request of the result that stands, or an analysis that leads to one.
import { isEnded } from '../../domain/investigation.ts';
import type { Thread, Trigger } from '../../domain/thread.ts';
import type { CausewayAppDeps } from './app-deps.ts';
import { beginAnalysis, type Wish } from './begin-analysis.ts';
import { react } from './react.ts';

/** Where it runs still, its end brings the pull request. */
export async function askForFix(deps: CausewayAppDeps, wish: Wish, signal: AbortSignal): Promise<void> {
  const { project, subject, trigger } = wish;
  const thread = await deps.store.threadOf(project.id, subject);
  if (thread === null || !(await leadsToChange(deps, thread))) {
    // An equal report would be answered with the result that has no change.
    return await beginAnalysis(deps, { ...wish, fresh: true }, signal);
  }
  if (await isOvertaken(deps, thread, trigger)) {
    await react(deps, wish, 'confused', signal);
    return;
  }
  await react(deps, wish, 'eyes', signal);
  // As of the comment: what was concluded since, its writer has not seen.
  await deps.store.requestFix(thread.id, { ...trigger.by, at: trigger.at }, deps.now().toISOString());
  deps.queue.wake();
}

/** A newer analysis has begun since the comment was written: whoever wrote it meant the one before. */
async function isOvertaken(
  { store }: Pick<CausewayAppDeps, 'store'>,
  thread: Thread,
  trigger: Trigger,
): Promise<boolean> {
  const investigation = await store.investigation(thread.investigationId);
  // GitHub's times are whole seconds.
  return investigation !== null && Date.parse(investigation.createdAt) >= Date.parse(trigger.at) + 1_000;
}

async function leadsToChange({ store }: Pick<CausewayAppDeps, 'store'>, thread: Thread): Promise<boolean> {
  const investigation = await store.investigation(thread.investigationId);
  if (investigation === null) return false;
  const { outcome } = investigation;
  if (!isEnded(outcome)) return true;
  if (outcome.state !== 'concluded') return false;
  const change = await store.changeSet(outcome.issueId);
  return change !== null && change.files.length > 0;
}
