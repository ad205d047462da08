// What is on an issue or pull request already: its answer, what runs, and which commands a person may give there.
import { isFailing, isRepeatable } from '../../core/check/index.ts';
import { getRepository, isAtLeast } from '../../core/project/index.ts';
import type { Offer, Thread } from '../../core/thread/index.ts';
import { type IssuePayload, isFinal } from '../clients/index.ts';
import { createGithubWriter, readMarker } from '../publish/index.ts';
import { REPLY_MS } from '../render/index.ts';
import type { CausewayAppDeps } from './app-deps.ts';
import type { EventSubject } from './replies.ts';
import { findRevertible } from './revert-command.ts';

/** The answer that people see: that of our comment, or on our own pull request the one that it implements. */
export type Answered =
  | { readonly kind: 'thread'; readonly threadId: string }
  | { readonly kind: 'issue'; readonly issueId: string };

export async function findAnswer(deps: Pick<CausewayAppDeps, 'store'>, at: EventPlace): Promise<Answered | null> {
  const { own, origin } = await findThreads(deps, at);
  const posted = origin?.record.pullRequest ?? null;
  if (posted !== null && own?.record.comment?.shows !== 'result') return { kind: 'issue', issueId: posted.issueId };
  if (own === null || (await deps.store.findShownIssue(own.id)) === null) return null;
  return { kind: 'thread', threadId: own.id };
}

type EventPlace = Pick<EventSubject, 'project' | 'subject'>;

/** By our records; without any (a job of GitHub Actions), by our comment there, which says in its marker what it shows. */
export async function isAnswered(deps: CausewayAppDeps, at: EventPlace, signal: AbortSignal): Promise<boolean> {
  if ((await findAnswer(deps, at)) !== null) return true;
  if (deps.memory !== 'github') return false;
  const since = new Date(deps.now().getTime() - REPLY_MS).toISOString();
  const own = await createGithubWriter(deps, at.project, signal).listOwnComments(at.subject.number, since);
  return own.some(({ body }) => readMarker(body)?.kind === 'result');
}

/** The thread of the subject, and for our own pull request also the thread that opened it. */
export async function findThreads(
  { store }: Pick<CausewayAppDeps, 'store'>,
  { project, subject }: EventPlace,
): Promise<{ readonly own: Thread | null; readonly origin: Thread | null }> {
  const isPull = subject.kind === 'pull_request';
  return {
    own: await store.findThreadOfSubject(project.id, subject),
    origin: isPull ? await store.findThreadOfPullRequest(project.id, subject.number) : null,
  };
}

interface PlaceWithIssue extends EventPlace {
  readonly issue: IssuePayload;
}

/** Only a retry analyses it again. */
export async function isClosedWithAnswer(deps: CausewayAppDeps, at: PlaceWithIssue): Promise<boolean> {
  return at.issue.state === 'closed' && (await findAnswer(deps, at)) !== null;
}

export async function offerCommands(deps: CausewayAppDeps, at: EventSubject, signal: AbortSignal): Promise<Offer> {
  const { own, origin } = await findThreads(deps, at);
  const hasAnswer = await isAnswered(deps, at, signal);
  const { role } = at.trigger;
  const open = [own, origin]
    .flatMap((thread) => thread?.id ?? [])
    .map((id) => deps.store.listOpenInvestigationsOfThread(id));
  const isRunning = (await Promise.all(open)).some(({ length }) => length > 0);
  const mayOpen = at.configuration.config.mode === 'fix' && deps.ceiling === 'fix' && isAtLeast(role, 'write');
  const hasPull = origin !== null || own?.record.pullRequest?.state === 'open';
  const isForeign = at.subject.kind === 'pull_request' && origin === null;
  const isOwnBranch = at.subject.kind === 'issue' || !mayOpen || (await hasOwnBranch(deps, at, signal));
  const offersFix = mayOpen && !hasPull && isOwnBranch;
  const mayRun = mayOpen && at.configuration.config.limits.ciRunsDay > 0;
  const offersProof = mayRun && isForeign && isOwnBranch && deps.memory !== 'github';
  return {
    role: isAtLeast(role, 'write') ? 'write' : 'triage',
    commands: [
      hasAnswer || isRunning ? 'retry' : 'analyse',
      ...(hasAnswer && deps.memory !== 'github' ? (['right', 'wrong'] as const) : []),
      ...(offersFix ? (['fix'] as const) : []),
      ...(await offerOnChecks(deps, at)),
      ...(isRunning ? (['stop'] as const) : []),
      ...(offersProof ? (['prove'] as const) : []),
      ...(mayRun && (await findRevertible(deps, at, signal)) !== null ? (['revert'] as const) : []),
    ],
  };
}

/** What may be said of the red checks of a pull request, and whether some can be run again. */
async function offerOnChecks(
  { store, memory }: CausewayAppDeps,
  { project, subject, trigger }: EventSubject,
): Promise<Offer['commands']> {
  if (subject.kind !== 'pull_request' || memory === 'github') return [];
  const head = await store.findHeadOfPullRequest(project.id, subject.number);
  const red = head?.findings.filter(isFailing) ?? [];
  if (head === null || red.length === 0) return [];
  const { permissions } = (await store.findInstallation(project.source.installationId)) ?? { permissions: {} };
  const mayRerun = new Map(Object.entries(permissions)).get('actions') === 'write' && red.some(isRepeatable);
  return [
    ...(mayRerun && (await store.findRerun(head.id)) === null ? (['rerun'] as const) : []),
    ...(isAtLeast(trigger.role, 'write') ? (['not-mine', 'mine', 'known'] as const) : []),
  ];
}

/** Whether the pull request's branch is in this repository; one that we may not look at counts as a fork's. */
export async function hasOwnBranch(deps: CausewayAppDeps, at: EventPlace, signal: AbortSignal): Promise<boolean> {
  try {
    const { head, base } = await readStandingPull(deps, at, at.subject.number, signal);
    return head.repo?.id === base.repo.id;
  } catch (error) {
    if (isFinal(error)) return false;
    throw error;
  }
}

export async function readStandingPull(
  { clients }: CausewayAppDeps,
  { project }: EventPlace,
  number: number,
  signal: AbortSignal,
) {
  const pull = { ...getRepository(project), pull_number: number };
  const caller = clients.repository(project.source, 'read');
  return (await caller.call(({ rest }, request) => rest.pulls.get({ ...pull, request }), signal)).data;
}
