// `/analyse fix` by someone with write: the pull request of the result that stands, or an analysis that leads to one.

import { isEnded } from '../../core/investigation.ts';
import { repositoryOf } from '../../core/project.ts';
import type { Thread, Trigger } from '../../core/thread.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import type { CausewayAppDeps } from './app-deps.ts';
import { beginAnalysis, type Wish } from './begin-analysis.ts';
import { react } from './react.ts';
import { reply } from './reply.ts';

/** Where it runs still, its end brings the pull request. Nothing is pushed to a fork: there it is not carried out. */
export async function askForFix(deps: CausewayAppDeps, wish: Wish, signal: AbortSignal): Promise<void> {
  const { project, subject, trigger } = wish;
  if (subject.kind === 'pull_request' && !(await isOfThisRepository(deps, wish, signal))) {
    return await reply(deps, wish, { code: 'branch_in_fork' }, signal);
  }
  const thread = await deps.store.threadOf(project.id, subject);
  if (thread === null || !(await leadsToChange(deps, thread))) {
    // An equal report would be answered with the result that has no change.
    return await beginAnalysis(deps, { ...wish, fresh: true, isForFix: true }, signal);
  }
  if (await isOvertaken(deps, thread, trigger)) return await reply(deps, wish, { code: 'overtaken' }, signal);
  const open = await openPull(deps, wish, thread, signal);
  if (open !== null) return await reply(deps, wish, { code: 'already_open', ...open }, signal);
  await react(deps, wish, 'eyes', signal);
  // As of the comment: what was concluded since, its writer has not seen.
  await deps.store.requestFix(thread.id, { ...trigger.by, at: trigger.at }, deps.now().toISOString());
  deps.queue.wake();
}

/** Whether the branch of the pull request is; one that we may not look at counts as a stranger's. */
async function isOfThisRepository(deps: CausewayAppDeps, { project, subject }: Wish, signal: AbortSignal) {
  const pull = { ...repositoryOf(project), pull_number: subject.number };
  try {
    const { data } = await deps.clients
      .repository(project.source, 'read')
      .call(({ rest }, request) => rest.pulls.get({ ...pull, request }), signal);
    return data.head.repo?.id === data.base.repo.id;
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.kind === 'busy' || error.kind === 'unsure') throw error;
    return false;
  }
}

/** The pull request that the request would lead to, as GitHub has it now; null: none is open. */
async function openPull(
  { clients }: Pick<CausewayAppDeps, 'clients'>,
  { project }: Wish,
  { record: { pullRequest: posted } }: Thread,
  signal: AbortSignal,
): Promise<{ readonly number: number; readonly url: string } | null> {
  if (posted === null || posted.number === 0 || posted.state !== 'open') return null;
  const pull = { ...repositoryOf(project), pull_number: posted.number };
  const { data } = await clients
    .repository(project.source, 'read')
    .call(({ rest }, request) => rest.pulls.get({ ...pull, request }), signal);
  return data.state === 'open' ? { number: posted.number, url: posted.url } : null;
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
  for (const id of await investigationsOf({ store }, thread)) {
    if (await hasOrWillHaveChange({ store }, id)) return true;
  }
  return false;
}

/** Red checks may have several causes: any of them may be the one that has a fix. */
async function investigationsOf(
  { store }: Pick<CausewayAppDeps, 'store'>,
  { id, projectId, subject, trigger, investigationId }: Thread,
): Promise<readonly string[]> {
  if (trigger.kind !== 'checks' || subject.kind !== 'pull_request') return [investigationId];
  const findings = (await store.headOfPullRequest(projectId, subject.number))?.findings ?? [];
  const own = findings.filter(({ threadId }) => threadId === id).flatMap((finding) => finding.investigationId ?? []);
  return own.length === 0 ? [investigationId] : own;
}

async function hasOrWillHaveChange({ store }: Pick<CausewayAppDeps, 'store'>, id: string): Promise<boolean> {
  const investigation = await store.investigation(id);
  if (investigation === null) return false;
  const { outcome } = investigation;
  if (!isEnded(outcome)) return true;
  if (outcome.state !== 'concluded') return false;
  const change = await store.changeSet(outcome.issueId);
  return change !== null && change.files.length > 0;
}
