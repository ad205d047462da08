// `/analyse revert`: on the merged pull request that broke the default branch, or an issue that the failure is tied to, by somebody with
// write access.

import { type Failure, findBlamedStep } from '../../core/check/index.ts';
import { getRepository, isAtLeast } from '../../core/project/index.ts';
import { ignoreUnknown } from '../clients/index.ts';
import type { CausewayAppDeps } from './app-deps.ts';
import { acceptCommand, type EventSubject, replyToCommand } from './replies.ts';

/** Open failures that are compared with the pull request: each takes a call. */
const MOST_COMPARED = 5;
const MOST_LISTED = 100;

export async function requestRevert(deps: CausewayAppDeps, request: EventSubject, signal: AbortSignal): Promise<void> {
  const { trigger, subject } = request;
  const reply = (why: Parameters<typeof replyToCommand>[2]) => replyToCommand(deps, request, why, signal);
  if (deps.memory === 'github') return await reply({ code: 'revert_not_here' });
  if (!isAtLeast(trigger.role, 'write')) return await reply({ code: 'revert_needs_write' });
  const failure = await findRevertible(deps, request, signal);
  if (failure === null) return await reply({ code: 'nothing_to_revert' });
  const now = deps.now().toISOString();
  const wanted = { ...trigger.by, at: trigger.at, number: subject.number };
  const requested = await deps.store.requestPutBack({ failureId: failure.id, sha: null, request: wanted }, now);
  if (requested.kind === 'none') return await reply({ code: 'nothing_to_revert' });
  if (requested.kind === 'known' && requested.pull !== null) {
    const { number, url, state } = requested.pull;
    return await reply({ code: state === 'merged' ? 'revert_merged' : 'revert_open', number, url });
  }
  await acceptCommand(deps, request, { command: 'revert' }, signal);
}

/** The one that people tied to this issue; null: none. */
async function findKnownOf(
  { store }: CausewayAppDeps,
  number: number,
  failures: readonly Failure[],
): Promise<Failure | null> {
  const known = await store.listKnownOfFailures(failures.map(({ id }) => id));
  return failures.find(({ id }) => known.get(id)?.number === number) ?? null;
}

/** An open failure of the default branch that this pull request alone may have brought, or that is tied to this issue; null: none. */
export async function findRevertible(
  deps: CausewayAppDeps,
  { project, subject }: Pick<EventSubject, 'project' | 'subject'>,
  signal: AbortSignal,
): Promise<Failure | null> {
  const listed = await deps.store.listFailures([project.id], { state: 'open', isOnDefault: true, limit: MOST_LISTED });
  const bySha = new Map<string, Failure>();
  for (const failure of listed) {
    const sha = findBlamedStep(failure)?.sha;
    if (sha !== undefined && !bySha.has(sha)) bySha.set(sha, failure);
  }
  if (subject.kind === 'issue') return await findKnownOf(deps, subject.number, [...bySha.values()]);
  for (const [sha, failure] of [...bySha].slice(0, MOST_COMPARED)) {
    const of = { ...getRepository(project), commit_sha: sha };
    const call = deps.clients
      .repository(project.source, 'read')
      .call(({ rest }, request) => rest.repos.listPullRequestsAssociatedWithCommit({ ...of, request }), signal);
    const brought = (await ignoreUnknown(call))?.data ?? [];
    if (brought.some(({ number, merged_at: at }) => number === subject.number && at !== null)) return failure;
  }
  return null;
}
