// `/analyse fix` by someone with write: the pull request of the result that stands, or an analysis that leads to one.
import { isEnded } from '../../domain/investigation.ts';
import type { Thread } from '../../domain/thread.ts';
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
  await react(deps, wish, 'eyes', signal);
  await deps.store.requestFix(thread.id, trigger.by, deps.now().toISOString());
  deps.queue.wake();
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
