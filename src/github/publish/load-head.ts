// Loads what the checks of a pull request say, for the thread that stands there.
import type { Thread, ThreadRecord } from '../../core/thread.ts';
import { leadOf, redNames } from './causes.ts';
import type { Cause, HeadView, PublishDeps } from './deps.ts';
import { resultOf } from './results.ts';

/** Null: not a pull request, or none of its heads was judged. */
export async function loadHead(deps: PublishDeps, thread: Thread, record: ThreadRecord): Promise<HeadView | null> {
  const { projectId, subject } = thread;
  if (subject.kind !== 'pull_request') return null;
  const head = await deps.store.headOfPullRequest(projectId, subject.number);
  if (head === null) return null;
  const causes: Cause[] = [];
  for (const finding of head.findings) {
    const id = finding.threadId === thread.id ? finding.investigationId : null;
    const investigation = id === null ? null : await deps.store.investigation(id);
    const result = investigation === null ? null : await resultOf(deps, investigation);
    causes.push({ finding, investigation, result });
  }
  return { head, causes, namesBefore: await namesBefore(deps, thread, record) };
}

/** Of the newest head whose finding the comment tells of. */
async function namesBefore(
  { store }: PublishDeps,
  { id }: Thread,
  { comment }: ThreadRecord,
): Promise<readonly string[]> {
  if (comment === null) return [];
  const heads = await store.headsOfThread(id);
  const told = heads.find(({ findings }) =>
    findings.some(({ investigationId }) => investigationId === comment.investigationId),
  );
  const own = told?.findings.filter(({ threadId }) => threadId === id) ?? [];
  return [...new Set(own.flatMap(redNames))];
}

/** Of the newest commit of the default branch whose finding this thread is for; empty where there is none (any more). */
export async function redOnDefault({ store }: PublishDeps, { id, subject }: Thread): Promise<readonly string[]> {
  if (subject.kind !== 'failure') return [];
  const heads = (await store.headsOfThread(id)).filter(({ place }) => place?.kind === 'default');
  const own = heads.flatMap(({ findings }) => findings).find((one) => one.isOwnThread && one.threadId === id);
  return own === undefined ? [] : [...new Set(redNames(own))];
}

/**
 * The thread with the lead of the head as its analysis: a head has several causes, and the thread has one. Where a person asked, that is what
 * they asked for.
 */
export function ledThread(thread: Thread, view: HeadView | null): Thread {
  if (thread.trigger.kind !== 'checks' || view === null) return thread;
  const lead = leadOf(view.causes)?.investigation;
  return lead ? { ...thread, investigationId: lead.id } : thread;
}
